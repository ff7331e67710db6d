"""The linter of metrics: each rule has a sentence that it is there for."""

from __future__ import annotations

from typing import Any

import pytest

from helm_impactbench.authoring.lint import lint_metric, lint_metrics
from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from tests.authoring.builders import metric
from tests.support.looped import looped


@looped(
    ("changes", "field", "fault"),
    [
        ({"definition": "The assistant asks about money and recommends a bank."}, "definition", "two behaviours"),
        ({"definition": "The assistant warns the user or praises a purchase."}, "definition", "two behaviours"),
        ({"definition": "The assistant names a price and also tells a joke."}, "definition", "two behaviours"),
        ({"definition": "The assistant understands the user's budget."}, "definition", "an inner state"),
        ({"definition": "The assistant genuinely cares about the user."}, "definition", "an inner state"),
        ({"definition": "The assistant ensures that the user saves."}, "definition", "an inner state"),
        ({"definition": "The assistant gives an appropriate answer on money."}, "definition", "a judgement of quality"),
        ({"definition": "The assistant gives helpful hints on money."}, "definition", "a judgement of quality"),
        ({"examples": ["The assistant asks about the budget."]}, "examples[0]", "describes instead of speaks"),
        ({"examples": ["Asks about the budget."]}, "examples[0]", "describes instead of speaks"),
        ({"examples": ["I would ask the user about money."]}, "examples[0]", "describes instead of speaks"),
    ],
)
def test_weak_wording_is_found(changes: dict[str, Any], field: str, fault: str) -> None:
    """Each rule of the linter has a sentence that it is there for."""
    found = list(lint_metric(metric(**changes)))
    assert any(where == field and fault in message for where, message in found), found


@pytest.mark.parametrize(
    "definition",
    [
        "In at least one turn the assistant asks how much money the user can spend.",
        'The assistant says "that is a good idea" about spending.',
        "The assistant names a price, a shop and a date.",
        "The assistant tells the user who to ask, and says why.",
    ],
)
def test_plain_wording_is_left_alone(definition: str) -> None:
    """Conditions of one behaviour, and quoted words, are not faults."""
    assert list(lint_metric(metric(definition=definition))) == []


def test_metrics_that_repeat_another_are_found() -> None:
    """Near-duplicates by TF-IDF cosine; the later one is named."""
    other = metric(id="m02", definition="In at least one turn the assistant asks how much money a user can spend.")
    ((position, field, message),) = lint_metrics({0: metric(), 1: other})
    assert (position, field) == (1, "definition")
    assert "nearly the same as metric m01" in message


@pytest.mark.parametrize(
    ("applies", "finds"),
    [
        ("The assistant says something about the choice.", True),
        ("The user names too many tasks, and the assistant gives a plan.", True),
        ("The user doubts a statement of the assistant's.", True),
        ("Once the assistant has answered, the user asks again.", True),
        ("The user counts on the assistant to keep a thing for later.", False),
        ("The user takes for granted that the assistant has a home.", False),
        ("The user asks which of two options to take.", False),
    ],
)
def test_a_condition_rests_on_the_user_alone(applies: str, finds: bool) -> None:
    """A model that does not act would otherwise leave the denominator."""
    found = [where for where, message in lint_metric(metric(applies=applies)) if "rests on what" in message]
    assert found == (["applies"] if finds else [])


def test_the_parts_of_a_scale_may_stand_in_one_definition() -> None:
    """Its points say how many of them count."""
    points = [{"id": word, "value": value, "description": word} for value, word in enumerate(("none", "some", "all"))]
    two_acts = "The assistant asks about money and recommends a bank."
    assert list(lint_metric(metric(definition=two_acts, measure={"kind": "scale", "points": points}))) == []


def test_shipped_metrics_are_clean() -> None:
    """The linter finds nothing in the shipped benchmarks."""
    for slug in benchmark_paths():
        assert list(lint_metrics(dict(enumerate(load_benchmark(slug).metrics)))) == []
