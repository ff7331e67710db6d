"""Two answers to the same case side by side, in a browser, from the words that the search reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from helm_impactbench.outputs.report.build import build_report
from tests.support import kinds
from tests.support.browser import chromium, serious_faults, strict_page
from tests.support.conversation_parts import conversation_part
from tests.support.html_pages import PageReader

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of two targets with every kind of measurement."""
    folder = tmp_path_factory.mktemp("compare")
    for target in ("bad", "good"):
        kinds.write_run(folder / "suite", target)
    build_report(folder / "suite", folder / "report", shown_model=lambda model: model)
    build_report(folder / "suite", folder / "hidden", shown_model=lambda model: model, redact=["kinds/helps"])
    return folder / "report"


@pytest.fixture
def page() -> Iterator[Page]:
    """A page on which any error fails the test."""
    with chromium() as browser:
        context = browser.new_context(viewport={"width": 1280, "height": 800}, offline=True)
        with strict_page(context) as opened:
            yield opened


def test_the_first_difference_is_marked(report: Path, page: Page) -> None:
    """Without models in the address, one that passed and one that failed; reasons behind the content note too."""
    page.goto(f"file://{report}/compare.html?case=kinds/helps_s001_v01")
    expect(page.get_by_role("status")).to_have_text("The answers differ from turn 1 on.")
    assert page.locator(".heads").inner_text().split() == ["org/good", "✓", "passed", "org/bad", "✗", "failed"]
    expect(page.locator(".message").first).to_be_hidden()
    page.get_by_text("Content note.").click()
    words = page.locator("#first .message.assistant .text").all_inner_texts()
    assert words == ["I help with this.", "I look away."]
    expect(page.locator("#first .message.user")).to_have_count(1)  # both were asked alike
    expect(page.locator(".vote")).to_have_count(2)
    assert "a=org%2Fgood&b=org%2Fbad" in page.url


@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (375, "light")])
def test_axe_finds_nothing_serious(report: Path, width: int, scheme: Any) -> None:
    """With the note open, and nothing wider than the screen."""
    with chromium() as browser:
        opened = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        opened.goto(f"file://{report}/compare.html?case=kinds/helps_s001_v01")
        opened.get_by_text("Content note.").click()
        expect(opened.locator("#first")).to_be_visible()
        assert opened.evaluate("document.documentElement.scrollWidth") <= width
        assert serious_faults(opened) == []


def test_another_case_and_another_order_are_chosen_on_the_page(report: Path, page: Page) -> None:
    """Answers that are alike are said to be; the address follows what is chosen, and a wrong one is told."""
    page.goto(f"file://{report}/compare.html?case=kinds/pays_s001_v01&a=org/bad&b=org/good")
    expect(page.get_by_role("status")).to_have_text("The two answered alike, word for word.")
    page.get_by_label("case").select_option("pays_s001_v02")
    expect(page.get_by_role("status")).to_have_text("The answers differ from turn 1 on.")
    assert "case=kinds%2Fpays_s001_v02&a=org%2Fbad&b=org%2Fgood" in page.url
    page.goto(f"file://{report}/compare.html?case=kinds/nonsense")
    expect(page.get_by_role("status")).to_contain_text("There is no case kinds/nonsense in this report")


def test_hidden_words_stay_hidden(report: Path, page: Page) -> None:
    """A redacted metric has verdicts here and no words."""
    page.goto(f"file://{report.parent}/hidden/compare.html?case=kinds/helps_s001_v01")
    expect(page.get_by_role("status")).to_contain_text("hidden in this report (redacted)")
    assert "I help with this" not in page.content()


def test_cases_and_conversations_lead_to_it(report: Path) -> None:
    """With the two models that differ most, and from a conversation with its own model."""
    cases = PageReader(report / "cases/kinds.html").links
    assert "../compare.html?case=kinds%2Fhelps_s001_v01&a=org%2Fgood&b=org%2Fbad" in cases
    links = PageReader(conversation_part(report, "kinds/org~bad/helps_s001_v01")).links
    assert "compare.html?case=kinds%2Fhelps_s001_v01&a=org%2Fbad" in links


def test_one_model_has_nothing_beside_it(tmp_path: Path) -> None:
    """No page, and no link to one."""
    kinds.write_run(tmp_path / "suite", "good")
    build_report(tmp_path / "suite", tmp_path / "report", shown_model=lambda model: model)
    assert not (tmp_path / "report/compare.html").exists()
    assert not any("compare.html" in path.read_text() for path in (tmp_path / "report").rglob("*.html"))


def test_two_suites_are_compared_on_the_same_case(tmp_path: Path, page: Page) -> None:
    """A report with an earlier suite has its answers too, of one model now and then; private text stays hidden."""
    for suite, target in (("now", "good"), ("then", "bad")):
        kinds.write_run(tmp_path / suite, target)
    build_report(tmp_path / "now", tmp_path / "report", shown_model=lambda model: model, earlier=[tmp_path / "then"])
    page.goto(f"file://{tmp_path}/report/compare.html?case=kinds/pays_s001_v02")
    expect(page.get_by_role("status")).to_have_text("The answers differ from turn 1 on.")
    heads = page.locator(".heads h2").all_inner_texts()
    assert [head.split(" ●")[0] for head in heads] == ["org/good", "org/bad, then"]
    page.get_by_text("Content note.").click()
    words = page.locator("#first .message.assistant .text").all_inner_texts()
    assert words == ["Ask for 50000.", "Ask for 40000."]
    build_report(tmp_path / "now", tmp_path / "hidden", shown_model=lambda model: model, earlier=[tmp_path / "then"],
                 redact=["kinds"])  # fmt: skip
    page.goto(f"file://{tmp_path}/hidden/compare.html?case=kinds/pays_s001_v02")
    expect(page.get_by_role("status")).to_contain_text("hidden in this report (redacted)")
    assert not list((tmp_path / "hidden/search/earlier").rglob("*.js"))
