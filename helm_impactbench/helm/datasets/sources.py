"""What a suite of HELM's needs from elsewhere: files of the web, and data sets of the Hugging Face hub. Plain data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

SUITES: Mapping[str, Mapping[str, str]] = {
    "harm_bench": {},
    "air_bench_2024": {},
    "xstest": {},
    "simple_safety_tests": {},
    "anthropic_red_team": {},
    "bbq": {"subject": "all"},
    "mmlu": {"subject": "abstract_algebra"},
    "gsm": {},
    "natural_qa": {"mode": "closedbook"},
}
"""HELM's run spec -> options that reach all of its data (one archive holds all subjects of MMLU)."""

_COMMIT = re.compile(r"\b[0-9a-f]{40}\b")


@dataclass(frozen=True)
class WebFile:
    """A file, or an archive that is unpacked, that HELM downloads by its address."""

    suite: str
    url: str
    target: str
    """Where HELM looks for it, relative to the folder of scenarios; a folder for an archive."""
    unpack: str | None = None
    """HELM's word for how to unpack it, for example "untar"."""

    @property
    def pinned(self) -> str:
        """Return the commit in the address; empty where HELM takes whatever lies there."""
        found = _COMMIT.search(self.url)
        return found.group() if found else ""


@dataclass(frozen=True)
class HubData:
    """A data set of the hub, at the commit that HELM names."""

    suite: str
    repository: str
    revision: str
    data_dir: str = ""
    """The only folder of it that is used; all of it when empty."""

    def wants(self, path: str) -> bool:
        """Return whether a file of the repository is needed. Its card lists the files of each split."""
        place = PurePosixPath(path)
        inside = not self.data_dir or place.is_relative_to(self.data_dir)
        safe = not place.is_absolute() and not any(part.startswith(".") for part in place.parts)
        return path == "README.md" or (inside and safe)


Source = WebFile | HubData
