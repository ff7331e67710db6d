"""Seeded typing noise for hurried users. The same seed gives the same noise on every machine."""

from __future__ import annotations

import hashlib
import random
import re

LETTERS_PER_TYPO = 30
"""One slip in about 30 letters: hurried typing on a phone, still readable."""

_NEIGHBOURS = {
    "a": "sq",
    "b": "vn",
    "c": "xv",
    "d": "sf",
    "e": "wr",
    "f": "dg",
    "g": "fh",
    "h": "gj",
    "i": "uo",
    "j": "hk",
    "k": "jl",
    "l": "k",
    "m": "n",
    "n": "bm",
    "o": "ip",
    "p": "o",
    "q": "wa",
    "r": "et",
    "s": "ad",
    "t": "ry",
    "u": "yi",
    "v": "cb",
    "w": "qe",
    "x": "zc",
    "y": "tu",
    "z": "x",
}
_WORD = re.compile(r"[^\W\d_]{4,}")


def seeded_random(*parts: object) -> random.Random:
    """Return a random generator that depends on `parts` alone (not on Python's salted hash)."""
    digest = hashlib.sha256("\0".join(map(str, parts)).encode("utf-8", "surrogatepass")).digest()
    return random.Random(int.from_bytes(digest[:8], "big"))  # noqa: S311 - noise, not secrets


def add_typos(text: str, *seed: object) -> str:
    """Return `text` with about one slip per 30 letters, and at least one where any word has four letters or more.

    First letters stay, numbers stay, and no word gets two slips, so that the meaning survives.
    """
    rng = seeded_random("typos", *seed)
    words = [word for word in _WORD.finditer(text) if word.group().isalpha()]  # a raised 1 is no \d, and no letter
    letters = sum(len(word.group()) for word in words)
    wanted = min(len(words), max(1, round(letters / LETTERS_PER_TYPO))) if words else 0
    pieces, end = list[str](), len(text)
    for word in sorted(rng.sample(words, wanted), key=lambda word: -word.start()):
        pieces += [text[word.end() : end], _slip(word.group(), rng)]
        end = word.start()
    return text[:end] + "".join(reversed(pieces))


def _slip(word: str, rng: random.Random) -> str:
    """Return `word` with one slip after its first letter: two letters swapped, one lost, doubled or mistyped."""
    for _ in range(8):
        i = rng.randrange(1, len(word) - 1)
        kind = rng.choice(("swap", "lose", "double", "neighbour"))
        if kind == "swap":
            slipped = word[:i] + word[i + 1] + word[i] + word[i + 2 :]
        elif kind == "lose":
            slipped = word[:i] + word[i + 1 :]
        elif kind == "double":
            slipped = word[: i + 1] + word[i:]
        else:
            slipped = word[:i] + rng.choice(_NEIGHBOURS.get(word[i].lower(), word[i])) + word[i + 1 :]
        if slipped != word:
            return slipped
    return word[:1] + word[2:]
