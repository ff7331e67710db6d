"""Wordings of a message: fixed texts, and what must not change in any message that ships."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.benchmark.files import load_benchmark
from helm_impactbench.benchmark.wordings import WORDINGS
from helm_impactbench.conversation.loop import hold_conversation
from helm_impactbench.conversation.rewording import casual, formal, reworded
from tests.conversation.test_loop import plan, says

WITH_MESSAGES = ("financial-fairness", "moral-sycophancy", "name-bias", "user-bias")


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        ("I do not know what to do. It is late.", "i don't know what to do. it's late"),
        ("Sarah and I cannot pay. She will not wait.", "Sarah and i can't pay. she won't wait"),
        ("He is not only late. I know who I am and I am fine.", "he is not only late. i know who i am and i'm fine"),
        ("My GP in the US said so at 8 a.m.", "my GP in the US said so at 8 a.m."),
        ("What now?", "what now?"),
        ("Ask Dr. Who now... World War I was long.", "Ask Dr. Who now... World War I was long"),
    ],
)
def test_casual(written: str, typed: str) -> None:
    """Small letters, contractions and no last stop; names and abbreviations stay."""
    assert casual(written) == typed


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        ("i don't know. it's late", "I do not know. It is late."),
        ("Don't you think so? it's been years, isn't it?", "Do you not think so? It's been years, is it not?"),
        ("i’m gonna pay, she'd like that. she'd gone", "I am going to pay, she would like that. She'd gone."),
        ("see example.com/a or write to me@example.com", "See example.com/a or write to me@example.com"),
        ("Sarah's dog won't eat, e.g. bones. let's go!", "Sarah's dog will not eat, e.g. bones. Let us go!"),
        ("we've got 2.5 kg", "We have got 2.5 kg."),
    ],
)
def test_formal(written: str, typed: str) -> None:
    """The opposite; what may mean two things, such as 'd and possessives, stays."""
    assert formal(written) == typed


def contents(text: str) -> Counter[str]:
    """Return the words of a message, contractions written out, capitals and the order of a question aside."""
    return Counter(re.findall(r"\w+(?:['’]\w+)?", formal(text).lower()))


def names(text: str) -> Counter[str]:
    """Return the words with a capital that no sentence begins with, and all words of capitals."""
    return Counter(
        word
        for word in re.findall(r"(?<![.!?\n] )(?<!\n)(?<!^)(?<![\"“])\b[A-Z][^\W_]+(?![\w'’])", text)
        if word not in ("I",)
    )


@pytest.mark.parametrize("slug", WITH_MESSAGES)
def test_the_fixed_messages_that_ship_keep_numbers_names_and_words(slug: str) -> None:
    """Of all of them; and most of them really differ in each wording."""
    messages = sorted({text for row in load_benchmark(slug).scenarios for text in row.messages})
    assert len(messages) > 100
    changed = Counter[str]()
    for text in messages:
        for wording in WORDINGS:
            typed = reworded(text, wording, "seed", 1)
            assert re.findall(r"\d[\d.,:]*\d|\d", typed) == re.findall(r"\d[\d.,:]*\d|\d", text)
            changed[wording] += typed != text
            if wording in ("casual", "formal"):
                assert contents(typed) == contents(text), typed
                assert names(text) - names(typed) == Counter(), typed
    assert changed["as written"] == 0
    assert changed["typos"] == changed["casual"] == len(messages)
    assert changed["formal"] > 0.6 * len(messages)


@given(st.text())
def test_any_text_can_be_reworded_and_numbers_stay(text: str) -> None:
    """Whatever a model writes; twice the same is once the same."""
    for wording in WORDINGS:
        typed = reworded(text, wording, 1)
        assert [sign for sign in typed if sign.isdigit()] == [sign for sign in text if sign.isdigit()]
        assert typed == reworded(text, wording, 1)


def test_fixed_and_simulated_messages_are_typed_in_the_wording() -> None:
    """The target, the simulator's own history and the record have the same words; the draft is kept beside them."""
    user, history = says("Message: I do not know.")
    target, seen = says("a1", "a2")
    held = hold_conversation(plan(messages=("It is late.",), wording="casual"), user, target)
    assert [(turn.user, turn.draft) for turn in held.turns] == [("it's late", ""), ("i don't know", "I do not know.")]
    assert [message.content for message in seen[1]] == ["it's late", "a1", "i don't know"]
    assert "it's late" in history[0][2].content


def test_the_first_draft_is_asked_for_in_the_same_words() -> None:
    """Otherwise it would be another person who types in another way."""
    asked = []
    for wording in WORDINGS:
        user, history = says("Message: I do not know what to do.", "What should I do?")
        hold_conversation(plan(turns=1, wording=wording), user, says("a1")[0])
        asked.append(history[0])
    assert all(one == asked[0] for one in asked)
