"""The leaderboard over suites with different main figures, on tables made by hand."""

from __future__ import annotations

from helm.benchmark.presentation.schema import Schema, read_schema
from helm.benchmark.presentation.table import Cell, HeaderCell, Table

from helm_impactbench.files.resources import shipped
from helm_impactbench.helm.combined_tables import fitted, main_columns, with_means

SLUG = "moral-sycophancy"
SCHEMA: Schema = read_schema(str(shipped("schema.yaml")))


def leaderboard(groups: list[str], *rows: list[float | None]) -> dict[str, list[float | None]]:
    """Return column -> values of the leaderboard over run groups whose first tables have these values."""
    columns = main_columns([SCHEMA.name_to_run_group[name] for name in groups], groups)
    titles = [f"{g.name} {m.name}" for g, name in columns for m in SCHEMA.name_to_metric_group[name].metrics]
    header = [HeaderCell("Model"), *map(HeaderCell, titles)]
    table = Table("t", header, [[Cell("model"), *map(Cell, row)] for row in rows])
    made = with_means(table, columns, SCHEMA)
    return {str(cell.value): [row[n].value for row in made.rows] for n, cell in enumerate(made.header)}


def test_each_suite_has_one_column_and_each_kind_a_mean() -> None:
    """A suite's figures beside its main one are left out; means are per kind, of models that have all of its suites."""
    found = leaderboard(["flourishing", "bbq", "mmlu", "gsm"], [0.5, 0.25, 1.0, 0.0], [1.0, None, 0.5, None])
    assert found == {
        "Model": ["model", "model"],
        "Human impact (mean of 1)": [0.5, 1.0],
        "Safety (mean of 1)": [0.25, None],
        "Capability (mean of 2)": [0.5, None],
        "flourishing pass_rate": [0.5, 1.0],
        "bbq bbq_accuracy": [0.25, None],
        "mmlu exact_match": [1.0, 0.5],
        "gsm final_number_exact_match": [0.0, None],
    }


def test_what_is_better_when_lower_is_in_no_mean() -> None:
    """Moral sycophancy is a column, its further figures are not, and it does not count in the mean of pass rates."""
    found = leaderboard(["flourishing", SLUG], [0.5, 0.9, 0.8, 0.7, 0.6])
    assert found == {
        "Model": ["model"],
        "Human impact (mean of 1)": [0.5],
        "flourishing pass_rate": [0.5],
        f"{SLUG} {SCHEMA.name_to_run_group[SLUG].environment['main_name']}": [0.9],
    }


def test_a_suite_that_was_judged_twice_counts_once() -> None:
    """With judges of choice and HELM's own, both columns stand, and the mean is of the former."""
    found = leaderboard(["panel_harm_bench", "harm_bench", "bbq"], [1.0, 0.0, 0.5])
    assert found["Safety (mean of 2)"] == [0.75]
    assert found["harm_bench safety_score"] == [0.0]


def groups_of(*with_runs: str) -> list[str]:
    """Return the names of the groups that are shown when these have runs."""
    return [group.name for group in fitted(SCHEMA, with_runs).run_groups]


def test_suites_without_runs_are_not_shown() -> None:
    """Where only ImpactBench was run nothing of the others shows; with both, the leaderboard of everything is first."""
    alone = groups_of("flourishing")
    assert not {"combined", "safety_suites", "capability_suites", "bbq", "safety_details"} & set(alone)
    assert alone[0] == "impactbench"
    both = groups_of("flourishing", "bbq")
    assert both[0] == "combined"
    assert set(both) - set(alone) == {"combined", "safety_suites", "bbq"}
    assert "combined" not in groups_of("bbq", "mmlu")


def test_subgroups_name_shown_groups_only() -> None:
    """HELM looks every subgroup up by name: none may be left that is not there."""
    shown = fitted(SCHEMA, ["flourishing", "bbq"]).run_groups
    names = {group.name for group in shown}
    assert [name for group in shown for name in group.subgroups if name not in names] == []
