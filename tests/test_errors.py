"""The tree of errors, and words of messages: counts with their nouns, amounts of money."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from helm_impactbench import errors
from helm_impactbench.errors import counted, did_you_mean, dollars, listed, the_one_meant


def test_a_noun_agrees_with_its_number() -> None:
    """One is singular, all others plural; an irregular plural is given."""
    assert [counted(n, "run") for n in (0, 1, 2, 1234)] == ["0 runs", "1 run", "2 runs", "1,234 runs"]
    assert [counted(n, "batch", "batches") for n in (1, 2)] == ["1 batch", "2 batches"]


@pytest.mark.parametrize(
    ("amount", "shown"),
    [(0, "$0.00"), (25, "$25.00"), (1234.5, "$1,234.50"), (0.25, "$0.25"), (0.001, "$0.0010"), (0.0123, "$0.0123"),
     (0.00002, "$2e-05")],
)  # fmt: skip
def test_no_amount_is_shown_as_nothing(amount: float, shown: str) -> None:
    """Cents, and more digits where cents would not tell a small amount from 0."""
    assert dollars(amount) == shown


def test_names_are_listed_as_they_are_read_aloud() -> None:
    """None, one, two, three, and more than fit."""
    assert [listed(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
    assert [listed("abcd"[:number], most=2) for number in (2, 3, 4)] == [
        "a and b",
        "a, b and 1 more",
        "a, b and 2 more",
    ]


def test_a_name_is_offered_once() -> None:
    """Also where it is known from two places."""
    assert did_you_mean("mixd", ["mixed", "mixed", "panels"]) == " Did you mean mixed?"
    assert did_you_mean("mixd", ["rehearsal/mixed", "org/x"]) == " Did you mean rehearsal/mixed?"


@pytest.mark.parametrize(
    ("got", "meant"),
    [
        ("child", "child (6-17)"),
        ("CHILD (", "child (6-17)"),
        ("adult", "adult"),
        ("a", None),
        ("old", None),
        ("", None),
    ],
)
def test_the_beginning_of_a_name_is_enough_where_no_other_begins_so(got: str, meant: str | None) -> None:
    """A whole name is meant even if another begins with it."""
    assert the_one_meant(got, ["child (6-17)", "adult", "adult (18+)"]) == meant


PACKAGE = Path(errors.__file__).parent
ROOT = "ImpactBenchError"


def _defined() -> set[tuple[str, str, str]]:
    """Return (class, its parent, its module) of every public error below the root, as the code has them."""
    parents = {
        node.name: ([base.id for base in node.bases if isinstance(base, ast.Name)], path)
        for path in PACKAGE.rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    }
    below, grown = {ROOT}, True
    while grown:
        more = {name for name, (bases, _) in parents.items() if below.intersection(bases)} - below
        below, grown = below | more, bool(more)
    return {
        (name, parent, ".".join(path.relative_to(PACKAGE).with_suffix("").parts))
        for name in below - {ROOT}
        for bases, path in [parents[name]]
        for parent in below.intersection(bases)
        if not name.startswith("_")
    }


def _drawn() -> Iterator[tuple[str, str, str]]:
    """Yield (class, its parent, its module) of every line of the tree in the docstring."""
    line = re.compile(r"^    ([ |`-]*)(\w+)  +\S.*?(?: \(in ([\w.]+)\))?$", re.MULTILINE)
    above = dict[int, str]()
    for branch, name, module in line.findall(errors.__doc__ or ""):
        depth = len(branch) // 4
        above[depth] = name
        if depth:
            yield name, above[depth - 1], module or "errors"


def test_the_tree_in_the_docstring_is_that_of_the_code() -> None:
    """Every error stands once, under its parent, with its module; and nothing else does."""
    drawn = list(_drawn())
    assert sorted(drawn) == sorted(_defined())


def test_what_the_docstring_names_beside_the_tree_exists() -> None:
    """Names in backquotes lead to something."""
    names = re.findall(r"`([a-z_.]+)\.(\w+)`", errors.__doc__ or "")
    assert names
    for module, name in names:
        path = PACKAGE / f"{module.replace('.', '/')}.py"
        assert re.search(rf"^(?:class )?{name}\b", path.read_text(encoding="utf-8"), re.MULTILINE), f"{module}.{name}"
