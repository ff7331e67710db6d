"""Environment variables: numbers in them, refused with their name when they are none or out of bounds, and values that
processes hand down to those that they start."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from helm_impactbench.errors import SettingError

DAY = 86_400.0
"""Seconds; longer waits are slips, and some are too long for the system's own clocks."""
_SHOWN = 40


def seconds_from(variable: str, default: float, *, least: float = 0.1, most: float = DAY) -> float:
    """Return the variable's number of seconds, `default` when it is unset or blank. Raises SettingError."""
    value = number_from(
        variable, least, most, f"a number of seconds from {least:g} to {most:g}. Unset, it is {default:g}"
    )
    return default if value is None else value


def count_from(variable: str, default: int, *, most: int) -> int:
    """Return the variable's whole number from 1, `default` when it is unset or blank. Raises SettingError."""
    allowed = f"a whole number from 1 to {most}. Unset, it is {default}"
    value = number_from(variable, 1, most, allowed)
    if value is not None and not value.is_integer():
        raise _refused(variable, allowed)
    return default if value is None else int(value)


def share_from(variable: str, default: float) -> float:
    """Return the variable's share from 0 to 1, `default` when it is unset or blank. Raises SettingError."""
    value = number_from(variable, 0.0, 1.0, f"a share from 0 to 1, such as 0.25. Unset, it is {default:g}")
    return default if value is None else value


def number_from(variable: str, least: float, most: float, allowed: str, sign: str = "") -> float | None:
    """Return the variable's number, None when it is unset or blank; `sign` may stand before it.

    Raises SettingError, saying what is `allowed`, for what is no number or out of bounds.
    """
    text = os.environ.get(variable, "").strip().removeprefix(sign)
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not least <= value <= most:
        raise _refused(variable, allowed)
    return value


@contextmanager
def handing_down(values: Mapping[str, str]) -> Iterator[None]:
    """Let variables have these values meanwhile, in this process and in those that it starts."""
    before = {name: os.environ[name] for name in values if name in os.environ}
    os.environ.update(values)
    try:
        yield
    finally:
        for name in values:
            os.environ.pop(name, None)
        os.environ.update(before)


def _refused(variable: str, allowed: str) -> SettingError:
    return SettingError(f"{variable} is {os.environ[variable].strip()[:_SHOWN]!r}, but it must be {allowed}.")
