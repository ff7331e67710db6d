"""HELM's summarizer, with the interval beside every pass rate, the ranks that the tests allow, and what runs cost.

    helm-summarize --summarizer-class-name helm_impactbench.helm.summarizer.ImpactBenchSummarizer ...

HELM's tables have numbers only, and helm-server shows nothing that is not a column; so intervals become columns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.presentation.run_display import _get_metric_names_for_groups
from helm.benchmark.presentation.schema import BY_GROUP, MetricNameMatcher, RunGroup
from helm.benchmark.presentation.summarize import Run, Summarizer, get_coarse_adapter_spec
from helm.benchmark.presentation.table import Cell, Table
from helm.common.hierarchical_logger import hlog

from helm_impactbench.analysis.commands.costs import cost_file
from helm_impactbench.analysis.costs.kept_purchases import kept_purchases
from helm_impactbench.analysis.costs.recorded import SuiteCosts
from helm_impactbench.analysis.costs.summary import suite_spending
from helm_impactbench.analysis.people import PeopleGap, people_gaps
from helm_impactbench.analysis.shared_rates import SharedRates
from helm_impactbench.files.atomic_write import write_json
from helm_impactbench.helm import combined_tables
from helm_impactbench.helm import stat_names as names
from helm_impactbench.helm.cell_stats import CellStats, helm_is_silent
from helm_impactbench.helm.interval_columns import (
    INTERVAL_HEADER,
    JUDGE_HEADER,
    RANK_HEADER,
    add_intervals,
    add_judges,
    add_overall,
)
from helm_impactbench.helm.judge_notes import trust_in, with_judges
from helm_impactbench.helm.own_names import ADAPTERS
from helm_impactbench.helm.patches import metric_templates, table_files
from helm_impactbench.helm.prepared_runs import Preparation, WantedRun, has_pages, preparation_of
from helm_impactbench.helm.readable_tables import BY_BENCHMARK, BY_METRIC, divided, titled, without_suffix
from helm_impactbench.helm.run_values import NAMES
from helm_impactbench.helm.summarized_runs import read_run, write_pages
from helm_impactbench.process.collector import collector_off
from helm_impactbench.process.workers import in_copies
from helm_impactbench.results.files import STATE_FILE, RunFolder
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.references import references
from helm_impactbench.results.shapes import read_json
from helm_impactbench.suites.external.mmlu_groups import run_groups_of
from helm_impactbench.suites.registry import SuiteRun, conversations_of, each_once, suite_run

MEAN_HEADER = "Mean score"
BOTS_TITLE = "Reference bots"
INSTANCES_HEADER = "# instances"
MANY_RUNS = 200
"""From so many on, tables are made by several processes."""
COSTS_KEY = "impactbench"
"""Where our costs are in HELM's costs.json, beside the targets' token counts."""

_BY_SUBGROUP, _BY_METRIC_GROUP = "by subgroup", "by metric group"

_OF_ONE_RUN = {stat.short_display_name for stat in names.STATS if stat.name in NAMES}
"""Headers of what has no mean over runs: the mean of bounds is not a bound."""
_SUMMING = {MEAN_HEADER, INTERVAL_HEADER, RANK_HEADER, JUDGE_HEADER, *(stat.short_display_name for stat in names.STATS)}
"""Headers of what sums up a benchmark, or all of them."""
_OWN = (INTERVAL_HEADER, *(stat.short_display_name for stat in names.STATS if stat.name == names.TYPICAL_GAP))
"""How a header of our tables ends, at least one in each."""
_RUN_COSTS = {
    stat.short_display_name: stat.name
    for stat in names.STATS
    if stat.name in (names.RUN_COST, *map(names.run_cost_name, names.ROLES))
}
"""Header of the cost of a run -> its statistic; of several runs the sum is shown, not the mean."""


class ImpactBenchSummarizer(Summarizer):
    """Adds intervals, ranks and costs to the tables of ImpactBench; other suites' tables are HELM's own."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        metric_templates()
        table_files()
        self._outcomes: dict[str, list[Outcome]] = {}
        self._counted: dict[Path, SuiteRun] = {}
        self._stats = CellStats()
        self._rates = SharedRates()
        self._costs = SuiteCosts()
        self._preparation: Preparation | None = None
        self._made: dict[str, tuple[str, list[Table]]] = {}
        self._bots: dict[str, dict[AdapterSpec, list[Run]]] = {}
        """Run group -> the runs of reference bots, which are in no table of models and in no count."""
        self._people: dict[tuple[str, ...], dict[str, tuple[PeopleGap, ...]]] = {}

    def read_run(self, run_path: str) -> Run:
        """Return HELM's run spec and statistics of a run, MMLU's in its group of subjects too. Raises ResultsError."""
        run: Run = read_run(Path(run_path), partial(super().read_run, run_path))
        groups = run_groups_of(run.run_spec.groups, run.run_spec.scenario_spec.args)
        known = [one for one in groups if one in run.run_spec.groups or one in self.schema.name_to_run_group]
        return replace(run, run_spec=replace(run.run_spec, groups=known))

    def write_run_display_json(self, skip_completed: bool) -> None:
        """Write what helm-server shows of each run. Raises ResultsError."""
        own = [run for run in self.runs if run.run_spec.adapter_spec.method in ADAPTERS]
        grouped = {tuple(run.run_spec.groups) for run in own}
        shown = {groups: frozenset(_get_metric_names_for_groups(groups, self.schema)) for groups in grouped}
        wanted = [
            WantedRun(path, shown[tuple(run.run_spec.groups)], skip_completed and has_pages(path))
            for run in own
            if ((path := Path(run.run_path)) / STATE_FILE).is_file()
        ]
        self._preparation = preparation_of([each.path for each in wanted])
        self._preparation.write_pages(wanted)
        self._left_to_helm(skip_completed, {str(each.path) for each in wanted})

    def run_pipeline(self, skip_completed: bool) -> None:
        """Write everything; the pages of runs in other processes, while this one makes the tables."""
        try:
            with collector_off():
                super().run_pipeline(skip_completed)
            if self._preparation:
                left = {str(path) for path in self._preparation.without_pages()}
                self._left_to_helm(skip_completed, {run.run_path for run in self.runs} - left)
        finally:
            if self._preparation:
                self._preparation.close()

    def _left_to_helm(self, skip_completed: bool, done: Container[str]) -> None:
        """Let HELM write the pages of all runs but those whose folders are `done`."""
        runs, left = self.runs, [run for run in self.runs if run.run_path not in done]
        if not left:
            return
        self.runs = left
        try:
            folders = [Path(run.run_path) for run in left]
            write_pages(folders, partial(super().write_run_display_json, skip_completed))
        finally:
            self.runs = runs

    def fix_up_schema(self) -> None:
        """Leave out other suites that nothing was run of, and say of each group how far its judges can be trusted."""
        super().fix_up_schema()
        self.schema = combined_tables.fitted(self.schema, self._groups_with_runs())
        self.schema = with_judges(self.schema, self._counted_runs)

    def _counted_runs(self, group: RunGroup) -> list[RunFolder]:
        """Return the finished runs that count in a group, each once."""
        grouped = [self.group_adapter_to_runs[one.name] for one in self.expand_subgroups(group)]
        paths = {Path(run.run_path): None for own in grouped for runs in own.values() for run in runs}
        return [self._counted[path].run for path in paths if path in self._counted]

    def group_runs(self) -> None:
        """Group the runs for tables, without those whose cases all count in a larger run of the same set-up."""
        everything = self.runs
        known = [(run, suite_run(RunFolder(Path(run.run_path)))) for run in everything]
        for suite in dict.fromkeys(one.run.path.parent for _, one in known if one):
            own = [one for _, one in known if one and one.run.path.parent == suite]
            self._counted |= {one.run.path: one for one in each_once(own, hlog)}
        self.runs = [run for run, one in known if one is None or one.run.path in self._counted]
        try:
            super().group_runs()  # type: ignore[no-untyped-call]
        finally:
            self.runs = everything
        self._set_bots_apart()

    def _set_bots_apart(self) -> None:
        """Take the runs of bots beside models out of HELM's groups; each group has a table of its own of them."""
        bots = references(spec.model_deployment for own in self.group_adapter_to_runs.values() for spec in own)
        for group, own in self.group_adapter_to_runs.items():
            self._bots[group] = {spec: own.pop(spec) for spec in list(own) if spec.model_deployment in bots}
        for by_scenario in self.group_scenario_adapter_to_runs.values():
            for scenario, own in list(by_scenario.items()):
                for spec in [spec for spec in own if spec.model_deployment in bots]:
                    del own[spec]
                if not own:
                    del by_scenario[scenario]

    def _bots_tables(self, group: RunGroup) -> list[Table]:
        """Return the main figures of the reference bots in a group; none where no bot was run beside models."""
        runs: dict[AdapterSpec, list[Run]] = {}
        subgroups = [one for one in self.expand_subgroups(group) if one.metric_groups and self._bots.get(one.name)]
        for subgroup in subgroups:
            for spec, own in self._bots[subgroup.name].items():
                coarse = get_coarse_adapter_spec(spec, adapter_keys_shown=group.adapter_keys_shown)
                runs.setdefault(coarse, []).extend(own)
        if not runs:
            return []
        table = self.create_group_table(
            name="reference_bots",
            title=BOTS_TITLE,
            adapter_to_runs=runs,
            columns=[(one, one.metric_groups[0]) for one in subgroups],
            is_scenario_table=False,
            bold_columns=False,
        )
        return [without_suffix(table)]

    def check_metrics_defined(self) -> None:
        """Say in one line how many statistics no table shows; HELM warns of each of them, dozens of times."""
        shown = {metric.name for metric in self.schema.metrics}
        hidden = {stat.name.name for run in self.runs for stat in run.stats} - shown
        if hidden:
            hlog(f"{len(hidden)} statistics are in no table; they are in each run's stats.json")

    def write_groups(self) -> None:
        """Write the tables of every group; those of a large suite are made in copies of this process."""
        groups = self.schema.run_groups if len(self.runs) >= MANY_RUNS else []
        for run in self.runs if groups else []:
            self._run_outcomes(run.run_spec.name)  # so that the copies have them
        self._made = dict(zip([group.name for group in groups], in_copies(self._tables_of, groups), strict=True))
        super().write_groups()  # type: ignore[no-untyped-call]

    def _tables_of(self, group: RunGroup) -> tuple[str, list[Table]]:
        """Return the tables of a group, and how HELM asks for them (the condition is that of its write_groups)."""
        if group.subgroup_display_mode == BY_GROUP or len(self.expand_subgroups(group)) == 1:
            return _BY_SUBGROUP, self.create_group_tables_by_subgroup(group)
        return _BY_METRIC_GROUP, self.create_group_tables_by_metric_group(group)

    def _made_before(self, kind: str, group: RunGroup) -> list[Table] | None:
        made, tables = self._made.pop(group.name, ("", []))
        return tables if made == kind else None

    def create_group_tables_by_metric_group(self, group: RunGroup) -> list[Table]:
        """Return HELM's tables, or for a leaderboard over several suites one of their main figures."""
        if (made := self._made_before(_BY_METRIC_GROUP, group)) is not None:
            return made
        if group.name not in combined_tables.LEADERBOARDS:
            found: list[Table] = super().create_group_tables_by_metric_group(group)
            shown = [part for table in found for part in self._readable(table, BY_BENCHMARK)]
            return [*shown, *self._bots_tables(group)]
        subgroups = self.expand_subgroups(group)
        columns = combined_tables.main_columns(subgroups, self._groups_with_runs())
        runs: dict[AdapterSpec, list[Run]] = {}
        for subgroup, _ in columns:
            for spec, own in self.group_adapter_to_runs[subgroup.name].items():
                coarse = get_coarse_adapter_spec(spec, adapter_keys_shown=group.adapter_keys_shown)
                runs.setdefault(coarse, []).extend(own)
        table = super().create_group_table(
            name="main", title="Main figures", adapter_to_runs=runs, columns=columns, is_scenario_table=False
        )
        shown = [combined_tables.with_means(table, columns, self.schema)] if runs else []
        for whole in shown:
            add_judges(whole, [self._row_outcomes(row, None) for row in whole.rows])
        return [*shown, *self._bots_tables(group)]

    def create_group_tables_by_subgroup(self, group: RunGroup) -> list[Table]:
        """Return HELM's tables of each benchmark and level, with titles in words."""
        if (made := self._made_before(_BY_SUBGROUP, group)) is not None:
            return made
        shown = {one.name: one.display_name or one.name for one in self.schema.run_groups}
        found = titled(super().create_group_tables_by_subgroup(group), group.name, shown)
        return [*(part for table in found for part in self._readable(table, BY_METRIC)), *self._bots_tables(group)]

    def _readable(self, table: Table, ending: str) -> list[Table]:
        """Return a table of ours no wider than a screen; another suite's as it is."""
        own = any(str(head.value).endswith(_OWN) for head in table.header)
        return [without_suffix(part) for part in divided(table, _SUMMING, ending, {JUDGE_HEADER})] if own else [table]

    def create_group_table(  # type: ignore[override]  # options of HELM's that do not matter here are passed on
        self, *, columns: list[tuple[RunGroup, str]], sub_split: str | None = None, **options: Any
    ) -> Table:
        """Return HELM's table with our columns."""
        table = super().create_group_table(columns=columns, sub_split=sub_split, **options)
        if not _is_own(table, columns):
            return table
        _drop_columns(table, lambda column: all(row[column].value is None for row in table.rows))
        if any(len(_run_names(row)) > 1 for row in table.rows):
            _drop_columns(table, lambda column: table.header[column].value in _OF_ONE_RUN)
            self._add_up_costs(table)
        rows = [self._row_outcomes(row, sub_split) for row in table.rows]
        if len(table.header) > 1 and table.header[1].value == MEAN_HEADER:
            paths = [self._paths.get(name) for row in table.rows for name in _run_names(row)]
            trust = trust_in(RunFolder(Path(path)) for path in paths if path)
            add_overall(table, rows, columns, self._rates, self._people_of, ranked=not trust.failed)
        elif len({group.name for group, _ in columns}) == 1:
            add_intervals(table, rows, self._rates)
        add_judges(table, rows)
        return table

    def _people_of(self, slugs: Collection[str], outcomes: Sequence[Outcome]) -> dict[str, tuple[PeopleGap, ...]]:
        """Return the models with which people fare differently on benchmarks; worked out once for all their tables."""
        key = tuple(sorted(slugs))
        if key not in self._people:
            self._people[key] = people_gaps(outcomes)
        return self._people[key]

    def create_index_tables(self) -> list[Table]:
        """Return HELM's overview of the groups, with true numbers of instances where HELM has their mean over runs."""
        tables: list[Table] = super().create_index_tables()
        by_category: dict[str, list[RunGroup]] = {}
        for group in self.schema.run_groups:
            by_category.setdefault(group.category, []).append(group)
        for table, groups in zip(tables, by_category.values(), strict=True):
            place = [head.value for head in table.header].index(INSTANCES_HEADER)
            for row, group in zip(table.rows, groups, strict=True):
                row[:] = [replace(cell, value=None) if cell.value == "" else cell for cell in row]
                row[place] = Cell(self._instances(group) or None)
        return tables

    def _instances(self, group: RunGroup) -> int:
        """Return how many different instances a group has: the most of any run, added up over HELM's scenarios."""
        most: dict[Any, int] = {}  # a scenario counts once, though it is in a benchmark's group and in its area's
        for subgroup in self.expand_subgroups(group):
            for scenario, own in self.group_scenario_adapter_to_runs[subgroup.name].items():
                counts = [
                    int(stat.sum)
                    for runs in own.values()
                    for run in runs
                    for stat in run.stats
                    if stat.name.name == names.NUM_INSTANCES and stat.name.split is None
                ]
                most[scenario] = max([most.get(scenario, 0), *counts])
        return sum(most.values())

    def create_cell(self, runs: list[Run], matcher: MetricNameMatcher, *given: Any, **options: Any) -> Cell:
        """Return HELM's cell, without its warning of each one that has no value: the cell itself says so."""
        narrowed = [self._stats.narrowed(run, matcher) for run in runs]
        with helm_is_silent():
            return super().create_cell(narrowed, matcher, *given, **options)

    def _groups_with_runs(self) -> set[str]:
        return {name for name, runs in self.group_adapter_to_runs.items() if runs}

    @cached_property
    def _paths(self) -> dict[str, str]:
        # Of a run that is in two suites of a release, HELM too takes the last.
        return {run.run_spec.name: run.run_path for run in self.runs}

    def _row_outcomes(self, row: Sequence[Cell], sub_split: str | None) -> list[Outcome]:
        found = [outcome for name in _run_names(row) for outcome in self._run_outcomes(name)]
        return [outcome for outcome in found if sub_split in (None, outcome.axes_label)]

    def _run_outcomes(self, run_name: str) -> list[Outcome]:
        if run_name not in self._outcomes:
            path = self._paths.get(run_name)
            self._outcomes[run_name] = self._read(RunFolder(Path(path))) if path else []
        return self._outcomes[run_name]

    def _read(self, run: RunFolder) -> list[Outcome]:
        """Return the outcomes of a run with conversations, none of another; its costs are added up on the way."""
        found = self._counted.get(run.path) or suite_run(run)
        if found is None or found.suite.no_conversations:
            return []
        for purchase in kept_purchases(run, run.records):
            self._costs.add(purchase)
        return found.outcomes()

    def _add_up_costs(self, table: Table) -> None:
        """Put the sum over a row's runs where HELM has the mean of what each run cost."""
        columns = {place: _RUN_COSTS[h.value] for place, h in enumerate(table.header) if h.value in _RUN_COSTS}
        sums = self._run_costs() if columns else {}
        for row in table.rows:
            for place, name in columns.items():
                found = [sums.get((run, name)) for run in row[place].run_spec_names or []]
                known = [cost for cost in found if cost is not None]
                value = sum(known) if found and len(known) == len(found) else None
                row[place] = replace(row[place], value=value)

    def _run_costs(self) -> dict[tuple[str, str], float]:
        """Return (run, statistic) -> US dollars, where they are known."""
        wanted = set(_RUN_COSTS.values())
        return {
            (run.run_spec.name, stat.name.name): stat.sum
            for run in self.runs
            for stat in run.stats
            if stat.name.name in wanted and stat.count
        }

    def write_cost_report(self) -> None:
        """Write costs.json: HELM's token counts per target, and under COSTS_KEY what runs of ours took."""
        super().write_cost_report()
        for run in self.runs:
            self._run_outcomes(run.run_spec.name)
        if self._costs.total.alone.calls:
            path = Path(self.run_release_path) / "costs.json"
            folders = [*map(Path, self.run_suite_paths)]
            spent, outcomes = suite_spending(folders), [one for path in folders for one in conversations_of(path)]
            write_json(path, {**read_json(path), COSTS_KEY: cost_file(self._costs, spent, outcomes)})


def _run_names(row: Sequence[Cell]) -> list[str]:
    return list(dict.fromkeys(name for cell in row for name in cell.run_spec_names or []))


def _is_own(table: Table, columns: Sequence[tuple[RunGroup, str]]) -> bool:
    """Whether all rates of a table are ours, so that an interval of their mean means something."""
    return bool(table.rows) and all(metric_group.startswith("impactbench_") for _, metric_group in columns)


def _drop_columns(table: Table, unwanted: Callable[[int], bool]) -> None:
    for column in reversed(range(1, len(table.header))):
        if unwanted(column):
            for cells in (table.header, *table.rows):
                del cells[column]  # type: ignore[attr-defined]
