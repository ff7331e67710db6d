"""A system prompt of one's own for the target, from a file: `system_prompt=FILE`."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helm_impactbench.characters import is_blank
from helm_impactbench.files.safe_read import IntakeError, decoded, read_bytes

_MOST_BYTES = 200_000
_DIGITS = 8
_REFERENCE = re.compile(rf"(?P<path>.+)@(?P<digest>[0-9a-f]{{{_DIGITS}}})")


@dataclass(frozen=True)
class SystemPrompt:
    """What the target is told before a conversation."""

    path: str
    """As it was given."""
    text: str = field(repr=False)

    @property
    def digest(self) -> str:
        """Of the text: under one name, another text is another arm."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:_DIGITS]

    @property
    def reference(self) -> str:
        """The path with the digest, as a run's files have it."""
        return f"{self.path}@{self.digest}"

    def __str__(self) -> str:
        """Return what a run's name has: the file's name and the digest."""
        return f"{re.sub(r'[^A-Za-z0-9._-]+', '-', Path(self.path).stem)}-{self.digest}"


def read_system_prompt(value: Any) -> SystemPrompt:
    """Return the prompt in a file, named alone or with its digest. Raises ValueError that says what is allowed."""
    if isinstance(value, SystemPrompt):
        return value
    given = str(value).strip()
    known = _REFERENCE.fullmatch(given)
    path = known["path"] if known else given
    try:
        if not Path(path).is_file():
            raise ValueError(f"the path of a text file, and there is none at {path}")
        text = decoded(read_bytes(Path(path), _MOST_BYTES)).strip()
    except IntakeError as error:
        raise ValueError(f"the path of a text file, and {path} {error}") from None
    if is_blank(text):
        raise ValueError(f"the path of a text file, and {path} is empty")
    prompt = SystemPrompt(path, text)
    if known and known["digest"] != prompt.digest:
        raise ValueError(f"as it was when the run began, and {path} has changed since; begin the run again")
    return prompt
