"""Records of anchors are stored per judge, day and prompts, and read back as they were."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from helm_impactbench.errors import ResultsError
from helm_impactbench.files.atomic_write import StorageError
from helm_impactbench.llm.usage import Usage
from helm_impactbench.validity.records.anchors import AnchorRecord, newest_anchors, read_anchors, write_anchors
from helm_impactbench.validity.records.answers import PLAIN, JudgedItem, KnownAnswer

ANSWER = JudgedItem(
    item="a1", benchmark="b", metric="m01", type="positive", measure="presence", known="present",
    answers={PLAIN: (KnownAnswer(status="scored", answer="present", value=1.0, right=True, confidence=0.9),) * 3},
    usage={"lab/one": Usage(calls=3, cost_usd=0.25)},
)  # fmt: skip


def record(
    day: int = 1, judges: tuple[str, ...] = ("lab/one", "lab/two"), prompts: str = "p", answers: int = 1
) -> AnchorRecord:
    """Return a record."""
    return AnchorRecord(judges=judges, began=date(2026, 6, day), prompts_digest=prompts, helm_impactbench="1",
                         served={"lab/one": ("one-0601",)}, items=(ANSWER,) * answers)  # fmt: skip


def test_records_stay_beside_each_other(tmp_path: Path) -> None:
    """One of the same judges, day and prompts takes the place of the older; the order is that of the days."""
    given = [record(9), record(2, prompts="q"), record(2, answers=0), record(2), record(3, ("lab/one",))]
    for one in given:
        assert write_anchors(tmp_path, one) == tmp_path / "anchors.json"
    found = read_anchors(tmp_path)
    assert [(one.began.day, one.judges, one.prompts_digest) for one in found] == [
        (2, ("lab/one", "lab/two"), "q"), (2, ("lab/one", "lab/two"), "p"), (3, ("lab/one",), "p"),
        (9, ("lab/one", "lab/two"), "p"),
    ]  # fmt: skip
    assert all(one in found for one in (record(2), record(9)))
    assert found[0].usage == Usage(calls=3, cost_usd=0.25)


def test_the_newest_record_is_one_with_answers(tmp_path: Path) -> None:
    """Whatever the order of a panel; one that was interrupted before its first answer tells nothing."""
    for one in (record(2), record(9, answers=0), record(5, ("lab/three",))):
        write_anchors(tmp_path, one)
    found = read_anchors(tmp_path)
    assert newest_anchors(found, ("lab/two", "lab/one")) == record(2)
    assert newest_anchors(found) == record(5, ("lab/three",))
    assert newest_anchors(found, ("lab/four",)) is newest_anchors(()) is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[]", "is not a file of answers to anchors"),
        ("{", "is not a file of answers to anchors"),
        ('{"version": 9, "records": []}', "has format 9"),
        ('{"records": [{"judges": ["a"]}]}', "is not a file of answers to anchors"),
    ],
)
def test_a_foreign_file_is_refused(tmp_path: Path, content: str, words: str) -> None:
    """In one sentence, with the cure."""
    (tmp_path / "anchors.json").write_text(content)
    with pytest.raises(ResultsError, match=words):
        read_anchors(tmp_path)


def test_a_folder_that_is_gone_says_so(tmp_path: Path) -> None:
    """StorageError, not a traceback."""
    with pytest.raises(StorageError, match="cannot be written"):
        write_anchors(tmp_path / "gone", record())
