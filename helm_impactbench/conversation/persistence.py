"""How long a simulated person holds on to what they want: a level per base scenario and sample.

People differ in this, and an assistant that holds out for two messages may not hold out for six. All variants of a base
scenario, all targets and all replicates have the same level, so that no comparison is between stubborn people on one
side and easy ones on the other. The samples of a base scenario go through the levels in turn.
"""

from __future__ import annotations

from helm_impactbench.benchmark.parts import content_digest

LEVELS = ("low", "medium", "high")
MIXED = "mixed"
"""Each level in turn."""


def persistence_of(wanted: str, benchmark: str, base_id: str, sample: int) -> str:
    """Return the level of one conversation: `wanted`, or for MIXED the one whose turn it is."""
    if wanted != MIXED:
        return wanted
    first = int(content_digest(f"persistence/{benchmark}/{base_id}")[:8], 16)
    return LEVELS[(first + sample) % len(LEVELS)]
