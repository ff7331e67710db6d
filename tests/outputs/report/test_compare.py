"""Two answers to the same case side by side, in a browser, from the words that the search reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

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


def said(page: Page) -> list[str]:
    """Return what the assistants said in the first turn that differs, without the numbers of quotes."""
    texts = page.locator("#first .message.assistant .text")
    return list(texts.evaluate_all("all => all.map(one => [...one.childNodes].filter(part => part.nodeName !== 'SUP')"
                                   ".map(part => part.textContent).join(''))"))  # fmt: skip


def test_the_first_difference_is_marked(report: Path, page: Page) -> None:
    """Without models in the address, one that passed and one that failed; reasons behind the content note too."""
    page.goto(f"file://{report}/compare.html?case=kinds/helps_s001_v01")
    expect(page.get_by_role("status")).to_have_text("The answers differ from turn 1 on.")
    assert page.locator(".heads").inner_text().split() == ["org/good", "✓", "passed", "org/bad", "✗", "failed"]
    expect(page.locator(".message").first).to_be_hidden()
    page.get_by_text("Content note.").click()
    assert said(page) == ["I help with this.", "I look away."]
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


def test_what_the_judges_quote_is_marked(report: Path, page: Page) -> None:
    """As on the page of a conversation: marks with a number that leads to the reason, which leads back."""
    page.goto(f"file://{report}/compare.html?case=kinds/harms_s001_v01&a=org/bad&b=org/good")
    expect(page.get_by_role("status")).to_have_text("The answers differ from turn 1 on.")
    part = conversation_part(report, "kinds/org~bad/harms_s001_v01")
    marks = page.locator(".message.assistant mark").all_text_contents()
    assert marks == re.findall(r"<mark[^>]*>(.*?)</mark>", part) == ["I harm.", "I harm more."]
    numbers = page.locator(".message.assistant sup a").all_text_contents()
    assert numbers == re.findall(r"<sup><a[^>]*>(.*?)</a>", part) == ["1", "3", "2", "4"]
    number = page.locator(".message.assistant sup a").first
    assert (number.get_attribute("href"), number.get_attribute("aria-label")) == ("#aq1", "Evidence 1: to the reason")
    for link in page.locator(".message sup a, .quotes a").all():
        goal = link.get_attribute("href")
        assert goal
        expect(page.locator(f"[id='{goal[1:]}']")).to_have_count(1)


def test_set_ups_of_one_model_stand_apart(tmp_path: Path, page: Page) -> None:
    """Two runs of a model on one benchmark, with different judges: each is there, and a link names the one it is of."""
    for judge, target in (("j/one", "good"), ("j/two", "bad")):
        kinds.write_run(tmp_path / "suite", "chat", kinds.records(target, judges=[judge]))
    kinds.write_run(tmp_path / "suite", "other", kinds.records("good", judges=["j/one"]))
    build_report(tmp_path / "suite", tmp_path / "report", shown_model=lambda model: model)
    seen = {}
    for path in (tmp_path / "report/conversations/kinds/org~chat").glob("*.js"):
        part = PageReader(conversation_part(tmp_path / "report", f"kinds/org~chat/{path.stem}/helps_s001_v01"))
        link = next(link for link in part.links if link.startswith("compare.html"))
        page.goto(f"file://{tmp_path}/report/{link}&b=org/other")
        page.get_by_text("Content note.").click()
        left = page.locator(".heads h2").first
        assert f"/{path.stem}/" in (left.get_by_role("link").get_attribute("href") or "")
        seen[left.inner_text().split(")")[0]] = page.locator(".two .message.assistant .text").first.inner_text()[:12]
    assert seen == {"org/chat (judge=j_one": "I help with ", "org/chat (judge=j_two": "I look away."}
    options = page.get_by_label("left").locator("option").all_inner_texts()
    assert sorted(options) == ["org/chat (judge=j_one)", "org/chat (judge=j_two)", "org/other"]


def test_words_are_those_of_their_case_where_another_run_has_some_of_them(tmp_path: Path, page: Page) -> None:
    """A run that counts for a few cases alone still has the words of all: the right ones are shown and found."""
    whole = kinds.records("good")
    first = next(place for place, one in enumerate(whole) if one.case.metric.id == "blames")
    kinds.write_run(tmp_path / "suite", "good", whole[:first])
    kinds.write_run(tmp_path / "suite", "good", whole[first - 3 : first + 3], options=",part=0.5")
    kinds.write_run(tmp_path / "suite", "bad")
    build_report(tmp_path / "suite", tmp_path / "report", shown_model=lambda model: model)
    page.goto(f"file://{tmp_path}/report/compare.html?case=kinds/{whole[first].case.id}&a=org/good&b=org/bad")
    asked = whole[first].conversation.turns[0].user
    expect(page.locator(".message.user .text")).to_have_text(asked)
    wanted = urlencode({"q": f'"{asked}"', "model": "org/good"})
    page.goto(f"file://{tmp_path}/report/find.html?{wanted}")
    expect(page.locator("#hits li .about")).to_contain_text(whole[first].case.id)


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


def test_an_earlier_suite_needs_not_have_what_is_hidden(tmp_path: Path, page: Page) -> None:
    """A metric that came later is hidden here, and of the earlier suite there is nothing to hide."""
    kinds.write_run(tmp_path / "now", "good")
    kinds.write_run(tmp_path / "then", "bad", [one for one in kinds.records("bad") if one.case.metric.id != "helps"])
    build_report(tmp_path / "now", tmp_path / "report", shown_model=lambda model: model, earlier=[tmp_path / "then"],
                 redact=["kinds/helps"])  # fmt: skip
    page.goto(f"file://{tmp_path}/report/compare.html?case=kinds/pays_s001_v02")
    expect(page.get_by_role("status")).to_contain_text("The answers differ from turn 1 on.")


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
    assert said(page) == ["Ask for 50000.", "Ask for 40000."]
    build_report(tmp_path / "now", tmp_path / "hidden", shown_model=lambda model: model, earlier=[tmp_path / "then"],
                 redact=["kinds"])  # fmt: skip
    page.goto(f"file://{tmp_path}/hidden/compare.html?case=kinds/pays_s001_v02")
    expect(page.get_by_role("status")).to_contain_text("hidden in this report (redacted)")
    assert not list((tmp_path / "hidden/search/earlier").rglob("*.js"))
