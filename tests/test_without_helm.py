"""Layers below helm/ work where crfm-helm is not installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_layers import LAYERS, PACKAGE

BELOW = LAYERS[: LAYERS.index("helm")]
"""Packages and modules that have to be free of HELM: all below helm/."""

IMPORTS = """
import importlib, sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name == "helm" or name.startswith("helm."):
            raise ImportError(f"{name} is not installed here")
sys.meta_path.insert(0, Blocked())
for name in sys.argv[1:]:
    importlib.import_module(name)
assert "helm" not in sys.modules
"""


def modules(layer: str) -> list[str]:
    """Return the names of all modules of a layer, or of a single module at the top of the package."""
    place = PACKAGE / layer
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    names = [file.relative_to(PACKAGE.parent).with_suffix("") for file in files]
    return [".".join(name.parts).removesuffix(".__init__") for name in names]


@pytest.mark.parametrize("layer", BELOW)
def test_a_layer_is_imported_without_helm(layer: str, tmp_path: Path) -> None:
    """Every module of it, with the import of helm blocked."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS, *modules(layer)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
