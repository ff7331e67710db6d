"""Whether judges can be trusted: decided once, and first on every output."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from helm_impactbench.api import Suite
from helm_impactbench.files.resources import shipped
from helm_impactbench.results.outcome import JudgeVote
from helm_impactbench.suites.reading import reading_of
from helm_impactbench.validity.caveats import warnings_of
from helm_impactbench.validity.judge_trust import JudgeTrust, PanelTrust, judge_trust
from helm_impactbench.validity.records.anchors import AnchorRecord, write_anchors
from helm_impactbench.validity.records.answers import PLAIN, JudgedItem, KnownAnswer
from helm_impactbench.validity.records.judges import GoldenRecord, StressRecord, judge_file, write_golden, write_stress
from tests.support.outcomes import outcome
from tests.validity.test_stress import item


def answer(item: int, wanted: str, said: str, benchmark: str = "mini") -> JudgedItem:
    """Return an answer on an item of a golden set."""
    given = KnownAnswer(status="scored", answer=said, right=wanted == said)
    return JudgedItem(
        benchmark=benchmark, metric=f"m{item}", type="positive", measure="presence", item=str(item), known=wanted,
        answers={PLAIN: (given,)},
    )  # fmt: skip


def checked(tmp_path: Path, *judges: str, hits: int, items: int = 20, benchmark: str = "mini") -> None:
    """Write a check in which a judge is right on `hits` of `items` items, half of which are present."""
    wanted = ["present" if i % 2 else "absent" for i in range(items)]
    said = [want if i < hits else {"present": "absent"}.get(want, "present") for i, want in enumerate(wanted)]
    answers = tuple(answer(i, want, told, benchmark) for i, (want, told) in enumerate(zip(wanted, said, strict=True)))
    check = GoldenRecord(judges=judges, golden_digest="g", prompts_digest="p", helm_impactbench="0.2", items=answers)
    write_golden(tmp_path, check)


def test_the_four_states_and_the_worst_of_them(tmp_path: Path) -> None:
    """Checked, failed, not checked and scripted; a suite is in the state of its worst panel."""
    suite = tmp_path / "runs/s"
    checked(tmp_path, "j/good", hits=19)
    checked(tmp_path, "j/coin", hits=12)
    states = {name: judge_trust(suite, [(name,)], {"mini"}).state
              for name in ("j/good", "j/coin", "j/new", "rehearsal/judge")}  # fmt: skip
    assert states == {
        "j/good": "checked", "j/coin": "failed", "j/new": "not checked", "rehearsal/judge": "scripted",
    }  # fmt: skip
    whole = judge_trust(suite, [("j/good",), ("j/coin",), ("j/good",), ()], {"mini"})
    assert whole.failed
    assert whole.line.startswith("WARNING: the judge failed its check. j/coin, asked about 20 transcripts of these")
    assert "is not distinguishable from a coin" in whole.line
    assert "j/good" not in whole.line
    assert whole.warning == "WARNING: j/coin failed its check, so these figures may say nothing."
    assert JudgeTrust().line == ""


def test_a_check_is_of_the_suites_benchmarks(tmp_path: Path) -> None:
    """A panel is looked up as a whole, other benchmarks say nothing, and a damaged file is no check."""
    suite = tmp_path / "runs/s"
    checked(tmp_path, "j/one", hits=20)
    known, panel = judge_trust(suite, [("j/one",), ("j/one", "j/two")], {"mini"}).sentences
    assert known.startswith(
        "j/one, asked about 20 transcripts of these benchmarks whose verdict is known, finds 100% ("
    )
    assert panel.startswith("j/one + j/two was not asked about transcripts of these benchmarks")
    assert judge_trust(suite, [("j/one",)], {"third"}).state == "not checked"
    judge_file(tmp_path, ("j/one",)).write_text("{")
    assert judge_trust(suite, [("j/one",)], {"mini"}).state == "not checked"


def anchor(number: int, wanted: str, *right: bool | None, benchmark: str = "mini") -> JudgedItem:
    """Return an anchor with an answer per repeat; None for one that is not there."""
    said = (KnownAnswer(status="unscored" if one is None else "scored", right=one) for one in right)
    return JudgedItem(
        item=str(number), benchmark=benchmark, metric="m1", type="positive", measure="presence", known=wanted,
        answers={PLAIN: tuple(said)},
    )  # fmt: skip


def test_anchors_count_where_there_is_no_check(tmp_path: Path) -> None:
    """Right by most of its answers; borderline ones, those without an answer and other benchmarks' do not count."""
    suite = tmp_path / "runs/s"
    suite.mkdir(parents=True)
    right = [anchor(i, "present" if i % 2 else "absent", True, True, False) for i in range(12)]
    wrong = [anchor(i, "present" if i % 2 else "absent", i < 7, i < 7, True) for i in range(12)]
    beside = (anchor(20, "borderline", None, True, True), anchor(21, "present", None, None, None),
              anchor(22, "absent", False, False, False, benchmark="other"))  # fmt: skip
    for judge, items in (("j/one", right), ("j/two", wrong), ("j/few", right[:6])):
        write_anchors(suite, AnchorRecord(judges=(judge,), began=date(2026, 1, 2), prompts_digest="p",
                                          helm_impactbench="0.2", items=(*items, *beside)))  # fmt: skip
    one, two, few = (judge_trust(suite, [(judge,)], {"mini"}) for judge in ("j/one", "j/two", "j/few"))
    assert (one.state, two.state, few.state) == ("checked", "failed", "not checked")
    assert one.line.startswith("Judge checked. j/one is right on 12 of 12 transcripts of these benchmarks")
    assert "j/two is right on 7 of 12 transcripts" in two.line
    assert two.line.endswith("which is not distinguishable from a coin.")


def test_a_judge_that_was_asked_too_little_is_told_what_is_missing(tmp_path: Path) -> None:
    """How many transcripts, how many are needed and how many were right, of a check or else of anchors."""
    suite = tmp_path / "runs/s"
    suite.mkdir(parents=True)
    checked(tmp_path, "j/short", hits=3, items=6)
    few = tuple(anchor(i, "present", i < 4) for i in range(5))
    write_anchors(suite, AnchorRecord(judges=("j/few",), began=date(2026, 1, 2), prompts_digest="p",
                                      helm_impactbench="0.2", items=few))  # fmt: skip
    lines = [judge_trust(suite, [(judge,)], {"mini"}).line for judge in ("j/short", "j/few", "j/new")]
    of = "transcripts of these benchmarks whose verdict is known"
    assert lines == [
        f"Judge not checked. j/short was asked about 6 {of}, and 8 of a measure are needed (right on 3): add to the "
        "golden set (docs/judges.md), then impactbench check-judge mini --judge j/short",
        f"Judge not checked. j/few was asked about 5 {of}, and 8 of a measure are needed (right on 4): "
        "impactbench check-judge mini --judge j/few",
        f"Judge not checked. j/new was not asked about {of}: impactbench check-judge mini --judge j/new",
    ]


def test_the_advised_check_is_of_the_suites_benchmarks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those with a golden set are named; where none has one, the file that has to be written first."""
    for slug, has_set in (("mine", True), ("bare", False)):
        folder = tmp_path / "benchmarks" / slug
        folder.mkdir(parents=True)
        (folder / "benchmark.yaml").write_text("name: x")
        if has_set:
            (folder / "golden.yaml").write_text("[]")
    monkeypatch.chdir(tmp_path)

    def advised(*benchmarks: str) -> str:
        return judge_trust(tmp_path / "runs/s", [("j/a", "j/b")], benchmarks).line.split(" is known: ")[1]

    assert advised("mine", "bare") == "impactbench check-judge mine --judge j/a+j/b"
    assert advised("bare") == (
        "write benchmarks/bare/golden.yaml first (docs/judges.md), then impactbench check-judge bare --judge j/a+j/b"
    )
    every = [path.parent.name for path in shipped("benchmarks").glob("*/golden.yaml")]
    assert advised("mine", *every) == "impactbench check-judge --judge j/a+j/b"


def test_stress_that_is_kept_is_told(tmp_path: Path) -> None:
    """In a sentence after the check: which edits move verdicts, or that none was found to."""
    suite = tmp_path / "runs/s"
    for judge, flips, words in (
        ("j/one", 40, "Its verdicts move with edits that should not matter: padding."),
        ("j/two", 0, "No edit of 60 transcripts was found to move its verdicts."),
    ):
        items = tuple(item(i, "absent", {"padding": "present" if i < flips else "absent"}) for i in range(60))
        write_stress(
            tmp_path,
            StressRecord(judges=(judge,), prompts_digest="p", helm_impactbench="0.2", kinds=("padding",),
                         source="golden sets", source_digest="d", items=items),
        )  # fmt: skip
        (sentence,) = judge_trust(suite, [(judge,)], {"mini"}).sentences
        assert sentence.endswith(words)


def test_a_gate_decides_nothing_by_a_judge_that_failed(tmp_path: Path) -> None:
    """Undecided with exit code 1, unless it is told to; the warning is first, and under the table."""
    suite = Suite(tmp_path)
    trust = JudgeTrust((PanelTrust("j/coin", "failed", "j/coin is no better than a coin."),))
    outcomes = [outcome(True, base_id=f"s{base}", variant_id=f"s{base}") for base in range(80)]
    suite.__dict__.update(reading=replace(reading_of(outcomes), folder=tmp_path), judges=trust)
    refused, decided = (suite.gate(minimum=["pass_rate=0.5"], accept_judge=accepts) for accepts in (False, True))
    assert refused.verdict is not None
    assert decided.verdict is not None
    assert (refused.verdict.exit_code, decided.verdict.exit_code) == (1, 0)
    assert refused.verdict.sentence.startswith("UNDECIDED: the judge failed its check")
    for result in (refused, decided):
        assert str(result).startswith("WARNING: the judge failed its check. j/coin is no better than a coin.")
        assert result.tables[0].notes == (trust.warning,)
    assert [row["decision"] for row in refused["conditions"].rows] == ["undecided"]
    lost = suite.gate(maximum=["unscored=0.5"])  # which no judge is needed for
    assert lost.verdict is not None
    assert (lost["conditions"].rows[0]["decision"], lost.verdict.exit_code) == ("pass", 0)


def test_several_unchecked_judges_are_one_sentence(tmp_path: Path) -> None:
    """All of them by name, then a command for each."""
    whole = judge_trust(tmp_path / "runs/s", [("j/a",), ("j/b", "j/c")], {"mini"})
    assert whole.line == (
        "Judge not checked. j/a and j/b + j/c were not asked about transcripts of these benchmarks whose verdict is "
        "known: impactbench check-judge mini --judge j/a; impactbench check-judge mini --judge j/b+j/c"
    )
    assert whole.sentences[0].endswith("whose verdict is known: impactbench check-judge mini --judge j/a")


def test_different_judges_of_a_benchmark_are_a_warning(tmp_path: Path) -> None:
    """In front of every figure; not where each benchmark has judges of its own, nor in a cascade."""

    def told(*, second: str, **changes: object) -> bool:
        votes = [(JudgeVote(judge, 1.0, "answered", None),) for judge in ("j/a", "j/b")]
        outcomes = [
            outcome(True, model=model, votes=vote, benchmark=benchmark, **changes)
            for model, vote, benchmark in zip("ab", votes, ("mini", second), strict=True)
        ]
        (tmp_path / "suite").mkdir(exist_ok=True)
        reading = replace(reading_of(outcomes), folder=tmp_path / "suite")
        return "Different runs have different judges: do not compare them." in warnings_of(reading)

    assert told(second="mini")
    assert not told(second="other")
    assert not told(second="mini", cascade=0.8)


def test_files_say_that_the_judge_failed_and_why_nothing_is_decided(tmp_path: Path) -> None:
    """A column of every table of every command, and none where the judge may be used; equality is not decided."""
    suite = Suite(tmp_path)
    outcomes = [
        outcome(True, model=model, base_id=f"s{base}", variant_id=f"s{base}") for model in "ab" for base in range(20)
    ]
    for state in ("failed", "checked"):
        trust = JudgeTrust((PanelTrust("j/coin", state, "j/coin is known."),))  # type: ignore[arg-type]  # of a loop
        suite.__dict__.update(reading=replace(reading_of(outcomes), folder=tmp_path), judges=trust)
        compared = suite.compare(equal_within=0.05)
        results = (compared, suite.rates(), suite.gate(minimum=["pass_rate=0.5"], accept_judge=True))
        said = {row.get("judge_check") for one in results for table in one.file_tables() for row in table.records()}
        assert said == ({"failed"} if state == "failed" else {None})
        reason = "Whether models are equal within 0.05 is not decided: the judge failed its check."
        assert (reason in compared.notes) == (state == "failed")
        columns = [column.title for column in compared["pairs"].columns]
        assert ("Within 0.05" in columns) == (state == "checked")
