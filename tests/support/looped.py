"""A table of cases in one test: what fails is told for every row, by its name.

Like pytest.mark.parametrize, for tables so long that a test for each row would say more about the runner than about
the code. Not for tests with fixtures that each row would need anew.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., None]


def looped(
    names: str | Sequence[str], rows: Iterable[Any], ids: Callable[[Any], object] | Sequence[str] | None = None
) -> Callable[[Test], Test]:
    """Return a decorator that calls a test with every row; names, rows and ids are those of parametrize."""
    columns = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = [_named(row, number, ids, alone=len(columns) == 1) for number, row in enumerate(rows)]

    def decorate(test: Test) -> Test:
        @wraps(test)
        def all_rows(**fixtures: Any) -> None:
            failed = []
            for name, values in table:
                try:
                    test(**fixtures, **dict(zip(columns, values, strict=True)))
                except (Exception, pytest.fail.Exception) as error:
                    failed.append(f"[{name}] {type(error).__name__}: {error}")
            assert not failed, f"{len(failed)} of {len(table)} rows fail:\n" + "\n".join(failed)

        assert table, f"{test.__name__} has no rows"
        kept = [one for name, one in inspect.signature(test).parameters.items() if name not in columns]
        vars(all_rows)["__signature__"] = inspect.Signature(kept)
        return all_rows

    return decorate


def _named(row: Any, number: int, ids: Any, *, alone: bool) -> tuple[str, tuple[Any, ...]]:
    """Return the name of a row and its values."""
    if isinstance(row, type(pytest.param())):
        assert not row.marks, f"{row.id}: a mark is of a whole test"
        return str(row.id or row.values), tuple(row.values)
    values = (row,) if alone else tuple(row)
    if ids is None:
        return ", ".join(f"{value!r:.60}" for value in values), values
    return str(ids[number]) if not callable(ids) else "-".join(str(ids(value)) for value in values), values
