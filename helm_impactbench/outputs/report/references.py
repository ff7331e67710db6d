"""Scripts that the other models of a suite are read against: lines in its charts, not rows. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from helm_impactbench.helm.own_names import REHEARSAL_PREFIX
from helm_impactbench.rehearsal.nulls import NULLS


def reference_models(models: Iterable[str]) -> frozenset[str]:
    """Return the references among a suite's models.

    Every script is one where any model is none; in a rehearsal, those that say nothing of their own, beside others.
    """
    known = set(models)
    scripts = {model for model in known if model.startswith(REHEARSAL_PREFIX)}
    nulls = scripts & {REHEARSAL_PREFIX + name for name in NULLS}
    found = scripts if scripts < known else nulls
    return frozenset(found if found < known else ())
