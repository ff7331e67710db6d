"""Pictures of pages: which part of which page each shows, as Debian's Chromium draws it in light mode."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from tests.support.browser import chromium
from tests.support.helm_server import helm_server
from tools.pictures.suites import LABELLED

WIDTH = 1280
"""Of the window, in CSS pixels; one of them is one pixel of the picture."""
MARGIN = 10
"""What is left free below the last thing that a picture shows, in pixels."""
COLOURS = 256
"""Of a picture's palette, which makes the file half as large."""
OPEN_FIRST = "document.querySelectorAll('details.group').forEach((one, place) => { one.open = place < 2 })"


@dataclass(frozen=True)
class Shot:
    """A part of a page, from its top or the top of one thing to the bottom of another."""

    name: str
    """Of the file, below docs/images."""
    address: str
    """Of the page, below its report."""
    end: str
    """A selector; of several things the one of `number` counts."""
    number: int = 0
    start: str = ""
    """A selector; the picture begins at the top of the page without one."""
    alone: bool = False
    """Only the thing at `end`, as wide as it is."""
    prepare: str = ""
    """JavaScript that opens something first."""


DEMO = (
    Shot("report.png", "index.html", "#chart-models figcaption"),
    Shot("pages/overview.png", "index.html", "#chart-topics figcaption"),
    Shot("pages/model.png", "models/rehearsal~minors-only.html", "main figure", 1),
    Shot("pages/benchmark.png", "benchmarks/emotional-dependence.html", "#card > summary"),
    Shot("pages/metric.png", "metrics/emotional-dependence/m01.html", "#conversations > summary"),
    Shot("pages/list.png", "conversations/emotional-dependence/rehearsal~harmful/index.html", "section.group", 1),
    Shot(
        "pages/conversation.png",
        "conversation.html?of=emotional-dependence/rehearsal~harmful/m01_s001_v01",
        ".message.assistant",
        1,
    ),
    Shot("pages/cases.png", "cases/emotional-dependence.html", "details.group", 4, prepare=OPEN_FIRST),
    Shot("pages/find.png", "find.html?q=sweetheart", "#hits"),
    Shot("pages/your-use.png", "your-use.html", "section[aria-labelledby=group-severity]"),
    Shot("pages/about.png", "about.html", "main p", 5),
)
"""Of the report on the demo."""
_HARM = "section[aria-labelledby=refusal] figure svg"
COMBINED = (
    Shot("combined-scores.png", "combined.html", "section[aria-labelledby=scores] figure svg", alone=True),
    Shot("combined-refusal.png", "combined.html", _HARM, alone=True),
)
"""Of the report on the suite with HELM's suites."""
LEADERBOARD = Shot("combined-leaderboard.png", "leaderboard", "tbody tr", 2, start="h1")
"""Of helm-server: without its head, which has the day of the summary."""


def draw_demo(folder: Path, images: Path) -> None:
    """Draw the pictures of suites.make_demo's report and label."""
    with chromium() as browser:
        page = _window(browser)
        for shot in DEMO:
            _draw(page, shot, f"file://{folder}/demo", images)
    label = folder / "label" / f"{LABELLED.replace('/', '_')}.parents.png"
    _write(Image.open(label), images / "label.png")


def draw_combined(folder: Path, images: Path) -> None:
    """Draw the pictures of suites.make_combined's leaderboard and of report_combined's report."""
    with chromium() as browser, helm_server(folder, "--suite", "all") as served:
        page = _window(browser)
        for shot in COMBINED:
            _draw(page, shot, f"file://{folder}/combined", images)
        _draw(page, LEADERBOARD, served, images)


def _window(browser: Browser) -> Page:
    context = browser.new_context(
        viewport={"width": WIDTH, "height": 900}, color_scheme="light", reduced_motion="reduce", locale="en-GB",
        timezone_id="UTC",
    )  # fmt: skip
    return context.new_page()


def _draw(page: Page, shot: Shot, root: str, images: Path) -> None:
    page.goto(f"{root}/{shot.address}", wait_until="networkidle")  # scripts that load figures have filled the page
    page.evaluate(shot.prepare or "0")
    end = page.locator(shot.end).nth(shot.number)
    expect(end).to_be_visible()
    expect(page.get_by_text("found so far")).to_have_count(0)  # a search goes on while its first finds are shown
    if shot.alone:
        left, top, width, height = _box(end)
    else:
        top = _box(page.locator(shot.start).first)[1] - MARGIN if shot.start else 0
        _, lowest, _, high = _box(end)
        left, width, height = 0, WIDTH, lowest + high + MARGIN - top
    clip = {"x": left, "y": top, "width": width, "height": height}
    drawn = page.screenshot(full_page=True, animations="disabled", clip=clip)  # type: ignore[arg-type]
    _write(Image.open(BytesIO(drawn)), images / shot.name)


def _box(thing: Locator) -> tuple[int, int, int, int]:
    """Return left, top, width and height on the page, in whole pixels."""
    box = thing.bounding_box()
    assert box, thing
    return round(box["x"]), round(box["y"]), round(box["width"]), round(box["height"])


def _write(picture: Image.Image, path: Path) -> None:
    """Write a picture with its most frequent colours: an optimal palette would blur small marks or pale grounds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    levels = np.asarray(picture.convert("RGB"), dtype=np.int64)
    single = levels[..., 0] << 16 | levels[..., 1] << 8 | levels[..., 2]
    codes, places, counts = np.unique(single, return_inverse=True, return_counts=True)
    colours = np.stack([codes >> shift & 255 for shift in (16, 8, 0)], axis=1)
    palette = colours[np.argsort(-counts, kind="stable")[:COLOURS]]
    nearest = ((colours[:, None] - palette) ** 2).sum(axis=2).argmin(axis=1)
    small = Image.fromarray(nearest[places].reshape(levels.shape[:2]).astype(np.uint8))
    small.putpalette(palette.ravel().tolist())
    small.save(path, optimize=True)
