"""Who made a model, and which judges are relatives."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helm_impactbench.results.outcome import JudgeVote
from helm_impactbench.validity.families import are_related, family_of, related_judges, relatives
from tests.support.outcomes import outcome


@pytest.mark.parametrize(
    ("deployment", "family"),
    [
        ("litellm/openrouter/anthropic/claude-sonnet-4-6", "anthropic"),
        ("openai/gpt-4o", "openai"),
        ("together/qwen3-32b", "alibaba"),
        ("rehearsal/judge", "rehearsal"),
        ("nobody/knows", "nobody"),
    ],
)
def test_a_deployment_tells_its_maker(deployment: str, family: str) -> None:
    """By the model's own name first, whoever hosts it."""
    assert family_of(deployment) == family


@pytest.mark.parametrize(
    ("first", "second", "related"),
    [
        ("litellm/openrouter/anthropic/claude-sonnet-4-6", "anthropic/claude-3-haiku", True),
        ("litellm/bedrock/anthropic.claude-x", "anthropic/claude-3-haiku", True),
        ("litellm/openai/my-qwen", "openai/gpt-4o", False),
        ("litellm/openai/served-here", "litellm/openai/another", False),
        ("litellm/openai/served-here", "litellm/openai/served-here", True),
        ("rehearsal/judge", "rehearsal/mixed", False),
    ],
    ids=["maker by a provider", "maker within a name", "protocol", "unknown makers", "the same", "scripts"],
)
def test_relatives_are_of_one_maker(first: str, second: str, related: bool) -> None:
    """A provider or protocol is not a maker; a model is related to itself; scripts are to nobody."""
    assert are_related(first, second) is related


def test_relatives_are_named_in_a_sentence_each() -> None:
    """Judge and targets, at most three by name; and judges of one family in a panel."""
    targets = [f"openai/gpt-{n}" for n in range(5)]
    assert relatives(["anthropic/claude-a", "google/gemini-b"], targets) == []
    (own,) = relatives(["openai/gpt-4o"], targets)
    assert own.startswith(
        "The judge openai/gpt-4o is of the family of openai/gpt-0, openai/gpt-1, openai/gpt-2 and 2 more, "
    )
    (itself,) = relatives(["openai/gpt-4o"], ["openai/gpt-4o", "openai/gpt-5"])
    assert itself.startswith(
        "The judge is the model under test: openai/gpt-4o. It is of the family of openai/gpt-5 too."
    )
    assert relatives(["anthropic/claude-a", "x/gemini-b", "y/claude-c"], targets) == [
        "The judges anthropic/claude-a, y/claude-c have relatives in the panel: their errors are not independent."
    ]


def test_those_who_voted_are_looked_at() -> None:
    """The judges and models of the outcomes; nothing to say where nobody voted."""
    votes = (JudgeVote("openai/gpt-4o", 1.0, "answered", None),)
    found = [outcome(True, model="openai/gpt-5"), outcome(True, model="meta/llama-3")]
    assert related_judges([replace(o, votes=()) for o in found]) == []
    (sentence,) = related_judges([replace(o, votes=votes) for o in found])
    assert "the family of openai/gpt-5, which it may" in sentence


def test_judges_of_different_runs_are_no_panel() -> None:
    """Relatives are told of judges that voted together, and of a model that a judge did judge."""
    first, second = (JudgeVote(f"openai/gpt-{name}", 1.0, "answered", None) for name in "ab")
    apart = [outcome(True, model="meta/x", votes=(first,)), outcome(True, model="openai/gpt-c", votes=(second,))]
    (sentence,) = related_judges(apart)
    assert sentence.startswith("The judge openai/gpt-b is of the family of openai/gpt-c, which it may favour.")
    (together,) = related_judges([outcome(True, model="meta/x", votes=(first, second))])
    assert together.startswith("The judges openai/gpt-a, openai/gpt-b have relatives in the panel")
