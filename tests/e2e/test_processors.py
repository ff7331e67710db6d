"""What several processes make of a suite is what one makes, byte for byte."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.support.canonical import Canonical
from tests.support.commands import run_command

SEVERAL = """
import os, sys
os.cpu_count = lambda: 2
from helm_impactbench.process import workers
workers.ITEMS_PER_PROCESS = 1
if __name__ == "__main__":
    from helm_impactbench.cli import main
    from helm_impactbench.helm import summarizer
    from helm_impactbench.process.workers import Workers
    summarizer.MANY_RUNS = 1
    started = []
    original = Workers.__init__
    def counted(self, *given):
        original(self, *given)
        started.append(self._pool is not None)
    Workers.__init__ = counted
    pools = []
    class Counted(workers.ProcessPoolExecutor):
        def __init__(self, *given, **options):
            super().__init__(*given, **options)
            pools.append(options["mp_context"].get_start_method())
    workers.ProcessPoolExecutor = Counted
    sys.argv = ["impactbench", *sys.argv[1:]]
    try:
        main()
    finally:
        assert all(started) and started, started
        assert set(pools) == ({"spawn", "fork"} if sys.platform == "linux" else {"spawn"}), pools
"""
"""A command as on a machine with two processors and a suite that is large enough for them."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, canonical: Canonical) -> Path:
    """A working directory with the suite `s`: two benchmarks, three targets."""
    folder = tmp_path_factory.mktemp("processors")
    canonical.put(folder, ("emotional-dependence", "name-bias"), ("supportive", "mixed", "minors-only"))
    (folder / "several.py").write_text(SEVERAL)
    return folder


def _files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _without_kept(folder: Path) -> None:
    for path in folder.rglob(".impactbench-*"):
        path.unlink()


def test_summarize(folder: Path) -> None:
    """The tables, the page files of the runs, the costs."""
    suite = folder / "benchmark_output/runs/s"
    found = []
    for command in (["impactbench"], [sys.executable, "several.py"]):
        _without_kept(suite)
        run_command(*command, "summarize", "--suite", "s", cwd=folder)
        found.append(_files(suite))
    one, several = found
    assert sum(name.startswith("groups/json/") for name in one) > 10
    assert sum(name.endswith("display_requests.json") for name in one) == 6
    assert {name for name in one if one[name] != several.get(name) and ".impactbench" not in name} == set()
    assert {name for name in several if ".impactbench" not in name} <= one.keys()


@pytest.mark.parametrize("pages", ["none", "all"])
def test_report(folder: Path, pages: str) -> None:
    """Every page and picture."""
    suite = folder / "benchmark_output/runs/s"
    found = []
    for command in (["impactbench"], [sys.executable, "several.py"]):
        _without_kept(suite)
        shutil.rmtree(folder / "report", ignore_errors=True)
        run_command(
            *command, "report", "--suite", "s", "--conversation-pages", pages, "--out-dir", "report", cwd=folder
        )
        found.append(_files(folder / "report"))
    one, several = found
    assert len(one) > 30
    assert {name for name in one if one[name] != several.get(name)} == set()
    assert one.keys() == several.keys()
