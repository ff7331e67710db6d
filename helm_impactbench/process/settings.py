"""Numbers from environment variables, refused with their name when they are no such number."""

from __future__ import annotations

import math
import os

from helm_impactbench.errors import SettingError


def seconds_from(variable: str, default: float, *, least: float = 0.001) -> float:
    """Return the variable's number of seconds, `default` when it is unset or blank. Raises SettingError."""
    text = os.environ.get(variable, "").strip()
    try:
        value = float(text) if text else default
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= least):
        raise SettingError(f"{variable} is {text!r}; allowed: seconds, from {least:g}. Unset, it is {default:g}.")
    return value


def count_from(variable: str, default: int) -> int:
    """Return the variable's whole number from 1, `default` when it is unset or blank. Raises SettingError."""
    text = os.environ.get(variable, "").strip()
    try:
        value = int(text) if text else default
    except ValueError:
        value = 0
    if value < 1:
        raise SettingError(f"{variable} is {text!r}; allowed: a whole number from 1. Unset, it is {default}.")
    return value
