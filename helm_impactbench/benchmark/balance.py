"""A part of a grid in which every factor's levels occur as evenly as in the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from helm_impactbench.benchmark.parts import content_digest

Factors = Mapping[str, str]
"""Factor -> level of one base scenario."""
_LEAST_GAIN = 1e-9


def balanced(bases: Mapping[str, Factors], most: int) -> list[str]:
    """Return at most `most` ids of base scenarios; the same whatever the order of `bases`.

    One after the other, the one whose levels are rarest so far; then pairs are exchanged as long as that brings the
    counts of levels nearer to their shares in the whole.
    """
    shares = Counter(pair for factors in bases.values() for pair in factors.items())
    left, chosen, seen = sorted(bases, key=content_digest), list[str](), Counter[tuple[str, str]]()
    while left and len(chosen) < most:
        best = min(left, key=lambda base: sum(seen[pair] / shares[pair] for pair in bases[base].items()))
        left.remove(best)
        chosen.append(best)
        seen.update(bases[best].items())
    targets = {pair: len(chosen) * count / len(bases) for pair, count in shares.items()}
    while exchange := _best_exchange(bases, chosen, left, {pair: seen[pair] - targets[pair] for pair in targets}):
        out, into = exchange
        chosen[chosen.index(out)], left[left.index(into)] = into, out
        seen.subtract(bases[out].items())
        seen.update(bases[into].items())
    return chosen


def _best_exchange(
    bases: Mapping[str, Factors], chosen: Sequence[str], left: Sequence[str], surplus: Mapping[tuple[str, str], float]
) -> tuple[str, str] | None:
    """Return whom to take out and whom to take in so that the squares of `surplus` fall most; None where none helps."""
    if not surplus:
        return None
    gains = {(out, into): _gain(bases[out], bases[into], surplus) for out in chosen for into in left}
    best = max(gains, key=lambda pair: gains[pair], default=None)
    return best if best is not None and gains[best] > _LEAST_GAIN else None


def _gain(out: Factors, into: Factors, surplus: Mapping[tuple[str, str], float]) -> float:
    changes = Counter(into.items())
    changes.subtract(out.items())
    return sum(surplus[pair] ** 2 - (surplus[pair] + change) ** 2 for pair, change in changes.items())
