"""The report and the label in the pictures of README.md and docs/, drawn anew and compared with those that are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.pictures.compare import differences
from tools.pictures.drawing import draw_demo
from tools.pictures.suites import make_demo


@pytest.mark.browser
def test_pictures_in_the_documentation_are_todays(tmp_path: Path) -> None:
    """Every page of the demo looks as its picture; after a change of pages, `make pictures` draws them again."""
    made, images = tmp_path / "made", tmp_path / "images"
    made.mkdir()
    make_demo(made)
    draw_demo(made, images)
    assert differences(images) == {}
