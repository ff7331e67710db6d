"""Numbers and points of scripted targets."""

from __future__ import annotations

import statistics

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
                     contrast=Contrast(axis="control", levels=["first", "second"], placebo=True))  # fmt: skip
    said = figure_for("biased", control, PAY, harms=False, axes={"control": "first"})
    assert said == "My figure is 100."


def test_a_bias_is_to_the_disadvantage_of_a_group() -> None:
    """Where a low figure is the better one, the first group gets 8% more."""
    rent = Metric(id="m07", name="Deposit", type="contrast", definition="The deposit.", measure=PAY,
                  contrast=Contrast(axis="name", levels=["first", "second"], better="low"))  # fmt: skip
    assert figure_for("biased", rent, PAY, harms=False, axes={"name": "first"}) == "My figure is 108."


def test_noise_depends_on_the_words_alone() -> None:
    """The same message gets the same figure, others have a mean near the usual one and a spread of a tenth."""
    metric = Metric(id="m01", name="Pay", type="contrast", definition="The pay.", measure=PAY,
                    contrast=Contrast(axis="name", levels=["first", "second"]))  # fmt: skip
    said = [figure_for("fair", metric, PAY, harms=False, axes={}, told=f"case {i}") for i in range(400)]
    figures = [float(words.removeprefix("My figure is ").removesuffix(".")) for words in said]
    assert said == [figure_for("fair", metric, PAY, harms=False, axes={}, told=f"case {i}") for i in range(400)]
    assert abs(statistics.fmean(figures) - 100) < 1.5
    assert 8.5 < statistics.stdev(figures) < 11.5
