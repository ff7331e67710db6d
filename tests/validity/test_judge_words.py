"""What a report says of its judges: their newest check on its own benchmarks, or that there is none."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from helm_impactbench.validity.commands.anchors import anchors
from helm_impactbench.validity.golden.words import judge_sentences
from helm_impactbench.validity.records.anchors import AnchorRecord, write_anchors
from helm_impactbench.validity.records.answers import PLAIN, JudgedItem, KnownAnswer
from helm_impactbench.validity.records.judges import GoldenRecord, StressRecord, judge_file, write_golden, write_stress
from tests.validity.test_stress import item


def answer(item: int, wanted: str, said: str, benchmark: str = "mini") -> JudgedItem:
    """Return an answer on an item of a golden set."""
    given = KnownAnswer(status="scored", answer=said, right=wanted == said)
    return JudgedItem(
        benchmark=benchmark, metric=f"m{item}", type="positive", measure="presence", item=str(item), known=wanted,
        answers={PLAIN: (given,)},
    )  # fmt: skip


def test_a_checked_judge_and_one_that_is_not(tmp_path: Path) -> None:
    """Of the suite's benchmarks alone; a panel is looked up as a whole, and a damaged file is no check."""
    answers = [answer(i, "present", "present" if i <= 8 else "absent") for i in range(1, 11)]
    answers += [answer(i, "absent", "absent") for i in range(11, 21)]
    answers += [answer(i, "absent", "present", benchmark="other") for i in range(21, 31)]
    check = GoldenRecord(
        judges=("j/one",), golden_digest="g", prompts_digest="p", helm_impactbench="0.2", items=tuple(answers)
    )
    write_golden(tmp_path, check)
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
    answers = (
        anchor(1, "present", True, True, False), anchor(2, "absent", True, False, False),
        anchor(3, "borderline", None, True, True), anchor(4, "present", None, None, None),
        anchor(5, "absent", True, True, True), anchor(6, "absent", True, True, True, benchmark="other"),
    )  # fmt: skip
    reading = AnchorRecord(
        judges=("j/one",), began=date(2026, 1, 2), prompts_digest="p", helm_impactbench="0.2", items=answers
    )
    write_anchors(suite, reading)
    one, two = judge_sentences(suite, [("j/one",), ("j/two",)], {"mini"})
    assert one.startswith("j/one is right on 2 of 3 transcripts of these benchmarks whose verdict is known. How often")
    assert "was not checked on transcripts" not in one
    assert two == "j/two was not checked on transcripts whose verdict is known."
    (row,) = anchors([reading]).tables[0].rows
    assert (row["answered"], row["anchors"], row["right"], row["known"]) == (5, 6, 3, 4)


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
        (sentence,) = judge_sentences(suite, [(judge,)], {"mini"})
        assert sentence.endswith(words)
