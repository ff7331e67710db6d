"""The public / held-out split: seeded, by base scenario, so that no variant of a held-out situation is public."""

from __future__ import annotations

from collections.abc import Sequence

from helm_impactbench.benchmark.parts import content_digest


def held_out_bases(base_ids: Sequence[str], fraction: float, seed: int) -> set[str]:
    """Return the base scenarios that are held out: `fraction` of those of every metric, rounded, chosen by a hash.

    The choice within a metric depends on its own ids and the seed alone.
    """
    by_metric: dict[str, list[str]] = {}
    for base_id in dict.fromkeys(base_ids):
        by_metric.setdefault(base_id.rpartition("_s")[0], []).append(base_id)
    held_out: set[str] = set()
    for ids in by_metric.values():
        ranked = sorted(ids, key=lambda base_id: content_digest([seed, base_id]))
        held_out.update(ranked[: round(fraction * len(ids))])
    return held_out
