"""The search over all conversations, in a browser: what it says while it reads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect

from helm_impactbench.outputs.report.build import build_report
from helm_impactbench.results.record import Record
from tests.outputs.report.test_empty_parts import wordless
from tests.support import kinds
from tests.support.browser import chromium, strict_page

pytestmark = pytest.mark.browser
SLOWLY = """
let clock = 0;
performance.now = () => (clock += 1000);
globalThis.told = [];
addEventListener("DOMContentLoaded", () => {
  const status = document.getElementById("count");
  new MutationObserver(() => told.push(status.textContent)).observe(status, { childList: true });
});
"""


def test_less_than_a_megabyte_is_told_in_runs(tmp_path: Path) -> None:
    """As from a server, which does not know how large the words are: never "0 of 1 MB"."""
    for target in ("bad", "good"):
        kinds.write_run(tmp_path / "suite", target)
    build_report(tmp_path / "suite", tmp_path / "report", shown_model=lambda model: model)
    with chromium() as browser, strict_page(browser.new_context(offline=True)) as page:
        page.add_init_script(SLOWLY)
        page.goto(f"file://{tmp_path}/report/find.html?q=help")
        expect(page.locator("#count")).to_contain_text("of 78 conversations")
        told = page.evaluate("told")
    assert [one for one in told if "so far" in one] == [
        "6 found so far, 1 of 2 runs read…",
        "12 found so far, 2 of 2 runs read…",
    ]


def test_imported_verdicts_without_words_offer_no_search_for_words(tmp_path: Path) -> None:
    """The filters stay, and so does the way by an id; nothing is said of words or spelling."""
    for target in ("bad", "good"):
        silent = [without_reasons(wordless(one)) for one in kinds.records(target)]
        kinds.write_run(tmp_path / "suite", target, silent)
    build_report(tmp_path / "suite", tmp_path / "report", shown_model=lambda model: model)
    with chromium() as browser, strict_page(browser.new_context(offline=True)) as page:
        page.goto(f"file://{tmp_path}/report/find.html?q=help&model=org/good")
        expect(page.locator("#count")).to_have_text("39 of 78 conversations")
        expect(page.locator(".lead")).to_contain_text("what was said is not in this suite")
        assert page.locator("#q").count() == 0
        page.locator("select[name=verdict]").select_option("unclear")
        page.locator("select[name=metric]").select_option("kinds/pays")
        expect(page.locator("#count")).to_have_text("No conversation fits. Fewer filters may help.")
        expect(page.get_by_label("Conversation", exact=True)).to_be_visible()


def without_reasons(record: Record) -> Record:
    """Return a conversation whose judges say nothing but their answer."""
    votes = tuple(vote.model_copy(update={"justification": ""}) for vote in record.verdict.votes)
    return replace(record, verdict=record.verdict.model_copy(update={"votes": votes}))
