"""What a suite did not measure, and why: areas, benchmarks of single models, verdicts, and who was talking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from helm_impactbench.benchmark.areas import Subarea
from helm_impactbench.outputs.report.results import Results


@dataclass(frozen=True)
class NotMeasured:
    """The holes of a suite."""

    subareas: tuple[str, ...]
    """Those that no benchmark is about."""
    unknown: tuple[str, ...]
    """Names of benchmarks that are not installed, so that their areas are not known."""
    not_run: Mapping[str, tuple[str, ...]]
    """Model -> names of benchmarks that others were run on."""
    reasons: Mapping[str, int]
    """Why there is no verdict -> conversations."""
    conversations: int
    same_person: tuple[str, ...]
    """Names of benchmarks none of whose cases has verdicts with two kinds of people."""


def not_measured(results: Results) -> NotMeasured:
    """Return what is missing from the results."""
    infos = results.site.benchmarks
    run: dict[str, set[str]] = {}
    varied: set[str] = set()
    reasons: Counter[str] = Counter()
    for outcome in results.outcomes:
        run.setdefault(outcome.model, set()).add(outcome.benchmark)
        if outcome.contrast is not None:
            varied.add(outcome.benchmark)
        if outcome.why_missing is not None:
            reasons[outcome.why_missing] += 1
    varied |= {one.scope for one in results.level_contrasts if one.level == "benchmark"}
    return NotMeasured(
        subareas=tuple(s for s in get_args(Subarea) if not any(s in info.subareas for info in infos.values())),
        unknown=tuple(info.name for info in infos.values() if info.installed is None),
        not_run={
            model: tuple(info.name for slug, info in infos.items() if slug not in run.get(model, ()))
            for model in results.site.models
            if not run.get(model, set()).issuperset(infos)
        },
        reasons=dict(reasons.most_common()),
        conversations=len(results.outcomes),
        same_person=tuple(info.name for slug, info in infos.items() if slug not in varied),
    )
