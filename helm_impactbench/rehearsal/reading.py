"""How the scripted models read what they are sent."""

from __future__ import annotations

import re

_SECTION = r"<{0}>\n?(.*?)\n?</{0}>"
_TURN = r'<turn number="(\d+)" speaker="{0}">\n(.*?)\n</turn>'


def section(tag: str, text: str) -> str:
    """Return the text between <tag> and </tag>, empty without it."""
    found = re.search(_SECTION.format(tag), text, re.S)
    return found.group(1).strip() if found else ""


def said_by(speaker: str, text: str) -> list[tuple[int, str]]:
    """Return (turn, words) of one side of the transcript in a prompt."""
    return [(int(number), words) for number, words in re.findall(_TURN.format(speaker), text, re.S)]
