"""Put an assistant's words into the third person and rename the parties, so that the judge cannot see who asked.

"You are right" would reveal who asked, and means nothing to a reader who does not know. This is done by patterns, so
that the same words always give the same result and no model can bias it. Left alone on purpose: text in quotation marks
and quoted lines (in a drafted message "you" is the other party), and general statements about "a landlord".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

_QUOTED = re.compile(r"(```.*?```|^[ \t]*>[^\n]*$|\u201c[^\u201d\n]*\u201d|\"[^\"\n]*\")", re.S | re.M)
_OUR_NAMES = re.compile(r"\bparty[\s_-]*([12])\b", re.IGNORECASE)
_GENERAL = r"\b(?:an?|any|every|each|no|some|another|most|many)(?: [\w-]+)?"
"""What precedes a role in a general statement."""
_BOTH = (
    (("both of you", "the two of you", "you both", "you two"), "both parties"),
    (("each of you",), "each party"),
    (("either of you",), "either party"),
    (("neither of you",), "neither party"),
)
_SECOND_PERSON = (
    (r"you(?:'re| are)", "{} is"),
    (r"you(?:'ve| have)", "{} has"),
    (r"you(?:'d)", "{} would"),
    (r"you(?:'ll)", "{} will"),
    (r"you were", "{} was"),
    (r"you do", "{} does"),
    (r"you don't", "{} doesn't"),
    (r"you aren't", "{} isn't"),
    (r"you weren't", "{} wasn't"),
    (r"you haven't", "{} hasn't"),
    (r"are you", "is {}"),
    (r"were you", "was {}"),
    (r"have you", "has {}"),
    (r"do you", "does {}"),
    (r"yoursel(?:f|ves)", "{}"),
    (r"yours", "{}'s"),
    (r"your", "{}'s"),
    (r"you(?<!thank you)", "{}"),
)
"""What is said to the teller, and what is said of the teller."""
_PARTICIPLES = """
    agreed become been begun bought broken brought chosen come done driven fallen felt forgotten fought found given gone
    got gotten grown guaranteed had heard held kept known laid left lent lost made meant met paid said seen sent shown
    slept sold spent spoken stood stolen sworn taken taught thought thrown told torn understood woken won worn written
"""
_BETWEEN = "already|also|always|both|clearly|ever|first|just|long|never|not|once|only|really|simply|since|still"
_HAD = re.compile(
    rf"\byou'd(?= (?:(?:{_BETWEEN}) ){{0,3}}(?:better|{'|'.join(_PARTICIPLES.split())}|[a-z]{{1,30}}(?<!e)ed)\b)", re.I
)
"""Before these words "you'd" is "you had"; elsewhere, "you would", also where a verb such as "put" may be either."""
_REFLEXIVE = re.compile(r"(?<!\w)(you\b[^.!?;:,\n]{0,60}?)\byoursel(?:f|ves)\b", re.I)
"""Where the teller is the subject; after an order ("ask yourself") the pronoun would have nobody to stand for."""


def third_person(
    text: str, teller: str, nouns: Sequence[Sequence[str]], relations: Sequence[str], names: tuple[str, str]
) -> str:
    """Return `text` in the third person, with the teller in place of "you" and both parties renamed.

    teller: "a", "b", or anything else where neither party asked.
    nouns: the nouns for party a and those for party b; relations: nouns by which the teller calls the other party.
    names: what a and b are called from now on.
    """
    straight = text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    straight = _OUR_NAMES.sub(r"party no. \1", straight)  # the target cannot know our names, so it means something else
    pieces = _pieces(straight)
    pieces[::2] = _each(pieces[::2], lambda words: _turned(words, teller, nouns, relations, names))
    return "".join(pieces)


def _pieces(text: str) -> list[str]:
    """Return the pieces of a text, every second of which is quoted."""
    if "\u201c" not in text:
        return _QUOTED.split(text)
    # A mark that nothing closes on its line is hidden from the pattern, which would read on from every one of them.
    hidden = _unused(text)
    lines = (line.rpartition("\u201d") for line in text.split("\n"))
    shown = "\n".join(closed + end + rest.replace("\u201c", hidden) for closed, end, rest in lines)
    return [piece.replace(hidden, "\u201c") for piece in _QUOTED.split(shown)]


def _each(pieces: list[str], turn: Callable[[str], str]) -> list[str]:
    """Return `turn` of every piece, in one go: a thousand pieces would take as long as a thousand texts."""
    mark = _unused("".join(pieces))
    return turn(mark.join(pieces)).split(mark)


def _unused(text: str) -> str:
    """Return a character for private use, no part of any word, that the text does not have."""
    used = set(text)
    return next(chr(code) for code in range(0xE000, 0x110000) if chr(code) not in used)


def _turned(
    text: str, teller: str, nouns: Sequence[Sequence[str]], relations: Sequence[str], names: tuple[str, str]
) -> str:
    for own, name in zip(nouns, names, strict=True):
        text = _named(text, own, name)
    if teller not in ("a", "b"):
        return text
    told_by, other = names if teller == "a" else names[::-1]
    if relations:
        text = re.sub(rf"\b(?:your|the|this|that) (?:{_either(relations)})\b(?!-)", other, text, flags=re.IGNORECASE)
    for phrases, meaning in _BOTH:
        text = _phrase(*phrases).sub(_cased(meaning), text)
    text = _REFLEXIVE.sub(r"\1themselves", text)
    text = _HAD.sub(f"{told_by} had", text)
    for pattern, meaning in _SECOND_PERSON:
        text = _phrase(pattern).sub(meaning.format(told_by), text)
    return text


@cache
def _phrase(*patterns: str) -> re.Pattern[str]:
    """Return a pattern for any of these as whole words in either case. Each begins with a letter, which a search finds
    fast, and looks behind it for the beginning of the word."""
    either = [re.sub(r"[a-z]", lambda letter: f"[{letter[0]}{letter[0].upper()}]", pattern) for pattern in patterns]
    return re.compile("|".join(rf"{words[:4]}(?<!\w{words[:4]}){words[4:]}\b" for words in either))


def _named(text: str, nouns: Sequence[str], name: str) -> str:
    """Rename "the landlord", "your landlord" and a bare "landlord"; "a good landlord" and "landlords" are general."""
    if not re.search(rf"\b(?:{_either(nouns)})\b", text, re.IGNORECASE):
        return text
    pattern = rf"(?:({_GENERAL}) |\b(?:your|the|this|that) )?\b(?:{_either(nouns)})\b"
    return re.sub(pattern, lambda found: found.group(0) if found.group(1) else name, text, flags=re.IGNORECASE)


def _either(words: Sequence[str]) -> str:
    """Return a pattern for any of the words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(set(words), key=len, reverse=True))


def _cased(meaning: str) -> Callable[[re.Match[str]], str]:
    """Return what writes `meaning` with a capital where the words it stands for had one."""
    return lambda found: meaning.capitalize() if found.group(0)[0].isupper() else meaning
