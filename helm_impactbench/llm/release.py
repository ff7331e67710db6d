"""Releases of a target: how they are named, and how the calls to one are told from those to another (pure).

A product changes behind its name. Its release is part of what a stored answer is kept under, and of nothing else: the
simulated user and the judges are asked as before.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_MARK = "\nrelease "
_CALL_LENGTH = 12
"""Hexadecimal digits: among a million calls, two of one name are not to be expected."""


def read_release(value: Any) -> str:
    """Return the name of a release; `@` may stand before it, as helm-run reads 1.10 as the number 1.1, and not @1.10.

    Raises ValueError that says what is allowed.
    """
    name = value.strip().removeprefix("@") if isinstance(value, str) else ""
    if not _NAME.fullmatch(name):
        raise ValueError(
            "up to 100 letters, digits, dots, dashes and underscores that begin with a letter or digit, for example v2 "
            'or 2026-06-01; what looks like a number is @1.10 in a run entry, and "1.10" in quotes in a study file'
        )
    return name


def written_release(name: str) -> str:
    """Return a release as a run entry has it: with `@` before what helm-run would take for a number."""
    try:
        float(name)
    except ValueError:
        return name
    return f"@{name}"


def seed_and_release(seed: str, release: str) -> str:
    """Return both in the one text that HELM's requests have room for, and that every client has in its cache key."""
    return f"{seed}{_MARK}{release}" if release else seed


def seed_alone(text: str | None) -> str | None:
    """Return the seed of what `seed_and_release` returned: all that a provider gets."""
    return text and (text.partition(_MARK)[0] or None)


def stored_call(time: int, seconds: float, words: str) -> str:
    """Return what names one call of a model: when it was asked, how long it took, what came; empty without a time.

    A stored answer keeps all three, in every client of HELM's, so that one that comes from the cache has the same name
    again, and no other call has it. time: seconds since the epoch. seconds: of the call.
    """
    return hashlib.sha256(f"{time} {seconds!r} {words}".encode()).hexdigest()[:_CALL_LENGTH] if time else ""
