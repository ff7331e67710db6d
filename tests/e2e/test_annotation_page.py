"""The annotation sheet in a real browser: keys, keeping, export and import, and that nothing a model wrote can run."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from helm_impactbench.validity.annotation.page import sheet_html
from helm_impactbench.validity.annotation.reading import read_annotations
from helm_impactbench.validity.annotation.view import Exchange, View
from tests.support.browser import profile
from tests.validity.annotation.builders import readers, view

HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
POINTS = (("low", "l"), ("mid", "m"), ("top", "t"), ("unclear", "u"), ("not_applicable", "x"))
PRESENCE = [(f"c{number:02d}", view(f"words {number} {HOSTILE}")) for number in range(24)]
MIXED: list[tuple[str, View]] = [
    ("c1", view()),
    ("c2", view(answers=POINTS, applies="Where it is about money.", facts=("Two is two.",))),
    ("c3", view(answers=(("none_given", "1"), ("unclear", "u")), number=True, turns=(Exchange(1, None, "250."),))),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two sheets: one on presence, and one of several measures."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "sheet.html").write_text(sheet_html("presence", PRESENCE), encoding="utf-8")
    (folder / "mixed.html").write_text(sheet_html("mixed", MIXED), encoding="utf-8")
    return folder


def planted(item: str) -> bool:
    """Return what a person says of an item."""
    return int(item[1:]) % 3 == 0


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[BrowserContext]:
    """Debian's chromium with a fresh profile, cut off from any network."""
    with profile(tmp_path / "profile", offline=True, accept_downloads=True,
                 viewport={"width": 1200, "height": 900}) as context:  # fmt: skip
        yield context


@pytest.fixture
def page(root: Path, browser: BrowserContext) -> Iterator[Page]:
    """The sheet in the browser; anything that its policy stopped, or any error of its script, fails the test."""
    troubles: list[str] = []

    def note(trouble: str, is_one: bool = True) -> None:
        troubles.extend([trouble] if is_one else [])

    opened = browser.new_page()
    opened.on("console", lambda message: note(message.text, message.type in ("error", "warning")))
    opened.on("pageerror", lambda error: note(str(error)))
    opened.on("request", lambda request: note(request.url, not request.url.startswith(("file:", "blob:"))))
    opened.goto((root / "sheet.html").as_uri())
    yield opened
    assert troubles == []


def begin(page: Page, name: str) -> None:
    """Answer the first question."""
    expect(page.get_by_role("dialog", name="Who is answering?")).to_be_visible()
    page.get_by_label("Your name or a code").fill(name)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Conversation 1 of", exact=False)).to_be_focused()


def pressed(page: Page) -> str:
    """Return the answer to the conversation that is shown."""
    return str(page.evaluate("document.querySelector('[data-word][aria-pressed=true]')?.dataset.word || ''"))


def export(page: Page, path: Path) -> Path:
    """Press Export and keep the file."""
    with page.expect_download() as download:
        page.get_by_role("button", name="Export CSV").click()
    download.value.save_as(path)
    return path


def answers_in(path: Path) -> list[str]:
    """Return the column answer of an exported file."""
    return [row["answer"] for row in csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines())]


@pytest.mark.browser
def test_answering_by_keyboard_survives_a_reload_and_is_read_back(page: Page, tmp_path: Path) -> None:
    """All items by keys alone, a reload in between, a note; what is exported is what was pressed, and it is read."""
    items = [item for item, _ in PRESENCE]
    begin(page, "Zoë K.")
    half = len(items) // 2
    for item in items[:half]:
        page.keyboard.press("p" if planted(item) else "a")
    page.keyboard.press("n")
    page.keyboard.type('=a note, with "quotes" and p a u')
    page.keyboard.press("Escape")
    expect(page.locator("#count")).to_have_text(f"{half} of {len(items)} answered")
    page.reload()
    expect(page.locator("#count")).to_have_text(f"{half} of {len(items)} answered")
    expect(page.get_by_role("heading", name=f"Conversation {half + 1} of {len(items)}")).to_be_visible()
    expect(page.get_by_label("Note (optional)")).to_have_value('=a note, with "quotes" and p a u')
    for item in items[half:]:
        page.keyboard.press("p" if planted(item) else "a")
    expect(page.get_by_text("All conversations are answered.")).to_be_visible()
    path = export(page, tmp_path / "zoe.csv")
    rows = list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))
    assert [row["answer"] for row in rows] == ["present" if planted(item) else "absent" for item in items]
    assert list(rows[0]) == ["item_id", "answer", "note", "annotator", "quotes"]
    assert rows[half]["note"] == '\'=a note, with "quotes" and p a u'
    read = read_annotations([path], readers(*items))
    assert {one.person for one in read} == {"Zoë K."}
    assert [one.reading.value for one in read if one.reading] == [float(planted(item)) for item in items]


@pytest.mark.browser
def test_every_measure_has_its_own_answers(root: Path, page: Page, tmp_path: Path) -> None:
    """Buttons and keys change with the item; a number is typed; what the judge does not see is not there."""
    page.goto((root / "mixed.html").as_uri())
    begin(page, "ann")
    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Not applicable", exact=False)).to_be_visible()
    expect(page.get_by_text("Where it is about money.")).to_be_visible()
    expect(page.get_by_text("Two is two.")).to_be_visible()
    page.keyboard.press("p")
    expect(page.locator("#count")).to_contain_text("1 of 3")
    page.keyboard.press("t")
    expect(page.get_by_role("heading", name="Conversation 3 of 3")).to_be_visible()
    expect(page.locator(".turn.user")).to_have_count(0)
    page.keyboard.press("#")
    page.keyboard.type("1,000")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("A plain number, please")
    page.get_by_label("Number", exact=False).fill("1000.5")
    page.keyboard.press("Enter")
    expect(page.get_by_text("All conversations are answered.")).to_be_visible()
    assert answers_in(export(page, tmp_path / "ann.csv")) == ["present", "top", "1000.5"]
    page.keyboard.press("k")
    page.keyboard.press("j")
    expect(page.get_by_label("Number", exact=False)).to_have_value("1000.5")
    page.keyboard.press("1")
    expect(page.get_by_label("Number", exact=False)).to_have_value("")
    assert answers_in(export(page, tmp_path / "bob.csv"))[2] == "none_given"
    page.get_by_label("Number", exact=False).fill("-7.5")
    page.keyboard.press("Enter")
    guarded = export(page, tmp_path / "below.csv")
    assert answers_in(guarded)[2] == "'-7.5"
    page.locator("#import").set_input_files(guarded)
    expect(page.get_by_text("Imported 3 rows.")).to_be_visible()
    assert answers_in(export(page, tmp_path / "again.csv"))[2] == "'-7.5"


@pytest.mark.browser
def test_keys_move_and_change_and_typing_in_the_note_answers_nothing(page: Page) -> None:
    """Arrows and j, k; a second key changes the answer, c takes it away; keys in the note are words."""
    begin(page, "ann")
    title = page.get_by_role("heading", level=2, name="Conversation", exact=False)
    for key, number in (("j", 2), ("ArrowRight", 3), ("k", 2), ("ArrowLeft", 1), ("k", 1)):
        page.keyboard.press(key)
        expect(title).to_contain_text(f"Conversation {number} of")
    page.get_by_label("Go on after an answer").uncheck()
    for key, word in (("u", "unclear"), ("P", "present"), ("c", "")):
        page.keyboard.press(key)
        assert pressed(page) == word
    page.keyboard.press("n")
    page.keyboard.type("pau")
    assert pressed(page) == ""
    page.keyboard.press("Control+a")
    assert pressed(page) == ""
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="How to answer")).to_be_visible()
    page.keyboard.press("p")
    page.keyboard.press("Escape")
    assert pressed(page) == ""


@pytest.mark.browser
def test_unanswered_only_skips_what_is_done(page: Page) -> None:
    """The second conversation is answered and is passed over in both directions."""
    begin(page, "ann")
    page.keyboard.press("j")
    page.keyboard.press("a")
    page.get_by_label("Unanswered only").check()
    page.keyboard.press("k")
    expect(page.locator("#title")).to_contain_text("Conversation 1 of")
    page.keyboard.press("j")
    expect(page.locator("#title")).to_contain_text("Conversation 3 of")


@pytest.mark.browser
def test_two_people_on_one_computer_do_not_mix(page: Page) -> None:
    """Another name starts afresh, and the first one's answers are there when she comes back."""
    begin(page, "ann")
    page.keyboard.press("p")
    page.get_by_role("button", name="Annotator: ann").click()
    page.get_by_label("Your name or a code").fill("ben")
    page.keyboard.press("Enter")
    expect(page.locator("#count")).to_contain_text("0 of")
    page.get_by_role("button", name="Annotator: ben").click()
    page.get_by_label("Your name or a code").fill("ann")
    page.keyboard.press("Enter")
    expect(page.locator("#count")).to_contain_text("1 of")


@pytest.mark.browser
def test_two_tabs_keep_each_others_answers(root: Path, page: Page, browser: BrowserContext) -> None:
    """What is answered in one tab shows in the other and is not overwritten by it."""
    begin(page, "ann")
    second = browser.new_page()
    second.goto((root / "sheet.html").as_uri())
    second.keyboard.press("p")
    expect(page.locator("#count")).to_contain_text("1 of")
    page.keyboard.press("j")
    page.keyboard.press("a")
    expect(second.locator("#count")).to_contain_text("2 of")
    second.close()


@pytest.mark.browser
def test_a_browser_that_keeps_nothing_says_so(root: Path, browser: BrowserContext, tmp_path: Path) -> None:
    """Where storage is full or forbidden, answers live until the page is closed, and the page says what to do."""
    opened = browser.new_page()
    opened.goto((root / "sheet.html").as_uri())
    begin(opened, "ann")
    opened.evaluate("void (Storage.prototype.setItem = () => { throw new DOMException('full', 'Quota') })")
    for key in "pau":
        opened.keyboard.press(key)
    expect(opened.get_by_text("This browser does not keep your answers.")).to_be_visible()
    assert answers_in(export(opened, tmp_path / "out.csv"))[:4] == ["present", "absent", "unclear", ""]


@pytest.mark.browser
def test_answers_are_imported_to_go_on_elsewhere(page: Page, tmp_path: Path) -> None:
    """A good file is taken whole, a bad one not at all; a difference is asked about and never lost silently."""
    first, second, third = (item for item, _ in PRESENCE[:3])
    begin(page, "ann")
    page.keyboard.press("a")
    chooser = page.locator("#import")
    bad = tmp_path / "bad.csv"
    bad.write_text(f"item_id,answer\n{second},present\n{third},perhaps\nc0,absent\n")
    chooser.set_input_files(bad)
    expect(page.get_by_role("alert").filter(has_text="Nothing was imported")).to_contain_text(
        "Line 3: perhaps is not an answer to it; allowed: present, absent, unclear."
    )
    expect(page.locator("#count")).to_contain_text("1 of")
    bad.write_text(f"item_id,answer,annotator\n{second},present,ben\n")
    chooser.set_input_files(bad)
    expect(page.locator("#problem")).to_contain_text("ben's")
    good = tmp_path / "good.csv"
    good.write_bytes(
        f'\ufeffitem_id;answer;note;annotator\r\n{first};present;;ann\r\n{second};absent;"\'=x";ann\r\n'.encode()
    )
    page.once("dialog", lambda dialog: dialog.dismiss())
    chooser.set_input_files(good)
    expect(page.locator("#count")).to_contain_text("2 of")
    expect(page.locator("#problem")).to_be_hidden()
    rows = {row["item_id"]: row for row in csv.DictReader(
        export(page, tmp_path / "out.csv").read_text(encoding="utf-8-sig").splitlines())}  # fmt: skip
    assert (rows[first]["answer"], rows[second]["answer"], rows[second]["note"]) == ("absent", "absent", "'=x")
    page.once("dialog", lambda dialog: dialog.accept())
    chooser.set_input_files(good)
    expect(page.get_by_text("Imported 2 rows.")).to_be_visible()
    rows = {row["item_id"]: row for row in csv.DictReader(
        export(page, tmp_path / "out.csv").read_text(encoding="utf-8-sig").splitlines())}  # fmt: skip
    assert rows[first]["answer"] == "present"


@pytest.mark.browser
def test_what_a_model_wrote_is_shown_and_never_run(page: Page) -> None:
    """Markup in a message is words on the page; the title stays; no element is made of it."""
    begin(page, "ann")
    expect(page.get_by_text("onerror=", exact=False).first).to_be_attached()
    for _ in range(12):
        page.keyboard.press("j")
    assert page.title().startswith("Annotation sheet")
    assert page.locator("img").count() == 0


@pytest.mark.browser
def test_the_policy_stops_any_other_script_and_any_connection(root: Path, browser: BrowserContext) -> None:
    """Even what could get into the page as markup would neither run nor reach anything."""
    opened = browser.new_page()
    opened.goto((root / "sheet.html").as_uri())
    stopped = opened.evaluate("""async () => {
      const seen = [];
      document.addEventListener("securitypolicyviolation", event => seen.push(event.effectiveDirective));
      const script = document.createElement("script");
      script.textContent = "document.title = 'owned'";
      document.body.append(script);
      document.body.insertAdjacentHTML("beforeend", "<img src='http://127.0.0.1:9/x' onerror='document.title=1'>");
      await fetch("http://127.0.0.1:9/y").catch(() => {});
      await new Promise(done => setTimeout(done, 200));
      return [...new Set(seen)].sort();
    }""")
    assert stopped == ["connect-src", "img-src", "script-src-attr", "script-src-elem"]
    assert opened.title().startswith("Annotation sheet")


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_phone_and_both_schemes(page: Page, scheme: Any) -> None:
    """Nothing is wider than 360 points, the three answers can be tapped, and words stand out from their ground."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 360, "height": 740})
    begin(page, "ann")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for word in ("Present", "Absent", "Unclear"):
        box = page.get_by_role("button", name=word, exact=False).bounding_box()
        assert box is not None
        assert box["height"] >= 44
    page.get_by_role("button", name="Present", exact=False).click()
    expect(page.locator("#count")).to_contain_text("1 of")
    page.keyboard.press("k")
    page.evaluate("document.getElementById('note').focus()")
    assert contrast(page, "body") >= 7
    for selector in (".who", ".notice", ".turn.user", "[data-word=present][aria-pressed=true]"):
        assert contrast(page, selector) >= 4.5, selector


def contrast(page: Page, selector: str) -> float:
    """Return the WCAG contrast of an element's words on the ground that it stands on."""
    colours = page.evaluate(
        """selector => { const one = document.querySelector(selector); let ground = one;
        const back = e => getComputedStyle(e).backgroundColor;
        while (ground.parentElement && back(ground) === 'rgba(0, 0, 0, 0)') ground = ground.parentElement;
        return [getComputedStyle(one).color, back(ground)].map(c => c.match(/[\\d.]+/g).slice(0, 3).map(Number)); }""",
        selector,
    )

    def luminance(colour: list[float]) -> float:
        parts = [c / 255 / 12.92 if c / 255 <= 0.03928 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    light, dark = sorted(map(luminance, colours), reverse=True)
    return (light + 0.05) / (dark + 0.05)
