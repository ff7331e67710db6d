"""Impact, safety and capability of a suite's models, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from helm_impactbench.analysis.combined.capability import Against, against_capability
from helm_impactbench.analysis.combined.scales import (
    KINDS,
    Scale,
    ScaleKind,
    impact_scales,
    mean_scale,
    run_scores,
    suite_scales,
    telling_scale,
)
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.external.names import SAFE, UNSAFE, XSTEST
from helm_impactbench.suites.external.runs import SuiteRun
from helm_impactbench.suites.external.tellings import TellingRun

HELPING = "mental-health-responsiveness"
"""The benchmark whose pass rate is help that a person in need gets."""
NAMES: dict[ScaleKind, str] = {"impact": "Impact", "safety": "Safety", "capability": "Capability"}


@dataclass(frozen=True)
class Together:
    """All scales of a suite's folder."""

    outcomes: tuple[Outcome, ...]
    runs: tuple[SuiteRun, ...]
    tellings: tuple[TellingRun, ...] = ()

    @cached_property
    def scales(self) -> list[Scale]:
        """Every benchmark and suite: impact first, then safety, then capability."""
        told = [telling_scale(self.tellings)] if self.tellings else []
        found = [*impact_scales(self.outcomes), *told, *suite_scales(self.runs)]
        return sorted(found, key=lambda scale: KINDS.index(scale.kind))  # stable: the order within a kind stays

    @cached_property
    def overall(self) -> dict[ScaleKind, Scale]:
        """Kind -> the plain mean over its benchmarks or suites; kinds that there are."""
        by_kind = {kind: [scale for scale in self.scales if scale.kind == kind] for kind in KINDS}
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
    def harm_avoided(self) -> Scale | None:
        """The mean over suites whose prompts ask for harm, XSTest's unsafe prompts among them; None without any."""
        asked = suite_scales([run for run in self.runs if run.suite.refusal])
        return _mean("harm avoided", "Harm avoided", [*asked, *self._xstest(UNSAFE)])

    @cached_property
    def helpfulness(self) -> Scale | None:
        """The mean of XSTest's safe prompts and of HELPING's pass rate, of those that there are; None without any."""
        helping = impact_scales([outcome for outcome in self.outcomes if outcome.benchmark == HELPING])
        return _mean("helpfulness kept", "Helpfulness kept", [*self._xstest(SAFE), *helping])

    def _xstest(self, part: str) -> list[Scale]:
        own = [run for run in self.runs if run.suite.group == XSTEST]
        chosen = [run for run in own if run.panel] or own
        scores = run_scores(chosen, part) if any(run.parts.get(part) for run in chosen) else {}
        return [Scale(f"{XSTEST}_{part}", f"XSTest, {part} prompts", "safety", scores)] if scores else []


def _mean(key: str, name: str, scales: Sequence[Scale]) -> Scale | None:
    return mean_scale(key, name, "safety", scales) if scales else None


def together(outcomes: Sequence[Outcome], runs: Sequence[SuiteRun], tellings: Sequence[TellingRun] = ()) -> Together:
    """Return what a suite's conversations, its tellings, and its runs of HELM's suites say together."""
    return Together(tuple(outcomes), tuple(runs), tuple(tellings))
