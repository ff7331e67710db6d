"""Labels and badges as SVG, PNG and PDF: what they say, that they fit, and that nothing in them loads or runs."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from datetime import date
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser
from pypdf import PdfReader

from helm_impactbench.analysis.people import ADULTS, MINORS
from helm_impactbench.outputs.label import images
from helm_impactbench.outputs.label.audiences import AUDIENCES
from helm_impactbench.outputs.label.label import Label, label_of
from helm_impactbench.outputs.label.picture import WIDTH, picture_of
from helm_impactbench.outputs.label.rows import ROWS
from helm_impactbench.outputs.label.sheet import Shape, SheetBox, SheetText, cut, text_width, wrapped
from helm_impactbench.outputs.label.shown import shown_label
from helm_impactbench.validity.judge_trust import JudgeTrust, PanelTrust
from tests.outputs.label.builders import benchmark, metric, talks
from tests.outputs.label.test_words import HOSTILE
from tests.support.browser import chromium

DECLARED = [metric(3 * place + n, [row]) for place, row in enumerate(ROWS) for n in (1, 2, 3)]
SCRIPTED = {"model": "rehearsal/mixed", "setup": "impactbench:benchmark=mini,user=rehearsal_user,judge=j"}
MOST_WORDS = 120
CHECKED = JudgeTrust((PanelTrust("j", "checked", "", right=28, known=30),))


def _label(given: list[dict[str, Any]] = DECLARED, passed: tuple[bool, bool] = (True, False), **changes: Any) -> Label:
    """Return a label with nine rows on which adults and children do as given, with all that a sheet can hold."""
    numbers = [int(one["id"][1:]) for one in given]
    found = [one for number in numbers for one in talks(number, [*passed] * 10, **changes)]
    bots = [
        one for model, passes in (("bot", False), ("other bot", True)) for n in numbers
        for one in talks(n, [passes, False] * 10, model=model)
    ]  # fmt: skip
    return label_of(found, [benchmark(given)], dated=date(2026, 11, 22), judges=CHECKED, bots=bots)


def _sparse() -> Label:
    """Return a label of one row with a grade and eight without, of people of no age, without a date or a floor."""
    return label_of([one for n in (1, 2, 3) for one in talks(n, [True] * 20, axes=())], [benchmark(DECLARED)])


LABELS = {
    "apart": _label,
    "scripted": lambda: _label(**SCRIPTED),
    "alike": lambda: _label(passed=(True, True)),
    "sparse": _sparse,
    "long": lambda: _label(model="W" * 200),
    "mixed": lambda: label_of(
        [one for n in range(1, 28) for one in talks(n, [n % 2 == 0, True, False] * 10)], [benchmark(DECLARED)]
    ),
}


def _texts(svg: str) -> list[str]:
    return [one.text or "" for one in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("audience", list(AUDIENCES))
@pytest.mark.parametrize("kind", list(LABELS))
def test_a_sheet_has_at_most_120_words(kind: str, audience: str) -> None:
    """All text is counted, letters and figures too, in the picture and in the sheet of PDF."""
    label = LABELS[kind]()
    words = " ".join(_texts(images.svg(label, audience))).split()
    assert 40 < len(words) <= MOST_WORDS
    (page,) = PdfReader(io.BytesIO(images.pdf(label, audience))).pages
    assert len(page.extract_text().split()) <= MOST_WORDS


@pytest.mark.parametrize("audience", list(AUDIENCES))
def test_a_label_is_drawn_with_every_figure(audience: str) -> None:
    """Text is text in SVG and in PDF: the model, the stamp, all rows with their figures, and three lines below."""
    shown = shown_label(_label(**SCRIPTED), AUDIENCES[audience])
    svg = " ".join(_texts(images.svg(_label(**SCRIPTED), audience)))
    (page,) = PdfReader(io.BytesIO(images.pdf(_label(**SCRIPTED), audience))).pages
    for text in (svg, " ".join(page.extract_text().split())):
        for wanted in (
            shown.title, "rehearsal/mixed", "Script, not a real AI", "none with child, all with adult.",
            "540 staged chats with simulated people, 2026-11-22.", "AI judge: right on 28 of 30 known verdicts.",
            "Bots that say nothing of their own: none to 5 in 10.", *(row.name for row in shown.rows),
        ):  # fmt: skip
            assert wanted in text
        assert len(re.findall(r"\bnone\b", text)) == 9 + 2


def test_what_is_not_known_is_said() -> None:
    """No judge that was checked, no floor, no child, no date: the sheet says so, and greys rows out in three words."""
    label = _sparse()
    text = " ".join(_texts(images.svg(label, "parents")))
    for wanted in (
        "AI judge: not checked.",
        "Bots that say nothing of their own: no or too few chats.",
        "people, none a child.",
        "Only one of nine rows",
    ):
        assert wanted in text
    shown = shown_label(label, AUDIENCES["parents"])
    greys = [row.grey for row in shown.rows if row.grade is None]
    assert greys == ["not tested"] * 8
    for words in (AUDIENCES["parents"].sheet.grey.model_dump()).values():
        assert 1 <= len(words.split()) <= 3


def test_an_svg_stands_alone() -> None:
    """No script, style, reference to another file or address but the names of SVG; it says in words what it shows."""
    label = _label([metric(n, ["learning"], name=HOSTILE) for n in (1, 2, 3)], model=HOSTILE, metric_name=HOSTILE)
    for svg in (images.svg(label, "parents"), images.badge(label, "parents")):
        root = ElementTree.fromstring(svg)
        assert {one.tag.rpartition("}")[2] for one in root.iter()} <= {"svg", "title", "desc", "path", "text"}
        names = {name.rpartition("}")[2] for one in root.iter() for name in one.attrib}
        assert not names & {"href", "style", "id", "onload", "src", "clip-path"}
        assert re.findall(r"https?://[^\s\"']+", svg) == ["http://www.w3.org/2000/svg"]
        assert "DOCTYPE" not in svg
        assert "\u202e" not in svg
        assert root[0].tag.endswith("title")
        assert root[1].text
    assert "Helps to learn: E, none, Child." in (ElementTree.fromstring(images.svg(label, "parents"))[1].text or "")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's chromium."""
    with chromium() as found:
        yield found


MEASURE = """() => { const frame = document.querySelector("svg").getBoundingClientRect();
  return [...document.querySelectorAll("text, path")].map(one => { const box = one.getBoundingClientRect();
    return [one.textContent || one.getAttribute("d"), one.tagName, box.left - frame.left, box.top - frame.top,
            box.right - frame.left, box.bottom - frame.top]; })
    .concat([["", "svg", 0, 0, frame.width, frame.height]]); }"""


@pytest.mark.browser
def test_nothing_leaves_the_frame_or_meets_in_a_browser(browser: Browser) -> None:
    """Every text lies within the frame, wherever it is aligned, and no two texts touch; marks lie on their scale."""
    page = browser.new_page()
    for make in LABELS.values():
        for audience in AUDIENCES:
            svg = images.svg(make(), audience)
            page.set_content(f"<body style='margin:0'>{svg}")
            *found, (_, _, _, _, width, height) = page.evaluate(MEASURE)
            for text, _, left, top, right, bottom in found:
                assert left >= -0.1, text
                assert top >= -0.1, text
                assert right <= width + 0.1, text
                assert bottom <= height + 0.1, text
            texts = [one for one in found if one[1] == "text"]
            for text, _, left, _, right, bottom in texts:
                assert left >= 10, text
                assert right <= width - 10, text
                assert bottom <= height - 5, text
            for place, one in enumerate(texts):
                for other in texts[place + 1 :]:
                    apart = one[4] <= other[2] or other[4] <= one[2] or one[5] <= other[3] + 4 or other[5] <= one[3] + 4
                    assert apart, (one, other)
    page.close()


@pytest.mark.parametrize("kind", list(LABELS))
def test_a_png_has_a_white_margin_within_its_frame(kind: str) -> None:
    """1200 pixels wide; a black frame, and around all that stands in it a margin of white, in every row of pixels."""
    image = Image.open(io.BytesIO(images.png(LABELS[kind](), "parents"))).convert("L")
    pixels = np.asarray(image)
    assert image.size[0] == 1200
    assert 900 < image.size[1] < 1300
    assert (pixels[:3] < 40).all()
    assert (pixels[:, :3] < 40).all()
    margins = (pixels[8:-8, 8:30], pixels[8:-8, -30:-8], pixels[8:20, 8:-8], pixels[-20:-8, 8:-8])
    assert all((margin == 255).all() for margin in margins)


@pytest.mark.parametrize("kind", list(LABELS))
def test_a_pdf_has_its_text_within_the_printed_part(kind: str) -> None:
    """One sheet of A4, whose printed part is within Letter, too; positions of all text as pypdf finds them."""
    label = LABELS[kind]()
    (page,) = PdfReader(io.BytesIO(images.pdf(label, "policymakers"))).pages
    assert (round(page.mediabox.width), round(page.mediabox.height)) == (595, 842)
    found: list[tuple[str, float, float, float]] = []

    def visit(text: str, user: list[float], at: list[float], _font: object, size: float) -> None:
        if text.strip():
            x, y = user[0] * at[4] + user[4], user[3] * at[5] + user[5]
            found.append((text.strip(), x, y, size * user[0] * at[0]))

    page.extract_text(visitor_text=visit)
    assert len(found) > 20
    side = (images.A4[0] - images.PRINTED[0]) / 2
    above = (images.A4[1] - images.PRINTED[1]) / 2
    for text, x, y, size in found:
        assert x >= side + 10, text
        assert x + text_width(text, size) <= images.A4[0] - side - 10, text
        assert above <= y <= images.A4[1] - above, text
    assert images.PRINTED[1] < 792
    assert images.PRINTED[0] < 612


@pytest.mark.parametrize("kind", list(LABELS))
def test_nothing_leaves_the_sheet(kind: str) -> None:
    """Every line, box and mark lies inside the frame, whatever its alignment."""
    sheet, height = picture_of(shown_label(LABELS[kind](), AUDIENCES["educators"]))
    for one in sheet.placed:
        if isinstance(one, SheetBox):
            ends = (one.x, one.x + one.width)
        elif isinstance(one, Shape):
            ends = (min(x for x, _ in one.points), max(x for x, _ in one.points))
            assert all(0 < y < height for _, y in one.points)
        else:
            width = text_width(one.text, one.size, bold=one.bold)
            left = one.x - {"left": 0, "center": width / 2, "right": width}[one.align]
            ends = (left, left + width)
            assert left >= 10
            assert left + width <= WIDTH - 10, one
        assert ends[0] >= 0
        assert ends[1] <= WIDTH


def test_children_and_adults_have_a_mark_each() -> None:
    """Two marks a row where both have a grade, and a diamond where one kind of people was played."""
    marks = {
        name: [one for one in picture_of(shown_label(make(), AUDIENCES["parents"]))[0].placed if isinstance(one, Shape)]
        for name, make in (("apart", _label), ("alike", LABELS["alike"]), ("sparse", _sparse))
    }
    key, rows = 2, 9
    assert len(marks["apart"]) == key + 2 * rows + rows  # the figure of those who fare worse has their mark
    assert len(marks["alike"]) == key + 2 * rows
    assert [len(one.points) for one in marks["sparse"]] == [4]
    named = label_of(
        [
            one for n in range(1, 28) for level, passes in ((MINORS, False), (ADULTS, True))
            for one in talks(n, [passes] * 10, axes=(("age", level),))
        ],
        [benchmark(DECLARED)],
    )  # fmt: skip
    text = _texts(images.svg(named, "parents"))
    assert "children and teenagers" in text
    assert "adults" in text


def test_doubt_is_the_width_of_the_band() -> None:
    """The same rate from fewer chats has a wider band; no letter stands in a row."""
    widths = []
    for chats in (20, 200):
        found = [one for n in (1, 2, 3) for one in talks(n, [True, True, True, True, False] * (chats // 5), axes=())]
        sheet, _ = picture_of(shown_label(label_of(found, [benchmark(DECLARED)]), AUDIENCES["parents"]))
        solid = {"#0b5a9d", "#4d94c9", "#e3c766", "#e08a3a", "#b23a16"}
        widths.append(
            sum(b.width for b in sheet.placed if isinstance(b, SheetBox) and b.fill in solid and b.height == 20)
        )
        texts = [one.text for one in sheet.placed if isinstance(one, SheetText)]
        assert [text for text in texts if re.fullmatch(r"[A-E]( to [A-E])?", text)] == list("ABCDE")
    assert widths[0] > 2 * widths[1] > 0


def test_a_badge_shows_the_whole_scale() -> None:
    """240 by 60, the letters that occur in bold; a rehearsal is called one; its line leads to the page."""
    svg = images.badge(_label(**SCRIPTED), "parents", "rehearsal_mixed.html")
    root = ElementTree.fromstring(svg)
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == ("240", "60", "0 0 240 60")
    assert _texts(svg) == [*"ABCDE", "9 of 9 rows: E", "rehearsal/mixed", "Script, not a real AI, 2026-11-22"]
    bold = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text") if one.get("font-weight")]
    assert bold == ["E", "9 of 9 rows: E"]
    assert [one.get("href") for one in root.iter() if one.tag.endswith("}a")] == ["rehearsal_mixed.html"]
    assert {images.badge(_label(), audience).split("<desc>")[1] for audience in AUDIENCES} == {
        images.badge(_label(), "parents").split("<desc>")[1]
    }


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
