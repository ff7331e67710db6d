"""Which words are English, and how frequent they are: pyspellchecker's list, with British forms of American words."""

from __future__ import annotations

import re
from functools import cache

_BRITISH = tuple(
    (re.compile(british), american)
    for british, american in (
        (r"is(e[sdr]?|ing|ers?|ations?|ational|able)$", r"iz\1"),
        (r"ys(e[sdr]?|ing|ers?)$", r"yz\1"),
        (r"our", "or"),
        (r"ll(ed|ing|ers?|ous|e?ry)$", r"l\1"),
        (r"l(ments?|ful|fully)$", r"ll\1"),
        (r"tre(s?)$", r"ter\1"),
        (r"ogue(s?)$", r"og\1"),
        (r"ence(s?)$", r"ense\1"),
        (r"mme(s?)$", r"m\1"),
        (r"ae", "e"),
        (r"oe", "e"),
    )
)
"""British endings and their American ones; the list holds American spellings alone."""


def frequency(word: str) -> float:
    """Return how often a word in small letters comes among all words of English, from 0 to 1; 0 for one that is none.

    A British form has the frequency of its American one.
    """
    count, total = _frequencies()
    found = count.get(word, 0)
    for pattern, american in _BRITISH if not found else ():
        if pattern.search(word):
            found = max(found, count.get(pattern.sub(american, word), 0))
    return found / total


def is_english(word: str) -> bool:
    """Return whether a word in small letters is right in American or British English."""
    return frequency(word) > 0


@cache
def _frequencies() -> tuple[dict[str, int], int]:
    """Return word -> occurrences, and the number of all; loading takes a third of a second."""
    from spellchecker import SpellChecker

    words = SpellChecker(language="en").word_frequency
    return dict(words.dictionary), words.total_words
