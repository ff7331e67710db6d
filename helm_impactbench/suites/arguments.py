"""Arguments from Python, held to what the command line would take; each fault is an ImpactBenchError that names it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Integral, Real

from helm_impactbench.errors import ImpactBenchError, counted, did_you_mean


def names(argument: str, given: str | Iterable[str]) -> tuple[str, ...]:
    """Return the names that are given; a text is one name. Raises ImpactBenchError for what is no names."""
    if isinstance(given, str):
        return (given,)
    found = tuple(given) if isinstance(given, Iterable) else (None,)
    if not all(isinstance(one, str) for one in found):
        raise ImpactBenchError(f"{argument} is {given!r}. Give a name, or a list of names.")
    return tuple(map(str, found))


def check_name(argument: str, given: object, what: str) -> None:
    """Raise ImpactBenchError unless a name is given. what: it is, in words."""
    if not isinstance(given, str) or not given:
        raise ImpactBenchError(f"{argument} is {given!r}. Give {what}.")


def check_number_of(argument: str, given: Sequence[str] | None, number: int, what: str) -> None:
    """Raise ImpactBenchError unless nothing, or that many names are given. what: they are, in words."""
    if given is not None and (isinstance(given, str) or len(names(argument, given)) != number):
        raise ImpactBenchError(f"{argument} is {given!r}. Give {counted(number, 'name')}: {what}.")


def check_choice(argument: str, given: object, allowed: Iterable[str]) -> None:
    """Raise ImpactBenchError unless what is given is allowed."""
    choices = list(allowed)
    if given not in choices:
        near = did_you_mean(given, choices) if isinstance(given, str) else ""
        one = "" if len(choices) == 1 else "one of "
        raise ImpactBenchError(f"{argument} is {given!r}. Write {one}{', '.join(choices)}.{near}")


def check_number(
    argument: str,
    given: float | None,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    low_open: bool = False,
    high_open: bool = False,
    whole: bool = False,
) -> None:
    """Raise ImpactBenchError unless nothing, or a finite number in a range is given. whole: without a fraction."""
    if given is None:
        return
    is_number = isinstance(given, Integral if whole else Real) and not isinstance(given, bool)
    if is_number and math.isfinite(given):
        above = given > low if low_open else given >= low
        if above and (given < high if high_open else given <= high):
            return
    ends = [
        f"{'above' if low_open else 'of at least'} {low:,.9g}" if low > -math.inf else "",
        f"{'below' if high_open else 'at most'} {high:,.9g}" if high < math.inf else "",
    ]
    what = " ".join(["a whole number" if whole else "a number", " and ".join(filter(None, ends))]).strip()
    raise ImpactBenchError(f"{argument} is {given!r}. Give {what}.")
