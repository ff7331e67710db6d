"""Where the shipped content is: prompts/, benchmarks/, run_entries/ and schema.yaml.

A wheel carries them inside the package as `data/`; a checkout has them beside it.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

USER_BENCHMARKS = Path("benchmarks")
"""A user's own benchmarks, below the working directory; found before the shipped ones."""

PRIVATE_SCENARIOS = Path("private")
"""Scenarios that nobody else has, `<slug>/scenarios.json` below the working directory: no package, no repository."""


def data_root() -> Path:
    """Return the folder that holds the shipped content."""
    package = Path(str(files("helm_impactbench")))
    packaged = package / "data"
    return packaged if packaged.is_dir() else package.parent


def shipped(*parts: str) -> Path:
    """Return the path of one piece of shipped content, for example `shipped("run_entries", "rehearsal.conf")`."""
    return data_root().joinpath(*parts)


def benchmark_folders() -> list[Path]:
    """Return the folders that are searched for benchmarks, the user's own first."""
    return [USER_BENCHMARKS, shipped("benchmarks")]
