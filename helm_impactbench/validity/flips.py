"""What other judges change: verdicts before and after, conversation by conversation. Pure.

Every verdict is compared by its value, so that all measures are counted alike: the same, a lower or a higher value. Of
presence, higher means that the behaviour was absent and is present now.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.clusters import clustered
from helm_impactbench.stats.intervals import UNKNOWN, Interval, cluster_interval

PRESENCE_CHANGES = ("present_to_present", "present_to_absent", "absent_to_present", "absent_to_absent")
VALUE_CHANGES = ("lower", "same", "higher")
STATUS_CHANGES = ("newly_scored", "no_longer_scored", "never_scored")
CHANGES = (*PRESENCE_CHANGES, *VALUE_CHANGES, *STATUS_CHANGES)
_PRESENCE = {1.0: "present", 0.0: "absent"}


@dataclass(frozen=True)
class VerdictPair:
    """One conversation under both panels."""

    run: str
    """Name of the run before."""
    before: Outcome
    after: Outcome

    @property
    def change(self) -> str:
        """One of CHANGES."""
        was, now = self.before.value, self.after.value
        if was is None or now is None:
            return {(True, True): "never_scored", (True, False): "newly_scored", (False, True): "no_longer_scored"}[
                was is None, now is None
            ]
        if self.before.is_binary:
            return f"{_PRESENCE[was]}_to_{_PRESENCE[now]}"
        return "lower" if now < was else "higher" if now > was else "same"

    @property
    def shift(self) -> float | None:
        """By how much the value rose, as a share of the measure's range, or in its own units where it has none.

        None unless there is a value before and after.
        """
        if self.before.value is None or self.after.value is None:
            return None
        bounds = self.before.bounds
        return (self.after.value - self.before.value) / (bounds[1] - bounds[0] if bounds else 1.0)


@dataclass(frozen=True)
class Changes:
    """How the verdicts on some conversations of one measure changed."""

    counts: dict[str, int]
    """Of each of CHANGES."""
    statuses: dict[str, int]
    """ "scored -> unclear" and the like, where the status is another one."""
    scored_in_both: int
    share_changed: float | None
    """Of those scored in both, how many have another value; None when there is none."""
    interval: Interval
    """95%, of that share; base scenarios are clusters."""
    mean_shift: float | None
    """Mean of `Pair.shift`; None when there is none."""


def paired(run: str, before: Iterable[Outcome], after: Iterable[Outcome]) -> list[VerdictPair]:
    """Return the conversations of a run with their outcomes before and after."""
    again = {(outcome.variant_id, outcome.sample): outcome for outcome in after}
    return [VerdictPair(run, outcome, again[outcome.variant_id, outcome.sample]) for outcome in before]


def changes(pairs: Sequence[VerdictPair]) -> Changes:
    """Return how the verdicts changed."""
    counts = Counter(pair.change for pair in pairs)
    other = Counter(f"{p.before.status} -> {p.after.status}" for p in pairs if p.before.status != p.after.status)
    shifts = [(pair.before.cluster, pair.shift) for pair in pairs if pair.shift is not None]
    moved = clustered((cluster, float(shift != 0)) for cluster, shift in shifts)
    return Changes(
        counts={change: counts[change] for change in CHANGES},
        statuses=dict(sorted(other.items())),
        scored_in_both=len(shifts),
        share_changed=moved.mean if shifts else None,
        interval=cluster_interval(moved) if shifts else UNKNOWN,
        mean_shift=math.fsum(shift for _, shift in shifts) / len(shifts) if shifts else None,
    )


Grouped = dict[tuple[str, str], Changes]
"""(name, measure) -> changes, sorted."""


def by_measure(pairs: Iterable[VerdictPair]) -> Grouped:
    """Return the changes over everything, by measure; the name is "all"."""
    return _by(pairs, lambda pair: "all")


def by_benchmark(pairs: Iterable[VerdictPair]) -> Grouped:
    """Return the changes by benchmark and measure."""
    return _by(pairs, lambda pair: pair.before.benchmark)


def by_model(pairs: Iterable[VerdictPair]) -> Grouped:
    """Return the changes by model and measure."""
    return _by(pairs, lambda pair: pair.before.model)


def _by(pairs: Iterable[VerdictPair], name: Callable[[VerdictPair], str]) -> Grouped:
    groups: dict[tuple[str, str], list[VerdictPair]] = {}
    for pair in pairs:
        groups.setdefault((name(pair), pair.before.measure), []).append(pair)
    return {key: changes(groups[key]) for key in sorted(groups)}
