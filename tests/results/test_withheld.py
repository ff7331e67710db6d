"""Votes whose quotes are not in the transcript can be withheld: what is left, for every kind of measurement."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from helm_impactbench import load_suite
from helm_impactbench.analysis.rates import Rate
from helm_impactbench.cli import main
from helm_impactbench.judging.verdict import Verdict
from helm_impactbench.results.outcome import Outcome, outcome_of, without_ungrounded
from helm_impactbench.results.record import Record
from tests.support import kinds


def ungrounded(record: Record, *judges: str) -> Record:
    """Return a record in which these judges quote what was not said."""
    votes = tuple(
        vote.model_copy(update={"grounded": False}) if vote.judge in judges else vote for vote in record.verdict.votes
    )
    changed: Verdict = record.verdict.model_copy(update={"votes": votes})
    return Record(record.case, record.conversation, changed)


def outcomes(records: list[Record]) -> list[Outcome]:
    """Return the outcomes of records."""
    return [outcome_of(record, model="org/bad", setup="s") for record in records]


def test_grounded_votes_change_nothing() -> None:
    """Nothing is withheld, and every outcome stays as it is."""
    found = outcomes(kinds.records("bad"))
    assert {one.withheld for one in found} == {None}
    assert without_ungrounded(found) == found


@pytest.mark.parametrize("judges", [("j/one",), ("j/one", "j/two", "j/three")], ids=["one of three", "all three"])
def test_the_rest_of_the_panel_decides_on_every_measure(judges: tuple[str, ...]) -> None:
    """Two votes of three that agree are enough; without any there is no verdict, and the reason is named."""
    records = [r for r in kinds.records("bad", judges=("j/one", "j/two", "j/three")) if r.verdict.status == "scored"]
    before = outcomes(records)
    after = without_ungrounded(outcomes([ungrounded(record, *judges) for record in records]))
    assert {one.measure for one in before} == {"presence", "scale", "mood", "quantity", "stance"}
    if len(judges) == 1:
        assert [(a.status, a.value, a.score) for a in after] == [(b.status, b.value, b.score) for b in before]
        assert {vote.status for one in after for vote in one.votes} == {"answered", "no_vote"}
    else:
        assert {(a.status, a.value, a.score, a.unscored) for a in after} == {
            ("unscored", None, None, "judge_ungrounded")
        }


def test_rates_have_the_other_rate_beside_them() -> None:
    """A pass of four that rests on a quote nobody said: the rate without it, and of how many conversations it tells."""
    helps = [r for r in kinds.records("good", 5, judges=("j/one",)) if r.case.metric.id == "harms"][:4]
    found = outcomes([ungrounded(helps[0], "j/one"), *helps[1:]])
    rate = Rate(tuple(found))
    assert (rate.ungrounded, len(rate.scored)) == (1, 4)
    assert (rate.value, rate.grounded_value) == (1.0, 1.0)
    assert Rate(tuple(without_ungrounded(found))).missing == 1


def test_commands_show_both_rates_and_can_withhold(tmp_path: Path) -> None:
    """A column with the count; with the option every figure is without these votes, contrasts as well."""
    whole = kinds.records("bad", 4, judges=("j/one",))
    changed = [ungrounded(r, "j/one") if r.case.scenario.id.endswith("_s001_v01") else r for r in whole]
    output = tmp_path / "benchmark_output"
    kinds.write_run(output / "runs/s", "bad", changed)
    rates = load_suite("s", output).rates()
    (row,) = rates["rates"].rows
    assert row["ungrounded"] == 4
    (column,) = [column for column in rates["rates"].columns if column.key == "ungrounded"]
    assert column.is_shown(rates["rates"].rows, wide=True)
    assert any("--withhold-ungrounded leaves them out" in sentence for sentence in rates.details)
    (left,) = load_suite("s", output, withhold=["ungrounded"]).rates()["rates"].rows
    assert (left["scored"], left["ungrounded"]) == (row["scored"] - 4, 0)
    assert left["pass_rate"] == pytest.approx(row["rate_if_ungrounded_withheld"])
    options = ["contrasts", "--suite", "s", "--output-path", str(output), "--withhold-ungrounded"]
    done = CliRunner().invoke(main, options, catch_exceptions=False)
    assert (
        f"Ungrounded votes are withheld: in 6 of {len(whole)} conversations; without them, 6 of these lack"
        in done.output
    )
