"""How a reply is written, as numbers."""

from __future__ import annotations

import math

import pytest

from helm_impactbench.validity.drift.reply_style import NAMES, reply_style
from tests.support.looped import looped


def test_every_reply_has_the_same_dimensions() -> None:
    """An empty one has no words to measure."""
    assert set(reply_style("Hello.")) == set(reply_style("")) == set(NAMES)
    assert math.isnan(reply_style("")["word length"])
    assert reply_style("")["length"] == 0


@looped(
    ("text", "name", "value"),
    [
        ("One two three.", "length", math.log1p(3)),
        ("One two three.", "word length", 11 / 3),
        ("One two. Three four.", "sentence length", math.log1p(2)),
        ("A plan:\n- one\n- two\n3. three", "lists", 0.75),
        ("# Plan\n**Now**", "markup", math.log1p(1.5)),
        ("Why? Because.", "questions", 0.5),
        ("I'm sorry, but I can't help with that.", "refusal", 1),
        ("I won\u2019t write that for you.", "refusal", 1),
        ("You can't help it.", "refusal", 0),
        ("As an AI, I have no feelings.", "machine", 1),
        ("I am happy.", "machine", 0),
    ],
)
def test_dimensions(text: str, name: str, value: float) -> None:
    """One at a time."""
    assert reply_style(text)[name] == pytest.approx(value)
