"""What calls to models used in tokens and US dollars; what is unknown is counted and not taken as zero."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict, Field

_MOST = 10**15
"""More than all calls of the world, and few enough that thousands of them fit the integers of data files."""


class Usage(BaseModel):
    """Tokens and cost of some calls, whether they were answered by a provider now or by the cache."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    calls: int = Field(default=0, ge=0, le=_MOST)
    prompt_tokens: int = Field(default=0, ge=0, le=_MOST)
    completion_tokens: int = Field(default=0, ge=0, le=_MOST)
    cost_usd: float = Field(default=0.0, ge=0, le=_MOST, allow_inf_nan=False)
    """US dollars of the calls whose price is known."""
    uncounted_calls: int = Field(default=0, ge=0, le=_MOST)
    """Calls whose provider or client reported no token counts; their tokens are not in the sums."""
    unpriced_calls: int = Field(default=0, ge=0, le=_MOST)
    """Calls whose price is unknown; their cost is not in the sum."""

    def __add__(self, other: Usage) -> Usage:
        # Checked already, each by itself: a sum has no bound.
        return Usage.model_construct(
            **{name: getattr(self, name) + getattr(other, name) for name in Usage.model_fields}
        )


NO_USAGE = Usage()
UNKNOWN_USAGE = Usage(calls=1, uncounted_calls=1, unpriced_calls=1)
"""Of a call whose client reports neither tokens nor price."""


def total(usages: Iterable[Usage]) -> Usage:
    """Return the sum of usages."""
    sums = dict(Usage())
    for usage in usages:  # plain numbers: a large suite has a hundred thousand of them
        for name in sums:
            sums[name] += getattr(usage, name)
    return Usage.model_construct(**sums)
