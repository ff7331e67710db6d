"""By what outcomes are broken down: the choices of `--by`, the same for every command and for the public face."""

from __future__ import annotations

from collections.abc import Iterable

from helm_impactbench.analysis.rates import grouped
from helm_impactbench.errors import ImpactBenchError, did_you_mean
from helm_impactbench.results.outcome import Outcome

SCOPES = ("overall", "benchmark", "metric")
PREFIXES = ("axis", "factor")
SPLIT = "split"
"""The factor that tells private scenarios, which carry it, from all others."""
HELP = "overall, benchmark, metric, axis:NAME or factor:NAME"


def broken_down(
    outcomes: Iterable[Outcome], by: str, known: Iterable[Outcome] | None = None
) -> dict[tuple[str, str], list[Outcome]]:
    """Return (benchmark, part) -> outcomes, sorted; for "overall" the benchmark is the area and the part "all".

    by: a scope; or `axis:<name>`, `factor:<name>` for the levels of one axis or factor within each benchmark. `known`
    are the outcomes that `outcomes` were taken from, whose names are allowed too. Raises ImpactBenchError for anything
    else, or a name that nothing has.
    """
    found = list(outcomes)
    kind, _, name = by.partition(":")
    if by == "overall":
        groups = grouped(found, lambda outcome: (outcome.area, "all"))
    elif by == "benchmark":
        groups = grouped(found, lambda outcome: (outcome.benchmark, "all"))
    elif by == "metric":
        groups = grouped(found, lambda outcome: (outcome.benchmark, outcome.metric_id))
    elif kind in PREFIXES and name:
        _check_known(found if known is None else known, kind, name)
        having = [outcome for outcome in found if name in _levels(outcome, kind)]
        groups = grouped(having, lambda outcome: (outcome.benchmark, _levels(outcome, kind)[name]))
    else:
        raise ImpactBenchError(f"--by cannot be {by!r}. Choose one of: {HELP}")
    return dict(sorted(groups.items()))


def _levels(outcome: Outcome, kind: str) -> dict[str, str]:
    return dict(outcome.axes) if kind == "axis" else {SPLIT: "public", **dict(outcome.factors)}


def _check_known(outcomes: Iterable[Outcome], kind: str, name: str) -> None:
    known = sorted({found for outcome in outcomes for found in _levels(outcome, kind)})
    if name not in known:
        raise ImpactBenchError(
            f"--by {kind}:{name}: the suite has no {kind} {name!r}; it has {', '.join(known) or 'none'}."
            f"{did_you_mean(name, known)}"
        )
