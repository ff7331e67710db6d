"""The two suites of the pictures: what `make demo` runs, and the rehearsal of HELM's leaderboards on made-up data."""

from __future__ import annotations

import os
from pathlib import Path

from helm_impactbench.files.resources import shipped
from helm_impactbench.results.files import STATE_FILE
from tests.support.commands import run_command
from tests.support.suites import write_suites

DEMO = (
    *("--models", "rehearsal/supportive", "rehearsal/mixed", "rehearsal/minors-only", "rehearsal/harmful"),
    *("--user", "rehearsal/user", "--judge", "rehearsal/judge", "--quick", "--suite", "demo", "--yes"),
)
"""Options of `impactbench run` in the Makefile's target `demo`."""
COMBINED = ("rehearsal/supportive", "rehearsal/harmful", "rehearsal/mixed")
LABELLED = "rehearsal/mixed"
RAN = 1_767_268_800
"""When the runs were made, as the pages say it: noon of 2026-01-01 in UTC, in seconds."""


def make_demo(folder: Path) -> None:
    """Run the demo below a working directory, with its report in ./demo and a label's PNG in ./label."""
    run_command("impactbench", "run", *DEMO, "--no-report", cwd=folder)
    date_runs(folder, "demo")
    run_command("impactbench", "report", "--suite", "demo", "--out-dir", "demo", cwd=folder)
    options = ("--model", LABELLED, "--audience", "parents", "--format", "png", "--out-dir", "label")
    run_command("impactbench", "label", "--suite", "demo", *options, cwd=folder)


def make_combined(folder: Path) -> str:
    """Run run_entries/combined-rehearsal.conf as suite `all` of a working directory, offline; summarize it.

    Returns what the summary printed.
    """
    write_suites(folder)
    conf = shipped("run_entries", "combined-rehearsal.conf")
    entries = ("--conf-paths", conf, "--suite", "all", "-m", 6, "--models-to-run", *COMBINED)
    run_command("helm-run", *entries, cwd=folder, HF_HUB_OFFLINE="1", HF_HOME=str(folder / "home"))
    done = run_command("impactbench", "summarize", "--suite", "all", cwd=folder)
    return done.stdout + done.stderr


def report_combined(folder: Path) -> None:
    """Write the report on suite `all` of a working directory to ./combined, without pages of conversations."""
    options = ("--conversation-pages", "none", "--out-dir", "combined")
    run_command("impactbench", "report", "--suite", "all", *options, cwd=folder)


def date_runs(folder: Path, suite: str) -> None:
    """Set the date of a suite's runs, which pages and labels show, to a fixed one."""
    for state in (folder / "benchmark_output/runs" / suite).glob(f"*/{STATE_FILE}"):
        os.utime(state, (RAN, RAN))
