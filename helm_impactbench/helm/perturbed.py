"""HELM's data augmentation in a conversation: the levels of the axis `wording` that are nearest to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from helm.benchmark.augmentations.perturbation import PerturbationSpec

from helm_impactbench.benchmark.files import load_split
from helm_impactbench.benchmark.selection import usual_axes
from helm_impactbench.benchmark.wordings import AS_WRITTEN, AXIS, WORDINGS, Wording
from helm_impactbench.conversation.run_options import RunOptions
from helm_impactbench.errors import RunEntryError

WORDING_OF: dict[str, Wording] = {
    "TyposPerturbation": "typos",
    "MisspellingPerturbation": "typos",
    "LowerCasePerturbation": "casual",
    "ContractionPerturbation": "casual",
    "ExpansionPerturbation": "formal",
}
"""HELM's class -> our level. How often HELM perturbs a word is left out of account."""
NAMES = "typo_..., misspelling_mild, misspelling_medium, misspelling_hard, lower and contract"
"""What HELM calls sets of these in data_augmentation=."""


def worded(entry: str, perturbations: Sequence[PerturbationSpec], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a HELM scenario of ours, with the axis `wording` at the levels that are meant.

    As in HELM, the messages as written are among them. Raises RunEntryError for perturbations that are none of these,
    and for options that do not go with the axis.
    """
    strange = [name for name in map(_short_name, perturbations) if name not in WORDING_OF]
    idle = [_short_name(one) for one in perturbations if one.args.get("prob") == 0]
    if strange or idle:
        what = f"{', '.join(strange)}: not known for conversations" if strange else f"{idle[0]} with probability 0"
        raise RunEntryError(
            f"Run entry {entry}: data_augmentation= would only repeat the same conversation ({what}). Conversations "
            f"take {NAMES}, or the axis itself: axes={AXIS}, with levels= of {', '.join(WORDINGS)}."
        )
    meant = {AS_WRITTEN, *(WORDING_OF[_short_name(one)] for one in perturbations)}
    axes = arguments.get("axes")
    if axes is None:
        axes = usual_axes(load_split(arguments["benchmark"], arguments.get("split", "all")))
    levels = [*filter(None, [arguments.get("levels", "")]), *(level for level in WORDINGS if level in meant)]
    changed = {**arguments, "axes": list(dict.fromkeys([*axes, AXIS])), "levels": "+".join(levels)}
    RunOptions.model_validate({name: value for name, value in changed.items() if name != "content"})
    return changed


def _short_name(perturbation: PerturbationSpec) -> str:
    return perturbation.class_name.rpartition(".")[2]
