"""Checks of judges are stored per judge and state of the golden sets, and read back as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_impactbench.errors import ResultsError
from helm_impactbench.files.atomic_write import StorageError
from helm_impactbench.validity.records.answers import PLAIN, JudgedItem, KnownAnswer
from helm_impactbench.validity.records.judges import GoldenRecord, judge_file, judge_name, read_golden, write_golden

ANSWER = JudgedItem(benchmark="b", metric="m01", type="positive", measure="presence", item="1", known="present",
                    answers={PLAIN: (KnownAnswer(status="scored", answer="present", right=True),)})  # fmt: skip


def check(digest: str = "d1", judges: tuple[str, ...] = ("lab/one", "lab/two"), version: str = "1") -> GoldenRecord:
    """Return a check."""
    return GoldenRecord(judges=judges, golden_digest=digest, prompts_digest="p", helm_impactbench=version,
                      items=(ANSWER,))  # fmt: skip


def test_a_check_takes_the_place_of_one_of_the_same_golden_sets(tmp_path: Path) -> None:
    """Others stay. The order of a panel is of no importance, and another panel has its own file."""
    for one in (check("d1"), check("d2"), check("d1", version="2"), check(judges=("lab/one",))):
        path = write_golden(tmp_path, one)
        assert path.parent == tmp_path / "judges"
    found = read_golden(tmp_path, ("lab/two", "lab/one"))
    assert found == (check("d2"), check("d1", version="2"))
    assert read_golden(tmp_path, ("lab/one",)) == (check(judges=("lab/one",)),)
    assert read_golden(tmp_path, ("lab/three",)) == ()


def test_names_of_files_are_plain_short_and_distinct() -> None:
    """Whatever a deployment is called."""
    names = [("a/b",), ("a b",), ("a:b",), ("a/b", "c"), ("x" * 300,), ("x" * 301,), ("../up",)]
    made = [judge_name(one) for one in names]
    assert made[0] == "a_b"
    assert len(set(made)) == len(made)
    assert all(len(name) < 140 and "/" not in name and " " not in name for name in made)


@pytest.mark.parametrize("text", ["", "[]", '{"version": 1, "checks": [{"judges": ["a"]}]}', "{"])
def test_a_file_of_another_form_is_refused_in_words(tmp_path: Path, text: str) -> None:
    """And is not overwritten."""
    path = judge_file(tmp_path, ("a/b",))
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(ResultsError, match="is not a file of checks of a judge"):
        write_golden(tmp_path, check(judges=("a/b",)))
    assert path.read_text() == text


def test_another_format_is_named(tmp_path: Path) -> None:
    """By its number."""
    path = write_golden(tmp_path, check())
    path.write_text(path.read_text().replace('"version": 1', '"version": 2'))
    with pytest.raises(ResultsError, match="has format 2, and this version reads 1"):
        read_golden(tmp_path, check().judges)


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    """A file is in its place."""
    (tmp_path / "judges").write_text("")
    with pytest.raises(StorageError, match="cannot be written"):
        write_golden(tmp_path, check())
