"""How much of the variance of single values comes from each factor of a design, nested or crossed, balanced or not.

Henderson's method 1: for every factor, the sum over its levels of (sum of values)^2 / (number of values) has an
expectation that is linear in the components; the coefficients are counts. Estimates are unbiased when all factors are
random, however unequal the cells are, and need no distribution; they can be negative. Sources: Henderson (1953),
Biometrics 9; Searle, Casella & McCulloch (1992), Variance Components, chapter 5; what the components are used for:
Brennan (2001), Generalizability Theory.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from helm_impactbench.stats.clusters import SEED, Floats

Codes = NDArray[np.int64]
SIMULATED = 200
"""Data sets; the standard error of a standard error is then 5%."""
BLOCK = 20
"""Data sets that are simulated together."""
WORST_CONDITION = 1e8
"""Of the equations, beyond which they do not tell the components apart."""


@dataclass(frozen=True)
class Factor:
    """A factor that the design can tell, or several that it cannot tell from each other."""

    names: tuple[str, ...]
    codes: Codes
    """Level of each value, from 0; shape (values,)."""

    @property
    def levels(self) -> int:
        """How many there are."""
        return int(self.codes.max()) + 1

    @cached_property
    def counts(self) -> Floats:
        """Values per level."""
        return np.bincount(self.codes).astype(np.float64)

    @property
    def weight(self) -> float:
        """What its component is multiplied by in the variance of the mean over all values: 1 / levels if balanced."""
        return float((self.counts**2).sum() / self.counts.sum() ** 2)


@dataclass(frozen=True)
class Design:
    """Which values share a level of which factor."""

    factors: tuple[Factor, ...]
    """Different ones, coarse or fine in any order; the last one has a level for each value."""
    single: tuple[str, ...]
    """Factors of which there is one level, so that nothing can be said of their component."""

    @property
    def is_told(self) -> bool:
        """Whether the equations can be solved."""
        matrix = self._coefficients
        return bool(matrix.size and np.linalg.cond(matrix / matrix.max()) < WORST_CONDITION)

    @cached_property
    def _coefficients(self) -> Floats:
        """Return how often each component is in each sum of squares less that of the mean; shape (factors, factors)."""
        rows = np.zeros((len(self.factors), len(self.factors)))
        for place, one in enumerate(self.factors):
            for other_place, other in enumerate(self.factors[: place + 1]):
                rows[place, other_place], rows[other_place, place] = _shared(one, other)
        mean = np.array([factor.weight * factor.counts.sum() for factor in self.factors], dtype=np.float64)
        found: Floats = rows - mean[None, :]
        return found

    def components(self, values: Floats) -> Floats:
        """Return the components, in the order of the factors; negative ones as they are.

        values: shape (values,), or (values, data sets) for as many columns of components. Raises ValueError where the
        design does not tell them apart.
        """
        if not self.is_told:
            raise ValueError("the design does not tell the components apart")
        centred = values - values.mean(axis=0)  # changes nothing but rounding
        squares = [_sum_of_squares(factor, centred) for factor in self.factors]
        return np.linalg.solve(self._coefficients, np.array(squares)).astype(np.float64)

    def errors(self, components: Floats) -> Floats:
        """Return the standard errors of estimates: their spread over SIMULATED normal data sets with these components.

        components: shape (factors,); negative ones count as 0. Seeded.
        """
        rng, blocks = np.random.default_rng(SEED), []
        spreads = np.sqrt(np.maximum(components, 0.0))
        for _ in range(SIMULATED // BLOCK):
            values = np.zeros((len(self.factors[-1].codes), BLOCK))
            for factor, spread in zip(self.factors, spreads, strict=True):
                values += rng.normal(0.0, spread, (factor.levels, BLOCK))[factor.codes]
            blocks.append(self.components(values))
        found: Floats = np.concatenate(blocks, axis=1).std(axis=1, ddof=1)
        return found


def design(factors: Mapping[str, Sequence[Hashable]], rest: str = "rest") -> Design:
    """Return the design of factors, given by name with the level of each value.

    Factors with the same levels throughout are one factor with several names. Where none has a level for each value,
    `rest` is the name of one that has.
    """
    single: list[str] = []
    found: list[Factor] = []
    for name, levels in factors.items():
        codes = _codes(levels)
        same = next((place for place, other in enumerate(found) if np.array_equal(other.codes, codes)), None)
        if codes.max(initial=0) == 0:
            single.append(name)
        elif same is None:
            found.append(Factor((name,), codes))
        else:
            found[same] = Factor((*found[same].names, name), codes)
    size = len(next(iter(factors.values())))
    finest = next((factor for factor in found if factor.levels == size), Factor((rest,), np.arange(size)))
    return Design((*(factor for factor in found if factor is not finest), finest), tuple(single))


def _codes(levels: Sequence[Hashable]) -> Codes:
    """Return a number for each level by first occurrence, so that factors that put values together alike are equal."""
    places: dict[Hashable, int] = {}
    return np.array([places.setdefault(level, len(places)) for level in levels], dtype=np.int64)


def _shared(one: Factor, other: Factor) -> tuple[float, float]:
    """Return the sum over pairs of levels of (values that share both)^2 / (values of one's level), and of other's."""
    pairs, counts = np.unique(one.codes * other.levels + other.codes, return_counts=True)
    squares = counts.astype(np.float64) ** 2
    return (
        float((squares / one.counts[pairs // other.levels]).sum()),
        float((squares / other.counts[pairs % other.levels]).sum()),
    )


def _sum_of_squares(factor: Factor, values: Floats) -> Floats:
    columns = values.reshape(len(values), -1)
    sums = np.stack([np.bincount(factor.codes, column, factor.levels) for column in columns.T], axis=1)
    found: Floats = (sums**2 / factor.counts[:, None]).sum(axis=0)
    return found if values.ndim > 1 else found[0]
