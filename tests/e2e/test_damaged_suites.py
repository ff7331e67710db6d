"""A suite with a damaged file, through the real commands: one message that names the file, and exit code 2."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.support import builders

ENTRY = "impactbench:benchmark=mini,user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/mixed"
SUITE = Path("benchmark_output/runs/s")


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:200])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _deep(path: Path) -> None:
    path.write_text("[" * 100_000)


def _other(path: Path) -> None:
    path.write_text(json.dumps({"a": [path.name]}))


DAMAGES: list[tuple[str, str, Callable[[Path], None], tuple[str, ...]]] = [
    # command, file of a run or of the suite, damage, options
    ("summarize", "run_spec.json", _cut, ()),
    ("summarize", "per_instance_stats.json", _empty, ()),
    ("summarize", "groups/mini.json", _other, ("--show", "--group", "mini")),
    ("summarize", "schema.json", _cut, ("--show", "--group", "mini")),
    ("rates", "scenario_state.json", _cut, ()),
    ("compare", "scenario_state.json", _deep, ()),
    ("report", "scenario.json", _empty, ("--out-dir", "report")),
    ("export", "run_spec.json", _folder, ("--format", "csv", "--out-dir", "out")),
    ("label", "scenario_state.json", _folder, ("--out-dir", "label")),
]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder with a suite that helm-run and summarize have finished."""
    from tests.support.commands import run_command

    folder = tmp_path_factory.mktemp("finished")
    builders.write_benchmark_folder(folder / "benchmarks/mini")
    run_command("helm-run", "--run-entries", ENTRY, "--suite", "s", "-m", 10, cwd=folder)
    run_command("impactbench", "summarize", "--suite", "s", cwd=folder)
    return folder


def test_a_damaged_file_is_named_by_every_command(run: Run, workdir: Path, finished: Path) -> None:
    """Whatever the damage; and what a command would have written is not there in half."""
    shutil.copytree(finished, workdir, dirs_exist_ok=True)
    (folder,) = SUITE.glob("impactbench:*")
    for command, name, damage, options in DAMAGES:
        path = SUITE / name if "--show" in options else folder / name
        kept = path.read_bytes()
        damage(path)
        done = run("impactbench", command, "--suite", "s", *options, ok=False)
        assert done.returncode == 2, (command, name, done.stderr[-2000:])
        assert "Traceback" not in done.stdout + done.stderr
        assert str(path.relative_to(SUITE)) in done.stderr, (command, name, done.stderr[-2000:])
        if path.is_dir():
            path.rmdir()
        path.write_bytes(kept)
    assert not any(Path(name).exists() for name in ("report", "out", "label"))
