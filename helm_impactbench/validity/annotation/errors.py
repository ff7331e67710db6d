"""The errors of this package."""

from __future__ import annotations

from helm_impactbench.errors import ImpactBenchError


class AnnotationError(ImpactBenchError):
    """A sheet cannot be drawn or written, or its key or annotations cannot be read."""
