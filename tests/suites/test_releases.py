"""Releases of one model, and suites of one, are told apart, chosen and compared."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from helm_impactbench import load_suite
from helm_impactbench.analysis.latency import latencies
from helm_impactbench.cli import main
from helm_impactbench.errors import ImpactBenchError, ResultsError
from helm_impactbench.results.record import Record
from tests.suites.external import builders as external
from tests.support import kinds

BASES = 8
NAME = "org/chat"


def answered(records: Iterable[Record], by: str) -> list[Record]:
    """Return records in which each answer is a call of its own."""
    return [
        replace(record, conversation=record.conversation.model_copy(update={"turns": tuple(
            turn.model_copy(update={"call": f"{by}{number}-{turn.number}"}) for turn in record.conversation.turns)}))
        for number, record in enumerate(records)
    ]  # fmt: skip


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Suite `both` has the releases v1 and v2 of a model; `old` and `new` have one each, `other` has another name."""
    folder = tmp_path / "benchmark_output/runs"
    good, bad = kinds.records("good", BASES), kinds.records("bad", BASES)
    for suite, release, records in (
        ("both", "v1", good), ("both", "v2", bad), ("old", "v1", good), ("new", "v2", bad), ("plain", "", good),
    ):  # fmt: skip
        kinds.write_run(folder / suite, "chat", answered(records, release or "p"), release=release)
    kinds.write_run(folder / "other", "chat-2", answered(bad, "o"))
    monkeypatch.chdir(tmp_path)
    return folder


def models(result: Any, table: str) -> list[str]:
    """Return the models of a table."""
    return [row["model"] for row in result[table].rows]


def test_releases_of_one_suite_are_two_targets(runs: Path) -> None:
    """Their rates are apart, under a name with the release; chosen alone, a release has the model's own name."""
    assert models(load_suite("both").rates("overall"), "rates") == [f"{NAME}@v1", f"{NAME}@v2"]
    assert models(load_suite("both", releases=["v2"]).rates("overall"), "rates") == [NAME]
    assert models(load_suite("both", models=[f"{NAME}@v1"]).rates("overall"), "rates") == [f"{NAME}@v1"]
    assert len(models(load_suite("both", models=[NAME]).rates("overall"), "rates")) == 2
    assert models(load_suite("old").rates("overall"), "rates") == [NAME]
    with pytest.raises(ResultsError, match=r"Suite both has no release 'v3'; it has: v1, v2\. impactbench run"):
        _ = load_suite("both", releases=["v3"]).reading


def test_two_releases_or_two_suites_are_compared_on_the_same_cases(runs: Path) -> None:
    """The pair has every scored case of both, whichever way the two are named."""
    (pair,) = load_suite("both").compare()["pairs"].rows
    (across,) = load_suite("old").compare("new")["pairs"].rows
    assert (across["first"], across["second"]) == (f"{NAME}@old", f"{NAME}@new")
    assert (pair["first"], pair["second"]) == (f"{NAME}@v1", f"{NAME}@v2")
    assert pair["difference"] == across["difference"] > 0.5
    assert pair["pairs"] == across["pairs"] > BASES
    assert models(load_suite("old").compare("other"), "models") == [NAME, "org/chat-2"]


def test_the_gate_takes_two_releases_two_suites_and_another_name(runs: Path) -> None:
    """The first is the baseline of the second. The same loss is found each way, and no loss the other way round."""
    ways = [
        load_suite("both", releases=["v1", "v2"]).gate(),
        load_suite("new").gate(baseline="old"),
        load_suite("other").gate(baseline="old", baseline_model=NAME),
        load_suite("new").gate(baseline="both", baseline_model=f"{NAME}@v1"),
    ]
    for way in ways:
        (row,) = way["conditions"].rows
        assert (row["decision"], round(row["value"], 3)) == ("fail", round(ways[0]["conditions"].rows[0]["value"], 3))
    (row,) = load_suite("both", releases=["v2", "v1"]).gate()["conditions"].rows
    assert row["decision"] == "pass"
    unnamed = load_suite("other").gate(baseline="old")
    assert any("The baseline old has no org/chat-2, but org/chat. Where that" in note for note in unnamed.notes)
    for wrong, words in (
        (lambda: load_suite("other").gate(minimum=["pass_rate=0.1"], baseline_model=NAME), "which is missing"),
        (lambda: load_suite("both").gate(baseline="old", baseline_model=NAME), "has 2: org/chat@v1, org/chat@v2"),
        (lambda: load_suite("other").gate(baseline="old", baseline_model="org/chet"), "Did you mean org/chat"),
        (lambda: load_suite("both", releases=["v1", "v2"]).gate(baseline="old"), "2 releases and --baseline"),
    ):
        with pytest.raises(ImpactBenchError, match=words):
            wrong()


def test_answers_of_the_baseline_decide_nothing(runs: Path) -> None:
    """All of them, or one of many, whatever else is asked; a release of its own calls is decided."""
    kinds.write_run(runs / "copied", "chat", answered(kinds.records("bad", BASES), "v1"))
    result = load_suite("copied").gate(minimum=["pass_rate=0"], maximum=["pass_rate=0.1"], baseline="old")
    assert {row["decision"] for row in result["conditions"].rows} == {"undecided"}
    assert result.verdict is not None
    assert result.verdict.sentence.startswith("UNDECIDED: 0 of 3 conditions met. 3 cannot be decided because answers")
    assert "are the baseline's own, from the cache. They say nothing of this release." in result.notes[0]
    mostly = answered(kinds.records("bad", BASES), "x")
    mostly[0] = answered(kinds.records("bad", BASES), "v1")[0]
    kinds.write_run(runs / "mostly", "chat", mostly)
    one = load_suite("mostly").gate(baseline="old")
    assert one["conditions"].rows[0]["decision"] == "undecided"
    assert one.notes[0].startswith("1 of ")


def test_swap_compares_releases(runs: Path) -> None:
    """As it does suites; what differs is named."""
    by_release = load_suite("both", releases=["v1", "v2"]).swap()
    by_suite = load_suite("old").swap("new")
    assert by_release.notes[0] == "v1 -> v2: release v1 -> v2."
    assert [row["change"] for row in by_release["rankings"].rows] == [
        row["change"] for row in by_suite["rankings"].rows
    ]
    renamed = load_suite("old").swap("other", baseline_model=NAME)
    assert [row["change"] for row in renamed["rankings"].rows] == [row["change"] for row in by_suite["rankings"].rows]


@pytest.mark.parametrize(
    ("words", "said", "code"),
    [
        (("compare", "--suite", "old", "--suite", "new"), "chat@new", 0),
        (("compare", "--suite", "both", "--release", "v1", "--release", "v2"), "chat@v2", 0),
        (("gate", "--suite", "old", "--suite", "new", "--model", NAME), "FAIL: 0 of 1 condition met.", 1),
        (("gate", "--suite", "both", "--release", "v1", "--release", "v2"), "FAIL: 0 of 1 condition met.", 1),
        (("gate", "--suite", "other", "--baseline", "old", "--baseline-model", NAME), "FAIL: 0 of 1 condition met.", 1),
        (("gate", "--suite", "old", "--suite", "new", "--baseline", "old"), "--suite is given 2 times beside", 2),
        (("audit", "swap", "--suite", "both", "--release", "v1", "--release", "v2"), "v1 -> v2: release v1 -> v2.", 0),
        (("compare", "--suite", "old", "--suite", "nwe"), "Did you mean new", 2),
        (("compare", "--suite", "old", "--suite", "new", "--model", "org/chet"), "Did you mean org/chat", 2),
    ],
)
def test_the_commands_take_them(runs: Path, words: tuple[str, ...], said: str, code: int) -> None:
    """No option that is given twice is dropped."""
    done = CliRunner().invoke(main, words)
    assert (done.exit_code, said in done.output) == (code, True), done.output


def test_a_report_tells_them_apart(runs: Path) -> None:
    """Both are in the ranking, each with pages of its own; chosen alone, one has the model's own name."""
    page = load_suite("both").report().read_text()
    assert f"{NAME}@v1" in page
    assert f"{NAME}@v2" in page
    alone = load_suite("both", releases=["v1"]).report("alone").read_text()
    assert NAME in alone
    assert "@v1" not in alone


def test_helms_own_runs_say_which_calls_answered(runs: Path) -> None:
    """Their answers are told apart too. They name no release: where one is chosen they are left out, which is said."""
    for suite, second in (("both", 0.5), ("old", 0.5), ("new", 0.75)):
        rows = [external.row("id1", external.stat("final_number_exact_match", 1))]
        folder = external.write_run(runs / suite, "gsm:model=org_chat", rows, groups=["gsm"], model=NAME)
        answer = {"request_time": second, "request_datetime": 1_700_000_000, "completions": [{"text": "42"}]}
        state = {"instance": {"id": "id1"}, "train_trial_index": 0, "result": answer}
        (folder / "scenario_state.json").write_text(json.dumps({"request_states": [state]}))
    assert {outcome.model for outcome in load_suite("both", benchmarks=["gsm"]).reading.outcomes} == {NAME}
    first, again, other = (
        load_suite(name, benchmarks=["gsm"]).reading.outcomes[0].calls for name in ("both", "old", "new")
    )
    assert len(first) == 1
    assert first == again != other
    (latency,) = latencies(load_suite("new", benchmarks=["gsm"]).reading.outcomes)
    assert (latency.model, latency.replies, latency.median.value) == (NAME, 1, 0.75)
    gated = load_suite("old", benchmarks=["gsm"]).gate(baseline="both")
    assert "1 of 1 answers of org/chat are the baseline's own" in gated.notes[0]
    chosen = load_suite("both", releases=["v1"]).reading
    assert {outcome.benchmark for outcome in chosen.outcomes} == {kinds.SLUG}
    assert "1 run left out: they name no release." in chosen.notes
