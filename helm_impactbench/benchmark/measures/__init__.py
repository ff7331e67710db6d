"""Measures: what a judge is asked of a transcript, and the type of its answer.

The names here are what a measure in a package of your own needs; docs/benchmark-format.md shows one.
"""

from helm_impactbench.benchmark.measures.base import (
    Context,
    InvalidAnswerError,
    Measure,
    ParsedAnswer,
    Presentation,
    enumerated,
    read_word,
)
from helm_impactbench.benchmark.measures.registry import register

__all__ = [
    "Context",
    "InvalidAnswerError",
    "Measure",
    "ParsedAnswer",
    "Presentation",
    "enumerated",
    "read_word",
    "register",
]
