"""By what outcomes are broken down: the choices of `--by`, the same for every command and for the public face."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from helm_impactbench.analysis.rates import grouped
from helm_impactbench.errors import ImpactBenchError, did_you_mean
from helm_impactbench.results.outcome import Outcome

PREFIXES = ("axis", "factor", "option")
SPLIT = "split"
"""The factor that tells private scenarios, which carry it, from all others."""
HELP = "overall, benchmark, metric, axis:NAME, factor:NAME or option:NAME"
UNSET = "unset"
"""The level of runs whose entry does not have an option that others have."""


def broken_down(
    outcomes: Iterable[Outcome], by: str, known: Iterable[Outcome] | None = None
) -> dict[tuple[str, str], list[Outcome]]:
    """Return (benchmark, part) -> outcomes, sorted; for "overall" the benchmark is the area and the part "all".

    by: a scope; `axis:<name>` or `factor:<name>` for the levels of one axis or factor within each benchmark; or
    `option:<name>` for the values of an option of run entries, such as the one that sets the arms of a study apart.
    `known` are the outcomes that `outcomes` were taken from, whose names are allowed too. Raises ImpactBenchError for
    anything else, or a name that nothing has.
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
        having = found if kind == "option" else [outcome for outcome in found if name in _levels(outcome, kind)]
        groups = grouped(having, lambda outcome: (outcome.benchmark, _levels(outcome, kind).get(name, UNSET)))
    else:
        raise ImpactBenchError(f"--by cannot be {by!r}. Choose one of: {HELP}")
    return dict(sorted(groups.items()))


def _levels(outcome: Outcome, kind: str) -> Mapping[str, str]:
    if kind == "option":
        return _options(outcome.setup)
    return dict(outcome.axes) if kind == "axis" else {SPLIT: "public", **dict(outcome.factors)}


@lru_cache(maxsize=1024)
def _options(setup: str) -> Mapping[str, str]:
    """Return the options of a run's name, `suite:name=value,name=value`."""
    _, _, options = setup.partition(":")
    return dict(pair.split("=", 1) for pair in options.split(",") if "=" in pair)


def _check_known(outcomes: Iterable[Outcome], kind: str, name: str) -> None:
    known = sorted({found for outcome in outcomes for found in _levels(outcome, kind)})
    if name not in known:
        raise ImpactBenchError(
            f"--by {kind}:{name}: the suite has no {kind} {name!r}; it has {', '.join(known) or 'none'}."
            f"{did_you_mean(name, known)}"
        )
