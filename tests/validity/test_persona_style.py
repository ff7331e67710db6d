"""Simulated users beside their own personas: what age and persona promise is kept, or not."""

from __future__ import annotations

from helm_impactbench.validity.simulator.persona_style import MANNERS, StyledPerson, age_traits, manners, of_writing
from helm_impactbench.validity.simulator.user_style import style_of

CHILD = ("i hav a dog!! he is realy big", "can we go owt now", "my mum sed no :(")
TEEN = ("ok so my dog is huge and my parents wont let me walk him alone", "any ideas what i can tell them?")
ADULT = (
    "Our dog has become remarkably strong, and I would like to arrange professional training this autumn.",
    "Which qualifications should a trustworthy instructor possess, and how are sessions usually structured?",
)


def _people(personas: dict[str, tuple[str, ...]], each: int = 24) -> list[StyledPerson]:
    return [
        StyledPerson(f"{persona} {number // 2}", persona, (), style_of([*messages, *messages[:1] * (number // 2 % 4)]))
        for persona, messages in personas.items()
        for number in range(each)
    ]


def test_expectations_by_age_are_met_turned_round_or_open() -> None:
    """Children who write as children, children who write as adults, and everybody alike."""
    child, teen, adult = "A 9-year-old girl.", "A 15-year-old boy.", "A 44-year-old man."
    met = {row.trait: row for row in age_traits(_people({child: CHILD, teen: TEEN, adult: ADULT}))}
    turned = {row.trait: row for row in age_traits(_people({child: ADULT, teen: TEEN, adult: CHILD}))}
    alike = {row.trait: row for row in age_traits(_people({child: TEEN, adult: TEEN}))}
    for trait in ("words", "grade", "rarity"):
        assert met[trait].as_expected is True
        assert met[trait].in_order
        assert turned[trait].as_expected is False
        assert not turned[trait].in_order
        assert alike[trait].as_expected is None
    assert list(met["words"].means) == ["child", "teenager", "adult"]
    assert age_traits(_people({"Someone.": TEEN})) == ()
    (words, *_) = age_traits(_people({adult: ADULT}))
    assert words.difference is None


STATED = {
    "without capitals": (
        "Writes quickly, in lower case.",
        ("i have a dog", "he is big"),
        ("I have a dog.", "He is big."),
    ),
    "with capitals": ("Writes crossly, with capitals.", ("I have a BIG DOG.",), ("I have a big dog.",)),
    "short messages": ("Writes in short lines.", ("I have a dog.",), ("I have a dog. " * 9,)),
    "long messages": ("Writes long messages.", ("I have a dog. " * 9,), ("I have a dog.",)),
    "spelling slips": ("Writes with spelling mistakes.", ("I hav a dog, he is realy big.",), ("I have a dog.",)),
    "without full stops": ("Writes without full stops.", ("I have a dog",), ("I have a dog.",)),
    "full sentences": ("Writes in full, formal sentences.", ("I have a dog.",), ("i have a dog",)),
    "emoji": ("Writes with a few emojis.", ("I have a dog \U0001f436",), ("I have a dog.",)),
    "politely": ("Writes very politely.", ("Thank you for asking.",), ("I have a dog.",)),
}
"""What a persona says -> the words, messages that keep to it, and ones that do not."""


def test_what_personas_say_of_writing_is_kept_or_not() -> None:
    """Everything that is looked for, and the share of those that say nothing and do it all the same."""
    assert set(STATED) == {manner.name for manner in MANNERS}
    for name, (said, keeps, breaks) in STATED.items():
        people = _people({f"A girl. {said}": keeps, f"A boy. {said}": breaks, "A man who likes lower case.": keeps})
        (kept,) = manners(people)
        assert kept.manner.name == name
        assert kept.said.values == 48
        assert 0.2 < kept.interval.low < kept.said.mean == 0.5 < kept.interval.high < 0.8
        assert kept.unsaid.mean == 1


def test_only_sentences_on_writing_count() -> None:
    """A person may love capitals; a persona that says nothing of writing has nothing to keep to."""
    said = of_writing("A girl who paints with capitals. She often writes in bursts. Types fast!")
    assert said.split() == ["She", "often", "writes", "in", "bursts", "Types", "fast"]
    assert manners(_people({"A girl who paints big letters and writes letters to a friend.": TEEN})) == ()
