"""A part of a suite, and then the whole in the same suite: each conversation counts once, in every command."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tests.support.commands import run_command

ROLES = (
    *("--models", "rehearsal/mixed", "rehearsal/minors-only", "--user", "rehearsal/user", "--judge", "rehearsal/judge"),
    *("--benchmarks", "mini", "--references", "0", "--no-anchor-set", "--no-report", "--yes"),
)


def figures(root: Path, suite: str) -> dict[str, Any]:
    """Return what the commands that read a suite make of it."""
    found: dict[str, Any] = {}
    for name in ("rates", "gate", "label", "summarize"):
        more = {"gate": ("--min", "pass_rate=0.01"), "label": ("--out-dir", f"label-{suite}")}.get(name, ())
        file = root / f"{suite}-{name}.json"
        run_command("impactbench", name, "--suite", suite, *more, "--out", file, cwd=root, ok=name != "gate")
        found[name] = json.loads(file.read_text())
    run_command("impactbench", "report", "--suite", suite, "--out-dir", f"report-{suite}", cwd=root)
    found["search"] = len(list((root / f"report-{suite}/conversations").rglob("*.html")))
    found["report"] = (root / f"report-{suite}/benchmarks/mini.html").read_text().replace(suite, "SUITE")
    return found


def test_the_whole_after_a_part_has_the_figures_of_the_whole_alone(mini: Path, workdir: Path) -> None:
    """The part's run is left out and said; without it, tables, labels, gates and pages are those of a fresh suite."""
    run_command("impactbench", "run", *ROLES, "--part", 0.5, "--suite", "grown", cwd=workdir)
    run_command("impactbench", "run", *ROLES, "--suite", "grown", cwd=workdir)
    runs = workdir / "benchmark_output/runs"
    shutil.copytree(runs / "grown", runs / "fresh", ignore=shutil.ignore_patterns("*part=0.5*"))
    shown = run_command("impactbench", "rates", "--suite", "grown", cwd=workdir)
    assert "4 conversations of 2 runs not counted, since another run of this suite has the same cases: mini with " \
           "part=0.5." in shown.stdout  # fmt: skip
    assert "4 of 4 conversations scored for each model" in shown.stdout
    grown, fresh = figures(workdir, "grown"), figures(workdir, "fresh")
    for name in fresh:
        assert grown[name] == fresh[name], name
