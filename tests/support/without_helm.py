"""HELM as if it were not installed, for the unit tests of the layers below helm/: make test-without-helm."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType

VARIABLE = "IMPACTBENCH_WITHOUT_HELM"


class _Blocked:
    """Refuses every import of HELM."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        if name == "helm" or name.startswith("helm."):
            raise ImportError(f"{name} is not installed here")


def block() -> None:
    """Refuse every import of HELM from now on."""
    sys.meta_path.insert(0, _Blocked())
