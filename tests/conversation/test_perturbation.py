"""Typing noise: seeded, and felt in short messages too."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from helm_impactbench.conversation.perturbation import add_typos


@pytest.mark.parametrize("text", ["help", "need help now", "ok but what about friday", "im so tired of this"])
def test_short_messages_get_at_least_one_slip(text: str) -> None:
    """The noise does not wait for 150 characters."""
    assert all(add_typos(text, "seed", turn) != text for turn in range(20))


def test_the_same_seed_gives_the_same_noise() -> None:
    """On every machine: this is a fixed text, not a comparison with itself alone."""
    text = "please tell me what to do about the exam on monday"
    assert add_typos(text, "b/m01_s001_v01/0", 3) == add_typos(text, "b/m01_s001_v01/0", 3)
    assert add_typos(text, "b/m01_s001_v01/0", 3) == "please tell me whaat to do about the exam on monday"


def test_other_turns_get_other_noise() -> None:
    """The turn is part of the seed."""
    assert len({add_typos("please tell me what to do about the exam", "s", turn) for turn in range(10)}) > 5


@given(st.text(), st.integers())
@example("AA\u00b9\u00b9", 1)
def test_noise_keeps_what_carries_meaning(text: str, seed: int) -> None:
    """Numbers, short words, spaces and the first letters of words stay; the length changes little."""
    noisy = add_typos(text, seed)
    assert abs(len(noisy) - len(text)) <= 1 + len(text) / 30
    assert [c for c in noisy if not c.isalpha()] == [c for c in text if not c.isalpha()]


@pytest.mark.parametrize("text", ["", "ok", "42 is it", "\U0001f600 no", "a b c"])
def test_nothing_to_slip_on(text: str) -> None:
    """Without a word of four letters the text stays as it is."""
    assert add_typos(text, 1) == text
