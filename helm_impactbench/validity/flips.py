"""What other judges change: a matrix of verdicts before and after, conversation by conversation. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from helm_impactbench.results.outcome import Outcome


@dataclass(frozen=True)
class Pair:
    """One conversation under both panels."""

    run: str
    """Name of the run before."""
    before: Outcome
    after: Outcome

    @property
    def change(self) -> str:
        """One of CHANGES."""
        was, now = self.before.present, self.after.present
        if was is None or now is None:
            return {(True, True): "unscored_both", (True, False): "newly_scored", (False, True): "newly_unscored"}[
                was is None, now is None
            ]
        return f"{_word(was)}_to_{_word(now)}"

    @property
    def flipped(self) -> bool | None:
        """Whether the verdict changed; None unless there is one before and after."""
        if self.before.present is None or self.after.present is None:
            return None
        return self.before.present is not self.after.present


CHANGES = (
    "present_to_present",
    "present_to_absent",
    "absent_to_present",
    "absent_to_absent",
    "newly_scored",
    "newly_unscored",
    "unscored_both",
)


def paired(run: str, before: Iterable[Outcome], after: Iterable[Outcome]) -> list[Pair]:
    """Return the conversations of a run with their outcomes before and after."""
    again = {(outcome.variant_id, outcome.sample): outcome for outcome in after}
    return [Pair(run, outcome, again[outcome.variant_id, outcome.sample]) for outcome in before]


def matrix(pairs: Iterable[Pair]) -> dict[str, Any]:
    """Return the count of each change, the number scored in both, the share that flipped and its 95% interval.

    The share is None when nothing was scored in both; the interval is None where nothing can be said.
    """
    from helm_impactbench.stats.clusters import clustered
    from helm_impactbench.stats.intervals import cluster_interval

    pairs = list(pairs)
    counts = {change: sum(pair.change == change for pair in pairs) for change in CHANGES}
    flips = clustered((pair.before.cluster, float(pair.flipped)) for pair in pairs if pair.flipped is not None)
    interval = cluster_interval(flips)
    return {
        **counts,
        "scored_in_both": flips.values,
        "share_flipped": flips.mean if flips.size else None,
        "interval": [interval.low, interval.high] if interval.is_known else None,
    }


def report(pairs: Iterable[Pair]) -> dict[str, Any]:
    """Return the matrices overall, per benchmark and per model, and every conversation whose verdict changed."""
    pairs = list(pairs)
    return {
        "overall": matrix(pairs),
        "by_benchmark": _by(pairs, {pair.before.benchmark: None for pair in pairs}, "benchmark"),
        "by_model": _by(pairs, {pair.before.model: None for pair in pairs}, "model"),
        "changed": [
            {
                "run": pair.run,
                "variant": pair.before.variant_id,
                "sample": pair.before.sample,
                "change": pair.change,
            }
            for pair in pairs
            if pair.before.present is not pair.after.present
        ],
    }


def _by(pairs: list[Pair], keys: Mapping[str, None], field: str) -> dict[str, Any]:
    return {key: matrix(pair for pair in pairs if getattr(pair.before, field) == key) for key in sorted(keys)}


def _word(present: bool) -> str:
    return "present" if present else "absent"
