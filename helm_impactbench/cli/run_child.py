"""helm-run as `impactbench run` starts it: its log, its progress, and what is said if it fails."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.live import Display, columns, without_score
from helm_impactbench.errors import counted

if TYPE_CHECKING:
    from helm_impactbench.process.progress_file import Snapshot
    from helm_impactbench.study.model import Study

LOG = "run.log"
"""HELM's log, in the folder of the suite."""
_LOOK_SECONDS = 0.3
_LINES_OF_LOG = 5
"""Shown of the log when helm-run says nothing of its own."""


def run_child(study: Study, arguments: Sequence[str], folder: Path, plan: Callable[[], int]) -> int:
    """Run helm-run under the eyes of the user. Returns its exit code.

    helm-run gets ready, which takes seconds, while `plan` shows what is planned, asks, and returns the conversations.
    """
    from helm_impactbench.llm.limits.budget import BUDGET_VARIABLE
    from helm_impactbench.process.child import Child
    from helm_impactbench.process.progress_file import PROGRESS_FILE, Snapshot, read_snapshot

    (folder / PROGRESS_FILE).unlink(missing_ok=True)
    budget = {} if study.budget_usd is None else {BUDGET_VARIABLE: str(study.budget_usd)}
    said: list[str] = []

    def say(line: str) -> None:
        said.append(line)
        display.say(line)

    with Child(arguments, folder / LOG, say, **budget) as child:
        planned = plan()
        click.echo(f"Running: {_shown_command(arguments)}\nLog: {folder / LOG}", err=True)
        with Display(f"{study.suite}: {counted(planned, 'conversation')}") as display:
            child.release()
            while not child.wait(_LOOK_SECONDS):
                display.show(read_snapshot(folder) or Snapshot())
    code = child.exit_code or 0
    if code and not said:
        tail = [line for line in (folder / LOG).read_text("utf-8", "replace").splitlines() if line.strip()]
        for line in tail[-_LINES_OF_LOG:]:
            click.echo(line, err=True)
    if code:
        click.echo(f"helm-run ended with exit code {code}; its log is {folder / LOG}. {_kept(read_snapshot(folder))}",
                   err=True)  # fmt: skip
    return code


def _shown_command(arguments: Sequence[str]) -> str:
    """Return the helm-run to be copied: in one line, or in several that a terminal does not break."""
    words = ["helm-run", *map(shlex.quote, arguments)]
    if not sys.stderr.isatty():
        return " ".join(words)
    lines = ["\n "]
    for word in words:
        if len(lines[-1]) + len(word) > columns() - 4 and lines[-1].strip():
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += f" {word}"
    return "\n".join(lines)


def _kept(snapshot: Snapshot | None) -> str:
    if snapshot is None or not snapshot.cases:
        return "Nothing was run."
    done = f"{counted(snapshot.cases, 'conversation')} finished{without_score(snapshot)}"
    return f"{done}. All finished calls are kept, and the same command continues."
