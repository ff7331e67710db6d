"""Calls side by side."""

from __future__ import annotations

import time

import pytest

from helm_impactbench.validity.threads import in_threads


def test_an_error_stops_what_has_not_begun() -> None:
    """Results come in order; after an error, waiting items are not begun."""
    assert list(in_threads(lambda x: x * x, range(50), 8)) == [x * x for x in range(50)]
    begun: list[int] = []

    def failing(item: int) -> int:
        begun.append(item)
        time.sleep(0.01)
        if item == 0:
            raise ValueError("no")
        return item

    with pytest.raises(ValueError, match="no"):
        list(in_threads(failing, range(1000), 2))
    assert len(begun) < 20
