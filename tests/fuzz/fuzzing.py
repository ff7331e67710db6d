"""How many inputs a test gets, and where they come from."""

from __future__ import annotations

import os
from collections.abc import Callable

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

EXAMPLES = int(os.environ.get("IMPACTBENCH_FUZZ", "200"))
tapes = st.binary(min_size=6, max_size=60)


def fuzzed(test: Callable[..., None], share: int = 1) -> Callable[..., None]:
    """Give a test its tapes. Without a database and with a fixed seed every run is the same."""
    chosen = settings(
        max_examples=EXAMPLES // share,
        deadline=None,
        database=None,
        derandomize=True,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    made: Callable[..., None] = chosen(given(tape=tapes)(test))
    return made
