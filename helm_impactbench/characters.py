"""What characters look like to a reader: by Unicode category, compatibility form and name. Pure.

Texts are compared as *shapes* of equal length, so that a place in the shape is the same place in the text. Nothing here
changes a text.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

UNSEEN = "\0"
"""Shape of what shows nothing: controls, formats, spaces beyond ASCII, combining marks, fillers."""
UNKNOWN = "\x01"
"""Shape of what may show something: spacing marks, private and unassigned characters."""
FOREIGN = "\x80"
"""Shape of a letter beyond ASCII that is not a form of an ASCII letter; it may look like one."""
_OTHER = "\x02"

_SPACES = " \t\n\r\x0b\x0c"
_EMPTY_BY_NAME = ("BRAILLE PATTERN BLANK", "MUSICAL SYMBOL NULL NOTEHEAD")
_ANGLE = (
    r"^(?:(?:VERY )?MUCH |DOUBLE NESTED )?{0}-THAN(?: WITH DOT)?$"
    r"|{1}(?:-POINTING)?(?: \w+)* ANGLE (?:BRACKET|QUOTATION)|{1} ARROWHEAD$"
)
_BY_NAME = (
    (re.compile(_ANGLE.format("LESS", "LEFT")), "<"),
    (re.compile(_ANGLE.format("GREATER", "RIGHT")), ">"),
    (re.compile(r"SOLIDUS|SLASH|LIGHT DIAGONAL|(?:RISING|FALLING) DIAGONAL$"), "/"),
    (re.compile(r"VERTICAL (?:LINE|BAR)$|LIGHT VERTICAL$|^DIVIDES$"), "|"),
)
_LETTERS_LIKE = {"\u1438": "<", "\u1433": ">", "\u01c0": "|"}
"""Letters with the shape of a delimiter; their names do not tell."""
_BLOCKS = (range(0x300), range(0x1400, 0x1480), range(0x2000, 0x3040), range(0xFE10, 0xFFF0))
"""Where punctuation and symbols that look like ASCII's are; looking through all of Unicode would take a second."""
_VISIBLE = re.compile(r"[!-~]")


class _Shapes(dict[int, str]):
    """Character -> shape, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = shape = _shape(chr(code))
        return shape


def shape_of(text: str) -> str:
    """Return `text` in lower case with brackets, slashes, bars and forms of ASCII letters as ASCII, and everything
    else as one of the shapes above. Its length is that of `text`.
    """
    return text.translate(_SHAPES)


def is_blank(text: str) -> bool:
    """Return whether nothing of `text` can be seen: white space, and characters that show nothing."""
    return not _VISIBLE.search(text) and not shape_of(text).strip(" " + UNSEEN)


@cache
def like(shapes: str) -> re.Pattern[str]:
    """Return a pattern for any character of the basic plane whose shape is one of `shapes`."""
    found = (chr(code) for block in _BLOCKS for code in block if _shape(chr(code)) in shapes)
    return re.compile(f"[{''.join(map(re.escape, found))}]")


def _shape(character: str) -> str:
    if character in _SPACES:
        return " "
    category, name = unicodedata.category(character), unicodedata.name(character, "")
    if category in ("Cn", "Co", "Mc"):
        return UNSEEN if 0xE0000 <= ord(character) < 0xE1000 else UNKNOWN
    if category[0] in "CZ" or category in ("Mn", "Me") or "FILLER" in name or name in _EMPTY_BY_NAME:
        return UNSEEN
    folded = unicodedata.normalize("NFKD", character)
    if folded[0].isascii() and (len(folded) == 1 or category[0] == "L"):
        return folded[0].lower().replace("\\", "/")
    if character in _LETTERS_LIKE:
        return _LETTERS_LIKE[character]
    if category[0] == "L":
        return FOREIGN
    alike = _BY_NAME if category in ("Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sk", "So") else ()
    return next((shape for pattern, shape in alike if pattern.search(name)), _OTHER)


_SHAPES = _Shapes()
