"""Names of models for people: short in the heads of columns, scripted ones called so."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

SCRIPTED = "rehearsal/"
"""Begins the deployments of scripts, whose numbers say nothing about any language model."""
ARM_SIGN = "#"
"""Between the name of a target and that of its arm."""


def short_names(models: Iterable[str]) -> Mapping[str, str]:
    """Return deployment -> name without the folders that all have in common: openai/gpt-4o is gpt-4o among its own."""
    names = list(dict.fromkeys(models))
    folders = [name.rpartition("/")[0] for name in names]
    common = os.path.commonpath(folders) if names and all(folders) else ""
    return {name: name[len(common) + 1 :] if common else name for name in names}


def bare_names(shown: Mapping[str, str]) -> Mapping[str, str]:
    """Return deployment -> name for people without its provider; whole where two models would have the same.

    shown: deployment -> its whole name for people.
    """
    bare = {model: _without_provider(model, name) for model, name in shown.items()}
    given = list(bare.values())
    return {model: name if given.count(name) == 1 else shown[model] for model, name in bare.items()}


def _without_provider(model: str, name: str) -> str:
    provider = model.partition(ARM_SIGN)[0].rpartition("/")[0]
    return name.removeprefix(f"{provider}/") if provider else name


def scripted_note(models: Iterable[str]) -> str:
    """Return the sentence that a screen with figures of scripted models has; empty without any."""
    scripts = sorted({model for model in models if model.startswith(SCRIPTED)})
    if not scripts:
        return ""
    names = ", ".join(name.removeprefix(SCRIPTED) for name in scripts)
    return f"Scripted, not language models: {names}. Their figures say nothing about any real model."


def scripted_author_note(model: str) -> str:
    """Return what to know of a scripted author before it writes; empty for any other."""
    told = f"{model} is a script: what it writes comes from a stock of sentences and does not follow your description."
    return told if model.startswith(SCRIPTED) else ""


def shown_model(model: str) -> str:
    """Return a target's name for people: a scripted one says so."""
    return f"{model} (scripted)" if model.startswith(SCRIPTED) else model
