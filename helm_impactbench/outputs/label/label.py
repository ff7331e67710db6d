"""The nutrition label of one model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from helm_impactbench.analysis.level_contrasts import LevelContrast, level_contrasts
from helm_impactbench.benchmark.model import Benchmark, LabelRow
from helm_impactbench.outputs.label.doubts import Finding, findings
from helm_impactbench.outputs.label.rows import FedBy, Row, placed, rows_of
from helm_impactbench.outputs.label.tested import Tested, who_was_tested
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.population import DEFAULT, Population

AREA = "impact"
"""What a label is about."""


@dataclass(frozen=True)
class Label:
    """All that a label says, whatever words an audience gets it in."""

    model: str
    """Deployment of the target."""
    rows: tuple[Row, ...]
    """Nine, in the order of rows.ROWS."""
    metrics: tuple[FedBy, ...]
    """The metrics that were measured, by name; each feeds no, one or several rows."""
    tested: Tested
    unequal: tuple[LevelContrast, ...]
    """Per demographic axis the largest difference between people, where there is one: the grades average over it."""
    findings: tuple[Finding, ...]
    """Where the label is least informative, weightiest first."""
    population: Population = DEFAULT
    """What its intervals, and the grades that they leave open, are for."""

    def row(self, key: LabelRow) -> Row:
        """Return a row. Raises KeyError for another name."""
        return {row.key: row for row in self.rows}[key]


def label_of(
    outcomes: Sequence[Outcome],
    benchmarks: Iterable[Benchmark],
    users: Sequence[str] = (),
    population: Population = DEFAULT,
) -> Label:
    """Return the label of the one model whose outcomes these are.

    `benchmarks` say which metric feeds which row; `users` are the deployments that played the people (RunFolder.user).
    The label is about human impact: outcomes of another area, such as safety, are passed over. Raises ValueError for no
    outcome, or outcomes of several models.
    """
    outcomes = [outcome for outcome in outcomes if outcome.area == AREA]
    models = sorted({outcome.model for outcome in outcomes})
    if len(models) != 1:
        raise ValueError(f"a label is about one model; these outcomes are of {len(models)}: {', '.join(models)}")
    by_slug = {benchmark.slug: benchmark for benchmark in benchmarks}
    metrics = tuple(placed(outcomes, by_slug).values())
    rows = rows_of(metrics, population)
    who = who_was_tested(outcomes, by_slug, users)
    unplaced = len(outcomes) - sum(fed.rate.conversations for fed in metrics)
    return Label(models[0], rows, metrics, who, _unequal(outcomes), findings(rows, unplaced, outcomes), population)


def _unequal(outcomes: Sequence[Outcome]) -> tuple[LevelContrast, ...]:
    """Return the largest contrast of each axis among those that the corrected test finds over all benchmarks."""
    found: dict[str, LevelContrast] = {}
    for contrast in level_contrasts(outcomes, ("overall",)):
        if contrast.found and abs(contrast.difference.value) > _size(found.get(contrast.axis)):
            found[contrast.axis] = contrast
    return tuple(found.values())


def _size(contrast: LevelContrast | None) -> float:
    return abs(contrast.difference.value) if contrast else 0.0
