"""How a conversation is cited: what it is of, with which model, in which suite, when and by which version. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone

from helm_impactbench.results.files import STATE_FILE, RunFolder


@dataclass(frozen=True)
class RunOrigin:
    """When and with what a run was made."""

    day: str
    """Day on which its results were written, in UTC, as 2026-11-20."""
    version: str
    """Of helm_impactbench; empty where the run does not tell it."""


def origin_of(run: RunFolder) -> RunOrigin:
    """Return when and with what a run was made."""
    written = (run.path / STATE_FILE).stat().st_mtime
    day = datetime.fromtimestamp(written, tz=timezone.utc).date().isoformat()
    return RunOrigin(day, str(run.provenance.get("helm_impactbench") or ""))


def citation(suite: str, benchmark: str, metric: str, case_id: str, model: str, origin: RunOrigin) -> str:
    """Return the line to cite a conversation by; `benchmark`, `metric` and `model` are names for people."""
    version = f" with helm_impactbench {origin.version}" if origin.version else ""
    return (
        f"ImpactBench, {benchmark}: “{metric}”, case {case_id}, conversation with {model}. "
        f"Suite {suite}, {origin.day}{version}."
    )
