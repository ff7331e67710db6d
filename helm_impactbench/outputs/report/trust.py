"""The line of small labels at the top of the front page: the judge first, then how much was run, and when. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from helm_impactbench.validity.judge_trust import State

_JUDGE: dict[State, str] = {
    "failed": "The judge failed its check",
    "scripted": "The judge is a script",
    "not checked": "The judge was not checked",
    "checked": "The judge was checked",
}
"""State -> label."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def judge_words(state: State | None) -> str:
    """Return in a few words how far the judges can be trusted; None: no judge was asked."""
    return _JUDGE[state] if state else "No judge was asked"


def months(days: Iterable[date | None]) -> str:
    """Return the months in which runs were finished, as Nov 2026 or Oct 2026 to Nov 2026; empty for no day."""
    known = sorted(day for day in days if day)
    shown = dict.fromkeys(f"{_MONTHS[day.month - 1]} {day.year}" for day in known[:1] + known[-1:])
    return " to ".join(shown)
