"""Other people's text, made fit to be shown."""

from __future__ import annotations

import re

_MARKDOWN_SPECIAL = re.compile(r"([\\`*_\[\]<>|&~$#])")
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Control characters, overrides of the direction of writing, half surrogate pairs, and what XML cannot hold."""


def visible(text: str) -> str:
    """Return text without characters that turn it around or that no file can hold."""
    return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", text)


def escape_markdown(text: str) -> str:
    """Return text on one line, with everything that Markdown could read as markup escaped."""
    return _MARKDOWN_SPECIAL.sub(r"\\\1", " ".join(text.split()))
