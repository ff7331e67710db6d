"""The layers: every import points down, and one layer alone imports HELM."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "helm_impactbench"
LAYERS = (
    "errors", "tables", "files", "characters", "quoting", "prompts", "stats", "process", "benchmark", "llm", "conversation",
    "judging", "results", "analysis", "validity", "authoring", "rehearsal", "suites", "study", "helm", "outputs", "cli",
)  # fmt: skip
"""Packages and single modules at the top of the package, lowest layer first."""
FACE = ("__init__", "__main__", "api", "plugin")
"""What is above all layers."""


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = node.module == "helm_impactbench"
            yield from (f"{node.module}.{name.name}" for name in node.names) if whole else (node.module,)


def _wrong() -> Iterator[str]:
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).with_suffix("").as_posix()
        layer = module.split("/")[0]
        if layer in FACE:
            continue
        for imported in _imports(path):
            first, _, rest = imported.partition(".")
            target = rest.split(".")[0]
            own = first == "helm_impactbench" and target != "__version__"
            if (first == "helm" and layer != "helm") or (own and _points_up(layer, target)):
                yield f"{module} -> {imported}"


def _points_up(layer: str, target: str) -> bool:
    return layer not in LAYERS or target not in LAYERS or LAYERS.index(target) > LAYERS.index(layer)


def test_imports_point_down_and_helm_is_imported_in_one_room() -> None:
    """No module imports one of a higher layer, and nothing below helm/ imports HELM."""
    assert sorted(_wrong()) == []
