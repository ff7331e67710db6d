"""What keeps a batch from being sent or fetched."""

from __future__ import annotations

from helm_impactbench.errors import ImpactBenchError


class BatchError(ImpactBenchError):
    """The provider's batches cannot be used; its text says why, and what is done already."""
