"""What the code must never do, looked for in its syntax tree and in the files that it writes."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import helm_impactbench
from helm_impactbench.files import safe_yaml
from helm_impactbench.files.atomic_write import write_whole
from tests.support.looped import looped

PACKAGE = Path(str(helm_impactbench.__file__)).parent
FILES = sorted(path for folder in (PACKAGE, Path(__file__).parents[2] / "tools") for path in folder.rglob("*.py"))
FORBIDDEN = {
    "eval", "exec", "compile", "os.system", "os.popen", "yaml.load_all", "yaml.unsafe_load", "yaml.full_load",
    "marshal.load", "marshal.loads", "shelve.open", "pickle.load", "pickle.loads", "dill.loads",
}  # fmt: skip
LOADERS = {"_Loader", "yaml.SafeLoader", "yaml.CSafeLoader"}
"""_Loader is that of files/safe_yaml.py, a class of the safe ones."""


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Yield (dotted name, call) of every call in a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


@looped("path", FILES, ids=lambda path: "/".join(path.parts[-3:]))
def test_no_call_runs_what_a_file_says(path: Path) -> None:
    """YAML builds plain data only, no shell is started, nothing is evaluated."""
    for name, call in calls(path):
        assert name not in FORBIDDEN, f"{path}:{call.lineno}: {name}"
        given = {word.arg: ast.unparse(word.value) for word in call.keywords}
        assert given.get("shell", "False") == "False", f"{path}:{call.lineno}"
        if name in ("yaml.load", "yaml.parse", "yaml.compose", "yaml.scan"):
            loader = given.get("Loader") or ast.unparse(call.args[-1])
            assert loader in LOADERS, f"{path}:{call.lineno}: {loader}"


def test_the_loader_of_yaml_is_a_safe_one() -> None:
    """It inherits from one of PyYAML's two safe loaders."""
    assert issubclass(safe_yaml._Loader, (yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


@pytest.mark.parametrize(("umask", "rights"), [(0o077, 0o600), (0o022, 0o644)])
def test_new_files_have_the_rights_of_the_umask(tmp_path: Path, umask: int, rights: int) -> None:
    """Somebody who shuts others out stays alone with the files; a file that is there keeps its rights."""
    before = os.umask(umask)
    try:
        write_whole(tmp_path / "new", "text")
        (tmp_path / "old").write_text("x")
        (tmp_path / "old").chmod(0o640)
        write_whole(tmp_path / "old", "text")
    finally:
        os.umask(before)
    assert (tmp_path / "new").stat().st_mode & 0o777 == rights
    assert (tmp_path / "old").stat().st_mode & 0o777 == 0o640
