"""How somebody writes in one conversation, as numbers: ten dimensions, from text alone. Pure and quick.

A trait that the messages cannot show is nan: a trend in a single message, English words in another language. All of
them are crude counts: they tell sets of conversations apart, and say little about a single one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from helm_impactbench.validity.simulator import style_marks as marks
from helm_impactbench.validity.simulator.english_words import frequency

MOST_CHARACTERS = 3_000
"""Of a message that are read: beyond them stand pasted documents."""
MOST_MESSAGES = 20
"""Of a conversation that are read, its first ones."""
LEAST_WORDS = 50
"""For lexical diversity, which fewer words cannot show."""
MTLD_FACTOR = 0.72
"""Type-token ratio at which a stretch of words counts as used up (McCarthy & Jarvis 2010)."""
ENGLISH, COMMON = 0.5, 1e-6
"""Share of words as frequent as this in English from which a conversation is one in English; of other languages' words
less than half are.
"""


@dataclass(frozen=True)
class Trait:
    """One number of how somebody writes."""

    name: str
    dimension: str
    title: str
    """A few words for a chart: what more of it is."""
    words: str
    """What the number is, with its unit."""
    english: bool = False
    """Whether it needs English words."""
    log: bool = False
    """Whether ratios of it count, not differences."""


TRAITS = (
    Trait("words", "length", "length of messages", "words per message", log=True),
    Trait("trend", "length trend", "growth of messages", "growth of messages from first to last, as a log ratio"),
    Trait("questions", "questions", "questions", "share of messages that ask", english=True),
    Trait(
        "polite", "politeness", "politeness", "share of messages with thanks, a greeting, please or sorry", english=True
    ),
    Trait("small_starts", "typing", "small first letters", "share of messages that begin with a small letter"),
    Trait("open_ends", "typing", "no closing mark", "share of messages without a closing mark"),
    Trait(
        "unknown_words",
        "typing",
        "words in no dictionary",
        "share of words in small letters that no dictionary has",
        english=True,
    ),
    Trait("shouting", "typing", "words in capitals", "share of words in capitals"),
    Trait("emoji", "typing", "emoji and smileys", "emoji and smileys per message"),
    Trait(
        "rarity", "vocabulary", "rare words", "rarity of words: mean -log10 of their frequency in English", english=True
    ),
    Trait("diversity", "vocabulary", "lexical diversity", "lexical diversity (MTLD)", log=True),
    Trait("grade", "vocabulary", "reading grade", "reading grade (ARI), in school years", english=True),
    Trait("first_person", "self-disclosure", "I, me, my, we", "share of words like I, me, my, we", english=True),
    Trait("feelings", "self-disclosure", "words of feeling", "words of feeling per 100 words", english=True),
    Trait(
        "pressing",
        "insistence",
        "insisting words",
        "share of later messages that insist (but, again, I said)",
        english=True,
    ),
    Trait(
        "repeats",
        "insistence",
        "repeated content",
        "share of content words in later messages that the user has used before",
    ),
    Trait("repair", "repair", "repairs", "share of messages that correct or rephrase", english=True),
    Trait(
        "main_point",
        "timing of the main point",
        "late main point",
        "where new content words stand: 0 all in the first, 1 in the last",
    ),
)
"""All traits, in the order in which they are shown."""
DIMENSIONS = tuple(dict.fromkeys(trait.dimension for trait in TRAITS))

Style = dict[str, float]
"""Trait's name -> its number for one conversation; nan where the conversation cannot show it."""


def style_of(messages: Sequence[str]) -> Style:
    """Return the style of one conversation's user messages, in their order. Empty ones count for nothing."""
    texts = [text.strip()[:MOST_CHARACTERS] for text in messages[:MOST_MESSAGES] if text.strip()]
    if not texts:
        return {trait.name: nan for trait in TRAITS}
    spoken = [[word.replace("\u2019", "'") for word in marks.WORD.findall(text)] for text in texts]
    small = [[word.lower() for word in words] for words in spoken]
    content = [[word for word in words if word not in marks.FUNCTION_WORDS] for words in small]
    lengths = np.array([len(words) for words in spoken], float)
    style = {
        "words": float(lengths.mean()),
        "trend": _trend(lengths),
        "small_starts": _share([text[0].islower() for text in texts]),
        "open_ends": _share(
            [text[-1] not in marks.CLOSING_MARKS and not marks.EMOJI.match(text[-1]) for text in texts]
        ),
        "shouting": _shouting(spoken),
        "emoji": sum(len(marks.EMOJI.findall(text)) for text in texts) / len(texts),
        "diversity": _mtld([word for words in small for word in words]),
        "repeats": _repeats(content),
        "main_point": _main_point(content),
    }
    english = _english_traits(texts, spoken, small) if _is_english(small) else {}
    return {trait.name: english.get(trait.name, style.get(trait.name, nan)) for trait in TRAITS}


def _english_traits(texts: Sequence[str], spoken: Sequence[Sequence[str]], small: Sequence[Sequence[str]]) -> Style:
    every = [word for words in small for word in words]
    shares = [one for one in map(frequency, every) if one > 0]
    lower = [word for words in spoken for word in words if len(word) > 1 and word.islower()]
    later = texts[1:]
    return {
        "questions": _share([_asks(text) for text in texts]),
        "polite": _share([bool(marks.POLITE.search(text)) for text in texts]),
        "unknown_words": _share([not frequency(word.removesuffix("'s")) for word in lower]),
        "rarity": float(np.mean([-math.log10(one) for one in shares])) if shares else nan,
        "grade": _grade(texts, every),
        "first_person": _share([word in marks.FIRST_PERSON for word in every]),
        "feelings": 100 * sum(len(marks.FEELING.findall(text)) for text in texts) / len(every) if every else nan,
        "pressing": _share([bool(marks.PRESSING.search(text)) for text in later]),
        "repair": _share([bool(marks.REPAIR.search(text)) for text in texts]),
    }


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found) if found else nan


def _is_english(small: Sequence[Sequence[str]]) -> bool:
    words = [word for one in small for word in one if not word.isdigit()]
    return bool(words) and sum(frequency(word) >= COMMON for word in words) >= ENGLISH * len(words)


def _trend(lengths: NDArray[np.float64]) -> float:
    """Return the least-squares rise of log(1 + words) from the first message to the last; nan for a single message."""
    if len(lengths) < 2:
        return nan
    places = np.linspace(-0.5, 0.5, len(lengths))
    return float(places @ np.log1p(lengths) / (places @ places))


def _asks(text: str) -> bool:
    if marks.QUESTION_MARK.search(text):
        return True
    return any(marks.ASKING.match(sentence.lstrip()) for sentence in marks.SENTENCE_END.split(text))


def _shouting(spoken: Sequence[Sequence[str]]) -> float:
    """Return the share of words of two letters or more that are in capitals."""
    return _share([word.isupper() for words in spoken for word in words if len(word) > 1 and word.isalpha()])


def _grade(texts: Sequence[str], words: Sequence[str]) -> float:
    """Return the Automated Readability Index; each message ends a sentence.

    Source: Senter & Smith (1967), Automated Readability Index, AMRL-TR-66-220.
    """
    if not words:
        return nan
    sentences = sum(bool(marks.WORD.search(part)) for text in texts for part in marks.SENTENCE_END.split(text))
    return 4.71 * sum(map(len, words)) / len(words) + 0.5 * len(words) / max(1, sentences) - 21.43


def _mtld(words: Sequence[str]) -> float:
    """Return the measure of textual lexical diversity: the mean number of words that keep a type-token ratio.

    Read forwards and backwards. Source: McCarthy & Jarvis (2010), MTLD, vocd-D, and HD-D, Behavior Research Methods 42.
    """
    if len(words) < LEAST_WORDS:
        return nan
    return (_one_way_mtld(words) + _one_way_mtld(words[::-1])) / 2


def _one_way_mtld(words: Sequence[str]) -> float:
    factors, types, tokens = 0.0, set[str](), 0
    for word in words:
        tokens += 1
        types.add(word)
        if len(types) <= MTLD_FACTOR * tokens:
            factors += 1
            types, tokens = set(), 0
    if tokens:
        factors += (1 - len(types) / tokens) / (1 - MTLD_FACTOR)
    return len(words) / factors if factors else float(len(words))


def _repeats(content: Sequence[Sequence[str]]) -> float:
    """Return the share of content words after the first message that stand in an earlier message."""
    seen, repeated, later = set(content[0]), 0, 0
    for words in content[1:]:
        later += len(words)
        repeated += sum(word in seen for word in words)
        seen.update(words)
    return repeated / later if later else nan


def _main_point(content: Sequence[Sequence[str]]) -> float:
    """Return the mean place, from 0 to 1, of content words at their first use; nan for a single message."""
    if len(content) < 2:
        return nan
    seen, new = set[str](), list[int]()
    for words in content:
        before = len(seen)
        seen.update(words)
        new.append(len(seen) - before)
    places = np.linspace(0.0, 1.0, len(content))
    return float(np.average(places, weights=new)) if seen else nan
