"""Golden transcripts that repeat each other with words exchanged: they count twice and teach a template. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from helm_impactbench.llm.tool_call import spoken
from helm_impactbench.validity.golden.surface import words

RUN = 3
MOST_SHARED = 0.2
"""Share of the shorter text's runs of RUN words that another text may have too."""
FEWEST_RUNS = 15


def repeated(texts: Sequence[str]) -> Iterator[tuple[int, int, float]]:
    """Yield (first, second, share) for texts that share more than MOST_SHARED of their runs of words.

    Twins, the same words beside other deeds, are meant to: they tell whether a judge reads what was done.
    """
    runs, said = [_runs(text) for text in texts], [spoken(text) for text in texts]
    for first, second in combinations(range(len(texts)), 2):
        if said[first] == said[second] and texts[first] != texts[second]:
            continue
        least = min(len(runs[first]), len(runs[second]))
        if least >= FEWEST_RUNS and (share := len(runs[first] & runs[second]) / least) > MOST_SHARED:
            yield first, second, share


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    spoken = words(text)
    return frozenset(tuple(spoken[start : start + RUN]) for start in range(len(spoken) - RUN + 1))
