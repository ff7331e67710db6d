"""The errors of this package."""

from __future__ import annotations

from helm_impactbench.errors import ImpactBenchError


class FetchError(ImpactBenchError):
    """Data of a suite cannot be fetched, or are not what they were."""


class MissingDataError(ImpactBenchError):
    """Data of a suite are not here, so its runs have no result."""
