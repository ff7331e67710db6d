"""What the editor's pass hands over: sections, each with a verdict, tables, figures and findings that say where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Finding:
    """Something that an editor should look at."""

    slug: str
    id: str
    """Of the scenario or metric; `benchmark` for texts of the benchmark itself."""
    place: str
    """The field, for example `landmarks[2]`."""
    message: str
    severity: Severity = "warning"

    def __str__(self) -> str:
        return f"{self.slug} {self.id} {self.place}: {self.severity}: {self.message}"


@dataclass(frozen=True)
class Table:
    """A table of a section, ready to be printed."""

    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class Section:
    """The outcome of one check over all benchmarks under review."""

    name: str
    """A key for files, for example `similarity`."""
    title: str
    summary: str
    """The figures in one line."""
    findings: tuple[Finding, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)
    """The numbers in the tables."""

    @property
    def errors(self) -> int:
        """The number of findings that fail the review."""
        return sum(finding.severity == "error" for finding in self.findings)

    @property
    def verdict(self) -> str:
        """`ok`, or the numbers of errors and warnings, and the figures."""
        warnings = len(self.findings) - self.errors
        outcome = f"{self.errors} errors, {warnings} warnings" if self.findings else "ok"
        return f"{outcome}; {self.summary}"
