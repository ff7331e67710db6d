"""Which conversations are shown without their words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from helm_impactbench.errors import ImpactBenchError, did_you_mean

HIDDEN = "Hidden in this report (redacted)."


@dataclass(frozen=True)
class Redaction:
    """Benchmarks and metrics whose transcripts are hidden."""

    names: frozenset[str] = frozenset()
    """Slugs, and slug/metric."""

    def hides(self, slug: str, metric_id: str) -> bool:
        """Whether conversations of this metric are shown without their words."""
        return slug in self.names or f"{slug}/{metric_id}" in self.names


def redaction(names: Iterable[str], known: Iterable[str]) -> Redaction:
    """Return what `names` hide; `known` are the suite's slugs and slug/metric. Raises ImpactBenchError."""
    wanted, allowed = frozenset(names), sorted(known)
    for name in sorted(wanted - set(allowed)):
        raise ImpactBenchError(
            f"--redact {name}: this suite has no such benchmark or metric. Write a benchmark's slug or slug/metric, "
            f"for example {' or '.join(allowed[:2])}.{did_you_mean(name, allowed)}"
        )
    return Redaction(wanted)
