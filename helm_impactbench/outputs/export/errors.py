"""The error of this room."""

from __future__ import annotations

from helm_impactbench.errors import ImpactBenchError


class ExchangeError(ImpactBenchError):
    """Files for another tool cannot be written, or files of another tool cannot be read."""
