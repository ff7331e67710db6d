"""The search over all conversations of a report, in a real browser and from a folder, as its reader has it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support import helm
from tests.support.browser import serious_faults, strict_page
from tests.support.canonical import Canonical
from tests.support.commands import run_command
from tests.support.conversation_parts import run_of

SLUGS = ("emotional-dependence", "prosocial")
TARGETS = ("supportive", "harmful")
TEENAGER = "teenager (13-17)"


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory, canonical: Canonical) -> Path:
    """A working directory with two scripted targets on two benchmarks, and its report in ./report."""
    folder = tmp_path_factory.mktemp("search")
    canonical.put(folder, SLUGS, TARGETS)
    run_command("impactbench", "report", "--suite", "s", "--out-dir", "report", cwd=folder)
    return folder


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """An empty page; an error or a violated policy on it fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    with strict_page(context) as page:
        yield page
    context.close()


def _address(suite: Path, query: str = "", report: str = "report") -> str:
    return f"file://{suite}/{report}/find.html{query}"


def _talks(suite: Path) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Return (benchmark, model, id) -> what HELM's file has of a conversation."""
    found = {}
    for path in (suite / "benchmark_output/runs/s").glob("impactbench:*"):
        target = path.name.rsplit("_", 1)[1]
        for state in helm.read(path, "scenario_state")["request_states"]:
            case = state["instance"]["extra_data"]["impactbench"]
            talk = state["result"]["completions"][0]["finish_reason"]["conversation"]["turns"]
            found[case["benchmark"], target, state["instance"]["id"]] = {"case": case, "turns": talk}
    return found


def _saying(suite: Path, word: str, side: str = "") -> set[tuple[str, str, str]]:
    sides = (side,) if side else ("user", "assistant")
    return {
        key for key, talk in _talks(suite).items()
        if any(word.lower() in (turn[one] or "").lower() for turn in talk["turns"] for one in sides)
    }  # fmt: skip


def _hits(page: Page) -> set[tuple[str, str, str]]:
    """Return (benchmark, model, id) of all results, after asking for more until there are no more."""
    expect(page.locator("#count")).to_have_text(re.compile(r"^[\d,]+ of [\d,]+ conversations$"))
    while page.locator("#more").is_visible():
        page.locator("#more").click()
    links = page.locator("#hits h3 a").evaluate_all("(links) => links.map((link) => link.href)")
    parts = [link.partition("?of=")[2].split("/") for link in links]
    return {(slug, model.removeprefix("rehearsal~"), name) for slug, model, name in parts}


@pytest.mark.browser
def test_words_are_found_wherever_they_were_said(suite: Path, page: Page) -> None:
    """All conversations with the word and no other; told by speaker; upper and lower case alike."""
    page.goto(_address(suite))
    expect(page.locator("#results")).to_be_hidden()
    page.get_by_label("Words", exact=True).fill("SISTER")
    page.keyboard.press("Enter")
    assert _hits(page) == _saying(suite, "sister")
    assert len(_hits(page)) >= 2
    page.get_by_label("said by").select_option("the assistant")
    if _saying(suite, "sister", "assistant"):
        assert _hits(page) == _saying(suite, "sister", "assistant")
    else:
        expect(page.locator("#count")).to_contain_text("No conversation fits.")


@pytest.mark.browser
def test_a_result_says_what_it_is_and_leads_to_the_conversation(suite: Path, page: Page) -> None:
    """Model, metric, verdict and the words around the match, which is marked; behind a note where there is one."""
    page.goto(_address(suite, "?q=%22welcome+back%22&model=rehearsal%2Fharmful"))
    first = page.locator("#hits li").first
    expect(first).to_contain_text("rehearsal/harmful (scripted)")
    expect(first.locator(".verdict")).to_contain_text("failed")
    notes = page.locator("#hits details").all()
    for note in notes:
        note.locator("summary").click()
    expect(first.locator("mark").first).to_have_text(re.compile("^welcome back$", re.IGNORECASE))
    expect(first.locator(".who")).to_contain_text("Assistant, turn ")
    first.get_by_role("link").click()
    expect(page.locator("main")).to_contain_text(re.compile("welcome back", re.IGNORECASE))
    around = page.locator("nav.steps").first
    expect(around).to_contain_text(re.compile(r"1 of \d+"))
    around.get_by_role("link", name="Search for").click()
    expect(page.locator("#hits li").first).to_contain_text("rehearsal/harmful (scripted)")


@pytest.mark.browser
def test_filters_combine_and_stand_in_the_address(suite: Path, page: Page) -> None:
    """Benchmark, metric, verdict and axis narrow what is found, without words too; the address brings it back."""
    page.goto(_address(suite))
    page.locator("select[name=benchmark]").select_option("prosocial")
    page.locator("select[name=metric]").select_option("prosocial/m02")
    page.locator("select[data-axis=age]").select_option(TEENAGER)
    page.locator("select[name=verdict]").select_option("failed")
    expected = {
        key for key, talk in _talks(suite).items()
        if key[0] == "prosocial" and key[1] == "harmful" and talk["case"]["metric"]["id"] == "m02"
        and talk["case"]["scenario"]["axes"]["age"] == TEENAGER
    }  # fmt: skip
    assert _hits(page) == expected
    assert expected
    address = page.url
    assert all(part in address for part in ("verdict=failed", "metric=prosocial", "axis%3Aage="))
    page.goto("about:blank")
    page.goto(address)
    assert _hits(page) == expected
    page.locator("select[name=benchmark]").select_option("emotional-dependence")
    expect(page.locator("select[name=metric]")).to_have_value("")
    page.get_by_role("button", name="Start again").click()
    expect(page.locator("#results")).to_be_hidden()
    assert page.url == _address(suite)


@pytest.mark.browser
def test_nothing_found_says_what_may_help(suite: Path, page: Page) -> None:
    """Words that nobody said, and signs that mean something to a pattern, find nothing and break nothing."""
    for asked in ("zyzzyva", "(((", "[a-z]+", "\\", ".*", '"'):
        page.goto(_address(suite))
        page.get_by_label("Words", exact=True).fill(f"{asked} zyzzyva")
        page.get_by_role("button", name="Search").click()
        expect(page.locator("#count")).to_contain_text("No conversation fits. Fewer words")


@pytest.mark.browser
def test_missing_words_are_told(suite: Path, page: Page) -> None:
    """A report that lost a part of its words finds the rest and says what could not be read."""
    shutil.copytree(suite / "report", suite / "broken")
    (suite / "broken/conversations/prosocial/rehearsal~harmful.js").unlink()
    context = page.context.browser.new_context(offline=True)  # type: ignore[union-attr]
    other = context.new_page()
    other.goto(_address(suite, "?q=the", "broken"))
    expect(other.locator("#count")).to_contain_text("The words of 1 run could not be loaded.")
    expect(other.locator("#count")).to_contain_text("of 280 conversations")
    context.close()
    shutil.rmtree(suite / "broken")


def _words(report: Path) -> str:
    """Return all that the search can read: the list, and the conversations of every run."""
    runs = [json.dumps(run_of(path), ensure_ascii=False) for path in sorted(report.glob("conversations/*/*.js"))]
    return "\n".join([(report / "search/index.js").read_text(encoding="utf-8"), *runs])


def test_hidden_words_are_nowhere_in_the_search(suite: Path) -> None:
    """What is redacted has a place in the list, and no word of the person, the assistant or a judge."""
    options = ("--redact", "prosocial/m02", "--redact", "emotional-dependence")
    run_command("impactbench", "report", "--suite", "s", "--out-dir", "hidden", *options, cwd=suite)
    hidden, shown, whole = _words(suite / "hidden"), set[str](), _words(suite / "report")
    secret = set[str]()
    for (slug, _, _), talk in _talks(suite).items():
        said = {turn[side] for turn in talk["turns"] for side in ("user", "assistant") if turn[side]}
        (secret if slug == SLUGS[0] or talk["case"]["metric"]["id"] == "m02" else shown).update(said)
    secrets = [json.dumps(text, ensure_ascii=False)[1:-1] for text in secret - shown if len(text) > 25]
    assert len(secrets) > 100
    assert [text for text in secrets if text in hidden] == []
    assert all(text in whole for text in secrets)
    assert '"words":"conversations/emotional-dependence' not in hidden
    assert '"words":"conversations/prosocial' in hidden
    shutil.rmtree(suite / "hidden")


def test_private_scenarios_are_not_in_the_search(suite: Path) -> None:
    """Words of private scenarios are in the search only if the report is asked to show them."""
    shutil.copytree(suite / "benchmark_output", suite / "own/benchmark_output")
    shutil.copytree(suite / "prod_env", suite / "own/prod_env")
    for path in (suite / "own/benchmark_output/runs/s").glob("*benchmark=prosocial*"):
        spec = json.loads((path / "run_spec.json").read_text())
        spec["scenario_spec"]["args"]["split"] = "private"
        (path / "run_spec.json").write_text(json.dumps(spec))
    run_command("impactbench", "report", "--suite", "s", "--out-dir", "report", cwd=suite / "own")
    index = (suite / "own/report/search/index.js").read_text(encoding="utf-8")
    assert {*re.findall('"words":"conversations/([^/"]+)', index)} == {"emotional-dependence"}
    shutil.rmtree(suite / "own")


def test_without_pages_of_conversations_there_is_no_search(suite: Path) -> None:
    """Such a report has no words and says how to get them; the way by id is still there."""
    options = ("--conversation-pages", "none")
    run_command("impactbench", "report", "--suite", "s", "--out-dir", "figures", *options, cwd=suite)
    page = (suite / "figures/find.html").read_text()
    assert "so their words cannot be searched here" in page
    assert "find.js" not in page
    assert 'id="find"' in page
    assert not (suite / "figures/search").exists()
    shutil.rmtree(suite / "figures")


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (375, "light")])
def test_accessible_and_on_a_phone(suite: Path, browser: Browser, width: int, scheme: Any) -> None:
    """axe finds no serious fault in what was found, nothing is cut off, and “Show more” moves on by keyboard."""
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True)
    page = context.new_page()
    page.goto(_address(suite, "?q=the"))
    expect(page.locator("#hits > li")).to_have_count(20)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#more").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#hits > li")).to_have_count(40)
    expect(page.locator("#hits > li").nth(20).get_by_role("link")).to_be_focused()
    assert serious_faults(page) == []
    context.close()
