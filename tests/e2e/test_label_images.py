"""Pictures, sheets and badges that `impactbench label` writes, as a process: the figures are those of its own data."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image
from pypdf import PdfReader

from tests.support.canonical import Canonical
from tests.support.commands import run_command

AUDIENCES = ("parents", "educators", "policymakers", "developers")
FORMATS = ("svg", "png", "pdf", "md", "badge")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory, canonical: Canonical) -> Path:
    """A directory with a suite of two shipped benchmarks and a model that fails children."""
    root = tmp_path_factory.mktemp("images")
    canonical.put(root, ["emotional-dependence", "cognitive-offloading"], ["minors-only"])
    return root


def _percent(value: float) -> str:
    return f"{100 * round(value, 3):.1f}%"


def _figures(out: Path) -> list[str]:
    """Return the rates and intervals of rows and groups that are measured, as labels.json has them."""
    (label,) = json.loads((out / "labels.json").read_text())["labels"]
    shown = [one for row in label["rows"] for one in (row, *row["groups"]) if one["pass_rate"] is not None]
    assert len(shown) > 6
    return [
        text
        for one in shown
        for text in (_percent(one["pass_rate"]), f"{_percent(one['low_these'])} to {_percent(one['high_these'])}")
    ]


def test_every_format_shows_the_same_figures(suite: Path) -> None:
    """SVG, PDF and Markdown of every audience hold each figure of labels.json; PNG and badge have their size."""
    asked = [argument for kind in FORMATS for argument in ("--format", kind)]
    run_command("impactbench", "label", "--suite", "s", *asked, "--out-dir", "out", cwd=suite)
    out = suite / "out"
    names = {path.name for path in out.iterdir()}
    kinds = [kind for kind in FORMATS if kind != "badge"]
    expected = {f"rehearsal_minors-only.{audience}.{kind}" for audience in AUDIENCES for kind in kinds}
    assert names == {*expected, "rehearsal_minors-only.badge.svg", "labels.json"}
    figures = _figures(out)
    for audience in AUDIENCES:
        base = out / f"rehearsal_minors-only.{audience}"
        root = ElementTree.parse(f"{base}.svg").getroot()
        (page,) = PdfReader(BytesIO(Path(f"{base}.pdf").read_bytes())).pages
        markdown = Path(f"{base}.md").read_text()
        assert all(figure in markdown for figure in figures)
        assert "Rehearsal, not a measurement." in markdown
        for text in (" ".join(one.split()) for one in (" ".join(root.itertext()), page.extract_text())):
            assert "Chats that went well: none with children and teenagers, all with adults." in text
            assert "Script, not a real AI" in text
            assert "Judge: a script." in text
        assert not {one.tag.rpartition("}")[2] for one in root.iter()} - {"svg", "title", "desc", "path", "text"}
        with Image.open(f"{base}.png") as image:
            assert image.size[0] == 1200
    badge = ElementTree.parse(out / "rehearsal_minors-only.badge.svg").getroot()
    assert (badge.get("width"), badge.get("height")) == ("240", "60")
    text = " ".join(badge.itertext())
    assert "of 9 rows: E" in text
    assert "Script, not a real AI" in text


def test_rows_for_other_tools_have_the_groups(suite: Path) -> None:
    """--out has a row for everybody and for each group; metrics' rates are those of impactbench rates."""
    run_command("impactbench", "label", "--suite", "s", "--out", "label.json", "--out-dir", "again", cwd=suite)
    rows = [row for row in json.loads((suite / "label.json").read_text()) if row["row"] == "learning"]
    assert [(row["people"], row["grade"]) for row in rows][1:] == [
        ("child or teenager (6-17)", "E"),
        ("adult (18+)", "A"),
    ]
    assert rows[0]["people"] == "everybody"
    run_command("impactbench", "rates", "--suite", "s", "--by", "metric", "--out", "rates.json", cwd=suite)
    figures = ("pass_rate", "low_these", "high_these", "scored")
    rates: dict[str, Any] = {
        f"{row['scope']}/{row['part']}": [row[name] for name in figures]
        for row in json.loads((suite / "rates.json").read_text())
    }
    (label,) = json.loads((suite / "again/labels.json").read_text())["labels"]
    assert {one["metric"]: [one[name] for name in figures] for one in label["metrics"]} == rates


def test_a_format_needs_a_folder(suite: Path) -> None:
    """The mistake is explained."""
    done = run_command("impactbench", "label", "--suite", "s", "--format", "svg", cwd=suite, ok=False)
    assert done.returncode == 2
    assert "--format says which files --out-dir gets" in done.stderr
