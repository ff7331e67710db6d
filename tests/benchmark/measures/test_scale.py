"""Scale: ordered points that a metric describes."""

from __future__ import annotations

from typing import Any

import pytest

from helm_impactbench.benchmark.measures.base import InvalidAnswerError, ParsedAnswer
from helm_impactbench.benchmark.measures.registry import built
from tests.judging.builders import MEASURES, POINTS
from tests.support.looped import looped

SCALE = MEASURES["scale"]


def test_the_judge_is_told_every_point_and_no_value() -> None:
    """The order of the file, with descriptions; a number would invite answers between two points."""
    text = SCALE.instructions()
    places = [text.index(f'"{point["id"]}": {point["description"]}') for point in POINTS]
    assert places == sorted(places)
    assert not [letter for letter in text if letter.isdigit()]
    assert SCALE.answer_schema(applies=False)["enum"] == ["low", "mid", "top", "unclear"]


@pytest.mark.parametrize(("answer", "value"), [("low", 0.0), ("mid", 1.0), ("top", 2.0)])
def test_a_point_is_its_value(answer: str, value: float) -> None:
    """As the metric says."""
    assert SCALE.read(answer, applies=False) == ParsedAnswer("answered", answer, value)


@looped("answer", [0, 1.0, "1", "Low", "low ", "lowest", "mid or top", None, True, ["low"], "", "0.5"])
def test_anything_else_is_refused(answer: Any) -> None:
    """No number becomes a point, and no point is guessed."""
    with pytest.raises(InvalidAnswerError, match="none of low, mid, top, unclear"):
        SCALE.read(answer, applies=False)


@pytest.mark.parametrize(("values", "value"), [([2], 2), ([0, 1], 0.5), ([0, 0, 2], 0), ([0, 1, 2, 2], 1.5)])
def test_the_median_decides(values: list[float], value: float) -> None:
    """One judge of three cannot move it far."""
    assert SCALE.combine(values) == value


def test_values_are_shown_with_their_point() -> None:
    """Or alone between two of them."""
    assert (SCALE.shown(1), SCALE.shown(0.5)) == ("mid (1)", "0.5")
    assert SCALE.bounds == (0.0, 2.0)


def point(name: str, value: Any, **more: Any) -> dict[str, Any]:
    """Return a point as it stands in benchmark.yaml."""
    return {"id": name, "value": value, "description": "D.", **more}


@looped(
    ("points", "message"),
    [
        pytest.param([], "at least 2 items", id="none"),
        pytest.param([point("a", 1)], "at least 2 items", id="one"),
        pytest.param([point("a", 2), point("b", 1)], r"values \[2.0, 1.0\] must be in rising order", id="falling"),
        pytest.param([point("a", 1), point("b", 1)], "in rising order, every value once", id="equal values"),
        pytest.param([point("a", 1), point("a", 2)], "every id must occur once", id="equal ids"),
        pytest.param(
            [point("unclear", 1), point("b", 2)], "every measure already has the answer unclear", id="reserved"
        ),
        pytest.param(
            [point("not_applicable", 1), point("b", 2)], "already has the answer not_applicable", id="also reserved"
        ),
        pytest.param([point("A", 1), point("b", 2)], r"points.0.id: .*pattern", id="capital"),
        pytest.param([point("a b", 1), point("b", 2)], r"points.0.id: .*pattern", id="space"),
        pytest.param([point("a", "1"), point("b", 2)], "points.0.value: it must be a number", id="text"),
        pytest.param([point("a", float("nan")), point("b", 2)], "points.0.value: it must be a number", id="no number"),
        pytest.param([point("a", 1), point("b", float("inf"))], "points.1.value: it must be a", id="without end"),
        pytest.param([point("a", 1, description=" "), point("b", 2)], "points.0.description", id="no description"),
        pytest.param([point("a", 1, label="x"), point("b", 2)], "points.0.label: there is no such", id="unknown key"),
    ],
)
def test_a_wrong_scale_is_refused_with_its_place(points: list[dict[str, Any]], message: str) -> None:
    """Before any conversation is held."""
    with pytest.raises(ValueError, match=message):
        built({"kind": "scale", "points": points})
