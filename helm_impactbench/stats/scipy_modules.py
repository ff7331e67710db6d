"""scipy's modules, imported when a function of theirs is first used.

helm-run needs no statistics before its first call, and many commands need none at all; the import takes a sixth of a
second.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class _Later:
    """Stands for a module that is not imported yet."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


distance: Any = _Later("scipy.spatial.distance")
optimize: Any = _Later("scipy.optimize")
special: Any = _Later("scipy.special")
stats: Any = _Later("scipy.stats")
