"""p values of the sign-flip test for many data sets at once, without flipping signs, far out in the tail as well."""

from __future__ import annotations

import numpy as np

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.scipy_modules import special

EXACT = 10
"""Differences that are not 0, up to which every pattern of signs is counted."""
SADDLE = 100
"""Columns up to which the saddlepoint approximation is used; with more, an Edgeworth series is as good."""
STEPS = 15
TIE = 1e-9


def sign_flip_p_values(data: Floats, step: float = 0.0) -> Floats:
    """Return two-sided p values of the sums of rows, if each difference could have had the other sign; shape (rows,).

    step: a number that all differences are multiples of, 0 without one; sums then differ by twice as much.

    Sources: Daniels (1987), Tail Probability Approximations, International Statistical Review 55 (saddlepoint, with the
    second continuity correction); Robinson (1982), Saddlepoint Approximations for Permutation Tests, JRSS B 44.
    """
    sizes = np.abs(data)
    norms = np.sqrt((sizes**2).sum(axis=1))
    live = norms > 0
    p_values = np.ones(len(data))
    if not live.any():
        return p_values
    scale = norms[live, None]
    sums, sizes, steps = np.abs(data.sum(axis=1))[live] / norms[live], sizes[live] / scale, step / norms[live]
    tails = _saddlepoint if data.shape[1] <= SADDLE else _edgeworth
    found = tails(sums, sizes, steps)
    few = (sizes > 0).sum(axis=1) <= EXACT
    if few.any():
        found[few] = _counted(sums[few], -np.sort(-sizes[few], axis=1)[:, :EXACT])
    p_values[live] = np.clip(found, 0.0, 1.0)
    return p_values


def _counted(sums: Floats, sizes: Floats) -> Floats:
    patterns = 2 ** sizes.shape[1]
    signs = 1.0 - 2.0 * ((np.arange(patterns)[None, :] >> np.arange(sizes.shape[1])[:, None]) & 1)
    counted: Floats = (np.abs(sizes @ signs) >= sums[:, None] * (1 - TIE)).mean(axis=1)
    return counted


def _saddlepoint(sums: Floats, sizes: Floats, steps: Floats) -> Floats:
    """Return tails of sums of signed sizes whose squares add up to 1."""
    reached = sums - steps
    most = sizes.sum(axis=1)
    inside = np.clip(reached, 0.0, most * (1 - 1e-7))
    slopes = inside.copy()  # left of the root of a concave function, so that Newton's steps never pass it
    for _ in range(STEPS):
        tanh = np.tanh(sizes * slopes[:, None])
        curvature = (sizes**2 * (1 - tanh**2)).sum(axis=1)
        slopes = slopes + np.maximum(0.0, inside - (sizes * tanh).sum(axis=1)) / np.maximum(curvature, 1e-12)
    turned = sizes * slopes[:, None]
    curvature = (sizes**2 * (1 - np.tanh(turned) ** 2)).sum(axis=1)
    cumulant = (turned + np.log1p(np.exp(-2 * turned)) - np.log(2)).sum(axis=1)
    distance = np.sqrt(np.maximum(2 * (slopes * inside - cumulant), 1e-12))
    lattice = np.where(steps > 0, np.sinh(np.minimum(steps * slopes, 30.0)) / np.where(steps > 0, steps, 1.0), slopes)
    weight = np.maximum(lattice * np.sqrt(np.maximum(curvature, 1e-12)), 1e-12)
    tails = special.ndtr(-distance) + np.exp(-(distance**2) / 2) / np.sqrt(2 * np.pi) * (1 / weight - 1 / distance)
    far: Floats = 2 * np.clip(tails, 0.0, 0.5)
    return np.where(distance > 0.3, far, 1.0)  # near 0 the formula has no number, and no test has a finding


def _edgeworth(sums: Floats, sizes: Floats, steps: Floats) -> Floats:
    """Return the same from the normal distribution and the fourth cumulant; the others are 0 or small."""
    reached = np.maximum(0.0, sums - steps)
    fourth = -2 * (sizes**4).sum(axis=1)
    density = np.exp(-(reached**2) / 2) / np.sqrt(2 * np.pi)
    tails: Floats = 2 * (special.ndtr(-reached) + density * fourth / 24 * (reached**3 - 3 * reached))
    return tails
