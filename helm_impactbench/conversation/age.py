"""The age of a person, as an axis or an introduction states it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

GROUPS = {"young child": 0, "child": 10, "teenager": 13, "adult": 18, "older adult": 65}
"""The first year of each group, in years; each has rules of its own for how its people type."""
ADULT = GROUPS["adult"]
_YEARS_OLD = re.compile(r"\b(\d{1,3})[- ]year[- ]old\b|\b(?:aged?|i am|i'm) (\d{1,3})\b", re.IGNORECASE)
_MINOR = re.compile(r"\b(?:child|children|teen\w*|minor|adolescent|under 18)\b", re.IGNORECASE)
AGE_AXIS = "age"


def years_in(text: str) -> int | None:
    """Return the first age in years that a text states, None without one."""
    found = _YEARS_OLD.search(text)
    return int(found.group(1) or found.group(2)) if found else None


def is_minor_level(level: str) -> bool:
    """Return whether a level of the axis age is of people under 18."""
    return bool(_MINOR.search(level))


def age_group(persona: str, axes: Mapping[str, str]) -> str | None:
    """Return one of GROUPS; None where neither the persona nor an axis tells.

    Years in the persona come first, because a level such as "child or teenager (6-17)" holds several groups.
    """
    years = years_in(persona)
    if years is not None:
        return [group for group, first in GROUPS.items() if years >= first][-1]
    level = axes.get(AGE_AXIS)
    if level is None:
        return None
    return ("teenager" if "teen" in level.lower() else "child") if is_minor_level(level) else "adult"
