"""Error rates of a judge and corrected rates: against the truth in simulated data, and against independent figures."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import recall_score
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import DescrStatsW

from helm_impactbench.stats.calibration import CalibrationPart, Corrected, prediction_powered, rogan_gladen
from helm_impactbench.stats.clusters import Clusters
from helm_impactbench.stats.intervals import UNKNOWN
from helm_impactbench.stats.judge_errors import Labelled, LabelledShare, error_rates, judged_share

METRICS, PER_MODEL, CLUSTER, PLACES, DATA_SETS = 8, 240, 5, 240, 500
PASS_RATES = (0.25, 0.9)
"""True pass rates of the two simulated models."""


@dataclass(frozen=True)
class World:
    """Conversations of two models on metrics of both types, all judged, some drawn by metric and answer."""

    model: NDArray[np.int64]
    base: NDArray[np.int64]
    positive: NDArray[np.bool_]
    truth: NDArray[np.bool_]
    judged: NDArray[np.bool_]
    drawn: NDArray[np.int64]
    weights: NDArray[np.float64]

    def clusters(self, values: NDArray[np.bool_], chosen: NDArray[np.bool_]) -> Clusters:
        codes = np.unique(self.base[chosen], return_inverse=True)[1]
        return Clusters(np.bincount(codes, values[chosen].astype(float)), np.bincount(codes).astype(float))

    def labelled(
        self, judged: NDArray[np.bool_], truth: NDArray[np.bool_], chosen: NDArray[np.bool_] | None = None
    ) -> Labelled:
        kept = np.ones(len(self.drawn), bool) if chosen is None else chosen[self.drawn]
        items = self.drawn[kept]
        return Labelled(judged[items], truth[items], self.weights[kept], self.base[items])

    def by_errors(self, model: NDArray[np.bool_]) -> Corrected:
        return rogan_gladen([self.part(model, positive) for positive in (True, False)])

    def part(self, model: NDArray[np.bool_], positive: bool) -> CalibrationPart:
        frame = self.positive == positive
        own, rest = frame & model, frame & ~model
        return CalibrationPart(
            positive=positive,
            judged=judged_share(self.clusters(self.judged, own)),
            labelled=self.labelled(self.judged, self.truth, frame),
            over_all=LabelledShare(float(self.judged[frame].mean()), float(frame.sum()), int(frame.sum())),
            rest=judged_share(self.clusters(self.judged, rest)) if rest.any() else None,
            overlap=float(own.sum() / frame.sum()),
        )

    def by_labels(self, model: NDArray[np.bool_]) -> Corrected:
        judged, truth = self.judged == self.positive, self.truth == self.positive
        share = judged_share(self.clusters(judged, model))
        return prediction_powered(share, *self.labelled(judged, truth, model).true_when)


def world(rng: np.random.Generator, sensitivity: float, specificity: float, alike: float = 0.0) -> World:
    """Return a world; `alike` is how much the judge's errors go together within a base scenario (0 to 1)."""
    size = len(PASS_RATES) * PER_MODEL
    model = np.repeat(np.arange(len(PASS_RATES)), PER_MODEL)
    base = np.tile(np.arange(PER_MODEL) // CLUSTER, len(PASS_RATES))
    metric = base % METRICS
    positive = metric % 2 == 0
    truth = (rng.random(size) < np.array(PASS_RATES)[model]) == positive
    shared = rng.random(PER_MODEL // CLUSTER)[base]
    luck = np.where(rng.random(size) < alike, shared, rng.random(size))
    judged = np.where(truth, luck < sensitivity, luck >= specificity)
    drawn, weights = [], []
    for stratum in range(2 * METRICS):
        members = np.flatnonzero(2 * metric + judged == stratum)
        count = min(len(members), PLACES // (2 * METRICS))
        drawn += list(rng.choice(members, count, replace=False))
        weights += [len(members) / count] * count if count else []
    return World(model, base, positive, truth, judged, np.array(drawn), np.array(weights))


def figures(found: list[Corrected], truth: float) -> tuple[float, float, float]:
    """Return the mean, the share of intervals that hold the truth, and the share of data sets with a figure."""
    known = [(c.value, c.interval) for c in found if c.value is not None]
    mean = float(np.mean([value for value, _ in known]))
    covered = float(np.mean([interval.low <= truth <= interval.high for _, interval in known]))
    return mean, covered, len(known) / len(found)


@pytest.mark.parametrize(
    ("sensitivity", "specificity"),
    [
        pytest.param(one, other, marks=() if {one, other} in ({0.7, 0.95}, {0.85}) else pytest.mark.long)
        for one in (0.7, 0.85, 0.95)
        for other in (0.7, 0.85, 0.95)
    ],
)
def test_corrected_rates_find_the_truth(sensitivity: float, specificity: float) -> None:
    """Over 500 data sets both corrections are within 3 points of the truth, raw rates are not; intervals cover it."""
    found: dict[tuple[str, int], list[Corrected]] = {}
    raw: dict[int, list[float]] = {}
    for number in range(DATA_SETS):
        data = world(np.random.default_rng([number, int(100 * sensitivity), int(100 * specificity)]),
                     sensitivity, specificity)  # fmt: skip
        for model in range(len(PASS_RATES)):
            own = data.model == model
            raw.setdefault(model, []).append(float((data.judged == data.positive)[own].mean()))
            found.setdefault(("errors", model), []).append(data.by_errors(own))
            found.setdefault(("labels", model), []).append(data.by_labels(own))
    for (method, model), corrected in found.items():
        truth = PASS_RATES[model]
        mean, covered, known = figures(corrected, truth)
        assert abs(mean - truth) < 0.03, (method, model)
        # Rogan-Gladen is too careful: clipped near 0 and 1, and it takes a model and the rest to share no scenario.
        assert 0.93 <= covered <= (1 if method == "errors" else 0.98), (method, model)
        assert known > 0.95
    expected = [rate * (sensitivity + specificity) / 2 + (1 - rate) * (2 - sensitivity - specificity) / 2
                for rate in PASS_RATES]  # fmt: skip
    assert [float(np.mean(values)) for values in raw.values()] == pytest.approx(expected, abs=0.01)
    if min(sensitivity, specificity) < 0.95:
        assert max(abs(np.mean(raw[model]) - rate) for model, rate in enumerate(PASS_RATES)) > 0.05


def test_intervals_hold_when_errors_come_in_clusters() -> None:
    """A judge that errs on whole scenarios: half of an answer's luck is the scenario's, and intervals still cover."""
    data = [world(np.random.default_rng(number), 0.8, 0.85, alike=0.5) for number in range(DATA_SETS)]
    for model, truth in enumerate(PASS_RATES):
        for corrected in ([d.by_errors(d.model == model) for d in data], [d.by_labels(d.model == model) for d in data]):
            mean, covered, _ = figures(corrected, truth)
            assert abs(mean - truth) < 0.03
            assert 0.92 <= covered <= 1


def test_intervals_of_error_rates_hold() -> None:
    """Sensitivity and specificity are found without bias from a sample drawn by the answer, with honest intervals."""
    found = []
    for number in range(DATA_SETS):
        data = world(np.random.default_rng(number), 0.8, 0.9)
        found.append(error_rates(data.labelled(data.judged, data.truth)))
    for truth, rates in ((0.8, [f.sensitivity for f in found]), (0.9, [f.specificity for f in found])):
        known = [rate for rate in rates if rate is not None]
        assert float(np.mean([rate.value for rate in known])) == pytest.approx(truth, abs=0.01)
        assert 0.93 <= np.mean([rate.interval.low <= truth <= rate.interval.high for rate in known]) <= 0.99


@pytest.fixture
def sample() -> Labelled:
    """A labelled sample with unequal weights."""
    rng = np.random.default_rng(3)
    truth = rng.random(150) < 0.4
    judged = np.where(truth, rng.random(150) < 0.8, rng.random(150) < 0.15)
    return Labelled(judged, truth, np.where(judged, 2.5, 7.25), np.arange(150))


def test_error_rates_are_those_of_scikit_learn(sample: Labelled) -> None:
    """Weighted and plain recall of both classes, to 1e-9; Wilson's interval is that of statsmodels."""
    rates = error_rates(sample)
    for truth, rate in ((True, rates.sensitivity), (False, rates.specificity)):
        assert rate is not None
        weighted = recall_score(sample.truth, sample.judged, pos_label=truth, sample_weight=sample.weights)
        plain = recall_score(sample.truth, sample.judged, pos_label=truth)
        assert rate.value == pytest.approx(weighted, abs=1e-9)
        assert rate.unweighted == pytest.approx(plain, abs=1e-9)
        expected = proportion_confint(rate.hits, rate.items, method="wilson")
        assert (rate.wilson.low, rate.wilson.high) == pytest.approx(expected, abs=1e-9)
        assert rate.interval.low < rate.value < rate.interval.high
    assert rates.problem == ""


def test_equal_weights_give_the_plain_recall(sample: Labelled) -> None:
    """Where every item stands for the same number, weighted and plain rates are one."""
    equal = error_rates(Labelled(sample.judged, sample.truth, np.full(150, 3.0), sample.clusters))
    for rate in (equal.sensitivity, equal.specificity):
        assert rate is not None
        assert rate.value == pytest.approx(rate.unweighted, abs=1e-12)


def test_the_share_that_is_judged_true_can_be_given(sample: Labelled) -> None:
    """The share over all conversations in place of the weights': Begg & Greenes by hand."""
    absent, present = (float(s.value) for s in sample.true_when if s is not None)
    rates = error_rates(sample, LabelledShare(0.1, 900.0, 900))
    assert rates.sensitivity is not None
    assert rates.sensitivity.value == pytest.approx(0.1 * present / (0.1 * present + 0.9 * absent), abs=1e-12)


def test_prediction_powered_is_mean_plus_weighted_difference(sample: Labelled) -> None:
    """The published form, with weights raked to the judge's rate over all, by statsmodels."""
    judged = LabelledShare(0.3, 400.0, 500)
    found = prediction_powered(judged, *sample.true_when)
    factor = {value: (0.3 if value else 0.7) / sample.weights[sample.judged == value].sum() for value in (True, False)}
    raked = np.array([weight * factor[bool(j)] for weight, j in zip(sample.weights, sample.judged, strict=True)])
    difference = DescrStatsW(sample.truth.astype(float) - sample.judged, weights=raked).mean
    assert found.value == pytest.approx(0.3 + difference, abs=1e-9)


def test_prediction_powered_intervals_are_near_the_normal_one() -> None:
    """With many labels and none at the border, the interval is the published normal one to two digits."""
    rng = np.random.default_rng(5)
    truth = rng.random(4_000) < 0.5
    judged = np.where(truth, rng.random(4_000) < 0.8, rng.random(4_000) < 0.2)
    labelled = Labelled(judged[:1000], truth[:1000], np.ones(1000), np.arange(1000))
    share = judged_share(Clusters(judged.astype(float), np.ones(4_000)))
    found = prediction_powered(share, *labelled.true_when)
    when = labelled.true_when
    assert when[0] is not None
    assert when[1] is not None
    parts = [(q**2) * s.value * (1 - s.value) / s.size for q, s in ((1 - share.value, when[0]), (share.value, when[1]))]
    slope = when[1].value - when[0].value
    error = math.sqrt(sum(parts) + slope**2 * share.value * (1 - share.value) / 4_000)
    assert found.value is not None
    assert found.interval.low == pytest.approx(found.value - 1.96 * error, abs=0.004)
    assert found.interval.high == pytest.approx(found.value + 1.96 * error, abs=0.004)


def test_over_everything_both_corrections_are_the_weighted_human_rate() -> None:
    """An identity: where the labelled items stand for all conversations, there is one unbiased answer."""
    data = world(np.random.default_rng(11), 0.8, 0.75)
    everyone = np.ones(len(data.model), bool)
    passed = (data.truth == data.positive)[data.drawn]
    human = float(np.average(passed, weights=data.weights))
    assert data.by_errors(everyone).value == pytest.approx(human, abs=1e-9)
    judged = (data.judged == data.positive)[data.drawn]
    sides = [np.average(passed[judged == side], weights=data.weights[judged == side]) for side in (False, True)]
    rate = float((data.judged == data.positive).mean())
    assert data.by_labels(everyone).value == pytest.approx(rate * sides[1] + (1 - rate) * sides[0], abs=1e-9)


def part(labelled: Labelled, judged: float, positive: bool = True) -> CalibrationPart:
    """Return conversations judged present at a rate, apart from the labelled ones."""
    share = LabelledShare(judged, 200.0, 200)
    return CalibrationPart(
        positive, share, labelled, LabelledShare(0.5, 200.0, 200), LabelledShare(0.5, 200.0, 200), 0.0
    )


def answers(present_true: int, present: int, absent_true: int, absent: int) -> Labelled:
    """Return `present` items judged present, `present_true` of them truly, and so for absent."""
    judged = np.array([True] * present + [False] * absent)
    truth = np.array([True] * present_true + [False] * (present - present_true)
                     + [True] * absent_true + [False] * (absent - absent_true))  # fmt: skip
    return Labelled(judged, truth, np.ones(present + absent), np.arange(present + absent))


def test_rogan_gladen_by_hand_and_by_type() -> None:
    """(0.6 + 0.8 - 1) / (0.9 + 0.8 - 1) present; the complement passes on a negative metric; parts join by size."""
    half = LabelledShare(0.55, 200.0, 200)
    labelled = answers(90, 110, 10, 90)  # of 100 true 90 found, of 100 false 80 cleared
    rates = error_rates(labelled, half)
    assert rates.sensitivity is not None
    assert rates.specificity is not None
    assert (rates.sensitivity.value, rates.specificity.value) == pytest.approx((0.9, 0.8), abs=1e-12)
    parts = [
        CalibrationPart(kind, LabelledShare(0.6, 200.0, size), labelled, half, None, 1.0)
        for kind, size in ((True, 100), (False, 300))
    ]
    present = 0.4 / 0.7
    assert rogan_gladen(parts[:1]).value == pytest.approx(present, abs=1e-12)
    assert rogan_gladen(parts[1:]).value == pytest.approx(1 - present, abs=1e-12)
    assert rogan_gladen(parts).value == pytest.approx((present + 3 * (1 - present)) / 4, abs=1e-12)


@pytest.mark.parametrize(
    ("labelled", "words"),
    [
        pytest.param(answers(25, 50, 25, 50), "is not distinguishable from chance", id="coin"),
        pytest.param(answers(3, 4, 1, 4), "is not distinguishable from chance", id="too few"),
        pytest.param(answers(10, 50, 40, 50), "is not distinguishable from chance", id="inverted"),
        pytest.param(answers(0, 20, 0, 20), "where people say present", id="nothing true"),
        pytest.param(answers(20, 20, 20, 20), "where people say absent", id="nothing false"),
        pytest.param(answers(20, 20, 0, 0), "no annotated conversation", id="one answer only"),
        pytest.param(answers(0, 0, 0, 0), "no annotated conversation", id="no labels"),
    ],
)
def test_no_wild_number(labelled: Labelled, words: str) -> None:
    """Where the correction would divide by almost nothing, or nothing shows the errors, there is a sentence instead."""
    found = rogan_gladen([part(labelled, 0.6)])
    assert (found.value, found.interval, found.clipped) == (None, UNKNOWN, False)
    assert words in found.problem


def test_a_rate_just_outside_is_clipped_and_said_to_be() -> None:
    """Fewer found than false alarms alone would give: 0, clipped, with an interval that reaches up."""
    found = rogan_gladen([part(answers(40, 50, 5, 50), 0.15)])
    assert (found.value, found.clipped, found.interval.low) == (0.0, True, 0.0)
    assert found.interval.high > 0.02


def test_a_perfect_judge_on_47_labels_is_no_certainty() -> None:
    """All pass, and people never contradict the judge: as few labels as these leave several points open."""
    found = rogan_gladen([part(answers(23, 23, 0, 24), 1.0)])
    assert (found.value, found.interval.high) == (1.0, 1.0)
    assert 0.85 < found.interval.low < 0.97


def test_a_rate_far_outside_refutes_the_error_rates() -> None:
    """No false alarm in 200 conversations, where one in four was expected: no figure, and why."""
    found = rogan_gladen([part(answers(300, 400, 0, 400), 0.0)])
    assert found.value is None
    assert "error rates do not apply" in found.problem


def test_prediction_powered_needs_labels_on_both_sides() -> None:
    """Without a label where the judge fails the model there is no figure, unless it never does."""
    passed = answers(20, 20, 0, 0).true_when[True]
    assert prediction_powered(LabelledShare(0.9, 100.0, 100), None, passed).problem == (
        "no annotated conversation that the judge fails"
    )
    assert prediction_powered(LabelledShare(1.0, 100.0, 100), None, passed).value == 1.0


def test_people_who_never_contradict_leave_doubt() -> None:
    """Ten labels without an error do not prove that there is none: the interval is wider than the raw one."""
    few, many = (answers(n, n, 0, n) for n in (10, 1000))
    wide, narrow = (
        prediction_powered(LabelledShare(0.5, 1e4, 10_000), *labelled.true_when) for labelled in (few, many)
    )
    assert wide.value == narrow.value == 0.5
    assert wide.interval.high - wide.interval.low > 5 * (narrow.interval.high - narrow.interval.low)


def test_a_single_cluster_has_no_interval() -> None:
    """What other scenarios would give cannot be told from one."""
    share = judged_share(Clusters(np.array([3.0]), np.array([4.0])))
    assert math.isnan(share.size)
    found = prediction_powered(share, *answers(10, 20, 5, 20).true_when)
    assert found.value is not None
    assert found.interval == UNKNOWN


def test_a_judge_that_always_says_present_needs_no_absent_item_whatever_the_weights_order() -> None:
    """Sums of weights that differ in the last bit once took the sensitivity away from one order and not the other."""
    weights = [1.0, 1.6224625176769105, 1.0, 1.0, 1.0, 7.0, 1.0, 1.0]
    for start in range(len(weights)):
        turned = np.array(weights[start:] + weights[:start])
        every = np.ones(len(weights), dtype=bool)
        found = error_rates(Labelled(every, ~every, turned, np.zeros(len(weights), dtype=int)))
        assert (found.sensitivity is None, found.specificity is None) == (True, False)
        mirrored = error_rates(Labelled(every, every, turned, np.zeros(len(weights), dtype=int)))
        assert (mirrored.sensitivity is None, mirrored.specificity is None) == (False, True)


@given(
    st.lists(st.tuples(st.booleans(), st.booleans(), st.floats(0.5, 50.0), st.integers(0, 5)), min_size=1, max_size=30),
    st.randoms(use_true_random=False),
)
@settings(max_examples=60, deadline=None)
def test_the_order_of_items_does_not_matter_and_nothing_raises(
    rows: list[tuple[bool, bool, float, int]], random: object
) -> None:
    """Any sample gives rates in [0, 1] inside their intervals, or None; shuffled, the same."""

    def rates(items: list[tuple[bool, bool, float, int]]) -> list[float | None]:
        columns = list(zip(*items, strict=True))
        labelled = Labelled(*(np.array(column) for column in columns))
        found = error_rates(labelled)
        for rate in (found.sensitivity, found.specificity):
            if rate is not None:
                assert 0 <= rate.interval.low <= rate.value <= rate.interval.high <= 1
        return [rate.value if rate else None for rate in (found.sensitivity, found.specificity)]

    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for one, other in zip(rates(rows), rates(shuffled), strict=True):
        assert one == pytest.approx(other, abs=1e-12) if one is not None else other is None
