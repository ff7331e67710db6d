"""Other people's text in Markdown."""

from __future__ import annotations

import re

_MARKDOWN_SPECIAL = re.compile(r"([\\`*_\[\]<>|&~$#])")


def escape_markdown(text: str) -> str:
    """Return text on one line, with everything that Markdown could read as markup escaped."""
    return _MARKDOWN_SPECIAL.sub(r"\\\1", " ".join(text.split()))
