"""The report's page "Describe your use" in a real browser: its ranking is that of analysis/weighted.py."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from helm_impactbench.analysis.people import ADULTS, MINORS, in_two_ages
from helm_impactbench.analysis.weighted import Emphasis, weight_of, weighted_scores
from helm_impactbench.benchmark.files import load_benchmark
from helm_impactbench.outputs.people_words import group_words
from helm_impactbench.outputs.report.area_words import area_words
from helm_impactbench.suites.registry import read_suite
from tests.e2e.test_runner import PARALLEL
from tests.support.browser import serious_faults, strict_page
from tests.support.canonical import Canonical
from tests.support.commands import run_command
from tests.support.html_pages import PageReader

SLUGS = ("emotional-dependence", "mental-health-safety", "prosocial")
APART = "minors-only"
"""The target with which adults fare worse: without a rank until one of the two ages is off."""
TARGETS = ("supportive", "mixed", APART)


CHOICES: list[dict[str, int]] = [
    {},
    {f"level:{ADULTS}": 0},
    {f"level:{MINORS}": 2},
    {"type:negative": 2, f"level:{ADULTS}": 2},
    {"type:positive": 0, f"level:{MINORS}": 2, "area:societal": 2},
    {"area:psychological": 0},
    {"area:societal": 0, "type:negative": 0},
]


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory, canonical: Canonical) -> Path:
    """A folder with three scripted targets on three benchmarks: one lacks one, another stops early; ./report."""
    folder = tmp_path_factory.mktemp("use")
    canonical.put(folder, SLUGS, TARGETS)
    (lacking,) = (folder / "benchmark_output/runs/s").glob("*benchmark=prosocial,*model=rehearsal_minors-only")
    shutil.rmtree(lacking)
    (whole,) = (folder / "benchmark_output/runs/s").glob("*benchmark=prosocial,*model=rehearsal_mixed")
    shutil.rmtree(whole)
    roles = "user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/mixed"
    entry = f"impactbench:benchmark=prosocial,pilot=3,until_width=0.5,{roles}"
    run_command("helm-run", "--run-entries", entry, "--suite", "s", "-m", 10000, *PARALLEL, cwd=folder)
    run_command("impactbench", "report", "--suite", "s", "--out-dir", "report", cwd=folder)
    return folder


@pytest.fixture
def page(browser: Browser, suite: Path) -> Iterator[Page]:
    """The page at 1280 pixels; an error on it fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    with strict_page(context) as page:
        page.goto(f"file://{suite}/report/your-use.html")
        yield page
    context.close()


def _choose(page: Page, weights: Mapping[str, int]) -> None:
    for name, weight in weights.items():
        group, text = name.split(":")
        legend = {"negative": "Avoiding harm", "positive": "Doing good"}.get(
            text, area_words(text) if group == "area" else group_words(text)
        )
        part = page.locator(f"section[aria-labelledby=group-{group}]").get_by_role("group", name=legend)
        part.get_by_role("radio", name=("off", "normal", "double")[weight]).check()


def _rows(page: Page) -> list[tuple[str, str, str]]:
    rows = page.locator("#models tr:not(.unranked)").all()
    return [
        (row.get_by_role("rowheader").inner_text(), *(row.locator("td").nth(n).inner_text() for n in (1, 2)))
        for row in rows
    ]


def _expected(suite: Path, weights: Mapping[str, int]) -> list[tuple[str, str, str]]:
    """Return the rows that Python's figures give."""
    groups: dict[str, dict[str, int]] = {"area": {}, "level": {}, "type": {}}
    for name, weight in weights.items():
        group, text = name.split(":")
        groups[group][text] = weight
    benchmarks = {slug: weight_of(load_benchmark(slug).areas, groups["area"]) for slug in SLUGS}
    outcomes = in_two_ages(list(read_suite(suite / "benchmark_output/runs/s")))
    scores = weighted_scores(outcomes, Emphasis("age", groups["level"], groups["type"]), benchmarks)
    return [
        (f"{score.model} (scripted)", f"{100 * score.value:.1f}%",
         f"{100 * score.interval.low:.1f}% to {100 * score.interval.high:.1f}%"
         if score.interval.is_known else "unknown")
        for score in scores if not score.lacks
    ]  # fmt: skip


@pytest.mark.browser
@pytest.mark.parametrize("weights", CHOICES, ids=lambda weights: " ".join(weights) or "all normal")
def test_the_ranking_is_pythons(suite: Path, page: Page, weights: dict[str, int]) -> None:
    """Scores, intervals and order for every choice of weights, as analysis/weighted.py gives them."""
    _choose(page, weights)
    one_age = any(name.startswith("level:") and not weight for name, weight in weights.items())
    expected = [row for row in _expected(suite, weights) if one_age or APART not in row[0]]
    assert _rows(page) == expected
    assert len(_rows(page)) >= 2


@pytest.mark.browser
def test_all_normal_and_all_double_are_the_overview(suite: Path, page: Page) -> None:
    """The mean scores and both bounds that the overview prints, of every model that it ranks."""
    overview = PageReader(suite / "report/index.html").figures
    printed = {
        (figure["data-model"], figure["data-stat"]): figure["text"] for figure in overview if figure.get("data-model")
    }
    expected = [
        (
            f"{model} (scripted)",
            printed[model, "mean"],
            f"{printed[model, 'mean_low']} to {printed[model, 'mean_high']}",
        )
        for model in ("rehearsal/supportive", "rehearsal/mixed")
    ]
    assert _rows(page) == expected
    ranks = [row.locator("td").first.inner_text() for row in page.locator("#models tr:not(.unranked)").all()]
    ranking = re.findall(r'<td class="n">([\d to]+)</td>\n<th scope="row"', (suite / "report/index.html").read_text())
    assert ranks == ranking
    expect(page.locator("#caution")).to_contain_text("Ranks are those of the overview")
    for radio in page.get_by_role("radio", name="double").all():
        radio.check()
    assert _rows(page) == expected
    page.get_by_role("radio", name="off").first.check()
    expect(page.locator("#caution")).to_have_text(re.compile("^Order of scores, not tested"))
    page.get_by_role("button", name="Everything normal").click()
    expect(page.get_by_role("radio", name="normal").first).to_be_checked()


@pytest.mark.browser
def test_a_model_that_lacks_a_benchmark_is_marked_until_it_does_not_count(page: Page) -> None:
    """It has no rank while what it lacks counts, says what that is, and is ranked when that is off."""
    lacking = page.locator("#models tr.unranked")
    expect(lacking).to_contain_text("not ranked: no score on Prosocial")
    expect(page.get_by_role("status")).to_have_text("2 models ranked over 3 of 3 benchmarks; 1 model not ranked.")
    _choose(page, {"area:societal": 0})
    expect(lacking).to_contain_text("not ranked: people of different age fare differently; choose whom you mean")
    _choose(page, {f"level:{ADULTS}": 0})
    expect(lacking).to_have_count(0)
    page.get_by_text("Which benchmarks count, and how much").click()
    expect(page.locator("#counted")).to_contain_text(re.compile("Prosocial.*: off"))


@pytest.mark.browser
def test_nothing_marked_says_what_to_do(page: Page) -> None:
    """Without any kind of person there is no table, and the page says what to mark."""
    _choose(page, {f"level:{level}": 0 for level in (MINORS, ADULTS)})
    expect(page.get_by_role("status")).to_have_text(
        "Every kind of person is off. Mark at least one as normal or double."
    )
    expect(page.locator("#ranking")).to_be_hidden()


@pytest.mark.browser
def test_the_address_holds_the_choice(page: Page) -> None:
    """A choice stands in the address, and the address restores it."""
    _choose(page, {f"level:{ADULTS}": 0, "type:negative": 2})
    rows, address = _rows(page), page.url
    assert "off=level" in address
    page.goto("about:blank")
    page.goto(address)
    assert _rows(page) == rows
    part = page.get_by_role("group", name="Avoiding harm")
    expect(part.get_by_role("radio", name="double")).to_be_checked()


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "dark")])
def test_accessible_by_keyboard_and_on_a_phone(suite: Path, browser: Browser, width: int, scheme: Any) -> None:
    """axe finds no serious fault, nothing is cut off, and arrow keys move from off to double."""
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True)
    page = context.new_page()
    page.goto(f"file://{suite}/report/your-use.html")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_role("radio", name="normal").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="double").first).to_be_checked()
    assert serious_faults(page) == []
    context.close()
