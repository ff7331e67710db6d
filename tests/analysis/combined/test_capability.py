"""Is it capability? What follows it is flagged, and nothing else."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from helm_impactbench.analysis.combined.capability import Against, Finding, against_capability
from tests.analysis.combined.builders import numbered, scale


def planted(rng: np.random.Generator, models: int, driven: int, independent: int, noise: float) -> list[Against]:
    """Return benchmarks that follow capability up to noise, and some that do not follow it, held against it."""
    ability = rng.uniform(0.3, 0.9, models)
    scales = [scale(f"driven{i}", numbered(ability + noise * rng.standard_normal(models))) for i in range(driven)]
    scales += [scale(f"free{i}", numbered(rng.uniform(0, 1, models))) for i in range(independent)]
    return against_capability(scales, scale("capability", numbered(ability)))


@pytest.mark.parametrize(("models", "power"), [(8, 0.8), (12, 0.95)])
def test_what_is_driven_by_capability_is_flagged_and_nothing_else(models: int, power: float) -> None:
    """Planted: 3 of 9 benchmarks follow capability (rho about .95). Most are flagged; few flags of a suite are false.

    The expected share is 3.3% (5% of the six ninths that are free); 7% leaves room for 25 simulated suites.
    """
    rng = np.random.default_rng(100 + models)
    suites = [planted(rng, models, driven=3, independent=6, noise=0.05) for _ in range(25)]
    right = [sum(one.finding is Finding.MOSTLY for one in found if one.scale.key[:4] != "free") for found in suites]
    flags = [sum(one.finding.is_flag for one in found) for found in suites]
    assert np.mean(right) / 3 >= power
    assert np.mean([(all_of - good) / max(1, all_of) for all_of, good in zip(flags, right, strict=True)]) <= 0.07


def test_with_nothing_to_find_false_flags_are_rare() -> None:
    """Planted: nothing follows capability. At most 8% of 40 suites with 8 models and 9 benchmarks have any flag."""
    rng = np.random.default_rng(1)
    any_flag = [any(one.finding.is_flag for one in planted(rng, 8, 0, 9, 0)) for _ in range(40)]
    assert np.mean(any_flag) <= 0.08


def test_a_weak_link_over_many_models_is_not_mostly_capability() -> None:
    """A link beyond doubt but small is not a flag: rho of .4 over 60 models is said to be not mostly capability."""
    rng = np.random.default_rng(3)
    ability = rng.standard_normal(60)
    weak = 0.4 * ability + math.sqrt(1 - 0.4**2) * rng.standard_normal(60)
    (one,) = against_capability([scale("weak", numbered(weak))], scale("capability", numbered(ability)))
    assert one.adjusted_p_value < 0.05
    assert one.finding is Finding.NOT_MOSTLY
    assert "is within -0.7 to 0.7" in one.reason


def test_each_finding_has_its_reason() -> None:
    """Opposite order, too few models, one score for all, and what is open are told apart, in words with figures."""
    up = numbered(range(8))
    scales = [
        scale("against", numbered(range(8, 0, -1))),
        scale("few", numbered(range(4))),
        scale("flat", numbered([0.5] * 8)),
        scale("open", numbered([3, 0, 1, 5, 2, 7, 4, 6])),
    ]
    found = {one.scale.key: one for one in against_capability(scales, scale("capability", up))}
    assert {key: one.finding for key, one in found.items()} == {
        "against": Finding.AGAINST, "few": Finding.TOO_FEW, "flat": Finding.NO_SPREAD, "open": Finding.OPEN,
    }  # fmt: skip
    assert [one.finding.is_flag for one in found.values()] == [True, False, False, False]
    assert found["few"].reason.startswith("4 models have all of both scores")
    assert "more capable models do worse" in found["against"].reason
    assert "{" not in "".join(one.reason for one in found.values())


def test_the_family_of_tests_is_corrected() -> None:
    """One and the same order of six models is a flag alone, and none among nine others that are noise."""
    order = [0, 1, 2, 3, 5, 4]
    capability = scale("capability", numbered(range(6)))
    noise = [[2, 5, 0, 3, 1, 4], [1, 4, 2, 0, 5, 3], [5, 2, 3, 1, 4, 0]] * 3
    alone = against_capability([scale("one", numbered(order))], capability)
    among = against_capability([scale("one", numbered(order)), *(scale("n", numbered(n)) for n in noise)], capability)
    assert alone[0].correlation == among[0].correlation
    assert (alone[0].finding, among[0].finding) == (Finding.MOSTLY, Finding.OPEN)


def test_models_that_lack_a_part_are_not_correlated() -> None:
    """A mean over fewer benchmarks or suites is another mean: its model is left out on either side."""
    values = numbered(range(7))
    (one,) = against_capability([scale("s", values, missing=["m01"])], scale("capability", values, missing=["m02"]))
    assert one.models == ("m00", "m03", "m04", "m05", "m06")


def test_a_distance_counts_with_the_other_sign() -> None:
    """A contrast that shrinks as capability grows ranks models as capability does: 0 is its ideal."""
    distances = replace(scale("gap", numbered(range(8, 0, -1))), is_distance=True)
    (one,) = against_capability([distances], scale("capability", numbered(range(8))))
    assert one.finding is Finding.MOSTLY
