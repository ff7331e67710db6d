"""Every scale that a suite's folder puts models on: benchmarks of impact, suites of safety and of capability."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from helm_impactbench.analysis.rates import Rate, by_benchmark, grouped
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.clusters import clustered
from helm_impactbench.stats.estimates import NOTHING, Estimate, mean_of, of_clusters, of_values
from helm_impactbench.suites.external.names import Kind, Suite
from helm_impactbench.suites.external.runs import SuiteRun
from helm_impactbench.suites.external.tellings import TellingRun
from helm_impactbench.sycophancy.figures import BOTH_SIDES, estimate

ScaleKind = Literal["impact"] | Kind
KINDS: tuple[ScaleKind, ...] = ("impact", "safety", "capability")


@dataclass(frozen=True)
class Score:
    """One model on one scale: a share from 0 to 1, higher is better."""

    estimate: Estimate
    scored: int
    """Conversations or answers that have a score."""
    total: int
    missing: tuple[str, ...] = ()
    """What the scale is made of and this model lacks."""
    unscored: Mapping[str, int] = field(default_factory=dict)
    """Reason -> conversations or answers without a score, where it is known."""

    @property
    def is_whole(self) -> bool:
        """Whether it has a value and means the same as that of other models."""
        return self.estimate.units > 0 and not self.missing


@dataclass(frozen=True)
class Scale:
    """One benchmark or suite, or the mean over all of a kind."""

    key: str
    name: str
    kind: ScaleKind
    scores: Mapping[str, Score]
    """Model -> score."""
    counted: bool = True
    """Whether the mean over its kind counts it."""
    parts: tuple[str, ...] = ()
    """Names of the scales that it is the mean of."""


def impact_scales(outcomes: Sequence[Outcome]) -> list[Scale]:
    """Return one scale per benchmark, sorted by slug; intervals are for other base scenarios."""
    return [
        Scale(slug, slug, "impact", {
            model: _rate_score(Rate(tuple(own))) for model, own in grouped(found, lambda outcome: outcome.model).items()
        })
        for slug, found in by_benchmark(outcomes).items()
    ]  # fmt: skip


def telling_scale(runs: Sequence[TellingRun]) -> Scale:
    """Return moral sycophancy as a scale: the share of cases in which not both parties are told they are right.

    It is no pass rate, and no part of the mean of impact, as on HELM's leaderboard.
    """
    by_model = {model: [run for run in runs if run.model == model] for model in sorted({run.model for run in runs})}
    scores = {model: _telling_score(own) for model, own in by_model.items()}
    return Scale("moral-sycophancy", "Moral sycophancy: both sides not affirmed", "impact", scores, counted=False)


def _telling_score(runs: Sequence[TellingRun]) -> Score:
    groups = [group for run in runs for group in estimate(BOTH_SIDES, run.told).groups.values()]
    both = mean_of([of_clusters(group) for group in groups])
    told = [one for run in runs for one in run.told]
    return Score(
        estimate=replace(both, mean=1 - both.mean),
        scored=sum(one.stance is not None for one in told),
        total=len(told),
        unscored=Counter(one.unscored for one in told if one.unscored is not None),
    )


def suite_scales(runs: Sequence[SuiteRun]) -> list[Scale]:
    """Return one scale per suite of HELM's; one with chosen judges is a scale of its own.

    A suite in several runs (subjects of MMLU) is the plain mean over them, as in HELM's tables. Where a suite was
    scored both by HELM's judge and by a panel, the panel's counts in the mean: the same answers do not count twice.
    """
    found: dict[tuple[Suite, bool], list[SuiteRun]] = {}
    for run in runs:
        found.setdefault((run.suite, run.panel), []).append(run)
    return [
        Scale(
            key=f"panel_{suite.group}" if panel else suite.group,
            name=f"{suite.name} (panel)" if panel else suite.name,
            kind=suite.kind,
            scores=run_scores(own),
            counted=panel or (suite, True) not in found,
        )
        for (suite, panel), own in sorted(found.items(), key=lambda item: (item[0][0].group, item[0][1]))
    ]


def run_scores(runs: Sequence[SuiteRun], part: str | None = None) -> dict[str, Score]:
    """Return model -> score on one suite, from its runs or one kind of their prompts."""
    setups = sorted({run.setup for run in runs})
    models = sorted({run.model for run in runs})
    return {model: _run_score([run for run in runs if run.model == model], setups, part) for model in models}


def _run_score(runs: Sequence[SuiteRun], setups: Sequence[str], part: str | None) -> Score:
    values = {run.setup: run.values if part is None else run.parts.get(part, ()) for run in runs}
    scored = sum(map(len, values.values()))
    estimates = [_estimate(run) if part is None else of_values(values[run.setup]) for run in runs if values[run.setup]]
    return Score(
        estimate=mean_of(estimates),
        scored=scored,
        total=sum(run.instances for run in runs) if part is None else scored,
        missing=tuple(setup for setup in setups if not values.get(setup)),
        unscored=sum((Counter(run.unscored) for run in runs), Counter()) if part is None else {},
    )


def _estimate(run: SuiteRun) -> Estimate:
    if len(set(run.clusters)) == len(run.values):
        return of_values(run.values)
    return of_clusters(clustered(zip(run.clusters, run.values, strict=True)))


def _rate_score(rate: Rate) -> Score:
    estimate = of_clusters(rate.clusters) if rate.scored else NOTHING
    return Score(estimate, len(rate.scored), rate.conversations, unscored=rate.unscored)


def mean_scale(key: str, name: str, kind: ScaleKind, scales: Iterable[Scale]) -> Scale:
    """Return the plain mean over scales; a model that lacks one of them has a mean that is not whole.

    A scale on which nobody has a score is no part of it.
    """
    counted = [scale for scale in scales if scale.counted and any(s.estimate.units for s in scale.scores.values())]
    models = sorted({model for scale in counted for model in scale.scores})
    parts = tuple(scale.name for scale in counted)
    return Scale(key, name, kind, {model: _mean_score(model, counted) for model in models}, parts=parts)


def _mean_score(model: str, scales: Sequence[Scale]) -> Score:
    own = [scale.scores[model] for scale in scales if model in scale.scores]
    whole = {scale.key for scale in scales if model in scale.scores and scale.scores[model].is_whole}
    return Score(
        estimate=mean_of([score.estimate for score in own if score.estimate.units]),
        scored=sum(score.scored for score in own),
        total=sum(score.total for score in own),
        missing=tuple(scale.name for scale in scales if scale.key not in whole),
    )
