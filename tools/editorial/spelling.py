"""Spelling of words in small letters: pyspellchecker's English words, British forms, and allow lists.

A word with a capital is taken for a name, unless it opens a sentence and is not a name anywhere else in the benchmark.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.validity.simulator.english_words import is_english
from tools.editorial.allowed import Allowed
from tools.editorial.passages import Passage, begins_sentence, passages
from tools.editorial.section import Finding, Section

_WORD = re.compile(r"[^\W\d_]+(?:['\N{RIGHT SINGLE QUOTATION MARK}][^\W\d_]+)*")
_TWICE = re.compile(r"(?<![\w-])([^\W\d_]+) \1\b(?!-)")
_TWICE_IS_RIGHT = frozenset(
    ("that", "had", "no", "so", "very", "really", "bye", "ha", "tick", "knock", "now", "do", "her", "please")
)


def unknown_words(passage: Passage, names: frozenset[str], allowed: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the words of a text that no list knows. `names` are words with a capital inside sentences."""
    for found in _WORD.finditer(passage.text):
        word = found.group(0).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
        capital = word[0].isupper()
        if len(word) == 1 or (capital and (passage.scholarly or not _opens(passage.text, found, names))):
            continue
        if _bare(word.lower()) not in allowed and not is_known(word.lower()):
            yield word.lower()


def names_of(texts: Iterable[str]) -> frozenset[str]:
    """Return the words with a capital inside a sentence."""
    return frozenset(
        _bare(found.group(0)) for text in texts for found in _WORD.finditer(text)
        if found.group(0)[0].isupper() and not begins_sentence(text, found.start())
    )  # fmt: skip


def spelling_section(benchmarks: Sequence[Benchmark], allowed: Mapping[str, Allowed]) -> Section:
    """Return the section on spelling: a warning per unknown word and benchmark, and per repeated word."""
    findings: list[Finding] = []
    words = 0
    for benchmark in benchmarks:
        read = list(passages(benchmark))
        words += sum(len(_WORD.findall(passage.text)) for passage in read)
        findings += _of_benchmark(read, allowed.get(benchmark.slug, Allowed()).word_set())
    return Section(
        "spelling", "Spelling", f"{words} words read", tuple(findings), figures={"words": words}
    )  # fmt: skip


def _of_benchmark(read: Sequence[Passage], allowed: frozenset[str]) -> Iterator[Finding]:
    names = names_of(passage.text for passage in read)
    counts: Counter[str] = Counter()
    first: dict[str, Passage] = {}
    for passage in read:
        for word in unknown_words(passage, names, allowed):
            counts[word] += 1
            first.setdefault(word, passage)
        for twice in _TWICE.findall(passage.text):
            if twice.lower() not in _TWICE_IS_RIGHT | allowed:
                yield Finding(passage.slug, passage.id, passage.place, f"the word {twice!r} is repeated")
    for word, count in counts.most_common():
        place = first[word]
        times = f" ({count} times)" if count > 1 else ""
        yield Finding(place.slug, place.id, place.place, f"unknown word {word!r}{times}")


def _opens(text: str, found: re.Match[str], names: frozenset[str]) -> bool:
    """Return whether a word with a capital may be an everyday word: it opens a sentence and is not a known name."""
    word = found.group(0)
    return word[1:].replace("'", "").islower() and begins_sentence(text, found.start()) and _bare(word) not in names


def _bare(word: str) -> str:
    return re.sub(r"['\N{RIGHT SINGLE QUOTATION MARK}]s$", "", word)


def is_known(word: str) -> bool:
    """Return whether a word in small letters is right in American or British English."""
    plain = _bare(word)
    return is_english(plain) or plain in _more_words()


@cache
def _more_words() -> frozenset[str]:
    lines = (files(__package__) / "words.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word.lower() for line in lines if not line.startswith("#") for word in line.split())
