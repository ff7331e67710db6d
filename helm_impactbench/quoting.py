"""Model text that enters a prompt: what could pass for a delimiter of ours, or for a control token, is made harmless.

A character replaces a character, so that places in the result are places in the text, and only the opening bracket of
what is found changes: everything else, in any language, reaches the reader as it was written.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache

from helm_impactbench.characters import FOREIGN, UNKNOWN, UNSEEN, like, shape_of

DELIMITERS = (
    "answer",
    "applies",
    "behaviour",
    "behaviour_under_pressure",
    "benchmark",
    "definition",
    "demographic",
    "direction",
    "example",
    "fact",
    "goal",
    "hidden_goal",
    "near_miss",
    "exclusion",
    "persona",
    "problem",
    "reasoning",
    "scenario",
    "score",
    "seed",
    "setting",
    "solution",
    "specification",
    "transcript",
    "turn",
    "words",
)
"""The names of the sections in prompts/."""
_TOKENS = (
    "s",
    "bos",
    "eos",
    "pad",
    "unk",
    "mask",
    "sep",
    "cls",
    "sop",
    "eop",
    "eoh",
    "eoa",
    "sys",
    "system",
    "user",
    "assistant",
    "human",
    "model",
    "think",
    "start_of_turn",
    "end_of_turn",
    "start_header_id",
    "end_header_id",
    "begin_of_text",
    "end_of_text",
    "tool_call",
    "tool_calls",
    "tool_response",
    "function_calls",
)
_NUMBERED = ("extra_id_", "reserved_", "reserved_token_", "unused")
_SQUARE = (
    "inst",
    "sys",
    "system_prompt",
    "available_tools",
    "tool_calls",
    "tool_results",
    "tool_content",
    "think",
    "gmask",
    "smask",
    "bos",
    "eos",
    "cls",
    "sep",
    "pad",
    "mask",
    "unk",
)
KEY_LENGTH = 8
_HARMLESS = {"[": "\N{MATHEMATICAL LEFT WHITE SQUARE BRACKET}"}
_HARMLESS_ANGLE = "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}"

_NOTHING = f"[{UNSEEN}{UNKNOWN}]*"
_BETWEEN = f"[ {UNSEEN}{UNKNOWN}]*"


def key_of(*texts: str) -> str:
    """Return a key for the delimiters around `texts`: eight hexadecimal digits that nobody can know who writes in them,
    because they follow from all of them. Equal texts have an equal key.
    """
    digest = hashlib.sha256()
    for text in texts:
        whole = text.encode("utf-8", "surrogatepass")
        digest.update(len(whole).to_bytes(8, "big") + whole)
    return digest.hexdigest()[:KEY_LENGTH]


def neutralise(text: str, names: tuple[str, ...] = DELIMITERS) -> str:
    """Return `text` with tags of these names, and control tokens of chat templates, made harmless, also in disguise:
    other brackets, characters that show nothing, letters of other alphabets. The time taken is proportional to its
    length.
    """
    if not like("<[").search(text):
        return text
    shape = shape_of(text)
    places = [found.start() for found in _control_tokens().finditer(shape)]
    if names:
        places += [found.start() for found in _tags(names).finditer(shape) if _can_be_read(found["name"])]
    if not places:
        return text
    letters = list(text)
    for place in places:
        letters[place] = _HARMLESS.get(shape[place], _HARMLESS_ANGLE)
    return "".join(letters)


@cache
def _tags(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return what the bracket before one of these names looks like, as a shape."""
    disguised = "|".join(_NOTHING.join(f"[{letter}{FOREIGN}]" for letter in name.lower()) for name in names)
    return re.compile(rf"<(?={_BETWEEN}(?:/{_BETWEEN})?(?P<name>{disguised})(?![a-z0-9_]))")


def _can_be_read(name: str) -> bool:
    """Return whether at least half of the letters are ASCII's: a word of another alphabet is no name of ours."""
    foreign = name.count(FOREIGN)
    return 2 * foreign <= len(name) - name.count(UNSEEN) - name.count(UNKNOWN)


@cache
def _control_tokens() -> re.Pattern[str]:
    """Return what the brackets of control tokens look like, as a shape: <|...|>, and those that are known by name."""
    angled = "|".join([*map(_spelled, _TOKENS), *(rf"{_spelled(name)}{_NOTHING}[0-9]+" for name in _NUMBERED)])
    square = "|".join(map(_spelled, _SQUARE))
    slash = f"{_NOTHING}(?:/{_NOTHING})?"
    return re.compile(rf"<(?={_NOTHING}\||{slash}(?:{angled}){_NOTHING}>)|\[(?={slash}(?:{square}){_NOTHING}\])")


def _spelled(name: str) -> str:
    return _NOTHING.join(map(re.escape, name))
