"""The columns beside HELM's own: the interval of each rate and of the mean score, and the ranks that tests allow.

HELM's tables have numbers only, and helm-server shows nothing that is not a column.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from helm.benchmark.presentation.schema import RunGroup
from helm.benchmark.presentation.table import Cell, HeaderCell, Table

from helm_impactbench.analysis.comparison import allowed_ranks
from helm_impactbench.analysis.panels import are_judged_otherwise, voters
from helm_impactbench.analysis.people import PeopleGap
from helm_impactbench.analysis.rates import ModelScore, model_scores
from helm_impactbench.analysis.shared_rates import SharedRates
from helm_impactbench.helm import stat_names as names
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.intervals import UNKNOWN, Interval
from helm_impactbench.stats.population import DEFAULT, WORDS, interval_of

INTERVAL_HEADER = "95% interval"
RANK_HEADER = "Rank"
JUDGE_HEADER = "Judge"
MOST_RANKED = 40
"""Models; the tests for ranks are between all pairs."""

_KINDS = {names.MAIN.name: None, names.POSITIVES.name: "positive", names.NEGATIVES.name: "negative"}
_RATE_HEADERS = {stat.short_display_name: _KINDS[stat.group.name] for stat in names.STATS if stat.group.name in _KINDS}
"""Header of a rate -> the type of metric that it is about, None for both."""


PeopleOf = Callable[[Collection[str], Sequence[Outcome]], Mapping[str, Sequence[PeopleGap]]]
"""From benchmarks and outcomes on them to the models with which people fare differently."""


def add_overall(
    table: Table,
    rows: Sequence[Sequence[Outcome]],
    columns: Sequence[tuple[RunGroup, str]],
    rates: SharedRates,
    people_of: PeopleOf,
    *,
    ranked: bool,
) -> None:
    """Put the interval of the mean score, and for the main table the ranks, after the mean score.

    A model with which people fare differently has no mean score: its cell says so. ranked: False where a judge failed
    its check, so that nobody is first.
    """
    kind = _KINDS.get(columns[0][1])
    slugs = {group.name for group, _ in columns}
    kept = [[o for o in row if o.benchmark in slugs and kind in (None, o.metric_type)] for row in rows]
    scores = [next(iter(model_scores(row, rates.of)), None) for row in kept]
    header = _interval_header(INTERVAL_HEADER, f"of the mean score, {WORDS[DEFAULT]}")
    people = people_of(slugs, [outcome for row in rows for outcome in row if outcome.benchmark in slugs])
    means = [None if score is None or score.model in people else score for score in scores]
    for row, score in zip(table.rows, scores, strict=True):
        if score is not None and score.model in people:
            row[1] = Cell(_differs(people[score.model]))  # helm-server shows no display_value without a value
    _insert(table, 2, header, [_cell(interval_of(score, DEFAULT) if score else UNKNOWN) for score in means])
    if ranked and kind is None and 1 < len(rows) <= MOST_RANKED:
        ranks = allowed_ranks([outcome for row in kept for outcome in row], people)
        if len(ranks) == 1:  # the first of one is no rank
            ranks = {}
        _insert(table, 3, _RANKS, [_rank(ranks, score) for score in means])


def add_intervals(table: Table, rows: Sequence[Sequence[Outcome]], rates: SharedRates) -> None:
    """Put the interval of every rate after it, in a table of one benchmark."""
    for column in reversed(range(1, len(table.header))):
        header = str(table.header[column].value)
        if header in _RATE_HEADERS:
            kind = _RATE_HEADERS[header]
            kept = [rates.of(tuple(o for o in row if kind in (None, o.metric_type))) for row in rows]
            shown = _interval_header(INTERVAL_HEADER, f'of "{header}", {WORDS[DEFAULT]}')
            _insert(table, column + 1, shown, [_cell(rate.interval) for rate in kept])


def add_judges(table: Table, rows: Sequence[Sequence[Outcome]]) -> None:
    """Put who judged after all other columns, where a benchmark's runs have different judges."""
    if are_judged_otherwise([outcome for row in rows for outcome in row]):
        panels = [
            sorted({panel for own in voters(row).values() for model in own.values() for panel in model}, key=sorted)
            for row in rows
        ]
        cells = [Cell("; ".join(" + ".join(sorted(panel)) for panel in own) or None) for own in panels]
        _insert(table, len(table.header), _JUDGES, cells)


def _insert(table: Table, column: int, header: HeaderCell, cells: Sequence[Cell]) -> None:
    table.header.insert(column, header)
    for row, cell in zip(table.rows, cells, strict=True):
        row.insert(column, cell)


def _interval_header(title: str, of: str) -> HeaderCell:
    return HeaderCell(
        title,
        description=f"95% interval {of}. Two models whose intervals overlap may still differ, and neighbours in a "
        "ranking often do not: `impactbench compare` tests pairs on the same variants.",
    )


_RANKS = HeaderCell(
    RANK_HEADER,
    description="Best and worst rank that paired tests allow. Corrected for all pairs: all hold at once with 95%. "
    "A model has none that lacks cases, was judged by other judges, or with which people fare differently.",
)


_JUDGES = HeaderCell(
    JUDGE_HEADER,
    description="Whose verdicts the figures of this row are. Rows of different judges cannot be compared.",
)


def _differs(gaps: Sequence[PeopleGap]) -> str:
    return f"people differ by {gaps[0].axis}"


def _rank(ranks: Mapping[str, tuple[int, int]], score: ModelScore | None) -> Cell:
    if score is None or score.model not in ranks:  # no score, or not on all benchmarks
        return Cell(None)
    best, worst = ranks[score.model]
    return Cell(str(best) if best == worst else f"{best} to {worst}")


def _cell(interval: Interval) -> Cell:
    return replace(Cell(None), value=str(interval)) if interval.is_known else Cell(None)
