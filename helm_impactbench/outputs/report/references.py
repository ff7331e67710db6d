"""Scripted models that the others of a suite are read against: lines in its charts, not rows. Pure.

Reference bots (results.references) are no models, and are not among these.
"""

from __future__ import annotations

from collections.abc import Iterable

from helm_impactbench.results.references import PREFIX


def scripts_beside(models: Iterable[str]) -> frozenset[str]:
    """Return the scripts among a suite's models; none where there is nothing but scripts: a rehearsal."""
    known = set(models)
    scripts = {model for model in known if model.startswith(PREFIX)}
    return frozenset(scripts if scripts < known else ())
