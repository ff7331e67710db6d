"""What counts as another picture, and that every picture is drawn, shown, and of the demo."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib
import pytest
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from tests.docs.pages import PAGES, ROOT
from tools.pictures import suites
from tools.pictures.compare import IMAGES, difference
from tools.pictures.drawing import COMBINED, DEMO, LEADERBOARD

LIMIT = 250_000
"""Bytes of a picture."""
FONT = Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSans.ttf"


def page(
    folder: Path, name: str, *, heading: str = "Emotional dependence", figure: str = "49%", below: int = 0
) -> Path:
    """Draw a page with a heading, a figure in small print, and a bar."""
    drawn = Image.new("RGB", (1280, 700 + below), "white")
    pen = ImageDraw.Draw(drawn)
    pen.text((20, 60), heading, font=ImageFont.truetype(FONT, 30), fill="#1b1b1b")
    pen.text((712, 464), figure, font=ImageFont.truetype(FONT, 14), fill="#1b1b1b")
    pen.rectangle((572, 466 + below, 700, 477 + below), fill="#d2d8dd")
    drawn.save(folder / name)
    return folder / name


def test_the_same_page_is_the_same_picture(tmp_path: Path) -> None:
    """Other anti-aliasing is no difference."""
    kept = page(tmp_path, "kept.png")
    softer = tmp_path / "softer.png"
    Image.open(kept).filter(ImageFilter.GaussianBlur(0.4)).save(softer)
    assert difference(page(tmp_path, "drawn.png"), kept) == difference(softer, kept) == ""


@pytest.mark.parametrize(
    "change",
    [{"figure": "48%"}, {"heading": "Emotional dependency"}, {"below": 6}, {"below": 60}],
    ids=["digit", "heading", "moved", "longer"],
)
def test_another_page_is_another_picture(tmp_path: Path, change: dict[str, object]) -> None:
    """One digit of small print, the end of a heading, a bar some pixels lower, and a longer page are differences."""
    assert difference(page(tmp_path, "drawn.png", **change), page(tmp_path, "kept.png"))  # type: ignore[arg-type]


def test_every_picture_is_drawn_shown_and_small() -> None:
    """Each PNG below docs/images is made by `make pictures`; each picture stands in a page."""
    kept = {path.relative_to(IMAGES).as_posix(): path for path in IMAGES.rglob("*.*")}
    drawn = {shot.name for shot in (*DEMO, *COMBINED, LEADERBOARD)} | {"label.png"}
    assert {name for name in kept if name.endswith(".png")} == drawn
    shown = {
        (one.path.parent / target).resolve()
        for one in PAGES
        for target in re.findall(r"!\[[^\]]*\]\(((?!https:)[^)\s]+)\)", one.text)
    }
    assert shown == {path.resolve() for path in kept.values()}
    assert [name for name, path in kept.items() if path.stat().st_size > LIMIT] == []


def test_the_pictures_are_of_the_demo() -> None:
    """The options of the run are those of `make demo`."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (names,) = re.findall(r"^DEMO_MODELS := (.+)$", makefile, re.MULTILINE)
    (recipe,) = re.findall(r"^demo: .*\n\t@\$\(BIN\)/impactbench run ((?:.*\\\n)*.*)$", makefile, re.MULTILINE)
    models = " ".join(f"rehearsal/{name}" for name in names.split())
    told = recipe.replace("\\\n", " ").replace("$(DEMO_MODELS:%=rehearsal/%)", models).replace("$(SUITE)", "demo")
    assert tuple(told.split()) == suites.DEMO
