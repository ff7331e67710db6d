"""Labels and badges as SVG, PNG and PDF: what they say, that they fit, and that nothing in them loads or runs."""

from __future__ import annotations

import io
import re
from datetime import date
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image
from pypdf import PdfReader

from helm_impactbench.outputs.label import images
from helm_impactbench.outputs.label.audiences import AUDIENCES
from helm_impactbench.outputs.label.label import Label, label_of
from helm_impactbench.outputs.label.picture import WIDTH, picture_of
from helm_impactbench.outputs.label.rows import ROWS
from helm_impactbench.outputs.label.sheet import Box, SheetText, cut, text_width, wrapped
from helm_impactbench.outputs.label.shown import shown_label
from tests.outputs.label.builders import benchmark, metric, talks
from tests.outputs.label.test_words import HOSTILE

DECLARED = [metric(3 * place + n, [row]) for place, row in enumerate(ROWS) for n in (1, 2, 3)]
SCRIPTED = {"model": "rehearsal/mixed", "setup": "impactbench:benchmark=mini,user=rehearsal_user,judge=j"}


def _label(given: list[dict[str, Any]] = DECLARED, **changes: Any) -> Label:
    """Return a label with nine rows on which children fail and adults pass: the most that a sheet must hold."""
    numbers = [int(one["id"][1:]) for one in given]
    found = [one for number in numbers for one in talks(number, [True, False] * 10, **changes)]
    return label_of(found, [benchmark(given)], dated=date(2026, 11, 22))


def _texts(svg: str) -> str:
    found = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return " ".join(one.text or "" for one in found)


@pytest.mark.parametrize("audience", list(AUDIENCES))
def test_a_label_is_drawn_with_every_figure(audience: str) -> None:
    """Text is text in SVG and in PDF: title, summary and all figures of all nine rows can be read and searched."""
    label = _label(**SCRIPTED)
    shown = shown_label(label, AUDIENCES[audience])
    svg = images.svg(label, audience)
    (page,) = PdfReader(io.BytesIO(images.pdf(label, audience))).pages
    for text in (" ".join(_texts(svg).split()), " ".join(page.extract_text().split())):
        for wanted in (shown.title, shown.summary, shown.audience.rehearsal, "2026-11-22", *shown.findings):
            assert wanted in text
        for row in shown.rows:
            assert row.name in text
            assert len(row.parts) == 3
            for part in row.parts:
                assert part.figure("rate") in text
                assert part.figure("interval") in text


def test_an_svg_stands_alone() -> None:
    """No script, style, reference to another file or address but the names of SVG; it says in words what it shows."""
    label = _label([metric(n, ["learning"], name=HOSTILE) for n in (1, 2, 3)], model=HOSTILE, metric_name=HOSTILE)
    for svg in (images.svg(label, "parents"), images.badge(label, "parents")):
        root = ElementTree.fromstring(svg)
        assert {one.tag.rpartition("}")[2] for one in root.iter()} <= {"svg", "title", "desc", "g", "path", "text"}
        names = {name.rpartition("}")[2] for one in root.iter() for name in one.attrib}
        assert not names & {"href", "style", "id", "onload", "src", "clip-path"}
        assert re.findall(r"https?://[^\s\"']+", svg) == ["http://www.w3.org/2000/svg"]
        assert "DOCTYPE" not in svg
        assert "\u202e" not in svg
        assert root[0].tag.endswith("title")
        assert "Helps to learn" in (root[1].text or "")


@pytest.mark.parametrize("audience", list(AUDIENCES))
def test_a_png_is_1200_pixels_wide(audience: str) -> None:
    """White with a black frame, whatever page it is put on, and higher than wide, as a label is."""
    image = Image.open(io.BytesIO(images.png(_label(), audience)))
    assert image.size[0] == 1200
    assert 1200 < image.size[1] < 3000
    assert image.convert("RGB").getpixel((20, 20)) == (255, 255, 255)
    assert image.convert("RGB").getpixel((2, 600)) == (0, 0, 0)


def test_a_pdf_fits_on_a4_and_on_letter() -> None:
    """It is one sheet of A4, and what is printed on it lies inside Letter's height too, also with very long names."""
    long = label_of(
        [one for n in range(1, 28) for one in talks(n, [True, False] * 10, model="m" * 300)],
        [benchmark(DECLARED, name="A very long name of a benchmark " * 60)],
    )
    (page,) = PdfReader(io.BytesIO(images.pdf(long, "policymakers"))).pages
    assert (round(page.mediabox.width), round(page.mediabox.height)) == (595, 842)
    assert images.PRINTED[1] < 792
    assert images.PRINTED[0] < 612


@pytest.mark.parametrize("audience", list(AUDIENCES))
def test_nothing_leaves_the_sheet(audience: str) -> None:
    """Every line and box lies inside the frame."""
    sheet, height = picture_of(shown_label(_label(model="m" * 200), AUDIENCES[audience]))
    for one in sheet.placed:
        assert 0 <= one.y <= height
        if isinstance(one, Box):
            assert one.x + one.width <= WIDTH
        elif isinstance(one, SheetText) and one.align == "left":
            assert one.x + text_width(one.text, one.size, bold=one.bold) <= WIDTH - 10, one


def test_a_badge_says_model_row_grade_and_date() -> None:
    """240 by 60; a rehearsal is called one; the address of the page is a link where there is a page."""
    label = _label(**SCRIPTED)
    svg = images.badge(label, "parents", "rehearsal_mixed.html")
    root = ElementTree.fromstring(svg)
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == ("240", "60", "0 0 240 60")
    text = _texts(svg)
    for wanted in (
        "Cares for wellbeing",
        "rehearsal/mixed",
        "E",
        "0.0%",
        "2026-11-22",
        "Rehearsal, not a measurement.",
    ):
        assert wanted in text
    assert [one.get("href") for one in root.iter() if one.tag.endswith("}a")] == ["rehearsal_mixed.html"]
    assert "Read the whole label" in _texts(images.badge(_label(), "parents"))
    assert "No row has a grade" in _texts(images.badge(label_of(talks(1, [True]), [benchmark(DECLARED)]), "parents"))


def test_the_same_label_gives_the_same_files() -> None:
    """No file carries the time at which it was drawn."""
    for draw in (images.svg, images.png, images.pdf):
        assert draw(_label(), "parents") == draw(_label(), "parents")


def test_lines_are_wrapped_and_cut_to_their_width() -> None:
    """By words, and within a word that is too long; a cut line ends with an ellipsis."""
    text = "three short words " + "x" * 90
    lines = wrapped(text, 60, 8)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(text_width(line, 8) <= 60 for line in lines)
    assert wrapped("", 60, 8) == [""]
    assert cut("short", 60, 8) == "short"
    assert cut("x" * 90, 60, 8).endswith("x…")
    assert text_width(cut("x" * 90, 60, 8), 8) <= 60
