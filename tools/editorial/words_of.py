"""The words of world.yaml as patterns."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

import yaml


@cache
def world() -> dict[str, Any]:
    """Return the content of world.yaml."""
    content: dict[str, Any] = yaml.safe_load((files(__package__) / "world.yaml").read_text(encoding="utf-8"))
    return content


def listed(text: str) -> list[str]:
    """Return the entries of a list that is written as one text, with commas between them."""
    return re.split(r",\s+", text.strip())


def whole_words(text: str) -> re.Pattern[str]:
    """Return a pattern that finds any entry of a list as whole words, capitals or not."""
    return re.compile(rf"(?<![\w-])(?:{'|'.join(listed(text))})(?![\w-])", re.IGNORECASE)
