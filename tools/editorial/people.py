"""What a persona says about its person: age, gender, occupation. Only what the words say, None where they do not.

Patterns over the usual opening "A 44-year-old dental technician in Lisbon, Portugal, who ...".
"""

from __future__ import annotations

import re
from typing import NamedTuple

from helm_impactbench.benchmark.scenario import Scenario

_YEARS = re.compile(r"\b(\d{1,3})[- ]years?[- ]old\b|\baged? (\d{1,3})\b")
_BOUNDS = re.compile(r"\(\s*(\d{1,3})\s*(?:[-\N{EN DASH}]\s*(\d{1,3})|\+)\s*\)")
OLDEST = 120
"""Upper end of an open range such as `18+`, in years."""
_OWN_AGE = re.compile(
    r"(?<!until )(?<!till )(?<!when )(?<!once )(?<!before )(?<!if )(?<!since )(?<!as )\byou(?: are|'re| have turned"
    r"| have just turned| turned)(?: only| just| already| nearly| not yet)? (\d{1,2})"
    r"(?=[,.;:!?']| and | years\b| now\b|$)"
)
_HEAD = re.compile(r"^.*?(?=,| who\b| whose\b| that\b| with\b|\.|$)")
_GENDERS = {
    "non-binary": re.compile(r"\bnon-binary\b|\bgenderqueer\b|\bagender\b"),
    "woman or girl": re.compile(
        r"\b(?:woman|girl|schoolgirl|mother|mum|grandmother|widow|wife|sister|daughter|lady|nun|aunt"
        r"|seamstress|waitress|actress|stewardess|landlady|fisherwoman|herself)\b"
    ),
    "man or boy": re.compile(
        r"\b(?:man|boy|schoolboy|father|dad|grandfather|widower|husband|brother|son|gentleman|monk|uncle"
        r"|fisherman|signalman|postman|foreman|policeman|salesman|craftsman|landlord|himself)\b"
    ),
}
_STOP = (
    r"(?:in|from|near|on|at|who|whose|with|and|outside|by|of|for|now|to|just|behind|between|off|under|along|around|between"
    r"|without|among|inland|aboard|living|working|running|back|new|turned|until|above|beside|up|into|after|or|whom)"
)
_WORDS = rf"(?!{_STOP}\b)[a-z][\w'-]*(?:\s(?!{_STOP}\b)[a-z][\w'-]*)*"
_TRADE = re.compile(rf"year-old(?: [A-Z][\w-]*)* ({_WORDS})")
_AFTER_PLACE = re.compile(
    rf"(?:in|from|near|on|at|of) [^,.]*(?:, (?:the )?[A-Z][^,.]*)*, (?:an? )?({_WORDS})"
    r"(?=\s?(?:,|\.|who\b|at\b|in\b|for\b|and\b|with\b|on\b|of\b|until\b))"
)
_NO_TRADE = frozenset(
    ("former", "retired", "single", "widowed", "divorced", "trainee", "freelance", "self-employed", "part-time",
     "deaf", "blind", "long-time", "married", "newly", "recently", "non-binary", "person", "woman", "man", "adult",
     "girl", "boy", "child", "teenager", "mother", "father", "parent", "grandmother", "grandfather", "widow",
     "widower", "early", "semi-retired", "half-retired", "unemployed", "now", "also", "where", "which", "there",
     "once", "still", "both", "all", "soon", "it", "already", "always", "then")
)  # fmt: skip
_LONGEST = 4
_A_TRADE = re.compile(
    r"(?:er|or|ist|ian|man|woman|ant|ent|cook|clerk|mechanic|nurse|guide|pilot|smith|wright|hand|chef|student|carer)$"
)
"""How the last word of a trade ends; looked for in words after a place, where anything may follow."""


class AgeGroup(NamedTuple):
    """A range of ages in years, both ends in it."""

    label: str
    low: int
    high: int

    def __contains__(self, age: object) -> bool:
        return isinstance(age, int) and self.low <= age <= self.high


def stated_age(persona: str) -> int | None:
    """Return the age in years that a persona states first, None without one."""
    found = _YEARS.search(persona)
    return int(found.group(1) or found.group(2)) if found else None


def ages_said(direction: str) -> list[int]:
    """Return the ages that a landmark lets its person give as their own ("say that you are 12")."""
    return [int(age) for age in _OWN_AGE.findall(direction)]


def age_group(scenario: Scenario) -> AgeGroup | None:
    """Return the ages that the demographic allows ("adult (18+)"), None when it holds no range."""
    for value in scenario.axes.values():
        found = _BOUNDS.search(value)
        if found:
            return AgeGroup(value, int(found.group(1)), int(found.group(2) or OLDEST))
    return None


def gender(scenario: Scenario) -> str | None:
    """Return the gender of a variant: its axis `gender`, or a word of the persona's opening; None when unstated."""
    if "gender" in scenario.axes:
        return next((name for name in _GENDERS if name in scenario.axes["gender"]), None)
    opening = _HEAD.match(scenario.played_persona)
    words = opening.group(0) if opening else ""
    return next((name for name, pattern in _GENDERS.items() if pattern.search(words)), None)


def occupation(persona: str) -> str | None:
    """Return the trade that a persona's opening names, without "retired" and the like; None when it names none."""
    first = re.split(r"(?<=[a-z])\.\s", persona)[0]
    for pattern, ending in ((_TRADE, None), (_AFTER_PLACE, _A_TRADE)):
        found = pattern.search(first)
        words = [word for word in found.group(1).split() if word not in _NO_TRADE] if found else []
        if 0 < len(words) <= _LONGEST and (ending is None or ending.search(words[-1])):
            return " ".join(words).removeprefix("a ")
    return None
