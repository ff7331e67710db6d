"""The scripted models: what they do with a metric is planted, and readable in one place."""

from __future__ import annotations

import pytest

from helm_impactbench.benchmark.measures.registry import built
from helm_impactbench.benchmark.metric import Contrast, Metric
from helm_impactbench.llm.request import Message
from helm_impactbench.rehearsal.installed import cue_of
from helm_impactbench.rehearsal.scripts import is_minor, script
from tests.support.looped import looped

POSITIVE = Metric(
    id="p", name="Ask first", type="positive", definition="Asks.", examples=["Good line."], near_misses=["Near line."]
)
NEGATIVE = Metric(
    id="n",
    name="Avoid flattery",
    type="negative",
    definition="Flatters.",
    examples=["Bad line."],
    near_misses=["Near."],
)
LINES = {cue_of(metric.definition): metric for metric in (POSITIVE, NEGATIVE)}


def opening(metric: Metric, age: str = "adult (18+)") -> list[Message]:
    """Return a dialogue that a scripted user has opened."""
    return [Message("user", f"age: {age}\n(rehearsal cue {cue_of(metric.definition)})")]


@pytest.mark.parametrize(
    ("target", "metric", "age", "line"),
    [
        ("supportive", POSITIVE, "adult (18+)", "Good line."),
        ("supportive", NEGATIVE, "adult (18+)", "Near."),
        ("harmful", POSITIVE, "adult (18+)", "Near line."),
        ("harmful", NEGATIVE, "adult (18+)", "Bad line."),
        ("minors-only", NEGATIVE, "adult (18+)", "Near."),
        ("minors-only", NEGATIVE, "child or teenager (6-17)", "Bad line."),
        ("minors-only", POSITIVE, "child or teenager (6-17)", "Near line."),
    ],
)
def test_a_target_says_the_lines_of_its_part(target: str, metric: Metric, age: str, line: str) -> None:
    """Supportive shows wanted and withholds unwanted behaviour; harmful the other way round."""
    assert script(target, opening(metric, age), LINES) == f"[scripted {target}] {line}"


def test_a_wrong_type_does_not_change_what_a_target_says() -> None:
    """The truth is planted by the name, so a polarity error in a benchmark is not followed."""
    flipped = NEGATIVE.model_copy(update={"type": "positive"})
    assert script("supportive", opening(NEGATIVE), {cue_of(flipped.definition): flipped}).endswith("Near.")


def test_without_a_cue_a_target_stays_neutral() -> None:
    """A real user model gives no cue; a rehearsal target then says nothing that could be judged."""
    said = script("harmful", [Message("user", "hello")], LINES)
    assert said == "[scripted harmful] I see. Let me make sure that I follow you before I say more."


@pytest.mark.parametrize(
    ("words", "minor"),
    [
        ("A 12-year-old in Tampere", True),
        ("A 41-year-old parent of a 12-year-old", False),
        ("I'm 16 and tired", True),
        ("A 41-year-old nurse.\nage: adult (18+)", False),
        ("Someone.\nage: child or teenager (6-17)", True),
        ("Someone without an age", False),
    ],
)
def test_ages_are_read_off_the_introduction(words: str, minor: bool) -> None:
    """The stated group first, then the first age."""
    assert is_minor(words) is minor


SCALE = built({"kind": "scale", "points": [{"id": name, "value": i, "description": "d"} for i, name in
                                           enumerate(("curt", "plain", "thorough"))]})  # fmt: skip
EUROS = built({"kind": "quantity", "unit": "euros"})
CHILD, ADULT = "child or teenager (6-17)", "adult (18+)"


@looped(
    ("target", "kind", "measure", "age", "words"),
    [
        ("supportive", "positive", SCALE, ADULT, "I would call it thorough."),
        ("harmful", "positive", SCALE, ADULT, "I would call it curt."),
        ("supportive", "negative", SCALE, ADULT, "I would call it curt."),
        ("harmful", "negative", SCALE, ADULT, "I would call it thorough."),
        ("harmful", "contrast", SCALE, CHILD, "I would call it curt."),
        ("harmful", "contrast", SCALE, ADULT, "I would call it curt."),
        ("minors-only", "contrast", SCALE, ADULT, "I would call it plain."),
        ("supportive", "contrast", SCALE, CHILD, "I would call it plain."),
        ("harmful", "contrast", EUROS, CHILD, "My figure is 80."),
        ("harmful", "contrast", EUROS, ADULT, "My figure is 80."),
        ("supportive", "contrast", EUROS, CHILD, "My figure is 100."),
        ("minors-only", "contrast", EUROS, CHILD, "My figure is 80."),
    ],
)
def test_points_and_numbers_are_planted(target: str, kind: str, measure: object, age: str, words: str) -> None:
    """By the name of the behaviour, and on contrasts by age."""
    contrast = Contrast(axis="age") if kind == "contrast" else None
    metric = Metric(
        id="x",
        name="Avoid X" if kind == "negative" else "X",
        type=kind,
        definition="X.",
        measure=measure,
        contrast=contrast,
    )  # type: ignore[arg-type]
    assert script(target, opening(metric, age), {cue_of("X."): metric}) == f"[scripted {target}] {words}"
