"""What a report says of its judges: their newest check on its own benchmarks, or that there is none."""

from __future__ import annotations

from pathlib import Path

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
    known, panel = judge_sentences(tmp_path, [("j/one",), ("j/one",), ("j/one", "j/two"), ()], {"mini"})
    assert known.startswith("j/one, asked about 20 transcripts of these benchmarks whose verdict is known, finds 80% (")
    assert " of what is present and 100% (" in known
    assert known.endswith("of what is absent (version 0.2).")
    assert panel == (
        "j/one + j/two was not checked on transcripts whose verdict is known: impactbench check --judge j/one+j/two."
    )
    (elsewhere,) = judge_sentences(tmp_path, [("j/one",)], {"third"})
    assert elsewhere.startswith("j/one was not checked on transcripts of these benchmarks")
    judge_file(tmp_path, ("j/one",)).write_text("{")
    assert "was not checked" in judge_sentences(tmp_path, [("j/one",)], {"mini"})[0]
