"""A report over several suites: the newest is shown, and a page follows its models."""

from __future__ import annotations

import os
import re
from datetime import datetime, timezone
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.support.browser import serious_faults
from tests.support.canonical import Canonical
from tests.support.commands import run_command

SLUGS = ["emotional-dependence"]
MODELS = ["minors-only", "harmful"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, canonical: Canonical) -> Path:
    """Three suites of two scripted models, two of one day: the second as the first, the third with another judge."""
    root = tmp_path_factory.mktemp("history")
    for suite, month, hour, judge in (
        ("june", 8, 9, "judge"), ("august", 8, 15, "judge"), ("november", 11, 9, "strict-judge"),
    ):  # fmt: skip
        canonical.put(root, SLUGS, MODELS, judge=f"rehearsal/{judge}", suite=suite)
        written = datetime(2026, month, 3, hour, tzinfo=timezone.utc).timestamp()
        for path in (root / "benchmark_output/runs" / suite).rglob("*"):
            os.utime(path, (written, written))
    suites = [part for suite in ("november", "june", "august") for part in ("--suite", suite)]
    run_command("impactbench", "report", *suites, "--out-dir", "site", cwd=root)
    return root


def rows(folder: Path, model: str) -> list[list[str]]:
    """Return the cells of a model's table, as text."""
    page = (folder / "site/history.html").read_text()
    (table,) = re.findall(rf"<table><caption>[^<]*{model}.*?</table>", page, re.DOTALL)
    body = table.split("<tbody>")[1]
    cells = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in body.split("</tr>")[:-1]]
    return [[unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in row] for row in cells]


def test_the_newest_suite_is_reported_and_leads_to_the_history(folder: Path) -> None:
    """Whatever the order on the command line."""
    front = (folder / "site/index.html").read_text()
    assert "november" in front
    assert 'href="history.html"' in front


def test_a_change_of_judge_is_marked_and_a_repeat_shows_none(folder: Path) -> None:
    """Dates, suites, differences on the same cases, and what else they may be about."""
    june, august, november = rows(folder, "harmful")
    assert [row[0] for row in (june, august, november)] == ["2026-08-03 09:00", "2026-08-03 15:00", "2026-11-03"]
    assert [row[1] for row in (june, august, november)] == ["june", "august", "november"]
    assert june[2] == august[2] != november[2]
    assert august[4] == "+0.0"
    assert "nothing else changed" in august[-1]
    assert "judge: rehearsal/judge before, now rehearsal/strict-judge" in november[-1]


def test_its_figures_are_those_of_the_command(folder: Path) -> None:
    """The mean of each suite is what `rates` prints."""
    for suite, row in zip(("june", "august", "november"), rows(folder, "minors-only"), strict=True):
        run_command("impactbench", "rates", "--suite", suite, "--by", "overall", "--model", "rehearsal/minors-only",
                    "--out", f"{suite}.csv", cwd=folder)  # fmt: skip
        header, line = (folder / f"{suite}.csv").read_text().splitlines()[:2]
        value = float(dict(zip(header.split(","), line.split(","), strict=False))["pass_rate"])
        assert row[2] == f"{100 * value:.1f}%"


def test_one_suite_has_no_history(folder: Path) -> None:
    """Neither a page nor a link."""
    run_command("impactbench", "report", "--suite", "june", "--out-dir", "alone", cwd=folder)
    assert not (folder / "alone/history.html").exists()
    assert "history.html" not in (folder / "alone/index.html").read_text()


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "dark"), (1280, "dark"), (375, "light")])
def test_each_model_has_one_chart_in_order_of_time(folder: Path, browser: Browser, width: int, scheme: Any) -> None:
    """One drawing is seen, the other is for another screen; a hollow dot and words where the judge changed."""
    page = browser.new_context(viewport={"width": width, "height": 740}, color_scheme=scheme).new_page()
    page.goto(f"file://{folder}/site/history.html")
    for model in range(1, len(MODELS) + 1):
        section = page.locator(f"section[aria-labelledby=m{model}]")
        assert section.locator("svg:visible").count() == 1
        texts = section.locator("svg:visible text").all_text_contents()
        named = [text for text in texts if text.startswith("2026")]
        assert named == ["2026-08-03 09:00 · june", "2026-08-03 15:00 · august", "2026-11-03 · november"]
        changed = [text for text in texts if "·" in text and text not in named]
        assert [text.partition(" · ")[2] for text in changed] == ["new judge"]
        looks = section.locator("svg:visible circle").evaluate_all(
            "all => all.map(one => one.closest('[class]').className.baseVal)"
        )
        assert ["fill-page" in look for look in looks] == [False, False, True]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert (
        serious_faults(page, prepare="document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        == []
    )
    page.context.close()
