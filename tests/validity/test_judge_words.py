"""What a report says of its judges: their newest check on its own benchmarks, or that there is none."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from helm_impactbench.cli.anchors import _result
from helm_impactbench.results.anchors import AnchorAnswer, AnchorReading, Said, write_reading
from helm_impactbench.results.judge_checks import Given, GoldenAnswer, JudgeCheck, judge_file, write_judge_check
from helm_impactbench.validity.golden.words import judge_sentences


def answer(item: int, wanted: str, said: str, benchmark: str = "mini") -> GoldenAnswer:
    """Return an answer on an item of a golden set."""
    given = Given(status="scored", answer=said, right=wanted == said)
    return GoldenAnswer(
        benchmark=benchmark, metric=f"m{item}", type="positive", measure="presence", item=item, wanted=wanted,
        given=given,
    )  # fmt: skip


def test_a_checked_judge_and_one_that_is_not(tmp_path: Path) -> None:
    """Of the suite's benchmarks alone; a panel is looked up as a whole, and a damaged file is no check."""
    answers = [answer(i, "present", "present" if i <= 8 else "absent") for i in range(1, 11)]
    answers += [answer(i, "absent", "absent") for i in range(11, 21)]
    answers += [answer(i, "absent", "present", benchmark="other") for i in range(21, 31)]
    check = JudgeCheck(
        judges=("j/one",), golden_digest="g", prompts_digest="p", helm_impactbench="0.2", answers=tuple(answers)
    )
    write_judge_check(tmp_path, check)
    suite = tmp_path / "runs/s"
    known, panel = judge_sentences(suite, [("j/one",), ("j/one",), ("j/one", "j/two"), ()], {"mini"})
    assert known.startswith("j/one, asked about 20 transcripts of these benchmarks whose verdict is known, finds 80% (")
    assert " of what is present and 100% (" in known
    assert known.endswith("of what is absent (version 0.2).")
    assert panel == "j/one + j/two was not checked on transcripts whose verdict is known."
    (elsewhere,) = judge_sentences(suite, [("j/one",)], {"third"})
    assert elsewhere.startswith("j/one was not checked on transcripts of these benchmarks")
    judge_file(tmp_path, ("j/one",)).write_text("{")
    assert "was not checked" in judge_sentences(suite, [("j/one",)], {"mini"})[0]


def anchor(number: int, wanted: str, *right: bool | None, benchmark: str = "mini") -> AnchorAnswer:
    """Return an anchor with an answer per repeat; None for one that is not there."""
    said = (Said(status="unscored" if one is None else "scored", right=one) for one in right)
    return AnchorAnswer(
        anchor=str(number), benchmark=benchmark, metric="m1", measure="presence", wanted=wanted, said=tuple(said)
    )  # fmt: skip


def test_anchors_count_where_there_is_no_check(tmp_path: Path) -> None:
    """Right by most of its answers; borderline ones, those without an answer and other benchmarks' do not count."""
    suite = tmp_path / "runs/s"
    suite.mkdir(parents=True)
    answers = (
        anchor(1, "present", True, True, False), anchor(2, "absent", True, False, False),
        anchor(3, "borderline", None, True, True), anchor(4, "present", None, None, None),
        anchor(5, "absent", True, True, True), anchor(6, "absent", True, True, True, benchmark="other"),
    )  # fmt: skip
    reading = AnchorReading(
        judges=("j/one",), began=date(2026, 1, 2), prompts_digest="p", helm_impactbench="0.2", answers=answers
    )
    write_reading(suite, reading)
    one, two = judge_sentences(suite, [("j/one",), ("j/two",)], {"mini"})
    assert one.startswith("j/one is right on 2 of 3 transcripts of these benchmarks whose verdict is known. How often")
    assert "was not checked on transcripts" not in one
    assert two == "j/two was not checked on transcripts whose verdict is known."
    assert "answered 5 of 6 and was right on 3 of the 4 whose verdict is known" in _result(reading)
