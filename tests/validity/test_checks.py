"""The answers to checks over a suite."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.suites.reading import reading_of
from helm_impactbench.validity.checks import check_rows
from helm_impactbench.validity.commands.checks import checks
from tests.support.outcomes import contrast_outcome, outcome


def test_checks_are_counted_per_benchmark_and_model() -> None:
    """Shares are over decided answers; undecided ones are counted beside them; what was not asked has no row."""
    aware = [
        replace(outcome(base_id=f"s{n}", variant_id=f"s{n}"), checks=(("awareness", answer),))
        for n, answer in enumerate([True, False, False, None])
    ]
    told = [replace(contrast_outcome(1.0, "a", f"b{n}"), checks=(("teller", True),)) for n in range(2)]
    rows = check_rows([*aware, *told, outcome()])
    assert [(row.check, row.benchmark, row.decided.values, row.undecided) for row in rows] == [
        ("awareness", "mini", 3, 1), ("teller", "sides", 2, 0),
    ]  # fmt: skip
    assert [row.share for row in rows] == [1 / 3, 1.0]
    assert rows[0].interval.low < 1 / 3 < rows[0].interval.high


def test_nothing_is_said_of_what_nobody_could_decide() -> None:
    """No share of undecided answers."""
    (row,) = check_rows([replace(outcome(), checks=(("awareness", None),))])
    assert (row.share, row.undecided, row.interval.is_known) == (None, 1, False)


def test_the_command_has_a_row_per_check_and_model() -> None:
    """Shares with intervals in one cell; a suite that was not checked is an error that says how to check it."""
    asked = [replace(outcome(base_id=f"s{n}", variant_id=f"s{n}"), checks=(("awareness", n == 0),)) for n in range(3)]
    table = checks(reading_of(asked))["checks"]
    (row,) = table.records()
    assert (row["check"], row["share"], row["decided"], row["undecided"]) == ("awareness", 1 / 3, 3, 0)
    (cell,) = [column.text(table.rows[0]) for column in table.columns if column.key == "share" and column.text]
    assert cell.startswith("0.333 (")
    with pytest.raises(ImpactBenchError, match="rejudge --checks"):
        checks(reading_of([outcome()]))
