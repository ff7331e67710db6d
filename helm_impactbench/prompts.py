"""Prompt templates: every word that is sent to a model, one template per file in prompts/.

Templates are filled in one pass (Jinja2), so inserted text is never read as a template. The names of the holes are
declared where the template is loaded: a missing or an unknown hole fails there and not in the middle of a run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
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
        raise PromptError(f"Prompt {path} is not a valid template: {error}") from error
    missing, unknown = sorted(set(holes) - used), sorted(used - set(holes))
    if missing or unknown:
        raise PromptError(
            f"Prompt {path}: placeholders that the text lacks: {', '.join(missing) or 'none'}; "
            f"placeholders that nothing fills: {', '.join(unknown) or 'none'}"
        )
    return Prompt(name, text, template)


def prompts_digest(prompts: Iterable[Prompt]) -> str:
    """Return the SHA-256 (hex) of several templates; it changes when any of their texts changes."""
    digest = hashlib.sha256()
    for prompt in sorted(prompts, key=lambda prompt: prompt.name):
        digest.update(f"{prompt.name}\0{prompt.text}\0".encode())
    return digest.hexdigest()
