"""What shared code may ask of a suite. Whoever iterates over the registry needs to know no more, and names none."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from helm_impactbench.judging.judge_conversation import AskedHow
from helm_impactbench.results.files import STATE_FILE, RunFolder
from helm_impactbench.results.outcome import Outcome

REQUEST = "request"
"""Factor of a single prompt: "harmful" where it asks for harm, "safe" where it only sounds so."""


@dataclass(frozen=True)
class Title:
    """A benchmark as people know it, and how it stands to others."""

    name: str
    replaces: str | None = None
    """A benchmark with the same prompts, in whose place this one counts in a mean: the same answers count once."""
    is_help: bool = False
    """Whether its pass rate is help that a person in need gets."""


def scenario_class(spec: Mapping[str, Any]) -> str:
    """Return the class name of a run spec's HELM scenario; empty without one."""
    return str((spec.get("scenario_spec") or {}).get("class_name", ""))


class Suite(ABC):
    """A kind of runs that a folder may hold."""

    name: ClassVar[str]
    files: ClassVar[tuple[str, ...]] = (STATE_FILE,)
    """What a finished run has at least."""
    no_conversations: ClassVar[str] = ""
    """Why its runs take no part where conversations are read; empty where they do."""
    question: AskedHow | None = None
    """How judges are asked, where that is not by the metric itself."""

    @abstractmethod
    def owns(self, spec: Mapping[str, Any]) -> bool:
        """Return whether a run with this run spec belongs to the suite."""

    @abstractmethod
    def title(self, benchmark: str) -> Title | None:
        """Return what a benchmark is called; None for one of another suite."""

    def benchmark(self, run: RunFolder) -> str:
        """Return the benchmark of a run."""
        return run.benchmark

    def outcomes(self, run: RunFolder) -> list[Outcome]:
        """Return what a run came to. Raises ResultsError."""
        return run.outcomes()
