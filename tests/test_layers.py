"""The layers: every import points down, and one layer alone imports HELM."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from helm_impactbench.results import class_names

PACKAGE = Path(__file__).parents[1] / "helm_impactbench"
LAYERS = (
    "_version", "errors", "tables", "files", "characters", "quoting", "prompts", "stats", "process", "benchmark", "llm",
    "targets", "conversation", "judging", "results", "suites", "analysis", "validity", "authoring", "rehearsal",
    "study", "helm", "outputs", "api", "cli",
)  # fmt: skip
"""Packages and single modules at the top of the package, lowest layer first."""
STORED_NAMES = "results/class_names"
"""The one module that may write where classes of a higher layer are: it owns what a run's files name."""
FACE = ("__init__", "__main__", "plugin")
"""What is above all layers."""
CLASS_PATH = re.compile(rf"helm_impactbench\.(?:{'|'.join(LAYERS)})\.[\w.]*")
"""A text that names a module or class of the package: an arrow that no import shows."""


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = node.module == "helm_impactbench"
            yield from (f"{node.module}.{name.name}" for name in node.names) if whole else (node.module,)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and CLASS_PATH.fullmatch(node.value):
            yield node.value


def _wrong() -> Iterator[str]:
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).with_suffix("").as_posix()
        layer = module.split("/")[0]
        if layer in FACE or module == STORED_NAMES:
            continue
        for imported in _imports(path):
            first, _, rest = imported.partition(".")
            target = rest.split(".")[0]
            own = first == "helm_impactbench"
            if (first == "helm" and layer != "helm") or (own and _points_up(layer, target)):
                yield f"{module} -> {imported}"


def _points_up(layer: str, target: str) -> bool:
    return layer not in LAYERS or target not in LAYERS or LAYERS.index(target) > LAYERS.index(layer)


def test_imports_point_down_and_helm_is_imported_in_one_room() -> None:
    """No module imports one of a higher layer, and nothing below helm/ imports HELM."""
    assert sorted(_wrong()) == []


def _graph() -> dict[str, set[str]]:
    """Return module -> the modules of the package that it imports, anywhere in it."""
    modules = {
        path.relative_to(PACKAGE.parent).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__"): path
        for path in PACKAGE.rglob("*.py")
    }
    graph: dict[str, set[str]] = {}
    for module, path in modules.items():
        froms = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                 if isinstance(node, ast.ImportFrom) and node.module]  # fmt: skip
        names = ((node.module or "", f"{node.module}.{name.name}") for node in froms for name in node.names)
        graph[module] = {name if name in modules else place for place, name in names if place in modules}
    return graph


def test_no_two_files_import_each_other() -> None:
    """There is no circle of modules, imports inside functions included."""
    try:
        TopologicalSorter(_graph()).prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None


def test_a_class_name_has_one_meaning() -> None:
    """No two modules of the package define a class of the same name."""
    where: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                where.setdefault(node.name, []).append(path.relative_to(PACKAGE).as_posix())
    assert {name: paths for name, paths in where.items() if len(paths) > 1} == {}


def test_the_classes_that_runs_name_are_where_they_say() -> None:
    """HELM can import every class of ours that a run's files name."""
    for name in (class_names.CONVERSATION_SCENARIO, class_names.ANSWER_SCENARIO, class_names.ANNOTATOR_CLASS,
                 class_names.METRIC_CLASS):  # fmt: skip
        module, _, member = name.rpartition(".")
        assert isinstance(getattr(importlib.import_module(module), member), type)
