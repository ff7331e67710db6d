"""The page of a conversation in a real browser: reasons beside the chat, the way through a list, notes, the phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support.browser import serious_faults, strict_page
from tests.support.canonical import Canonical
from tests.support.commands import run_command
from tests.support.conversation_parts import conversation_parts

LIST = "conversations/emotional-dependence/rehearsal~harmful/index.html"
CASES = "cases/emotional-dependence.html"
NOTE = 'class="notice"'

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, canonical: Canonical) -> Path:
    """The report of two scripted models on two benchmarks, one of which has a content note."""
    folder = tmp_path_factory.mktemp("conversations")
    canonical.put(folder, ("emotional-dependence", "mental-health-safety"), ("harmful", "mixed"))
    run_command("impactbench", "report", "--suite", "s", "--out-dir", "report", cwd=folder)
    return folder / "report"


class Picked(NamedTuple):
    """Conversations of a report, by what their pages have, whatever the cases that were drawn; addresses in it."""

    plain: str
    """The first of a run, shown at once."""
    after_plain: str
    """The one after it in the run."""
    three_quotes: str
    """The judge quotes three turns or more."""
    noted: str
    """Shown after a note; so is the one after it."""
    other_note: str
    """Shown after another benchmark's note."""
    count: int
    """Conversations of the run that `plain` belongs to."""


@pytest.fixture(scope="module")
def picked(report: Path) -> Picked:
    """Conversations of the report to look at."""

    def pages(benchmark: str) -> dict[str, str]:
        run = f"conversation.html?of={benchmark}/rehearsal~harmful/"
        return {name: part for name, part in sorted(conversation_parts(report).items()) if name.startswith(run)}

    talks, crises = pages("emotional-dependence"), pages("mental-health-safety")
    plain, after_plain, *_ = talks
    assert NOTE not in talks[plain]
    pairs = zip(crises, list(crises)[1:], strict=False)
    return Picked(
        plain,
        after_plain,
        next(name for name, text in talks.items() if text.count("<mark") >= 3 and NOTE not in text),
        next(name for name, after in pairs if NOTE in crises[name] and NOTE in crises[after]),
        next(name for name, text in talks.items() if NOTE in text),
        len(talks),
    )


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A fresh browser as wide as a laptop, without network."""
    opened = browser.new_context(viewport={"width": 1280, "height": 800}, offline=True)
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """An empty page; an error or a violated policy on it fails the test."""
    with strict_page(context) as page:
        yield page


def after(name: str, report: Path) -> str:
    """Return the name of the conversation after one, in its run."""
    names = sorted(conversation_parts(report))
    return Path(names[names.index(name) + 1]).name


def at(page: Page) -> str:
    """Return the name of the conversation that a page shows."""
    return page.url.split("#")[0].rsplit("/", 1)[1]


# ---- reasons and words -----------------------------------------------------------------------------------------------


def test_reasons_stand_beside_the_chat_on_a_laptop_and_below_it_on_a_phone(
    report: Path, picked: Picked, page: Page
) -> None:
    """Two columns, the reasons staying in view while one reads on; one column where there is no room."""
    page.goto(f"file://{report}/{picked.plain}")
    chat, reasons = page.locator(".chat").bounding_box(), page.locator(".reasons").bounding_box()
    assert chat
    assert reasons
    assert reasons["x"] > chat["x"] + chat["width"] - 1
    assert reasons["y"] == pytest.approx(chat["y"], abs=2)
    page.locator(".message.assistant").last.scroll_into_view_if_needed()
    expect(page.locator("#q1")).to_be_in_viewport()
    page.set_viewport_size({"width": 375, "height": 740})
    chat, reasons = page.locator(".chat").bounding_box(), page.locator(".reasons").bounding_box()
    assert chat
    assert reasons
    assert reasons["y"] > chat["y"] + chat["height"] - 1


def test_reasons_are_bound_to_the_quoted_words(report: Path, picked: Picked, page: Page) -> None:
    """Hover, focus and click light up the other side, whichever side one is on; only what belongs together."""
    page.goto(f"file://{report}/{picked.three_quotes}")
    page.locator("mark").nth(1).dispatch_event("mouseover")  # its box, over two lines, has a middle that is not its own
    assert [one.get_attribute("id") for one in page.locator("li.on").all()] == ["q2"]
    page.locator("#q3").hover()
    assert [one.get_attribute("data-quotes") for one in page.locator("mark.on").all()] == ["3"]
    page.locator("h1").hover()
    expect(page.locator(".on")).to_have_count(0)
    page.locator("#q1 a").focus()
    expect(page.locator("mark.on")).to_have_count(1)
    page.get_by_role("link", name="Evidence 2: to the reason").focus()
    assert [one.get_attribute("id") for one in page.locator("li.on").all()] == ["q2"]
    page.locator("#q3 q").click()
    expect(page.locator("mark.on")).to_be_in_viewport()
    page.mouse.move(2, 2)
    assert [one.get_attribute("data-quotes") for one in page.locator("mark.on").all()] == ["3"]


# ---- previous and next -----------------------------------------------------------------------------------------------


def test_keys_lead_through_the_list_one_came_from(report: Path, page: Page) -> None:
    """In the order and with the filter of the list; j and k, arrows, and u back to the list as it was."""
    page.goto(f"file://{report}/{LIST}")
    page.locator("select[name=age]").select_option("child or teenager (6-17)")
    links = page.locator("tr[data-tags]:visible th a")
    names = [(link.get_attribute("href") or "").rsplit("/", 1)[1] for link in links.all()]
    assert len(names) > 10
    links.nth(1).click()
    expect(page.locator(".place").first).to_have_text(
        re.compile(rf"^2 of {len(names)} in Conversations of rehearsal/harmful .* in Emotional dependence$")
    )
    for key, place in (("j", 2), ("ArrowRight", 3), ("k", 2), ("ArrowLeft", 1), ("k", 0)):
        page.keyboard.press(key)
        page.wait_for_url(f"**/{names[place]}")
        expect(page.locator(".keys")).to_be_attached()
    page.keyboard.press("k")  # there is none before the first
    page.reload()
    expect(page.locator(".place").first).to_contain_text(f"1 of {len(names)}")
    page.get_by_role("link", name="Next").first.click()
    page.go_back()
    expect(page.locator(".place").first).to_contain_text(f"1 of {len(names)}")
    page.keyboard.press("u")
    expect(page.locator("select[name=age]")).to_have_value("child or teenager (6-17)")
    expect(page.locator("tr[data-tags]:visible")).to_have_count(len(names))


def test_a_case_leads_from_model_to_model(report: Path, picked: Picked, page: Page) -> None:
    """From the page of cases, next is the same case with the next model."""
    case = Path(picked.plain).stem
    page.goto(f"file://{report}/{CASES}#{case}")
    page.locator(f"#{case} td a").first.click()
    expect(page.locator(".place").first).to_have_text(
        re.compile(r"^1 of 2 in Case \d of Emotional dependence, with every model")
    )
    page.keyboard.press("j")
    page.wait_for_url(f"**/rehearsal~harmful/{case}")
    expect(page.locator(".keys")).to_be_attached()
    page.keyboard.press("u")
    page.wait_for_url(f"**/cases/emotional-dependence.html#{case}")


def test_two_answers_are_compared_turn_by_turn(report: Path, picked: Picked, page: Page) -> None:
    """The turn that is marked is the first in which the two pages have other words of the assistant."""
    case, said = Path(picked.plain).stem, list[list[str]]()
    for model in ("harmful", "mixed"):
        page.goto(f"file://{report}/{picked.plain.replace('harmful', model)}")
        expect(page.locator(".message").first).to_be_visible()
        page.evaluate("document.querySelectorAll('sup').forEach((number) => number.remove())")
        said.append(page.locator(".message.assistant .text").all_text_contents())
    page.goto(f"file://{report}/{picked.plain}")
    page.get_by_role("link", name="Compare with another model").click()
    page.wait_for_url(f"**/compare.html?case=emotional-dependence%2F{case}&a=rehearsal%2Fharmful&b=rehearsal%2Fmixed")
    first = next(place for place, (one, other) in enumerate(zip(*said, strict=False), start=1) if one != other)
    expect(page.locator("#first h3")).to_have_text(f"Turn {first}: the first difference")
    page.evaluate("document.querySelectorAll('sup').forEach((number) => number.remove())")
    for place, own in enumerate(said):
        shown = page.locator(f".aligned .two > div:nth-child({place + 1}) .message.assistant .text").all_text_contents()
        assert shown == own


def test_a_search_leads_along_all_that_it_found(report: Path, page: Page) -> None:
    """Also along what is not shown yet, and back to the search with its words and filters."""
    page.goto(f"file://{report}/find.html?verdict=failed&q=scripted")
    found = page.locator("#hits h3 a")
    expect(found).to_have_count(20)
    found.nth(19).click()
    expect(page.locator(".place").first).to_have_text(re.compile(r"^20 of [\d,]{2,} in Search for scripted$"))
    page.keyboard.press("j")
    expect(page.locator(".place").first).to_contain_text("21 of")
    expect(page.locator(".lead")).to_contain_text("failed")
    page.keyboard.press("u")
    expect(page.locator("#q")).to_have_value("scripted")
    expect(page.locator("select[name=verdict]")).to_have_value("failed")


def test_without_a_list_the_run_gives_the_order(report: Path, picked: Picked, page: Page) -> None:
    """A shared address leads on along the run, and back to the list of its model; so does a list that is none."""
    page.goto(f"file://{report}/{picked.plain}")
    expect(page.locator(".place").first).to_contain_text(
        f"1 of {picked.count} in Emotional dependence, rehearsal/harmful"
    )
    for planted in (
        '["x"]',
        "nonsense",
        '{"at": HERE, "from": "javascript:1", "name": "x", "pages": [HERE, "https://x.example/"]}',
    ):
        here = page.evaluate("JSON.stringify(location.href)")
        page.evaluate("text => sessionStorage.setItem('impactbench-list', text)", planted.replace("HERE", here))
        page.reload()
        expect(page.locator(".place").first).to_contain_text(f"1 of {picked.count} in Emotional dependence")
    page.keyboard.press("j")
    page.wait_for_url(f"**/{Path(picked.after_plain).name}")
    page.locator(".place a").first.click()
    page.wait_for_url("**/index.html#m01")


def test_keys_are_listed_can_be_switched_off_and_never_act_while_typing(
    report: Path, picked: Picked, page: Page
) -> None:
    """A visible hint, a list that opens by key and by mouse, a switch that the next page knows of."""
    page.goto(f"file://{report}/{picked.plain}")
    expect(page.get_by_text("Keys: j next, k previous, ? all")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_text("Back to the list")).to_be_visible()
    expect(page.locator(".keys summary")).to_be_focused()
    page.evaluate("document.querySelector('main').append(document.createElement('textarea'))")
    page.locator("textarea").focus()
    page.keyboard.press("j")
    expect(page.locator("textarea")).to_have_value("j")
    page.locator("textarea").blur()
    page.keyboard.press("Control+j")
    page.get_by_label("Use these keys").uncheck()
    page.locator(".reasons h2").click()
    page.keyboard.press("j")
    assert at(page) == Path(picked.plain).name
    page.reload()
    expect(page.locator(".keys summary")).to_be_visible()
    page.keyboard.press("j")
    page.locator(".keys summary").click()
    page.get_by_label("Use these keys").check()
    page.keyboard.press("j")
    page.wait_for_url(f"**/{Path(picked.after_plain).name}")


# ---- notes, person, quoting ------------------------------------------------------------------------------------------


def test_a_note_is_asked_once(report: Path, picked: Picked, page: Page) -> None:
    """Only where a metric needs one; who has read it is not asked on the next page, and can take that back."""
    page.goto(f"file://{report}/{picked.plain}")
    expect(page.locator("#t1")).to_be_visible()
    expect(page.locator(".notice")).to_have_count(0)
    page.goto(f"file://{report}/{picked.noted}")
    expect(page.get_by_text("Open the conversation")).to_be_visible()
    for private in ("#t1", ".reasons", ".person"):
        expect(page.locator(private)).to_be_hidden()
    page.get_by_text("Open the conversation").click()
    expect(page.locator("#t1")).to_be_visible()
    page.keyboard.press("j")
    page.wait_for_url(f"**/{after(picked.noted, report)}")
    expect(page.locator("#t1")).to_be_visible()
    page.goto(f"file://{report}/{picked.other_note}")
    expect(page.get_by_text("Open the conversation")).to_be_visible()
    expect(page.locator("#t1")).to_be_hidden()  # another note
    page.goto(f"file://{report}/{picked.noted}")
    page.locator(".notice > summary").click()
    page.reload()
    expect(page.locator("#t1")).to_be_hidden()


def test_the_person_is_folded_into_a_line(report: Path, picked: Picked, page: Page) -> None:
    """The line says who it is; the brief opens below it. No id stands outside the technical details."""
    page.goto(f"file://{report}/{picked.plain}")
    expect(page.locator(".person summary")).to_have_text(re.compile(r"^What was tested, and who asked \w.{10,}"))
    expect(page.get_by_text("Hidden pressure")).to_be_hidden()
    page.locator(".person summary").click()
    expect(page.get_by_text("Hidden pressure")).to_be_visible()
    shown = page.locator("main").inner_text().replace(page.locator("#quoting + dl").inner_text(), "")
    assert not re.search(r"\bm\d\d(_s\d+)?\b|emotional-dependence", shown)


def test_an_address_to_quote(report: Path, picked: Picked, page: Page) -> None:
    """The page's own address without the place on it, to copy, and the line to cite it by."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"file://{report}/{picked.plain}#e2")
    expect(page.locator(".address")).to_have_text(f"file://{report}/{picked.plain}")
    page.get_by_role("button", name="Copy").click()
    expect(page.locator(".copy")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == f"file://{report}/{picked.plain}"
    expect(page.locator(".cite")).to_have_text(
        re.compile(
            r"^ImpactBench, Emotional dependence: “Avoid addressing the user by pet names”, case m01_\w+, "
            r"conversation with rehearsal/harmful \(scripted\)\. Suite s, 20\d\d-\d\d-\d\d with helm_impactbench "
            r"[\w.]+\.$"
        )
    )
    expect(page.get_by_text(re.compile(r"^\d+ calls, tokens not counted, US\$0\.0000\.$"))).to_be_visible()


def test_a_place_on_the_page_is_found_when_the_conversation_is_there(report: Path, picked: Picked, page: Page) -> None:
    """An address with a turn or a quote shows it, marked, and so does a link on the page; the title names the case."""
    page.goto(f"file://{report}/{picked.three_quotes}#e3")
    expect(page.locator("#e3 + mark")).to_be_in_viewport()
    assert page.locator("#e3 + mark").evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
    assert page.title().startswith(page.locator("h1").inner_text() + ": Case ")
    page.get_by_role("link", name="Evidence 2: to the reason").click()
    expect(page.locator("#q2")).to_be_in_viewport()


@pytest.mark.parametrize(
    "of", ["emotional-dependence/rehearsal~harmful/none", "../../x/y", "https://x.example/a/b", ""]
)
def test_an_address_that_names_no_conversation_says_so(report: Path, page: Page, of: str) -> None:
    """Nothing outside the report is loaded; the page says what it has not found."""
    page.goto(f"file://{report}/conversation.html?of={of}")
    expect(page.get_by_role("status")).to_have_text(
        f"There is no conversation {of} in this report, or its file could not be loaded."
    )


# ---- a phone, axe ----------------------------------------------------------------------------------------------------


def test_a_chat_on_a_phone(report: Path, picked: Picked, page: Page) -> None:
    """Two sides at two edges, nothing wider than the screen, lists of cards that begin with the verdict."""
    page.set_viewport_size({"width": 375, "height": 740})
    for name in (picked.plain, LIST, CASES):
        page.goto(f"file://{report}/{name}")
        expect(page.locator("#loading")).to_be_hidden()
        assert page.evaluate("document.documentElement.scrollWidth") <= 375, name
    page.goto(f"file://{report}/{picked.plain}")
    expect(page.locator(".message.assistant").first).to_be_visible()
    person, assistant = (page.locator(f".message.{side}").first.bounding_box() for side in ("user", "assistant"))
    assert person
    assert assistant
    assert assistant["x"] < 30 < person["x"]
    assert person["x"] + person["width"] > 345 > 60
    page.goto(f"file://{report}/{LIST}")
    row = page.locator("tr[data-tags]").first
    assert row.inner_text().strip().startswith("✗ failed")


@pytest.mark.parametrize(("width", "most"), [(1280, 200), (375, 300)])
def test_the_conversation_begins_near_the_top(report: Path, picked: Picked, page: Page, width: int, most: int) -> None:
    """One line of verdict, metric, model and levels; what was tested, who asked and the keys are out of the way."""
    page.set_viewport_size({"width": width, "height": 740})
    for name in (picked.plain, picked.three_quotes):
        page.goto(f"file://{report}/{name}")
        expect(page.locator(".message").first).to_be_visible()
        box = page.locator(".message").first.bounding_box()
        assert box
        assert box["y"] < most, name
    if width == 1280:  # a phone has no keys
        below = "one => one.getBoundingClientRect().top > document.querySelector('.reasons').offsetTop"
        assert page.locator(".keys").evaluate(below)
    assert page.locator(".steps").first.evaluate("one => one.offsetHeight") < 50


@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (375, "light")])
def test_axe_finds_nothing_serious(report: Path, picked: Picked, browser: Browser, scheme: Any, width: int) -> None:
    """Open notes, chosen quotes, an open list of keys and open folds included."""
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True)
    page = context.new_page()
    for name in (picked.plain, picked.noted, LIST, CASES):
        page.goto(f"file://{report}/{name}")
        expect(page.locator("#loading")).to_be_hidden()
        unfolded = "document.querySelectorAll('details').forEach((one) => { one.open = true; });"
        quoted = "document.querySelector('.quotes li q')?.click();"
        assert serious_faults(page, unfolded + quoted) == [], (name, scheme, width)
    context.close()
