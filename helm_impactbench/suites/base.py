"""The interface of a suite. Shared code iterates over the registry, and names no suite."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.errors import BenchmarkError
from helm_impactbench.judging.judge_conversation import AskedHow
from helm_impactbench.results.files import STATE_FILE, RunFolder
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.record import Record
from helm_impactbench.suites.planned_prompts import PlannedPrompts
from helm_impactbench.suites.title import Title


@dataclass(frozen=True)
class HelmTerms:
    """What a suite takes from HELM besides the prompts."""

    question: AskedHow
    """How judges are asked: in the words of HELM's rubric."""
    names: Callable[[str], Sequence[str]]
    """From a benchmark to HELM's names for statistics that every run of it has, with or without a value."""
    values: Callable[[Record], Mapping[str, list[float]]]
    """From a conversation to what it adds to statistics of HELM's names."""


class RunKind(ABC):
    """A kind of runs that a folder may hold."""

    name: ClassVar[str]
    files: ClassVar[tuple[str, ...]] = (STATE_FILE,)
    """What a finished run has at least."""
    no_conversations: ClassVar[str] = ""
    """Why its runs take no part where conversations are read; empty where they do."""
    terms: HelmTerms | None = None
    """HELM's words and statistics, where judges are asked and figures are named in HELM's terms; None elsewhere."""

    @property
    def question(self) -> AskedHow | None:
        """How judges are asked, where that is not by the metric itself."""
        return self.terms.question if self.terms else None

    @abstractmethod
    def owns(self, run: RunFolder) -> bool:
        """Return whether a run belongs to the suite."""

    @abstractmethod
    def title(self, benchmark: str) -> Title | None:
        """Return what a benchmark is called; None for one of another suite."""

    def benchmark(self, run: RunFolder) -> str:
        """Return the benchmark of a run."""
        return run.benchmark

    def load(self, benchmark: str) -> Benchmark:
        """Return a benchmark of the suite. Raises BenchmarkError when there is none to be read."""
        raise BenchmarkError(f"{benchmark} belongs to {self.name} and has no metrics of ours.")

    def prompts(self, run_spec: str, options: Mapping[str, Any], most: int) -> PlannedPrompts | None:
        """Return what a run entry takes whose prompts are counted without their words; None for any other entry.

        run_spec: the entry's name. options: the rest of it, without the target. most: prompts at most.
        """
        return None

    def outcomes(self, run: RunFolder) -> list[Outcome]:
        """Return what a run came to. Raises ResultsError."""
        return run.outcomes()
