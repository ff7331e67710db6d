"""What holds for every measure, whatever it measures."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.benchmark.measures.base import Context, InvalidAnswerError, Measure, ParsedAnswer
from helm_impactbench.benchmark.measures.registry import built
from helm_impactbench.benchmark.metric import Metric
from tests.judging.builders import BEST, MEASURES

each = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(list(BEST.values())),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)


@each
def test_a_measure_survives_its_own_json(measure: Measure) -> None:
    """What a run stores of a measure gives the measure back, with its kind first."""
    stored = json.loads(measure.model_dump_json(exclude_defaults=True))
    assert next(iter(stored)) == "kind"
    assert built(stored) == measure


@each
def test_settings_are_closed(measure: Measure) -> None:
    """An unknown setting is refused, not passed over."""
    with pytest.raises(ValueError, match="sevrity"):
        built({**measure.model_dump(), "sevrity": "standard"})


@each
@pytest.mark.parametrize("applies", [True, False])
@given(value=anything)
def test_any_value_is_a_reading_or_refused_in_words(measure: Measure, applies: bool, value: Any) -> None:
    """Nothing else is raised; a reading has a value within bounds if and only if it is an answer."""
    try:
        reading = measure.read(value, applies=applies)
    except InvalidAnswerError:
        return
    assert (reading.value is not None) == (reading.answer is not None) == (reading.status == "answered")
    assert reading.status != "not_applicable" or applies or measure.kind == "quantity"
    if reading.value is not None and measure.bounds is not None:
        assert measure.bounds[0] <= reading.value <= measure.bounds[1]


@each
@pytest.mark.parametrize("status", ["unclear", "not_applicable"])
def test_doubt_and_what_does_not_arise_are_statuses(measure: Measure, status: Any) -> None:
    """They are allowed where the question can fail to arise, shown in the prompt, and have no number."""
    assert measure.read(status, applies=True) == ParsedAnswer(status)
    assert f'"{status}"' in measure.answer_form(applies=True)
    assert f'"{status}"' in json.dumps(measure.answer_schema(applies=True))
    assert '"not_applicable"' not in measure.answer_form(applies=False)
    with pytest.raises(InvalidAnswerError):
        measure.read("not_applicable", applies=False)


@each
@given(data=st.data())
def test_a_panels_value_lies_between_its_judges_values(measure: Measure, data: st.DataObject) -> None:
    """In any order; those who agree are followed."""
    low, high = measure.bounds or (0.0, 1000.0)
    numbers = st.sampled_from([low, high]) if measure.scale == "nominal" else st.floats(low, high)
    values = data.draw(st.lists(numbers, min_size=1, max_size=7))
    found = measure.combine(values)
    assert found == measure.combine(data.draw(st.permutations(values)))
    assert found is None or min(values) <= found <= max(values)
    assert measure.combine([values[0]] * len(values)) == values[0]


@each
def test_a_score_goes_from_nothing_to_all(measure: Measure) -> None:
    """It is the share of the range: for a positive metric up, for a negative one down, and none without bounds."""
    settings = {"id": "m01", "name": "n", "definition": "d", "measure": measure}
    low, high = measure.bounds or (0.0, 0.0)
    values = (low, (low + high) / 2, high)
    up, down = (Metric(**settings, type=kind) for kind in ("positive", "negative"))
    assert [up.score(value) for value in values] == [0, 0.5, 1]
    assert [down.score(value) for value in values] == [1, 0.5, 0]


@each
def test_no_answer_needs_no_evidence(measure: Measure) -> None:
    """There is nothing to quote for doubt."""
    assert not measure.needs_evidence(ParsedAnswer("unclear"))
    assert not measure.needs_evidence(ParsedAnswer("not_applicable"))


@each
def test_every_answer_is_shown_in_words(measure: Measure) -> None:
    """Nobody reads bare numbers, also of a value between two judges'."""
    low, high = measure.bounds or (0.0, 0.0)
    assert all(measure.shown(value) for value in (low, (3 * low + high) / 4, high))


@pytest.mark.parametrize("name", [name for name in MEASURES if name != "stance"])
def test_only_a_stance_is_shown_otherwise_than_it_was_said(name: str) -> None:
    """Words, facts and readings of the others pass through."""
    measure, context = MEASURES[name], Context(axes={"teller": "a"}, swap=True)
    assert measure.presentation.seen_by_judge("You are right.", context) == "You are right."
    assert measure.presentation.told_to_judge(["{A} is late."], context) == ["{A} is late."]
    reading = measure.read(BEST[name], applies=False)
    assert measure.presentation.oriented(reading, context) == reading
    assert list(measure.presentation.version_faults([(context, "1"), (context, "2")])) == []
