"""Situations that experts hand in."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_impactbench.authoring.seeds import Seed, read_seeds
from helm_impactbench.errors import ImpactBenchError


def test_seeds_of_experts_are_read(tmp_path: Path) -> None:
    """Columns in any order, with Excel's byte order mark."""
    path = tmp_path / "seeds.csv"
    path.write_text('\ufeffauthor,situation,notes\nDr Ode,"A quarrel, at a well",keep it short\n', encoding="utf-8")
    assert read_seeds(path) == (Seed("A quarrel, at a well", "keep it short", "Dr Ode"),)


def test_seeds_may_be_parted_by_semicolons(tmp_path: Path) -> None:
    """As a spreadsheet writes them where the comma is a decimal point; commas are then text."""
    path = tmp_path / "seeds.csv"
    path.write_text("\ufeffsituation;author\r\nA quarrel, at a well;Dr Ode\r\n", encoding="utf-8")
    assert read_seeds(path) == (Seed("A quarrel, at a well", None, "Dr Ode"),)


def test_seeds_may_be_objects_in_lines(tmp_path: Path) -> None:
    """The same fields as the columns; blank lines and null are nothing."""
    path = tmp_path / "seeds.jsonl"
    lines = ['{"situation": "A quarrel, at a well", "author": "Dr Ode", "metric": "m01"}', "",
             '{"situation": " A flat ", "notes": null}']  # fmt: skip
    path.write_text("\n".join(lines), encoding="utf-8")
    assert read_seeds(path) == (Seed("A quarrel, at a well", None, "Dr Ode", "m01"), Seed("A flat"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", r":1: not an object.*situation"),
        ('{"situation": "x"}\n{"situatoin": "x"}', ":2: .*Did you mean situation"),
        ('{"situation": 3}', ":1: situation must be text"),
        ('{"notes": "x"}', ":1: the situation is empty or missing"),
        ("\n", "contains no situation"),
        ("{", ":1: "),
    ],
)
def test_a_fault_in_a_line_is_explained(tmp_path: Path, text: str, message: str) -> None:
    """With its number."""
    (tmp_path / "seeds.ndjson").write_text(text)
    with pytest.raises(ImpactBenchError, match=message):
        read_seeds(tmp_path / "seeds.ndjson")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("notes\nx\n", ":2: the situation is empty or missing"),
        ("situation\n", "contains no situation"),
        ("situation\na flat, with a dog\n", ":2: more cells than columns; put text with commas"),
        ("situation;notes\na flat; a dog;x\n", ":2: more cells than columns; put text with semicolons"),
        ("situatoin\nx\n", "Did you mean situation"),
        ("situation,author\n,me\n", ":2: the situation is empty"),
    ],
)
def test_a_fault_in_seeds_is_explained(tmp_path: Path, text: str, message: str) -> None:
    """With the line, or the column that was meant."""
    (tmp_path / "seeds.csv").write_text(text)
    with pytest.raises(ImpactBenchError, match=message):
        read_seeds(tmp_path / "seeds.csv")
