"""Conversations of which something is lacking: one sentence says what, and nothing is left blank."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from helm_impactbench.outputs.report.build import build_report
from helm_impactbench.results.record import Record
from helm_impactbench.results.shown import WORDLESS
from tests.support import kinds
from tests.support.conversation_parts import conversation_part
from tests.support.html_pages import PageReader, check_links


def wordless(record: Record) -> Record:
    """Return a conversation as a verdict that was imported without its words."""
    turns = tuple(turn.model_copy(update={"user": "", "assistant": ""}) for turn in record.conversation.turns)
    return Record(record.case, record.conversation.model_copy(update={"turns": turns}), record.verdict)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of one model, of whose conversations on one metric only the verdicts are there."""
    folder = tmp_path_factory.mktemp("empty")
    records = [wordless(one) if one.case.metric.id == "harms" else one for one in kinds.records("good")]
    kinds.write_run(folder / "suite", "good", records)
    build_report(folder / "suite", folder / "report", shown_model=str)
    return folder / "report"


def test_a_verdict_without_words_says_so_once(report: Path) -> None:
    """No empty message stands on its page or in the text; the judges' answer does."""
    page = PageReader(conversation_part(report, "kinds/org~good/harms_s001_v01"))
    assert page.text.count(WORDLESS) == 1
    assert "Turn 1" not in page.text
    assert "What the judges said" in page.text
    assert "What it took" not in page.text
    assert "Calls, tokens" not in page.text
    whole_part = conversation_part(report, "kinds/org~good/helps_s001_v01")
    assert WORDLESS not in whole_part
    assert "What it took" in whole_part
    with zipfile.ZipFile(report / "conversations/kinds.zip") as whole:
        talks = whole.read("org~good.txt").decode().split(f"{'=' * 80}\nkinds/")
    (empty,) = [talk for talk in talks if talk.startswith("harms_s001_v01,")]
    (whole_talk,) = [talk for talk in talks if talk.startswith("helps_s001_v01,")]
    assert (WORDLESS in empty, "[1] PERSON" in empty) == (True, False)
    assert (WORDLESS in whole_talk, "[1] ASSISTANT\nI help with this." in whole_talk) == (False, True)


def test_a_metric_with_many_conversations_leads_to_them(tmp_path: Path) -> None:
    """Beyond a hundred they are not listed once more: the page leads to the cases and to the search."""
    for target in ("good", "bad"):
        kinds.write_run(tmp_path / "suite", target, kinds.records(target, 20))
    build_report(tmp_path / "suite", tmp_path / "report", shown_model=str)
    many, few = (PageReader(tmp_path / f"report/metrics/kinds/{name}.html") for name in ("sides", "helps"))
    assert "120 conversations: its cases with every model , or a list to filter ." in many.text
    assert {"../../find.html?benchmark=kinds&metric=kinds%2Fsides", "../../cases/kinds.html#metric-sides"} <= {
        *many.links
    }
    assert sum("conversation.html" in link for link in few.links) == 80
    check_links(tmp_path / "report")


def test_a_suite_of_contrasts_alone_says_on_a_models_page_what_the_front_says(tmp_path: Path) -> None:
    """The sides of a dispute are no kinds of people, yet whoever tells the case makes a difference."""
    for target in ("bad", "good"):
        sides = [one for one in kinds.records(target, 12) if one.case.metric.id == "sides"]
        kinds.write_run(tmp_path / "suite", target, sides)
    build_report(tmp_path / "suite", tmp_path / "report", shown_model=lambda model: model)
    said = "bad answers differently for a and for b in"
    for page in ("index", "models/org~bad"):
        assert said in PageReader(tmp_path / f"report/{page}.html").text
    assert "two kinds of people" not in PageReader(tmp_path / "report/models/org~bad.html").text
