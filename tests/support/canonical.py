"""Suites that several test files read: each run is made once per test run, by helm-run, whatever the number of workers.

    canonical = Canonical(tmp_path_factory)                     # the fixture `canonical` of tests/e2e
    canonical.put(folder, ["prosocial"], ["harmful", "mixed"])  # ./benchmark_output/runs/s with two runs in it

What is put into a folder is a copy: a test may change it.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from filelock import FileLock

from helm_impactbench.files.resources import shipped
from tests.support.commands import run_command

JUDGE = "rehearsal/judge"
HALF = "pilot=3"
"""Three base scenarios of every metric, whole, as run_entries/rehearsal.conf takes them."""


class Canonical:
    """Runs of the scripted models on shipped benchmarks, kept in a folder that all workers of a test run share."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        base = factory.getbasetemp()
        self._root = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "canonical"
        self._root.mkdir(exist_ok=True)

    def put(
        self, folder: Path, slugs: Iterable[str], targets: Sequence[str], *, judge: str = JUDGE, suite: str = "s"
    ) -> None:
        """Copy the runs of `targets` on benchmarks into a suite of a working directory; missing ones are made first."""
        wanted = [(slug, target) for slug in slugs for target in targets]
        self._make(wanted, judge)
        for slug, target in wanted:
            run = self._run(judge, slug, target)
            assert run is not None
            shutil.copytree(run, folder / "benchmark_output/runs" / suite / run.name)
        self._put_names(folder, judge)

    def put_rehearsal_conf(self, folder: Path, suite: str) -> None:
        """Copy the whole suite of run_entries/rehearsal.conf; what is there of it already is not run again."""
        store, conf = self._store(JUDGE), shipped("run_entries", "rehearsal.conf")
        with FileLock(f"{store}.lock"):
            _helm_run(store, "--conf-paths", conf, "--skip-completed-runs")
        entries = re.findall(r"benchmark=([\w-]+),.*model=rehearsal/([\w-]+)", conf.read_text())
        slugs, targets = (dict.fromkeys(names) for names in zip(*entries, strict=True))
        self.put(folder, slugs, list(targets), suite=suite)

    def _put_names(self, folder: Path, judge: str) -> None:
        """Copy what helm-run leaves in prod_env/ besides its cache: the display names of models."""
        made = self._store(judge) / "prod_env"
        shutil.copytree(made, folder / "prod_env", ignore=shutil.ignore_patterns("cache"), dirs_exist_ok=True)

    def _make(self, wanted: Iterable[tuple[str, str]], judge: str) -> None:
        store = self._store(judge)
        with FileLock(f"{store}.lock"):
            entries = [
                f"impactbench:benchmark={slug},{_half(slug)}user=rehearsal/user,judge={judge},model=rehearsal/{target}"
                for slug, target in wanted
                if self._run(judge, slug, target) is None
            ]
            if entries:
                _helm_run(store, "--run-entries", *entries)

    def _store(self, judge: str) -> Path:
        folder = self._root / judge.replace("/", "_")
        folder.mkdir(exist_ok=True)
        return folder

    def _run(self, judge: str, slug: str, target: str) -> Path | None:
        runs = self._store(judge) / "benchmark_output/runs/s"
        return next(runs.glob(f"*benchmark={slug},*model=rehearsal_{target}"), None)


def _half(slug: str) -> str:
    """Return the part of a benchmark that is run: of disputes, as many cells as balance their factors."""
    return "pilot=4," if slug == "moral-sycophancy" else f"{HALF},"


def _helm_run(folder: Path, *arguments: object) -> None:
    run_command("helm-run", *arguments, "--suite", "s", "-m", 10000, cwd=folder)
