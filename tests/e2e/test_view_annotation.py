"""Annotation in the browser: two people, by keyboard alone, one of them interrupted; nothing is lost."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import serious_faults, strict_page
from tests.support.canonical import Canonical
from tests.support.commands import run_command
from tests.support.viewing import Viewed, viewed

COUNT = 30

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, canonical: Canonical) -> Path:
    """A working directory with a suite of two scripted models on a benchmark."""
    root = tmp_path_factory.mktemp("annotation")
    canonical.put(root, ("emotional-dependence",), ("harmful", "mixed"))
    return root


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of a fresh window, on which no script fails and no policy is violated."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    with strict_page(context) as opened:
        yield opened
    context.close()


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    """Return a person's file of answers."""
    text = (folder / f"annotations/s/answers-{name}.csv").read_text(encoding="utf-8-sig")
    return list(csv.DictReader(text.splitlines()))


def items(folder: Path, measure: str = "") -> list[str]:
    """Return the items of the sheet, from the key; those of one measure where it is given."""
    key = json.loads((folder / "annotations/s/key.json").read_text(encoding="utf-8"))
    return [item["item_id"] for item in key["items"] if item["measure"] == measure or not measure]


def answer(page: Page, count: int) -> dict[str, str]:
    """Answer so many conversations by keys, by turns with each answer that there is; return item -> answer."""
    given = {}
    for number in range(count):
        item = page.locator("#id").inner_text()
        buttons = page.locator("#buttons button:not(.aside)")
        button = buttons.nth(number % buttons.count())
        given[item] = button.get_attribute("data-word") or ""
        page.keyboard.press(button.locator("kbd").inner_text())
    expect(page.locator("#count")).to_contain_text(f"of {COUNT} answered")
    expect(page.locator("#kept")).to_have_text("All answers are saved.")
    assert len(given) == count
    return given


def post(view: Viewed, address: str, content: Any) -> tuple[int, str]:
    """Send an object with the token."""
    found = view.ask(address, method="POST", body=json.dumps(content), X_ImpactBench_Token=view.token)
    return found.status, found.text


def test_two_people_by_keyboard_alone_one_interrupted(folder: Path, page: Page) -> None:
    """A sheet is drawn, 30 conversations are answered twice; the server dies in between, and goes on where it was."""
    with viewed(folder) as view:
        view.ready()
        page.goto(view.url("annotate.html"))
        page.locator("#conversations").focus()
        page.keyboard.press("Control+A")
        page.keyboard.type(str(COUNT))
        page.keyboard.press("Enter")
        expect(page.get_by_label("Your name or a code")).to_be_visible()
        page.get_by_label("Your name or a code").focus()
        page.keyboard.type("ann")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name=f"Conversation 1 of {COUNT}")).to_be_visible()
        given = answer(page, 12)
        page.keyboard.press("n")
        page.keyboard.type("=SUM(1) is my note")
        page.keyboard.press("Escape")
        expect(page.locator("#kept")).to_have_text("All answers are saved.")
        view.process.kill()
        view.process.wait()
    kept = rows(folder, "ann")
    assert {row["item_id"]: row["answer"] for row in kept if row["answer"]} == given
    assert kept[12]["note"] == "'=SUM(1) is my note"
    with viewed(folder) as view:
        view.ready()
        page.goto(view.url("annotate/sheet.html?person=ann"))
        expect(page.locator("#count")).to_have_text(f"12 of {COUNT} answered")
        expect(page.get_by_role("heading", name=f"Conversation 13 of {COUNT}")).to_be_visible()
        expect(page.get_by_label("Note (optional)")).to_have_value("=SUM(1) is my note")
        given |= answer(page, COUNT - 12)
        expect(page.get_by_text("All conversations are answered.")).to_be_visible()
        page.goto(view.url("annotate/sheet.html?person=Bo%20B."))
        expect(page.locator("#count")).to_have_text(f"0 of {COUNT} answered")
        answer(page, COUNT)
        names = sorted(path.name for path in (folder / "annotations/s").glob("answers-*.csv"))
        assert len(names) == 2
        assert [row["answer"] for row in rows(folder, "ann")] == [given[item] for item in items(folder)]
        page.goto(view.url("annotate/score.html"))
        expect(page.get_by_role("heading", name="People and the judge")).to_be_visible()
        text = page.locator("main").inner_text()
        assert serious_faults(page) == []
    done = run_command("impactbench", "annotate", "score", "annotations/s",
                       *[f"annotations/s/{name}" for name in names], "--out", "score.md", cwd=folder)  # fmt: skip
    assert done.returncode == 0
    for line in (folder / "score.md").read_text(encoding="utf-8").splitlines()[2:4]:
        for cell in filter(None, (part.strip() for part in line.split("|"))):
            assert cell.replace("\\", "") in text, cell


def test_quotes_are_kept_with_their_turn_and_answers_can_be_deleted(folder: Path, page: Page) -> None:
    """Selected words and a key; a quote across messages is refused; a person's file goes when it is told to."""
    with viewed(folder) as view:
        view.ready()
        if not (folder / "annotations/s/key.json").is_file():
            assert post(view, "annotate/draw", {"conversations": COUNT})[0] == 204
        page.goto(view.url("annotate/sheet.html?person=cy"))
        words = page.evaluate(
            """() => { const block = document.querySelector('.turn.assistant .words'), range = document.createRange();
            range.setStart(block.firstChild, 0); range.setEnd(block.firstChild, 12);
            getSelection().removeAllRanges(); getSelection().addRange(range); return getSelection().toString(); }"""
        )
        page.keyboard.press("q")
        expect(page.locator("#quotes li")).to_have_count(1)
        expect(page.locator("#kept")).to_have_text("All answers are saved.")
        (quoted,) = [row for row in rows(folder, "cy") if row["quotes"]]
        assert json.loads(quoted["quotes"]) == [{"turn": 1, "quote": words.strip()}]
        page.evaluate("() => getSelection().selectAllChildren(document.getElementById('transcript'))")
        page.keyboard.press("q")
        expect(page.get_by_role("status")).to_contain_text("Select words of one message")
        page.reload()
        expect(page.locator("#quotes q")).to_have_text(words.strip())
        page.goto(view.url("annotate.html"))
        page.on("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="Delete all answers of cy").click()
        expect(page.get_by_role("button", name="Delete all answers of cy")).to_have_count(0)
        assert not (folder / "annotations/s/answers-cy.csv").exists()
        assert serious_faults(page) == []


def test_each_person_has_a_queue_of_their_own_and_sees_nobody_elses_answers(folder: Path) -> None:
    """Both get every item, with their own answers alone; the first page says how far each of them is."""
    with viewed(folder) as view:
        view.ready()
        if not (folder / "annotations/s/key.json").is_file():
            assert post(view, "annotate/draw", {"conversations": COUNT})[0] == 204
        every = items(folder)
        given = {"answer": "present", "note": "what eve alone thinks", "quotes": []}
        for item in items(folder, "presence")[:3]:
            assert post(view, "annotate/answer", {"person": "eve", "item": item, **given})[0] == 204
        eve, flo = (view.ask(f"annotate/sheet.html?person={name}").text for name in ("eve", "flo"))
        assert all(item in eve and item in flo for item in every)
        assert eve.count("what eve alone thinks") == 3
        assert "what eve alone thinks" not in flo
        assert "eve" not in re.findall(r"\w+", flo.split('"given"')[-1])
        assert re.search(rf"eve\W.*?3 of {COUNT}", re.sub(r"<[^>]+>", " ", view.ask("annotate.html").text), re.S)
        assert post(view, "annotate/delete", {"person": "eve"})[0] == 204


def test_what_is_no_answer_is_refused_and_changes_nothing(folder: Path) -> None:
    """Another sheet's item, a word that is no answer, a quote that nobody said, a name that is none, no JSON."""
    with viewed(folder) as view:
        view.ready()
        if not (folder / "annotations/s/key.json").is_file():
            assert post(view, "annotate/draw", {"conversations": COUNT})[0] == 204
        item = items(folder, "presence")[0]
        good = {"person": "di", "item": item, "answer": "present", "note": "", "quotes": []}
        for change in (
            {"item": "c000"}, {"answer": "perhaps"}, {"answer": 1}, {"person": " "}, {"person": "x" * 81},
            {"quotes": [{"turn": 1, "quote": "words that nobody said"}]}, {"quotes": [{"turn": 99, "quote": "a"}]},
            {"note": "x" * 10_001}, {"quotes": "x"},
        ):  # fmt: skip
            status, why = post(view, "annotate/answer", {**good, **change})
            assert (status, bool(why.strip())) == (400, True), change
        assert view.ask("annotate/answer", method="POST", body="[", X_ImpactBench_Token=view.token).status == 400
        assert view.ask("annotate/answer", method="POST", body=json.dumps(good)).status == 403
        assert view.ask("annotate/answer").status == 404
        assert not (folder / "annotations/s/answers-di.csv").exists()
        odd = {**good, "person": "../../../di"}
        assert post(view, "annotate/answer", odd)[0] == 204
        (made,) = (folder / "annotations/s").glob("answers-*di*.csv")
        assert {row["annotator"] for row in rows(folder, made.stem.removeprefix("answers-"))} == {"../../../di"}
        assert post(view, "annotate/delete", {"person": "../../../di"})[0] == 204
        assert post(view, "annotate/draw", {"conversations": 5})[0] == 400  # there may be answers to the old one
