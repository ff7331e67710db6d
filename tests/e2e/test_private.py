"""Private scenarios: written by the user's author model, run, compared with the published ones, and kept back."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.conftest import Run
from tests.support import helm

ROLES = "user=rehearsal/user,judge=rehearsal/judge,model=rehearsal"


def test_private_scenarios_are_written_run_compared_and_kept_back(mini: Path, workdir: Path, run: Run) -> None:
    """Other ids, the same metrics; a line that says who gains on published ones; no export without being asked."""
    early = run("helm-run", "--run-entries", f"impactbench:benchmark=mini,split=private,{ROLES}/mixed", "--suite", "s",
                "-m", 10, ok=False)  # fmt: skip
    assert "impactbench gen-scenarios mini --private --author" in early.stderr + early.stdout
    made = run("impactbench", "gen-scenarios", "mini", "--private", "--per-metric", 2, "--author", "rehearsal/author")
    assert "8 variants written to private/mini" in made.stdout
    rows = json.loads((workdir / "private/mini/scenarios.json").read_text())
    assert {row["split"] for row in rows} == {"private"}
    assert {row["id"][4:8] for row in rows} == {"s501", "s502"}
    assert all(row["provenance"]["seed_author"].startswith("a form of m0") for row in rows)
    again = run("impactbench", "gen-scenarios", "mini", "--private", "--per-metric", 2, "--author", "rehearsal/author")
    assert "0 base scenarios and 0 variants to write" in again.stdout

    run("helm-run", "--run-entries", f"impactbench:benchmark=mini,turns=1,{ROLES}/mixed", "--suite", "p", "-m", 100)
    alone = run("impactbench", "contamination", "--suite", "p", ok=False)
    assert "No model has run both published and private scenarios" in alone.stderr
    entries = [
        f"impactbench:benchmark=mini,turns=1,split={split},{ROLES}/{model}"
        for model in ("mixed", "harmful")
        for split in ("public", "private")
    ]
    run("helm-run", "--run-entries", *entries, "--suite", "s", "-m", 100)
    assert helm.total(helm.run_folder(workdir, "s", "split=private,model=rehearsal_harmful"), "pass_rate")[1] == 8
    shown = run("impactbench", "contamination", "--suite", "s").stdout
    assert "Published" in shown
    assert "than on private ones by more than chance explains" in shown
    done: subprocess.CompletedProcess[str] = run("impactbench", "export", "--suite", "s", "--format", "csv",
                                                 "--out-dir", "tables")  # fmt: skip
    assert "2 runs of private scenarios left out; --with-private takes them in" in done.stdout
    assert "s501" not in (workdir / "tables/conversations.csv").read_text()
    run("impactbench", "export", "--suite", "s", "--format", "csv", "--out-dir", "all", "--with-private")
    assert "s501" in (workdir / "all/conversations.csv").read_text()
    run("impactbench", "report", "--suite", "s", "--out-dir", "site")
    pages = "".join(path.read_text() for path in (workdir / "site").rglob("*.html"))
    assert rows[0]["user_goal"] not in pages
