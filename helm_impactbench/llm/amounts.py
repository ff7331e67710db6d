"""Numbers that a provider, a file or a person gives, taken only where they can be what they claim to be (pure)."""

from __future__ import annotations

_MOST_DIGITS = 64


def amount(value: object, most: float) -> float | None:
    """Return a number from 0 to `most`; text such as "1e-6", which YAML 1.1 does not read as a number, counts as one.

    None for everything else: no number, a truth value, a negative, infinite or larger number, NaN.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value[: _MOST_DIGITS + 1] if isinstance(value, str) else value)
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number <= most else None


def count(value: object, most: int) -> int | None:
    """Return a whole number from 0 to `most`, None for everything else."""
    number = amount(value, most)
    return int(number) if number is not None and number.is_integer() else None
