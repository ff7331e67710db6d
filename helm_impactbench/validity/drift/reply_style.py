"""How a reply of a target is written, as named numbers: what changes when a provider changes the model behind a name.

From the text alone. Nothing here is a verdict, and no dimension is good or bad.
"""

from __future__ import annotations

import math
import re

from helm_impactbench.validity.drift.styles import Style

# Every pattern takes time in proportion to the text: it begins at a line or a word, and repeats nothing that overlaps.
_LIST_LINE = re.compile(r"^[ \t]{0,8}(?:[-*\u2022+]|[0-9]{1,3}[.)])[ \t]", re.M)
_MARKUP = re.compile(r"\*\*|__|^#{1,6}[ \t]|```|^\|", re.M)
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_REFUSAL = re.compile(
    r"\b(?:i|we)(?: can(?:no|['\u2019])t|(?: am|['\u2019]m) not able to|(?: am|['\u2019]m) unable to| won['\u2019]t) "
    r"(?:help|assist|provide|do|give|answer|support|continue|comply|share|discuss|write|tell|engage|fulfil)"
    r"|\bi['\u2019]m sorry,? but\b|\bi must decline\b",
    re.I,
)
_AS_A_MACHINE = re.compile(r"\b(?:as an ai|i(?: am|['\u2019]m) (?:just |only )?an ai|language model)\b", re.I)

NAMES = {
    "length": "words (log)",
    "word length": "letters per word",
    "sentence length": "words per sentence or line (log)",
    "lists": "share of lines that are list items",
    "markup": "bold, headings, tables and code per line",
    "questions": "question marks per sentence",
    "refusal": "whether it says that it will not help",
    "machine": "whether it speaks of itself as an AI",
}
"""Dimension -> what it counts."""


def reply_style(text: str) -> Style:
    """Return the dimensions of a reply. Sentence and word length are nan in a text without words."""
    words, lines = _WORD.findall(text), [line for line in text.splitlines() if line.strip()]
    marks = sum(text.count(mark) for mark in ".!?\u2026\u3002\uff01\uff1f")
    sentences = max(marks, len(lines), 1)
    return {
        "length": math.log1p(len(words)),
        "word length": sum(map(len, words)) / len(words) if words else math.nan,
        "sentence length": math.log1p(len(words) / sentences) if words else math.nan,
        "lists": len(_LIST_LINE.findall(text)) / max(1, len(lines)),
        "markup": math.log1p(len(_MARKUP.findall(text)) / max(1, len(lines))),
        "questions": sum(text.count(mark) for mark in "?\uff1f") / sentences,
        "refusal": float(bool(_REFUSAL.search(text))),
        "machine": float(bool(_AS_A_MACHINE.search(text))),
    }
