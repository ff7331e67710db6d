"""One version: what the package says, what CITATION.cff says, and the newest part of the changelog."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from helm_impactbench import __version__

ROOT = Path(__file__).parents[1]


def test_the_version_is_the_same_everywhere() -> None:
    """setup.cfg takes the package's; a version under development is the one that the changelog calls unreleased."""
    released, _, development = __version__.partition(".dev")
    newest = re.search(r"^## (\S+?)(, unreleased)?$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    assert (newest[1], bool(newest[2])) == (released, bool(development))
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == __version__
    assert "version = attr: helm_impactbench._version.__version__\n" in (ROOT / "setup.cfg").read_text()
