"""A table in one test: every row counts, and what fails is named."""

from __future__ import annotations

import pytest

from tests.support.looped import looped


def test_every_row_that_fails_is_named() -> None:
    """By its id, with what was wrong; the others pass."""

    @looped(("number", "square"), [(1, 1), (2, 5), pytest.param(3, 8, id="three"), (4, 16)])
    def squares(number: int, square: int) -> None:
        assert number**2 == square

    with pytest.raises(AssertionError, match=r"2 of 4 rows fail:\n\[2, 5\] [^\n]* == 5\n\[three\] .* == 8"):
        squares()


def test_tables_multiply_and_fixtures_are_handed_on() -> None:
    """As those of parametrize do."""
    met = []

    @looped("letter", "ab")
    @looped("number", [1, 2])
    def pairs(fixture: str, letter: str, number: int) -> None:
        met.append((fixture, letter, number))

    pairs(fixture="f")
    assert met == [("f", "a", 1), ("f", "a", 2), ("f", "b", 1), ("f", "b", 2)]


def test_a_table_without_rows_is_a_mistake() -> None:
    """It would pass whatever the code does."""
    with pytest.raises(AssertionError, match="has no rows"):
        looped("letter", [])(lambda letter: None)
