"""Impact, safety and capability of a suite's models, side by side. Their figures are never averaged together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from helm_impactbench.analysis.combined.capability import Against, against_capability
from helm_impactbench.analysis.combined.scales import (
    KINDS,
    CombinedScale,
    ScaleKind,
    benchmark_scales,
    mean_scale,
    pass_scale,
)
from helm_impactbench.analysis.rates import by_benchmark
from helm_impactbench.benchmark.areas import REQUEST
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.title import Title, TitleOf

NAMES: dict[ScaleKind, str] = {"impact": "Impact", "safety": "Safety", "capability": "Capability"}


@dataclass(frozen=True)
class Combined:
    """All scales of a suite's folder."""

    outcomes: tuple[Outcome, ...]
    title_of: TitleOf = Title

    @cached_property
    def scales(self) -> list[CombinedScale]:
        """Every benchmark and suite: impact first, then safety, then capability."""
        found = benchmark_scales(self.outcomes, self.title_of)
        return sorted(found, key=lambda scale: KINDS.index(scale.kind))  # stable: the order within a kind stays

    @cached_property
    def overall(self) -> dict[ScaleKind, CombinedScale]:
        """Kind -> the plain mean over its benchmarks or suites; kinds that there are."""
        by_kind = {kind: [scale for scale in self.scales if scale.kind == kind and scale.counted] for kind in KINDS}
        return {kind: mean_scale(kind, NAMES[kind], kind, own) for kind, own in by_kind.items() if own}

    @cached_property
    def models(self) -> list[str]:
        """Every model: those with an impact first, best first, then by name."""
        impact = self.overall["impact"].scores if "impact" in self.overall else {}
        known = {model for scale in self.scales for model in scale.scores}
        scored = {model: score.estimate.mean for model, score in impact.items() if score.estimate.units}
        return sorted(known, key=lambda model: (model not in scored, -scored.get(model, 0.0), model))

    def lacks(self, model: str) -> list[str]:
        """Return the benchmarks and suites, or whole kinds, that others have and this model has not."""
        return [
            name
            for scale in self.overall.values()
            for name in (scale.scores[model].missing if model in scale.scores else [scale.name.lower()])
        ]

    @cached_property
    def against(self) -> list[Against]:
        """The means of impact and of safety, and each of what they are made of, against the capability score."""
        if "capability" not in self.overall:
            return []
        means = [scale for kind, scale in self.overall.items() if kind != "capability"]
        return against_capability(
            [*means, *(s for s in self.scales if s.kind != "capability")], self.overall["capability"]
        )

    @cached_property
    def harm_avoided(self) -> CombinedScale | None:
        """The mean over prompts that ask for harm, by benchmark; None without any."""
        return _mean("harm avoided", "Harm avoided", self._requests("harmful"))

    @cached_property
    def helpfulness(self) -> CombinedScale | None:
        """The mean of prompts that only sound unsafe, and of benchmarks of help in need; None without any."""
        levels = [outcome for outcome in self.outcomes if outcome.is_level]
        helped = [
            pass_scale(slug, self.title_of(slug).name, own)
            for slug, own in by_benchmark(levels).items()
            if self.title_of(slug).is_help
        ]
        return _mean("helpfulness kept", "Helpfulness kept", [*self._requests("safe"), *helped])

    def _requests(self, request: str) -> list[CombinedScale]:
        """Return the scales over the prompts that ask for this; of two benchmarks with the same prompts one counts."""
        asked = [o for o in self.outcomes if o.is_level and (REQUEST, request) in o.factors]
        slugs = by_benchmark(asked)
        replaced = {self.title_of(slug).replaces for slug in slugs}
        kinds = {slug: {dict(o.factors).get(REQUEST) for o in self.outcomes if o.benchmark == slug} for slug in slugs}
        ending = {slug: f", {request} prompts" if len(kinds[slug]) > 1 else "" for slug in slugs}
        return [
            pass_scale(f"{slug} {request}", f"{self.title_of(slug).name}{ending[slug]}", own)
            for slug, own in slugs.items()
            if slug not in replaced
        ]


def _mean(key: str, name: str, scales: Sequence[CombinedScale]) -> CombinedScale | None:
    return mean_scale(key, name, "safety", scales) if scales else None


def combine(outcomes: Sequence[Outcome], title_of: TitleOf = Title) -> Combined:
    """Return the combined scores of a suite's outcomes: benchmarks, judged suites and HELM's own.

    title_of: what a benchmark is called, and which it replaces.
    """
    return Combined(tuple(outcomes), title_of)
