"""Single statistics against hand-made cases and independent references."""

from __future__ import annotations

import math
from itertools import combinations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import permutation_test
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa as reference_fleiss
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from helm_impactbench.stats.agreement import cohen_kappa, fleiss_kappa, krippendorff_alpha, split_rate
from helm_impactbench.stats.clusters import Clusters, clustered, design_effect, mean_variance
from helm_impactbench.stats.intervals import (
    UNKNOWN,
    cluster_interval,
    mean_of_means,
    same_groups_interval,
    score_interval,
    two_level_interval,
    wilson,
)
from helm_impactbench.stats.ranking import indistinguishable_groups, letters, rank_intervals
from helm_impactbench.stats.repeats import pass_hat_k, single_sample_agreement, unanimity
from helm_impactbench.stats.tests import Correction, adjusted, sign_flip_p_value, smallest_p_value


def clusters(*values: list[float]) -> Clusters:
    """Return clusters of these values."""
    return clustered((index, value) for index, own in enumerate(values) for value in own)


@pytest.mark.parametrize(("passed", "scored"), [(7, 9), (0, 5), (5, 5), (1, 1), (412, 1872)])
def test_wilson_is_statsmodels(passed: int, scored: int) -> None:
    """The bounds are the library's, at the ends too."""
    expected = proportion_confint(passed, scored, method="wilson")
    assert (wilson(passed, scored).low, wilson(passed, scored).high) == pytest.approx(expected, abs=1e-14)


def test_wilson_of_nothing_is_unknown() -> None:
    """A rate over nothing has no interval."""
    assert not wilson(0, 0).is_known


def test_score_interval_of_independent_values_is_wilsons_with_a_t_quantile() -> None:
    """With the variance of independent values and endless freedom it is Wilson's interval."""
    found, expected = score_interval(0.7, 0.7 * 0.3 / 50, 10**9, units=50), wilson(35, 50)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-6)


@given(
    rate=st.floats(0, 1),
    variance=st.floats(0, 0.25),
    freedom=st.integers(1, 500),
    units=st.integers(2, 500),
)
def test_score_interval_stays_in_its_range_and_holds_the_mean(
    rate: float, variance: float, freedom: int, units: int
) -> None:
    """Law: lowest <= low <= mean <= high <= highest, whatever the figures."""
    found = score_interval(2 * rate - 1, 4 * variance, freedom, units=units, lowest=-1.0, highest=1.0)
    assert -1 - 1e-9 <= found.low <= 2 * rate - 1 + 1e-9
    assert 2 * rate - 1 - 1e-9 <= found.high <= 1 + 1e-9


def test_cluster_variance_is_that_of_cluster_means() -> None:
    """For clusters of equal size the bootstrap's variance is the textbook's, s^2 / n, up to its resampling."""
    values = np.random.default_rng(1).random((40, 3))
    expected = values.mean(axis=1).var(ddof=1) / 40
    assert mean_variance(clusters(*values.tolist())) == pytest.approx(expected, rel=0.08)


def test_cluster_variance_does_not_depend_on_order_or_names() -> None:
    """Law 5: the same results give the same figure."""
    pairs = [(f"s{index:03d}", float(index % 3 == 0)) for index in range(30)]
    assert mean_variance(clustered(pairs)) == mean_variance(clustered(reversed(pairs)))


@pytest.mark.parametrize("own", [[[1.0], [1.0], [0.0], [1.0]], [[1.0, 0.0], [0.5, 0.5]]], ids=["few", "equal means"])
def test_intervals_are_never_a_point(own: list[list[float]]) -> None:
    """Few clusters, or clusters that agree exactly, leave doubt."""
    found = cluster_interval(clusters(*own))
    assert found.low < found.high


def test_all_passed_has_an_open_end_below() -> None:
    """36 scenarios without a failure do not prove that there is none."""
    found = cluster_interval(clusters(*[[1.0, 1.0]] * 36))
    assert found.high == 1.0
    assert 0.85 < found.low < 0.95


def test_one_cluster_says_nothing() -> None:
    """Neither an interval nor a design effect can be told from a single base scenario."""
    one = clusters([1.0, 0.0, 1.0])
    assert cluster_interval(one) == UNKNOWN
    assert math.isnan(design_effect(one))
    assert same_groups_interval([one]) == UNKNOWN
    assert two_level_interval([]) == UNKNOWN
    with pytest.raises(ValueError, match="no mean of nothing"):
        _ = clusters().mean


def test_design_effect_of_copies_is_their_number() -> None:
    """Four copies of one verdict are worth one: the design effect is about 4."""
    rng = np.random.default_rng(3)
    copies = clusters(*[[float(rng.random() < 0.6)] * 4 for _ in range(200)])
    assert design_effect(copies) == pytest.approx(4, rel=0.1)


def test_overall_score_is_the_plain_mean_over_benchmarks() -> None:
    """A benchmark with more conversations does not weigh more, and one benchmark has its own interval."""
    small, large = clusters([1.0], [1.0]), clusters(*[[0.0, 1.0]] * 30)
    assert mean_of_means([small, large]) == 0.75
    assert two_level_interval([large]) == cluster_interval(large)


def test_sign_flips_count_every_pattern_of_few_clusters() -> None:
    """Three clusters that all went up: 2 of 8 patterns are as extreme; no fewer can be."""
    assert sign_flip_p_value(np.array([1.0, 1.0, 1.0])) == 0.25 == smallest_p_value(3)
    assert sign_flip_p_value(np.array([1.0, -1.0, 1.0, -1.0])) == 1.0
    assert sign_flip_p_value(np.zeros(5)) == sign_flip_p_value(np.array([0.0, 0.5])) == 1.0


@pytest.mark.parametrize("clusters", [2, 5, 13, 20, 300, 700])
def test_sign_flips_are_scipys(clusters: int) -> None:
    """Where every pattern counts, exactly; with random patterns, as near as two draws are to each other."""
    rng = np.random.default_rng(clusters)
    for shift in (0.0, 0.05, 0.2):
        differences = rng.integers(-3, 4, clusters) / 7 + shift
        moved = differences[differences != 0]
        tested = permutation_test((moved,), np.sum, permutation_type="samples", vectorized=True, n_resamples=9_999,
                                  batch=500, rng=np.random.default_rng(1))  # fmt: skip
        exact = 2 ** len(moved) <= 9_999
        assert sign_flip_p_value(differences) == pytest.approx(min(1.0, tested.pvalue), abs=1e-12 if exact else 0.04)


def test_sign_flips_agree_with_the_sign_test() -> None:
    """For differences of equal size the test is the exact sign test, up to its random patterns."""
    from scipy.stats import binomtest

    differences = np.array([1.0] * 20 + [-1.0] * 8)
    assert sign_flip_p_value(differences) == pytest.approx(binomtest(20, 28).pvalue, abs=0.01)


def test_adjustments_are_the_textbooks() -> None:
    """Holm and Benjamini-Hochberg on a small example, in the given order."""
    assert adjusted([0.04, 0.01, 0.03], "holm") == pytest.approx([0.06, 0.03, 0.06])
    assert adjusted([0.04, 0.01, 0.03], "bh") == pytest.approx([0.04, 0.03, 0.04])
    assert adjusted([], "holm") == []


@pytest.mark.parametrize(("correction", "method"), [("holm", "holm"), ("bh", "fdr_bh")])
@pytest.mark.parametrize("number", [1, 2, 40, 253])
def test_adjusted_p_values_are_statsmodels(correction: Correction, method: str, number: int) -> None:
    """Ties included, none above 1."""
    p_values = np.random.default_rng(number).integers(0, 60, number) / 59
    assert adjusted([*p_values], correction) == [float(p) for p in multipletests(p_values, method=method)[1]]


@pytest.mark.parametrize(
    ("told_apart", "groups", "ranks"),
    [
        ([], [["a", "b", "c"]], {"a": (1, 3), "b": (1, 3), "c": (1, 3)}),
        ([("a", "c")], [["a", "b"], ["b", "c"]], {"a": (1, 2), "b": (1, 3), "c": (2, 3)}),
        ([("a", "b"), ("a", "c")], [["a"], ["b", "c"]], {"a": (1, 1), "b": (2, 3), "c": (2, 3)}),
        (list(combinations("abc", 2)), [["a"], ["b"], ["c"]], {"a": (1, 1), "b": (2, 2), "c": (3, 3)}),
    ],
    ids=["nothing known", "only the ends differ", "one leads", "all differ"],
)
def test_groups_and_ranks(
    told_apart: list[tuple[str, str]], groups: list[list[str]], ranks: dict[str, tuple[int, int]]
) -> None:
    """Groups overlap where the middle cannot be told from either end; ranks are what the tests leave open."""
    assert indistinguishable_groups(["a", "b", "c"], told_apart) == groups
    assert rank_intervals(["a", "b", "c"], told_apart) == ranks


@given(st.sets(st.sampled_from(list(combinations("abcdef", 2)))))
def test_names_share_a_letter_exactly_when_they_cannot_be_told_apart(told_apart: set[tuple[str, str]]) -> None:
    """Law of letter displays."""
    shown = letters(indistinguishable_groups("abcdef", sorted(told_apart)))
    for pair in combinations("abcdef", 2):
        assert bool(set(shown[pair[0]]) & set(shown[pair[1]])) == (pair not in told_apart)


RATINGS = [
    [bool(value) if value < 2 else None for value in row]
    for row in np.random.default_rng(5).choice([0, 1, 1, 2], (60, 3)).tolist()
]


def test_alpha_and_kappa_are_the_libraries() -> None:
    """Missing votes included, to 1e-9."""
    numbers = np.array([[math.nan if r is None else float(r) for r in item] for item in RATINGS]).T
    expected = krippendorff.alpha(numbers, level_of_measurement="nominal")
    assert krippendorff_alpha(RATINGS) == pytest.approx(expected, abs=1e-9)
    first, second = [item[0] for item in RATINGS], [item[1] for item in RATINGS]
    both = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    found = cohen_kappa(first, second)
    assert found.items == len(both)
    assert found.value == pytest.approx(cohen_kappa_score(*zip(*both, strict=True)), abs=1e-9)
    assert found.interval is not None
    assert found.interval.low < found.value < found.interval.high


def test_fleiss_kappa_is_the_librarys() -> None:
    """Over items that all have rated, to 1e-9."""
    whole = [item for item in RATINGS if None not in item]
    counts = [[item.count(True), item.count(False)] for item in whole]
    assert fleiss_kappa(RATINGS) == pytest.approx(reference_fleiss(np.array(counts)), abs=1e-9)


@pytest.mark.parametrize(
    "items",
    [[], [[True, None]], [[True, True], [True, True]], [[None, None]]],
    ids=["nothing", "one vote", "all alike", "no vote"],
)
def test_undefined_agreement_is_none(items: list[list[bool | None]]) -> None:
    """Agreement of habit, or of nobody, is no number."""
    assert krippendorff_alpha(items) is None
    assert fleiss_kappa(items) is None
    assert cohen_kappa([item[0] for item in items], [item[1] for item in items]).value is None


def test_split_votes() -> None:
    """Only items with two votes count."""
    assert split_rate([[True, False, None], [True, True, None], [None, True, None]]) == 0.5
    assert split_rate([[True, None]]) is None


def test_repeats() -> None:
    """Two variants with three samples, one of them unanimous; a lone sample counts nowhere but in pass^1."""
    variants = [[True, True, True], [True, False, True], [False]]
    assert unanimity(variants) == 0.5
    assert single_sample_agreement(variants) == pytest.approx((1 + 2 / 3) / 2)
    assert pass_hat_k(variants, 1) == pytest.approx((1 + 2 / 3 + 0) / 3)
    assert pass_hat_k(variants, 2) == pytest.approx((1 + 1 / 3) / 2)
    assert pass_hat_k(variants, 3) == 0.5
    assert pass_hat_k(variants, 4) is unanimity([[True]]) is None
