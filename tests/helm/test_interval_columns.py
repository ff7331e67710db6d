"""The columns that HELM's tables get: ranks and judges, on tables made by hand."""

from __future__ import annotations

from helm.benchmark.presentation.schema import RunGroup
from helm.benchmark.presentation.table import Cell, HeaderCell, Table

from helm_impactbench.analysis.shared_rates import SharedRates
from helm_impactbench.helm.interval_columns import INTERVAL_HEADER, JUDGE_HEADER, RANK_HEADER, add_judges, add_overall
from helm_impactbench.results.outcome import JudgeVote, Outcome
from tests.analysis.builders import FAILED, PASSED, row


def table(rows: list[list[Outcome]]) -> Table:
    """Return HELM's table of these models: name and mean score."""
    cells = [[Cell(own[0].model), Cell(0.5)] for own in rows]
    return Table("t", [HeaderCell("Model"), HeaderCell("Mean score")], cells)


def column(found: Table, header: str) -> list[object]:
    """Return the values of a column."""
    place = [cell.value for cell in found.header].index(header)
    return [cells[place].value for cells in found.rows]


def overall(rows: list[list[Outcome]], *, ranked: bool = True) -> Table:
    """Return a table of one benchmark with our columns."""
    found = table(rows)
    group = RunGroup("mini", metric_groups=["impactbench_main"])
    add_overall(found, rows, [(group, "impactbench_main")], SharedRates(), lambda *_: {}, ranked=ranked)
    return found


def ranks(rows: list[list[Outcome]]) -> list[object]:
    """Return the ranks of models in a table of one benchmark."""
    return column(overall(rows), RANK_HEADER)


def test_the_only_model_with_a_rank_has_none() -> None:
    """A model on part of the cases has no rank, and the first of one says nothing."""
    whole = row([PASSED, FAILED] * 10, model="a")
    assert ranks([whole, row([PASSED] * 20, model="b")]) == ["2", "1"]
    assert ranks([whole, row([PASSED] * 5, model="b")]) == [None, None]


def test_nobody_is_first_by_a_judge_that_failed() -> None:
    """The ranks are gone, and the interval of the mean stays."""
    rows = [row([PASSED, FAILED] * 10, model="a"), row([PASSED] * 20, model="b")]
    assert [cell.value for cell in overall(rows, ranked=False).header] == ["Model", "Mean score", INTERVAL_HEADER]


def test_judges_are_a_column_where_they_differ() -> None:
    """Of each row, the panels that judged it; no column where all have the same."""
    one, other = (JudgeVote(name, 1.0, "answered", None) for name in ("j/one", "j/two"))
    rows = [row([PASSED] * 3, model="a", votes=(one,)), row([PASSED] * 3, model="b", votes=(one, other))]
    found = table(rows)
    add_judges(found, rows)
    assert column(found, JUDGE_HEADER) == ["j/one", "j/one + j/two"]
    same = table(rows[:1])
    add_judges(same, rows[:1])
    assert [cell.value for cell in same.header] == ["Model", "Mean score"]
