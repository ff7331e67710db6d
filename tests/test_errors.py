"""Words of messages: counts with their nouns, and amounts of money."""

from __future__ import annotations

import pytest

from helm_impactbench.errors import counted, did_you_mean, dollars, the_one_meant


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


def test_a_name_is_offered_once() -> None:
    """Also where it is known from two places."""
    assert did_you_mean("mixd", ["mixed", "mixed", "panels"]) == " Did you mean mixed?"


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
