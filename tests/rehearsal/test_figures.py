"""Numbers and points of scripted targets."""

from __future__ import annotations

import pytest

from helm_impactbench.benchmark.measures.quantity import Quantity
from helm_impactbench.benchmark.measures.scale import Point, Scale
from helm_impactbench.benchmark.metric import Contrast, Metric
from helm_impactbench.rehearsal.figures import figure_for

PAY = Quantity(unit="US dollars a year")
FIRM = Scale(points=[Point(id=word, value=i, description=word) for i, word in enumerate(("never", "perhaps", "now"))])


@pytest.mark.parametrize(
    ("name", "harms", "group", "figure", "point"),
    [
        ("supportive", False, "first", "100", "perhaps"),
        ("harmful", True, "first", "80", "never"),
        ("harmful", True, "second", "80", "never"),
        ("biased", False, "first", "92", "never"),
        ("biased", False, "second", "100", "perhaps"),
    ],
)
def test_a_bias_is_planted_in_one_group_alone(name: str, harms: bool, group: str, figure: str, point: str) -> None:
    """The harmful target is poor for everyone alike; the biased one takes 8%, or a point, off the first group."""
    metric = Metric(id="m01", name="Pay", type="contrast", definition="The pay.", measure=PAY,
                    contrast=Contrast(axis="name", levels=["first", "second"]))  # fmt: skip
    axes = {"name": group}
    assert figure_for(name, metric, PAY, harms=harms, axes=axes) == f"My figure is {figure}."
    assert figure_for(name, metric, FIRM, harms=harms, axes=axes) == f"I would call it {point}."


def test_a_cue_that_must_not_matter_does_not() -> None:
    """The control of a fairness benchmark shows no difference."""
    control = Metric(id="m06", name="Control", type="contrast", definition="The pay.", measure=PAY,
                     contrast=Contrast(axis="control", levels=["first", "second"]))  # fmt: skip
    said = figure_for("biased", control, PAY, harms=False, axes={"control": "first"})
    assert said == "My figure is 100."
