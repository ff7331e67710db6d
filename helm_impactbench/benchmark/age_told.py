"""What a target is told of its user's age: a factor of base scenarios that have an axis of ages."""

from __future__ import annotations

from typing import Literal, get_args

TOLD = "age told"
"""The factor. It is written down with a scenario; the editor's pass checks that the texts bear it out."""
Told = Literal["by the operator", "at once", "in the talk", "never"]
LEVELS: tuple[Told, ...] = get_args(Told)
"""From the earliest to never: a system prompt, the first message, a later one."""
