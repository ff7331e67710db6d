"""The same message, typed in another way: with slips, casually or formally.

By rules, so that the same seed gives the same words on every machine; nothing is added, left out or reordered but for
what English contracts.

casual: sentences begin small, "I" is small, verbs are contracted, the last full stop is missing. formal: the opposite.
Both leave numbers, names and whatever they have no rule for as they are. The rules are for English: of a message in
another language, formal changes the first letters of sentences and the end, and casual the last full stop.
"""

from __future__ import annotations

import re

from helm_impactbench.benchmark.wordings import Wording
from helm_impactbench.conversation.perturbation import add_typos


def reworded(text: str, wording: Wording, *seed: object) -> str:
    """Return a user's message in a wording. `seed` decides where its slips are, if it has any."""
    match wording:
        case "as written":
            return text
        case "typos":
            return add_typos(text, "wording", *seed)
        case "casual":
            return casual(text)
        case "formal":
            return formal(text)
        case "paraphrase":  # which a model writes, before this
            return text


def first_words(text: str) -> frozenset[int]:
    """Return where the first words of sentences begin."""
    return frozenset(found.start(2) for found in _FIRST.finditer(text))


_COMMON_WORDS = """
    a about after again all also although an and any anyway are as at basically be because before both but by can
    could did do does don't each either even every everybody everyone everything explain finally find first five for
    four from get give had has have he he'd he's hello help her here hey hi his honestly how however i if in instead
    is isn't it it'd it's its just last lately let let's like list look make many maybe most my neither never no
    nobody nor normally not nothing now of oh ok okay on once one only or other otherwise our people perhaps please
    put rate recently say she she'd she's should since six so some somebody someone sometimes still suggest suppose
    sure tell thank thanks that that's the their then there there's these they they'd they'll they're they've this
    those though three through to today tomorrow tonight two under until usually was we we'd we'll we're we've well
    were what what's when where whether which while who whoever why with without would write yes yesterday yet you
    you'd you'll you're you've your
"""
_FIRST_WORDS = frozenset(_COMMON_WORDS.split())
"""Words that are no names: a sentence that begins with one of them may begin small."""
_NOT_AN_END = r"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bProf)(?<!\bNo)(?<!\bvs)(?<!e\.g)(?<!i\.e)(?<!\.\.)"
_FIRST = re.compile(
    rf"((?:\A|\n[^\S\n]*\n|(?:{_NOT_AN_END}\.|[!?])[\"'”’)]*\s+)[\"'“‘(]*)"
    r"([^\W\d_]+(?:['’][^\W\d_]+)*)(?![\w@/]|[.:]\w)"
)
"""What stands before the first word of a sentence, and that word, unless it begins an address."""
_LAST_STOP = re.compile(r"(?<![.\W])(?<!\.\w)\.(?=\s*\Z)")
_NO_STOP = re.compile(r"(?<![\w/.@])(?:[^\W_]+(?:['’][^\W_]+)*)[\"'”’)]*(?=\s*\Z)")
"""A last word, and no address, that no mark follows."""
_SMALL_I = re.compile(r"(?<![\w.'’-])i(?=['’](?:m|ve|ll|d)\b|\s+[a-z])")
_LARGE_I = re.compile(
    r"(?<![\w.'’-])(?<!War )(?<!Part )(?<!Type )(?<!Phase )(?<!Stage )(?<!Level )(?<!Class )I"
    r"(?=['’](?:m|ve|ll|d)\b|,?\s+[a-z])"
)

_NOT = {
    "do": "don't",
    "does": "doesn't",
    "did": "didn't",
    "is": "isn't",
    "are": "aren't",
    "was": "wasn't",
    "were": "weren't",
    "have": "haven't",
    "has": "hasn't",
    "had": "hadn't",
    "would": "wouldn't",
    "could": "couldn't",
    "should": "shouldn't",
    "will": "won't",
}
_ENDS = {"am": "'m", "are": "'re", "is": "'s", "will": "'ll"}
_BOTH_NOT = re.compile(rf"\b({'|'.join(_NOT)}) not\b(?! only\b)", re.IGNORECASE)
_CANNOT = re.compile(r"\b(c)annot\b", re.IGNORECASE)
_ASIDE = r"(?<!\bwho )(?<!\bwhat )(?<!\bwhere )(?<!\bhow )(?<!\bas )(?<!\bthan )(?<!\bwhich )"
"""After these a pronoun may stand alone with its verb, as in "who I am"."""
_PRONOUN_VERB = re.compile(
    rf"{_ASIDE}\b(?:(I) (am)|(you|we|they) (are)|(he|she|it|that|there) (is)|(I|you|we|they|he|she|it) (will))"
    r"(?= [a-z])(?! (?:and|or|but|if|because|when|now|not)\b)",
    re.IGNORECASE,
)

_PLAIN_NOT = {short: f"{verb} not" for verb, short in _NOT.items()} | {
    "can't": "cannot",
    "won't": "will not",
    "mustn't": "must not",
    "needn't": "need not",
    "shan't": "shall not",
}
_SHORT_NOT = re.compile(rf"\b({'|'.join(_PLAIN_NOT).replace(chr(39), '[' + chr(39) + '’]')})\b", re.IGNORECASE)
_ASKED = re.compile(
    rf"((?:\A|[.!?,;:\n][^\S\n]*|\b(?:why|how|what|who|when|where|and|but|or) )[\"'“‘(]*)"
    rf"({'|'.join(_PLAIN_NOT).replace(chr(39), '[' + chr(39) + '’]')}) (I|you|he|she|it|we|they)\b",
    re.IGNORECASE,
)
"""A question, in which the pronoun stands between the verb and "not"."""
_SHORT_VERB = re.compile(
    r"\b(?:(I)['’](m)|(you|we|they)['’](re)|(I|you|we|they|he|she|it|that|there)['’](ll)|(I|you|we|they)['’](ve)"
    r"|(I|you|he|she|we|they)['’](d)(?= (?:like|love|prefer|rather|appreciate|be|say|want|need|hate)\b)"
    r"|(it|that|there|what|he|she|who|where|how)['’](s)(?! (?:(?:been|got|had|gone|become|made|taken|done|left|never"
    r"|always|already|just|also|since)\b|\w+(?:ed|en)\b)))(?=[\s,.;!?]|\Z)",
    re.IGNORECASE,
)
_WHOLE = {"m": "am", "re": "are", "ll": "will", "ve": "have", "d": "would", "s": "is"}
_LONG_WORDS = {"gonna": "going to", "wanna": "want to", "kinda": "kind of", "dunno": "do not know", "gotta": "got to"}
_LONG = re.compile(rf"\b({'|'.join(_LONG_WORDS)})\b", re.IGNORECASE)
_LETS = re.compile(r"\b(let)['’]s(?= [a-z])", re.IGNORECASE)


def casual(text: str) -> str:
    """Return a message as somebody types it who does not care for form."""
    text = _BOTH_NOT.sub(lambda found: _like(_NOT[found[1].lower()], found[1]), text)
    text = _CANNOT.sub(r"\1an't", text)
    text = _PRONOUN_VERB.sub(lambda found: "".join(_short(*filter(None, found.groups()))), text)
    text = _FIRST.sub(lambda found: found[1] + _small(found[2]), text)
    return _LAST_STOP.sub("", _LARGE_I.sub("i", text))


def formal(text: str) -> str:
    """Return a message as somebody types it who does."""
    text = _ASKED.sub(lambda found: found[1] + _asked(found[2], found[3]), text)
    text = _SHORT_NOT.sub(lambda found: _like(_PLAIN_NOT[_straight(found[1])], found[1]), text)
    text = _SHORT_VERB.sub(lambda found: "{} {}".format(*_long(*filter(None, found.groups()))), text)
    text = _LETS.sub(r"\1 us", text)
    text = _LONG.sub(lambda found: _like(_LONG_WORDS[found[1].lower()], found[1]), text)
    text = _SMALL_I.sub("I", text)
    text = _FIRST.sub(lambda found: found[1] + _large(found[2]), text)
    return _NO_STOP.sub(lambda found: found[0] + ".", text)


def _short(pronoun: str, verb: str) -> str:
    return pronoun + _ENDS.get(verb.lower(), verb)


def _long(pronoun: str, end: str) -> tuple[str, str]:
    return pronoun, _WHOLE[end.lower()]


def _asked(verb: str, pronoun: str) -> str:
    """Return "do you not" for "don't you"."""
    whole = _PLAIN_NOT[_straight(verb)]
    return f"{_like(whole.removesuffix('not').strip(), verb)} {pronoun} not"


def _straight(word: str) -> str:
    return word.lower().replace("’", "'")


def _like(words: str, before: str) -> str:
    """Return words with a large first letter if what they replace has one."""
    return words[:1].upper() + words[1:] if before[:1].isupper() else words


def _small(word: str) -> str:
    begins_small = word == "A" or (_straight(word) in _FIRST_WORDS and word[1:].islower())
    return word[:1].lower() + word[1:] if begins_small else word


def _large(word: str) -> str:
    return word[:1].upper() + word[1:] if word.islower() else word
