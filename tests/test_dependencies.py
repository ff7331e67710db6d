"""Whatever is imported is declared, so that no installation rests on what another library happens to bring."""

from __future__ import annotations

import ast
import configparser
import re
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = {"helm_impactbench", "tools", "bench", "tests"}


def _imported(folder: str) -> Iterator[tuple[str, Path]]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((alias.name, path) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield node.module, path


def _names(requirements: str) -> set[str]:
    """Return the names in lines of requirements, spelled as PEP 503 does."""
    lines = (line.strip() for line in requirements.splitlines())
    return {_normal(re.split(r"[^\w.-]", line)[0]) for line in lines if line and not line.startswith("#")}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _declared(*extras: str) -> set[str]:
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    parts = (config["options"]["install_requires"], *(config["options.extras_require"][extra] for extra in extras))
    return set().union(*map(_names, parts))


@pytest.mark.parametrize("folder", ["helm_impactbench", "tools", "bench", "tests"])
def test_whatever_is_imported_is_declared_in_setup_cfg(folder: str) -> None:
    """The package's imports by install_requires alone; what only maintainers run, also by the extra dev."""
    declared = _declared() if folder == "helm_impactbench" else _declared("dev")
    if folder == "tools":
        declared |= _names((ROOT / "tools/requirements.txt").read_text(encoding="utf-8"))
    if folder == "tests":
        declared |= _names((ROOT / "locks/local-model.txt").read_text(encoding="utf-8"))
    distributions = packages_distributions()
    missing = {
        f"{top} in {path.relative_to(ROOT)}"
        for name, path in _imported(folder)
        if (top := name.partition(".")[0]) not in OURS | sys.stdlib_module_names
        and not {_normal(one) for one in distributions.get(top, [top])} & declared
    }
    assert missing == set()


def test_what_is_declared_is_imported() -> None:
    """A library that the package no longer imports is not installed with it."""
    distributions = packages_distributions()
    imported = {name.partition(".")[0] for name, _ in _imported("helm_impactbench")}
    used = {_normal(one) for top in imported for one in distributions.get(top, [top])}
    assert _declared() - used == set()
