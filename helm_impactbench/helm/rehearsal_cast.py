"""The scripted models that are shipped: who they are, and that they are scripted, wherever HELM shows a name."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import yaml
from helm.benchmark.model_metadata_registry import (
    MODEL_NAME_TO_MODEL_METADATA,
    ModelMetadata,
    register_model_metadata,
)

from helm_impactbench.files.atomic_write import write_whole
from helm_impactbench.helm.own_names import CAST, REHEARSAL_PREFIX
from helm_impactbench.results.references import BOTS, reference_name

METADATA_FILE = "model_metadata.yaml"


def register_cast() -> None:
    """Give HELM the display names of the cast. Harmless when repeated."""
    for name in CAST:
        if name not in MODEL_NAME_TO_MODEL_METADATA:
            register_model_metadata(_metadata(name))


def write_metadata(local_path: Path) -> None:
    """Write the display names where helm-summarize, which loads no plug-ins, looks for them.

    A file of the user's own is left as it is: the rows are then called by the deployment, `rehearsal/...`.
    """
    path = local_path / METADATA_FILE
    models = [{"release_date": date(2026, 11, 1), **_shown(name)} for name in CAST]
    if not path.exists():
        header = "# The scripted rehearsal models of helm_impactbench. Add models of your own below.\n"
        write_whole(path, header + yaml.safe_dump({"models": models}, sort_keys=False, width=120))


def _shown(name: str) -> dict[str, object]:
    part = name.removeprefix(REHEARSAL_PREFIX)
    shown = reference_name(name).capitalize() if part in BOTS else f"Rehearsal {part}"
    return {
        "name": name,
        "creator_organization_name": "helm_impactbench (scripted)",
        "display_name": f"{shown} (scripted)",
        "description": f"A scripted stand-in, not a language model: {CAST[name]}.",
        "access": "open",
        "tags": [],  # no TEXT_MODEL_TAG, or HELM's `model=text` would run them
    }


def _metadata(name: str) -> ModelMetadata:
    return ModelMetadata(release_date=date(2026, 11, 1), **_shown(name))  # type: ignore[arg-type]
