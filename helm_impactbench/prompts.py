"""Prompt templates: every word that is sent to a model, one template per file in prompts/.

Templates are filled in one pass (Jinja2), so inserted text is never read as a template. The names of the holes are
declared where the template is loaded: a missing or an unknown hole fails there and not in the middle of a run.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, StrictUndefined, Template, TemplateError, meta

from helm_impactbench.errors import PromptError
from helm_impactbench.files.resources import shipped

_ENVIRONMENT = Environment(
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    autoescape=False,  # noqa: S701 - plain text for models, not HTML
)

_DELIMITERS = (
    "applies",
    "behaviour",
    "behaviour_under_pressure",
    "benchmark",
    "definition",
    "demographic",
    "direction",
    "example",
    "fact",
    "goal",
    "hidden_goal",
    "near_miss",
    "persona",
    "reasoning",
    "scenario",
    "score",
    "seed",
    "setting",
    "transcript",
    "turn",
)
_HARMLESS = "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}"
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e01ef"
)
"""Characters that show nothing: zero-width spaces, joiners, marks of direction, variation selectors, tags."""
_OPENING = "<\u276e\u27e8\u3008\ufe64\uff1c"
"""The angle bracket, and characters that a reader takes for one."""
_SLASH = "/\\\u2044\u2215\u29f8\uff0f"

# Texts are compared in a plain form of equal length: one bracket, one slash, one character for everything invisible and
# one for every letter that is not ASCII, each of which may look like one that is.
_ALIKE = str.maketrans({**dict.fromkeys(_OPENING, "<"), **dict.fromkeys(_SLASH, "/")})
_BRACKET = re.compile(f"[{_OPENING}]")
_UNSEEN, _FOREIGN = "\0", "\x80"
_UNSEEN_CHARACTER = re.compile(f"[{_INVISIBLE}]")
_FOREIGN_SPACE = re.compile(r"(?![\x00-\x7f])\s")
_FOREIGN_CHARACTER = re.compile(r"[^\x00-\x7f]")


def _plain(text: str) -> str:
    text = _UNSEEN_CHARACTER.sub(_UNSEEN, text.translate(_ALIKE))
    return _FOREIGN_CHARACTER.sub(_FOREIGN, _FOREIGN_SPACE.sub(" ", text)).lower()


def _disguised(name: str) -> str:
    """Return a pattern for `name` in plain form, with invisible characters in it or letters of other alphabets."""
    return f"{_UNSEEN}*".join(f"[{letter}{_FOREIGN}]" for letter in name)


_BETWEEN = rf"[\s{_UNSEEN}]*"


@cache
def _forged(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return what a bracket before one of these names looks like in plain form."""
    either = "|".join(_disguised(name.lower()) for name in names)
    return re.compile(rf"<(?={_BETWEEN}(?:/{_BETWEEN})?(?:{either})(?![a-z0-9_]))")


@dataclass(frozen=True)
class Prompt:
    """A loaded template."""

    name: str
    text: str
    template: Template

    def fill(self, **values: Any) -> str:
        """Return the text with all holes filled. Raises PromptError when the values do not fit the holes."""
        try:
            return self.template.render(**values).strip()
        except TemplateError as error:
            raise PromptError(f"Prompt {self.name}: {error}") from error


def load_prompt(name: str, holes: Iterable[str]) -> Prompt:
    """Load prompts/<name>.txt. Raises PromptError unless its holes are exactly `holes`."""
    path = shipped("prompts", f"{name}.txt")
    try:
        text = path.read_text(encoding="utf-8")
        used = meta.find_undeclared_variables(_ENVIRONMENT.parse(text))
        template = _ENVIRONMENT.from_string(text)
    except OSError as error:
        raise PromptError(f"Prompt {path} cannot be read: {error.strerror}") from error
    except TemplateError as error:
        raise PromptError(f"Prompt {path} is no valid template: {error}") from error
    missing, unknown = sorted(set(holes) - used), sorted(used - set(holes))
    if missing or unknown:
        raise PromptError(
            f"Prompt {path}: holes that the text lacks: {', '.join(missing) or 'none'}; holes that nothing fills: "
            f"{', '.join(unknown) or 'none'}"
        )
    return Prompt(name, text, template)


def neutralise(text: str, names: tuple[str, ...] = _DELIMITERS) -> str:
    """Return `text` with delimiters made harmless, our own or `names`: quoted words cannot close or open a section.

    Also those in disguise: other brackets, invisible characters, look-alike letters. A character replaces a character,
    so that places in the result are places in `text`.
    """
    found = _forged(names).finditer(_plain(text)) if names and _BRACKET.search(text) else ()
    forged = [match.start() for match in found]
    letters = list(text) if forged else []
    for place in forged:
        letters[place] = _HARMLESS
    return "".join(letters) if forged else text


def prompts_digest(prompts: Iterable[Prompt]) -> str:
    """Return the SHA-256 (hex) of several templates; it changes when any of their texts changes."""
    digest = hashlib.sha256()
    for prompt in sorted(prompts, key=lambda prompt: prompt.name):
        digest.update(f"{prompt.name}\0{prompt.text}\0".encode())
    return digest.hexdigest()
