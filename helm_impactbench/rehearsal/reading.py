"""How the scripted models read what they are sent."""

from __future__ import annotations

import re

_KEYED = re.compile(r"(</?(?:transcript|turn|direction))-[0-9a-f]{8}\b")
_SECTION = r"<{0}>\n?(.*?)\n?</{0}>"
_TURN = r'<turn number="(\d+)" speaker="{0}">\n(.*?)\n</turn>'


def without_keys(text: str) -> str:
    """Return a prompt with its tags as they were without keys, so that a script depends on words alone."""
    return _KEYED.sub(r"\1", text)


def section(tag: str, text: str) -> str:
    """Return the text between <tag> and </tag>, empty without it."""
    found = re.search(_SECTION.format(tag), without_keys(text), re.S)
    return found.group(1).strip() if found else ""


def said_by(speaker: str, text: str) -> list[tuple[int, str]]:
    """Return (turn, words) of one side of the transcript in a prompt."""
    return [(int(number), words) for number, words in re.findall(_TURN.format(speaker), without_keys(text), re.S)]
