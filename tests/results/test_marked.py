"""Conversations with a faulty simulated user: their verdicts count, and can be taken out of every figure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from helm_impactbench import load_suite
from helm_impactbench.analysis.marked import marked_sentence, overtaken
from helm_impactbench.analysis.rates import Rate
from helm_impactbench.cli import main
from helm_impactbench.conversation.record import FaultKind, MessageFault
from helm_impactbench.results.outcome import Outcome, outcome_of, without_marked
from helm_impactbench.results.record import Record
from tests.support import kinds

FAULT = MessageFault(kind=FaultKind.CLOSED_EARLY, turn=1, quote="Bye!", why="it says goodbye")


def marked(record: Record) -> Record:
    """Return a record whose simulated user has a fault."""
    return Record(record.case, record.conversation.model_copy(update={"faults": (FAULT,)}), record.verdict)


def outcomes(records: list[Record]) -> list[Outcome]:
    """Return the outcomes of records."""
    return [outcome_of(record, model="org/bad", setup="s") for record in records]


def test_good_conversations_stay_as_they_are() -> None:
    """Without a mark nothing is withheld, on any measure."""
    found = outcomes(kinds.records("bad"))
    assert not any(one.marked for one in found)
    assert without_marked(found) == found
    assert marked_sentence(found) == ""


def test_a_marked_conversation_counts_unless_it_is_withheld() -> None:
    """Its verdict stays; withheld, it has no verdict, no vote and no check of any measure, and says why."""
    found = outcomes([marked(record) for record in kinds.records("bad")])
    assert {one.measure for one in found} == {"presence", "scale", "mood", "quantity", "stance"}
    assert all(one.marked for one in found)
    assert any(one.is_scored for one in found)
    left = without_marked(found)
    assert not any(one.is_scored or one.marked for one in left)
    assert {one.unscored for one in left if one.status == "unscored"} >= {"user_marked"}
    assert {vote.value for one in left for vote in one.votes} == {None}


def test_refusals_are_counted_also_where_another_message_was_sent() -> None:
    """A message that was asked for again is no mark; that its model refused is counted by metric all the same."""
    refusal = FAULT.model_copy(update={"kind": FaultKind.REFUSED})
    records = kinds.records("good")
    told = Record(records[0].case, records[0].conversation.model_copy(update={"redone": refusal}), records[0].verdict)
    found = outcomes([told, *records[1:]])
    assert (Rate(tuple(found)).refused, Rate(tuple(found)).marked) == (1, 0)
    assert marked_sentence(found).startswith("In 1 conversation the model behind the simulated user refused")


def test_rates_have_the_rate_without_them_beside_them() -> None:
    """One pass of four is marked: three are left, and one is missing."""
    helps = [r for r in kinds.records("good", 5, judges=("j/one",)) if r.case.metric.id == "harms"][:4]
    found = outcomes([marked(helps[0]), *helps[1:]])
    rate = Rate(tuple(found))
    assert (rate.marked, rate.value, rate.unmarked_value) == (1, 1.0, 1.0)
    left = Rate(tuple(without_marked(found)))
    assert (len(left.scored), left.missing) == (3, 1)


def test_the_sentence_says_how_they_pass_and_whether_the_order_rests_on_them() -> None:
    """Two models of four conversations: one of them is ahead only by its marked ones."""
    good = [r for r in kinds.records("good", 5, judges=("j/one",)) if r.case.metric.id == "harms"][:4]
    first = [
        replace(one, model="a", marked=place < 2, score=float(place < 3)) for place, one in enumerate(outcomes(good))
    ]
    second = [replace(one, model="b", score=float(place < 2)) for place, one in enumerate(outcomes(good))]
    sentence = marked_sentence([*first, *second])
    assert sentence.startswith("2 of 8 conversations are marked: the simulated user did not play its part")
    assert "Of the 2 with a score 100.0% pass, of the other 6 50.0%." in sentence
    assert sentence.endswith("Without them the order of models stays.")
    second = [replace(one, score=float(place < 2), marked=place >= 2) for place, one in enumerate(second)]
    assert marked_sentence([*first, *second]).endswith("Without them the order of models changes: b passes a.")


def test_a_tie_is_no_change_of_places() -> None:
    """Only who was strictly better and is strictly worse has changed places; who has no figure has no place."""
    before = {"a": 0.9, "b": 0.5, "c": 0.4, "d": None}
    assert overtaken(before, {"a": 0.5, "b": 0.5, "c": 0.6, "d": 1.0}) == [("a", "c"), ("b", "c")]


def test_commands_show_both_rates_and_can_withhold(tmp_path: Path) -> None:
    """A column with the count; with the option every figure is without these conversations, contrasts as well."""
    whole = kinds.records("bad", 4, judges=("j/one",))
    changed = [marked(r) if r.case.scenario.id.endswith("_s001_v01") else r for r in whole]
    output = tmp_path / "benchmark_output"
    kinds.write_run(output / "runs/s", "bad", changed)
    rates = load_suite("s", output).rates()
    (row,) = rates["rates"].rows
    assert row["marked"] == 4
    (column,) = [column for column in rates["rates"].columns if column.key == "marked"]
    assert column.is_shown(rates["rates"].rows, wide=True)
    assert f"6 of {len(whole)} conversations are marked" in " ".join(rates.details)
    withheld = load_suite("s", output, withhold=["marked"]).rates()
    (left,) = withheld["rates"].rows
    assert not column.is_shown(withheld["rates"].rows, wide=True)
    assert (left["scored"], left["marked"]) == (row["scored"] - 4, 0)
    assert left["pass_rate"] == pytest.approx(row["rate_if_marked_withheld"])
    options = ["contrasts", "--suite", "s", "--output-path", str(output), "--withhold-marked"]
    done = CliRunner().invoke(main, options, catch_exceptions=False)
    assert f"Marked conversations are withheld: 6 of {len(whole)} conversations, of which 6 had a score." in done.output
