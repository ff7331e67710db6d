"""Groups of people in the words of a reader: "adults" for the level "adult (18+)". Pure."""

from __future__ import annotations

from helm_impactbench.analysis.people import ADULTS, MINORS

_WORDS = {ADULTS: "adults", MINORS: "children and teenagers"}


def group_words(level: str) -> str:
    """Return a level of an axis of people as a chart names it; one of an author's own as it is."""
    return _WORDS.get(level, level)


def person_words(levels: str) -> str:
    """Return the levels of one person, as a list of conversations has them, in the words of a reader."""
    return levels.replace(ADULTS, "adult").replace(MINORS, "child or teenager")
