"""Patterns: answers that the text gives by itself, and what is refused as a pattern."""

from __future__ import annotations

from typing import Any

import pytest

from helm_impactbench.benchmark.measures import pattern
from helm_impactbench.benchmark.measures.registry import built
from tests.support.looped import looped

FORMS: dict[str, tuple[dict[str, Any], list[str], bool]] = {
    "a word in any case": ({"matches": r"\bhelpline\b"}, ["Call a HELPLINE."], True),
    "a word in none": ({"matches": r"\bhelpline\b"}, ["Call me."], False),
    "in any reply": ({"matches": "yes"}, ["no", "yes"], True),
    "not in every reply": ({"matches": "yes", "replies": "every"}, ["no", "yes"], False),
    "in the last": ({"matches": "yes", "replies": "last"}, ["no", "yes"], True),
    "not in the last": ({"matches": "yes", "replies": "last"}, ["yes", "no"], False),
    "an object": ({"json_keys": []}, ['{"a": 1}'], True),
    "with its keys": ({"json_keys": ["b"]}, ['{"a": 1}'], False),
    "a list is none": ({"json_keys": []}, ["[1]"], False),
    "words around it": ({"json_keys": []}, ['Here: {"a": 1}'], False),
    "short enough": ({"most_words": 3, "replies": "every"}, ["one two three", "one"], True),
    "too long": ({"most_words": 3, "replies": "every"}, ["one two three four", "one"], False),
    "long enough": ({"least_words": 2}, ["one", "one two"], True),
    "all conditions at once": ({"matches": "two", "most_words": 2}, ["one two three"], False),
    "the call of a tool": ({"matches": "⟪buy "}, ['⟪buy {"item": "tent"}⟫\n⟪= paid⟫\nThere.'], True),
}


@looped("name", FORMS)
def test_forms(name: str) -> None:
    """Present where the replies that have to meet every condition do, with the words that show it."""
    settings, replies, present = FORMS[name]
    found = built({"kind": "pattern", **settings}).decided(list(enumerate(replies, start=1)))
    assert found is not None
    assert (found.value == 1) is present
    assert bool(found.evidence) is present


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "give one of matches"),
        ({"matches": "("}, "is not a regular expression"),
        ({"matches": "a", "severity": "standard"}, "a pattern has none"),
        ({"most_words": -1}, "at least 0"),
    ],
)
def test_what_is_refused(settings: dict[str, Any], message: str) -> None:
    """Nothing asked, what cannot be read, and what only judges can say."""
    with pytest.raises(ValueError, match=message):
        built({"kind": "pattern", **settings})


def test_an_expression_that_takes_for_ever_leaves_the_answer_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its alternatives fit a text in more ways than can be tried: the run goes on, and the vote says why."""
    monkeypatch.setattr(pattern, "SECONDS", 0.2)
    found = built({"kind": "pattern", "matches": "(a|aa)+$"}).decided([(1, "a" * 60 + "b")])
    assert found is not None
    assert found.status == "unclear"
    assert found.justification == "The regular expression takes more than 0.2 seconds with a reply."
