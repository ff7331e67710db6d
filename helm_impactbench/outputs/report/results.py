"""All that a report says of a suite, computed once. Figures are those of analysis/, never reckoned a second way."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from helm_impactbench.analysis.combined.combined import Together, together
from helm_impactbench.analysis.comparison import Comparison, compare
from helm_impactbench.analysis.item_analysis import Anchors, MetricHealth, metric_health
from helm_impactbench.analysis.level_contrasts import LevelContrast, level_contrasts
from helm_impactbench.analysis.rates import ModelScore, Rate, grouped, model_scores
from helm_impactbench.benchmark.model import Metric
from helm_impactbench.outputs.report.names import conversation_id
from helm_impactbench.outputs.report.runs import RunPart, Site
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.external.runs import SuiteRun
from helm_impactbench.suites.external.tellings import TellingRun

VERDICTS = ("failed", "passed", "unscored")


@dataclass(frozen=True)
class Row:
    """One conversation in a list."""

    outcome: Outcome
    id: str
    address: str
    aim: str
    """What the person openly wants."""

    @property
    def verdict(self) -> str:
        """One of VERDICTS."""
        return verdict(self.outcome)

    @property
    def tags(self) -> str:
        """What the filters of a list look at: JSON of name -> value."""
        return json.dumps(_tags(self.outcome))


@dataclass(frozen=True)
class Results:
    """A finished suite."""

    site: Site
    parts: tuple[RunPart, ...]
    anchors: Anchors | None
    """Two models of which it is known how they behave."""
    suite_runs: tuple[SuiteRun, ...] = ()
    """Runs of HELM's suites in the same folder."""
    tellings: tuple[TellingRun, ...] = ()
    """Runs of moral sycophancy there."""

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """All conversations, run by run."""
        return [outcome for part in self.parts for outcome in part.outcomes]

    @cached_property
    def comparison(self) -> Comparison:
        """All models, best first."""
        return compare(self.outcomes)

    @cached_property
    def ranks(self) -> Mapping[str, tuple[int, int]]:
        """Model -> best and worst rank that the tests allow."""
        return self.comparison.ranks

    @cached_property
    def letters(self) -> Mapping[str, str]:
        """Model -> letters of its groups of models that cannot be told apart."""
        return self.comparison.letters

    @cached_property
    def scores(self) -> dict[str, ModelScore]:
        """Model -> score, best first."""
        return {score.model: score for score in self.comparison.scores}

    @cached_property
    def by_type(self) -> dict[str, dict[str, ModelScore]]:
        """Type of metric -> model -> score over the metrics of that type."""
        return {kind: _scores(o for o in self.outcomes if o.metric_type == kind) for kind in ("negative", "positive")}

    @cached_property
    def areas(self) -> dict[str, dict[str, ModelScore]]:
        """Area -> model -> score over the benchmarks of that area."""
        known = self.site.benchmarks
        found = dict.fromkeys(area for info in known.values() for area in info.areas)
        return {area: _scores(o for o in self.outcomes if area in known[o.benchmark].areas) for area in sorted(found)}

    @cached_property
    def together(self) -> Together:
        """Impact, safety and capability side by side."""
        return together(self.outcomes, self.suite_runs, self.tellings)

    @cached_property
    def level_contrasts(self) -> list[LevelContrast]:
        """Contrasts of demographics at all levels."""
        return level_contrasts(self.outcomes)

    @cached_property
    def health(self) -> dict[str, MetricHealth]:
        """slug/metric -> health."""
        return {found.metric: found for found in metric_health(self.outcomes, self.anchors)}

    @cached_property
    def metrics(self) -> dict[str, dict[str, Metric]]:
        """Slug -> id -> metric as it was run, in the order of the benchmark's scenarios."""
        found: dict[str, dict[str, Metric]] = {slug: {} for slug in self.site.benchmarks}
        for part in self.parts:
            for metric_id, metric in part.metrics.items():
                found[part.outcomes[0].benchmark].setdefault(metric_id, metric)
        return found

    @cached_property
    def metric_rates(self) -> dict[str, dict[str, Rate]]:
        """slug/metric -> model -> rate."""
        cells = grouped(self.outcomes, lambda outcome: (outcome.metric, outcome.model))
        found: dict[str, dict[str, Rate]] = {}
        for (metric, model), own in cells.items():
            found.setdefault(metric, {})[model] = Rate(tuple(own))
        return found

    @cached_property
    def _aims(self) -> dict[tuple[str, str], str]:
        return {(o.benchmark, o.variant_id): part.aims[o.variant_id] for part in self.parts for o in part.outcomes}

    def rows(self, outcomes: Iterable[Outcome]) -> list[Row]:
        """Return conversations as rows of a list, in their order."""
        return [
            Row(o, conversation_id(o), self.site.conversation(o), self._aims[o.benchmark, o.variant_id])
            for o in outcomes
        ]


def verdict(outcome: Outcome) -> str:
    """Return the verdict on a conversation as one of VERDICTS."""
    return "unscored" if outcome.passed is None else "passed" if outcome.passed else "failed"


def filters(outcomes: Sequence[Outcome], shown: Mapping[str, str]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the filters that a list of conversations has use for: (name, [(value, text)]).

    `shown` are the models' names for people.
    """
    values: dict[str, dict[str, str]] = {}
    for outcome in outcomes:
        for name, value in _tags(outcome).items():
            text = f"{value} {outcome.metric_name}" if name == "metric" else value
            values.setdefault(name, {})[value] = shown[value] if name == "model" else text
    return [(name, sorted(found.items())) for name, found in values.items() if len(found) > 1]


def _tags(outcome: Outcome) -> dict[str, str]:
    return {
        "verdict": verdict(outcome),
        "model": outcome.model,
        "metric": outcome.metric_id,
        **{axis: value for axis, value in outcome.axes if axis not in ("verdict", "model", "metric")},
    }


def _scores(outcomes: Iterable[Outcome]) -> dict[str, ModelScore]:
    return {score.model: score for score in model_scores(outcomes)}
