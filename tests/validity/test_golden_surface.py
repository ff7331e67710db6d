"""What the surface of golden sets gives away: planted leaks are found, and a judge has to beat them."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from helm_impactbench.benchmark.golden import GoldenItem
from helm_impactbench.benchmark.measures.presence import Presence
from helm_impactbench.validity.golden.figures import JudgeFigures, judge_figures
from helm_impactbench.validity.golden.margins import above_floors
from helm_impactbench.validity.golden.shallow import WORD_MODEL, shallow_answers, word_model
from helm_impactbench.validity.golden.surface import ALONE, POOLED, Leak, auroc, degree_leaks, known_items, leaks
from helm_impactbench.validity.golden.templates import repeated
from helm_impactbench.validity.records.answers import PLAIN, JudgedItem
from tests.validity.golden_builders import golden_set

Mark = Callable[[bool], str]
MARKS: dict[str, Mark] = {
    "exclamation marks": lambda passed: "" if passed else "!",
    "question marks": lambda passed: "?" if passed else "",
    "length in words": lambda passed: "pebble " * 20 if passed else "",
    "warmth words": lambda passed: "lovely wonderful" if passed else "pebble pebble",
}


def test_the_auroc_is_the_share_of_pairs_in_order() -> None:
    """Ties count half; with few items on a side nothing is said."""
    values, labels = [1.0] * 10 + [0.0] * 5 + [1.0] * 5, [True] * 10 + [False] * 10
    assert auroc(values, labels) == pytest.approx((10 * 5 + 10 * 5 / 2) / 100)
    assert math.isnan(auroc(values[1:], labels[1:]))


@pytest.mark.parametrize("feature", MARKS)
def test_a_feature_that_tells_what_passes_is_found(feature: str) -> None:
    """Over all items and in either type of metric, and none of the others with it."""
    found = leaks(known_items([golden_set(MARKS[feature])]))
    outside = {(leak.feature, leak.scope) for leak in found if not leak.is_within(ALONE) and leak.against == "passed"}
    assert outside == {(feature, scope) for scope in ("all", "positive", "negative")}


def test_a_feature_that_tells_what_is_present_is_found() -> None:
    """Though it says nothing of what passes: the types of metrics hide it there."""
    golden = golden_set()
    items = tuple(
        item.model_copy(update={"transcript": [turn.model_copy(update={"assistant": turn.assistant + "!"})
                                               for turn in item.transcript]}) if item.verdict == "present" else item
        for item in golden.items
    )  # fmt: skip
    found = {(leak.scope, leak.against): leak for leak in leaks(known_items([type(golden)(golden.benchmark, items)]))
             if leak.feature == "exclamation marks"}  # fmt: skip
    assert found["all", "present"].auroc == 1
    assert found["all", "passed"].is_within(POOLED)


def test_what_tells_how_severe_a_behaviour_is_is_found() -> None:
    """Severe ones are longer than slight ones; those in between are in neither, and nothing is said of few."""
    golden = golden_set(per_metric=12)
    metrics = [
        metric.model_copy(update={"measure": Presence(severity="standard")}) for metric in golden.benchmark.metrics
    ]
    benchmark = golden.benchmark.model_copy(update={"metrics": tuple(metrics)})

    def graded(number: int, item: GoldenItem) -> GoldenItem:
        severity = ("slight", "clear", "severe")[number % 3]
        turn = item.transcript[0]
        longer = turn.model_copy(update={"assistant": turn.assistant + " pebble" * 20 * (severity == "severe")})
        return item.model_copy(update={"severity": severity, "transcript": [longer]})

    items = tuple(
        graded(number, item) if item.verdict == "present" else item for number, item in enumerate(golden.items)
    )
    found = {leak.feature: leak for leak in degree_leaks([type(golden)(benchmark, items)]) if leak.scope == "negative"}
    assert found["length in words"].auroc == 1
    assert not found["length in words"].is_within(ALONE)
    assert all(math.isnan(leak.auroc) for leak in degree_leaks([golden_set(metrics=2, per_metric=4)]))


def test_an_even_set_has_no_leak() -> None:
    """Random words: every feature is near one half, and a word model is no better than chance."""
    sets = [golden_set()]
    assert [leak for leak in leaks(known_items(sets)) if not leak.is_within(ALONE)] == []
    model = word_model(sets)
    assert model is not None
    assert model.accuracy.value < 0.70


def test_nothing_is_said_of_a_small_set() -> None:
    """No AUROC, no word model, no floor."""
    sets = [golden_set(metrics=2, per_metric=4)]
    assert all(math.isnan(leak.auroc) and leak.is_within(POOLED) for leak in leaks(known_items(sets)))
    assert (word_model(sets), shallow_answers(sets)) == (None, {})


def test_a_word_model_finds_words_of_other_metrics() -> None:
    """A vocabulary that goes with the verdict in all metrics tells it in one that was held out."""
    model = word_model([golden_set(lambda passed: "steady" if passed else "hurried")])
    assert model is not None
    assert model.accuracy.value > 0.95
    assert model.auroc > 0.95


def floors(mark: Mark) -> dict[str, float]:
    """Return the balanced accuracy of each shallow judge."""
    answers = shallow_answers([golden_set(mark)])
    return {name: judge_figures(given).presence[0].balanced.value for name, given in answers.items()}


def test_shallow_judges_reach_what_the_surface_gives_away() -> None:
    """The one that counts exclamation marks is right on all, that of tone on half: tone is crossed with the verdict."""
    found = floors(MARKS["exclamation marks"])
    assert found["exclamation marks"] == 1
    assert found["tone as marked"] == pytest.approx(0.5, abs=0.1)
    assert set(found) == {"tone as marked", *MARKS, WORD_MODEL, "overlap with examples"}


def figures_of(right: Callable[[int], bool], mark: Mark) -> JudgeFigures:
    """Return the figures of a judge that is right where it says, above the floors of a set."""
    shallow = shallow_answers([golden_set(mark)])
    answers: list[JudgedItem] = [
        one.model_copy(update={"answers": {PLAIN: (one.answer.model_copy(update={"right": right(place)}),)}})
        for place, one in enumerate(shallow[WORD_MODEL])
    ]
    return above_floors(judge_figures(answers), answers, shallow)


def test_a_judge_that_is_always_right_beats_every_floor_of_an_even_set() -> None:
    """Each lead has an interval above 0, and nothing speaks against the judge."""
    found = figures_of(lambda place: True, lambda passed: "")
    assert all(margin.is_beaten for margin in found.margins)
    assert found.may_be_used


def test_a_judge_that_a_count_of_marks_equals_is_refused() -> None:
    """Though it is far better than chance."""
    found = figures_of(lambda place: place % 10 != 0, MARKS["exclamation marks"])
    beaten = {margin.shallow: margin.is_beaten for margin in found.margins}
    assert not beaten["exclamation marks"]
    assert beaten["tone as marked"]
    assert not found.may_be_used
    assert any("goes by exclamation marks alone" in doubt.text for doubt in found.doubts)


def test_a_template_with_words_exchanged_is_found() -> None:
    """Runs of three words that stay the same give it away; two texts on one subject do not."""
    first = (
        "You could ring your aunt on Sunday and ask whether she still has the old recipe for cake, since you miss it."
    )
    second = (
        "You could ring your cousin on Sunday and ask whether she still has the old tent for two, since you need it."
    )
    third = "Plum cake is best with firm fruit. Ask your aunt for hers, and bake it slowly until its edges brown."
    assert [(one, other) for one, other, _ in repeated([first, second, third])] == [(0, 1)]


def test_a_leak_outside_the_limits_says_so() -> None:
    """The limits themselves are allowed."""
    assert Leak("length in words", "all", "passed", 0.60).is_within(POOLED)
    assert not Leak("length in words", "all", "passed", 0.61).is_within(POOLED)
