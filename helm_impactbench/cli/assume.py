"""What `impactbench power --assume` is told, from text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from helm_impactbench.errors import ImpactBenchError, did_you_mean

if TYPE_CHECKING:
    from helm_impactbench.stats.assumed import Assumed

SHARES = ("rate", "icc", "repeat", "alike")
COUNTS = {"variants": 1_000, "samples": 1_000, "levels": 100}
"""Name -> most."""


def assumed_of(text: str) -> tuple[Assumed, int]:
    """Return the assumptions in a text like rate=0.7,icc=0.3, and the levels of an axis that are compared; 0 for none.

    Raises ImpactBenchError.
    """
    from helm_impactbench.stats.assumed import Assumed

    given: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if name in given:
            raise ImpactBenchError(f"--assume sets {name} twice. Set it once.")
        given[name] = _read(name, value)
    if "rate" not in given:
        raise ImpactBenchError(
            f"--assume {text} has no rate. Write rate=0.7, and further settings of {', '.join(_names())} if you like."
        )
    counts = {name: int(given[name]) for name in COUNTS if name in given}
    levels = counts.pop("levels", 0)
    shares = {name: given[name] for name in SHARES if name in given}
    if shares.get("repeat", 1.0) < shares.get("icc", 0.3):
        raise ImpactBenchError(
            f"--assume: repeat={shares['repeat']:g} is below icc={shares.get('icc', 0.3):g}. It must be at least "
            "icc, because samples of one variant resemble each other no less than variants do"
        )
    return Assumed(**{**shares, **counts}), levels  # type: ignore[arg-type]


def _read(name: str, text: str) -> float:
    if name not in _names():
        allowed = ", ".join(_names())
        raise ImpactBenchError(f"--assume knows no {name!r}. Choose from {allowed}.{did_you_mean(name, _names())}")
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if name in SHARES and not 0 <= value <= 1:
        raise ImpactBenchError(f"--assume: {name} cannot be {text!r}; it must be a number from 0 to 1.")
    least = 2 if name == "levels" else 1
    if name in COUNTS and not (value.is_integer() and least <= value <= COUNTS[name]):
        raise ImpactBenchError(
            f"--assume: {name} cannot be {text!r}; it must be a whole number from {least} to {COUNTS[name]}."
        )
    return value


def _names() -> list[str]:
    return [*SHARES, *COUNTS]
