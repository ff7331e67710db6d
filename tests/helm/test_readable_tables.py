"""Titles of HELM's tables in words, and tables divided where they are wider than a screen."""

from __future__ import annotations

from helm.benchmark.presentation.table import Cell, HeaderCell, Table

from helm_impactbench.helm.readable_tables import divided, titled, without_suffix

NAMES = {"prosocial": "Prosocial advice", "flourishing": "Human flourishing"}


def tables(*titles: str) -> list[Table]:
    """Return empty tables with titles."""
    return [Table(title, [], []) for title in titles]


def test_a_benchmarks_own_group_names_levels_alone() -> None:
    """Neither arguments nor hashes where there is one set-up."""
    found = tables("benchmark: prosocial, user: a/b, content: d839e923, part: 0.06",
                   "Prosocial advice (sub-split: child or teenager (6-17))")  # fmt: skip
    assert [table.title for table in titled(found, "prosocial", NAMES)] == [
        "All conversations", "child or teenager (6-17)",
    ]  # fmt: skip


def test_set_ups_are_told_apart_by_as_little_as_is_enough() -> None:
    """By what their entries say, and by the hash of the content where these are alike."""
    found = tables("benchmark: prosocial, user: a/b, content: 1", "benchmark: prosocial, user: c/d, content: 1",
                   "benchmark: prosocial, user: c/d, content: 2")  # fmt: skip
    assert [table.title for table in titled(found, "prosocial", NAMES)] == [
        "All conversations, user a/b",
        "All conversations, user c/d, content 1",
        "All conversations, user c/d, content 2",
    ]


def test_other_groups_name_the_benchmark_and_other_suites_stay() -> None:
    """A table of costs is about one benchmark of several; MMLU's titles are HELM's."""
    found = tables("benchmark: flourishing, user: a/b, content: 1", "subject: anatomy")
    assert [table.title for table in titled(found, "costs", NAMES)] == ["Human flourishing", "subject: anatomy"]


def wide(columns: int) -> Table:
    """Return a table of that many columns: model, rate, then single metrics."""
    heads = ["Model", "Pass rate", *(f"m{k:02d} Name" for k in range(columns - 2))]
    return Table("All", [HeaderCell(head) for head in heads], [[Cell(head) for head in heads]], name="t")


def test_a_wide_table_is_divided_and_a_narrow_one_is_not() -> None:
    """Every column is in one of the two, under its own header, and both begin with the model."""
    first, second = divided(wide(12), {"Pass rate"}, "by metric")
    assert [head.value for head in first.header] == ["Model", "Pass rate"]
    assert (second.title, second.name) == ("All, by metric", "t_by_metric")
    assert [head.value for head in second.header] == ["Model", *(f"m{k:02d} Name" for k in range(10))]
    assert [cell.value for cell in second.rows[0]] == [head.value for head in second.header]
    assert divided(wide(9), {"Pass rate"}, "by metric") == [wide(9)]
    assert divided(wide(12), set(), "by metric") == [wide(12)], "nothing sums it up"


def test_one_statistic_of_many_benchmarks_is_named_once() -> None:
    """The title says what it is."""
    table = Table("Pass rate", [HeaderCell("Model"), HeaderCell("A - b - Pass rate"), HeaderCell("C - Pass rate")], [])
    assert [head.value for head in without_suffix(table).header] == ["Model", "A - b", "C"]
    mixed = Table("x", [HeaderCell("A - Mean"), HeaderCell("A - Low side")], [])
    assert without_suffix(mixed) == mixed
