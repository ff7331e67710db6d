"""Traits of how a user writes: each one moves with what it is about, and with nothing when there is nothing to see."""

from __future__ import annotations

import math

import pytest

from helm_impactbench.validity.simulator.user_style import DIMENSIONS, MOST_CHARACTERS, MOST_MESSAGES, TRAITS, style_of

PLAIN = (
    "I need a plan for the garden behind our house.",
    "The soil is heavy and the neighbour's tree keeps it in the shade all afternoon.",
    "Ferns sound right, and the path could be gravel.",
)


def _with(number: int, text: str) -> tuple[str, ...]:
    return (*PLAIN[:number], text, *PLAIN[number + 1 :])


MORE = {
    "words": (*PLAIN[:2], PLAIN[2] * 4),
    "trend": (*PLAIN[:2], PLAIN[2] * 4),
    "questions": _with(2, "Ferns sound right, could the path be gravel?"),
    "polite": _with(2, "Ferns sound right, thanks, and the path could be gravel."),
    "small_starts": _with(2, "ferns sound right, and the path could be gravel."),
    "open_ends": _with(2, "Ferns sound right, and the path could be gravel"),
    "unknown_words": _with(2, "Ferns sound rihgt, and the paht could be gravel."),
    "shouting": _with(2, "Ferns sound RIGHT, and the path could be GRAVEL."),
    "emoji": _with(2, "Ferns sound right, and the path could be gravel \U0001f33f :)"),
    "rarity": _with(2, "Bryophytes sound apposite, and the colonnade could be porphyry."),
    "diversity": _with(2, "Moss, herbs, thyme or mint between slabs sound nice; benches might follow, painted blue."),
    "grade": _with(2, "Considering everything, a comprehensive arrangement of perennials appears appropriate."),
    "first_person": _with(2, "I like my ferns, and I want my path in gravel."),
    "feelings": _with(2, "I am sad and worried about gravel."),
    "pressing": _with(2, "But I said gravel."),
    "repeats": _with(2, "The soil is heavy and the garden is in the shade."),
    "repair": _with(2, "Ferns sound right, I mean mosses, and the path could be gravel."),
    "main_point": (*PLAIN[:2], PLAIN[2] + " Benches, lanterns, a pond with herons, birches along its bank."),
}
"""Trait -> messages that have more of it than PLAIN."""


def _long(messages: tuple[str, ...]) -> list[str]:
    """Return messages long enough for every trait."""
    return [*messages, "The house stands on a slope. " + "The soil is heavy. The tree keeps it in shade. " * 3]


def test_every_trait_moves_with_what_it_is_about() -> None:
    """Each trait is higher for messages that have more of it; there are at least eight dimensions."""
    assert set(MORE) == {trait.name for trait in TRAITS}
    assert len(DIMENSIONS) >= 8
    before = style_of(_long(PLAIN))
    for name, messages in MORE.items():
        assert style_of(_long(messages))[name] > before[name], name


@pytest.mark.parametrize(
    "question", ["how do i plant ferns", "ok. can you draw it", "gravel\nwhat about sand", "\u00bfgravel?"]
)
def test_questions_without_a_question_mark_are_seen(question: str) -> None:
    """Hurried people leave the mark out."""
    assert style_of([*PLAIN, question])["questions"] == 0.25
    assert style_of([*PLAIN, "I know what ferns are."])["questions"] == 0


def test_an_asterisk_repairs_only_as_a_correction() -> None:
    """`*word` at the start of a word corrects; stars around a word are emphasis."""
    assert style_of(["I like frens.", "*ferns"])["repair"] == 0.5
    assert style_of(["I like ferns.", "I *really* do."])["repair"] == 0


def test_what_messages_cannot_show_is_nan() -> None:
    """A trend needs two messages, diversity fifty words, and marks of English need English."""
    single = style_of(["I need a plan for the garden."])
    assert all(math.isnan(single[name]) for name in ("trend", "diversity", "repeats", "main_point", "pressing"))
    assert single["words"] == 7
    for foreign in (
        "Hallo, ich habe eine Frage zu meiner Wohnung. Der Vermieter will mehr Geld.",
        "bonjour, est-ce que tu peux me dire comment faire une tarte aux pommes",
        "hola, me puedes ayudar con la tarea de matematicas por favor",
    ):
        style = style_of([foreign])
        assert {trait.name for trait in TRAITS if trait.english} <= {
            name for name, one in style.items() if math.isnan(one)
        }
        assert style["words"] > 5
    assert style_of(["\u5e2e\u6211\u5199\u4e00\u5c01\u90ae\u4ef6"])["words"] == 7
    assert all(math.isnan(one) for one in style_of(["", " \n"]).values())


def test_spelling_knows_british_forms_and_leaves_names_alone() -> None:
    """A colour is no slip, and neither is Canela."""
    assert (
        style_of(["The colour of Canela's theatre pleased the neighbours, and we organised it."])["unknown_words"] == 0
    )
    assert style_of(["the colur of the theatre"])["unknown_words"] == 0.2


def test_diversity_does_not_depend_on_length() -> None:
    """The same kind of text twice as long keeps its diversity within a fifth; its share of distinct words does not."""
    line = "the cat sat on a mat while my dog ran past old barns and then we all went home for tea with jam"
    words = line.split()
    texts = [" ".join(words[(place * step) % len(words)] for place in range(220)) for step in (5, 5)]
    once, twice = style_of(texts[:1])["diversity"], style_of([" ".join(texts)])["diversity"]
    assert twice == pytest.approx(once, rel=0.2)


def test_pasted_documents_and_endless_chats_are_cut() -> None:
    """Only the first messages and their first characters are read."""
    assert style_of(["Yes."] * MOST_MESSAGES + ["No, that is wrong."] * 100)["words"] == 1
    assert style_of(["word " * MOST_CHARACTERS])["words"] == MOST_CHARACTERS / 5
