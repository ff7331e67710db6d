"""The report of a suite with every measure and every metric type."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from helm_impactbench.analysis.rows import weighed
from helm_impactbench.analysis.weighted import Emphasis, weighted_scores
from helm_impactbench.errors import ResultsError
from helm_impactbench.outputs.report.build import build_report
from helm_impactbench.results.record import Record
from helm_impactbench.suites.registry import read_suite
from tests.support import kinds
from tests.support.browser import chromium
from tests.support.conversation_parts import conversation_part
from tests.support.html_pages import PageReader, check_links

SILENT = [record for record in kinds.records("good") if record.verdict.status != "scored"]
"""Conversations of a target of which not one has an answer."""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of two targets with every kind of measurement, and of one without a single answer."""
    folder = tmp_path_factory.mktemp("kinds")
    for target in ("bad", "good"):
        kinds.write_run(folder / "suite", target)
    kinds.write_run(folder / "suite", "silent", SILENT)
    built = build_report(folder / "suite", folder / "report", shown_model=lambda model: model)
    assert (built.runs, built.conversations, built.left_out) == (3, 84, ())
    return folder / "report"


def text(report: Path, name: str) -> str:
    """Return what people read on a page."""
    return PageReader(report / name).text


def told(report: Path, of: str) -> str:
    """Return what people read of a conversation."""
    return PageReader(conversation_part(report, of)).text


def test_every_link_leads_somewhere(report: Path) -> None:
    """Pages of every kind, and nothing that no page leads to."""
    check_links(report)


def test_a_model_without_an_answer_has_no_rank(report: Path) -> None:
    """It stands below the ranking, with its counts, and its own page says so."""
    overview = text(report, "index.html")
    assert re.search(r"1 good org .* 2 bad org .* none: no score silent org . unknown . 0 of 6", overview)
    own = text(report, "models/org~silent.html")
    assert "org/silent No score on a benchmark of human impact, so no rank. The judge was not checked 6 chats" in own


def test_gaps_without_a_common_unit_are_named_where_they_take_no_part(report: Path) -> None:
    """On the front page and the benchmark's, once each; the table of the metric itself says nothing of it."""
    words = (
        "kinds/pays is in units of its own, which have no mean with other metrics. Their gaps are shown with the "
        "metrics, not in this table."
    )
    assert [text(report, name).count(words) for name in ("tables.html", "benchmarks/kinds.html")] == [1, 1]


def test_intervals_are_for_one_population_or_the_other(report: Path) -> None:
    """Every page with intervals says for which population they are, and has the switch to the other."""
    for name in ("index.html", "tables.html", "benchmarks/kinds.html", "models/org~good.html"):
        page = (report / name).read_text(encoding="utf-8")
        assert page.count('id="population-like-these"') == 1
        assert 'class="minor these"' in page
        assert 'class="minor like-these"' in page


def test_statuses_are_counted_and_shown(report: Path) -> None:
    """Not applicable and unclear are neither passes nor failures, on the overview and in lists."""
    assert "6 have no verdict, 6 are not applicable, 6 are unclear" in text(report, "index.html")
    listed = text(report, "conversations/kinds/org~good/index.html")
    for row in ("∅ not applicable", "? unclear", "○ unscored"):
        assert re.search(rf"{re.escape(row)} [^○∅✓✗●]* Case 3 , conversation of org/good", listed), row
    page = told(report, "kinds/org~good/harms_s003_v01")
    words = "The words leave the judges in real doubt, which is neither a pass nor a fail."
    assert f"? unclear {words} org/good" in page
    assert re.search(r"100.0% [\d.]+% to 100.0% 4 of 6 not applicable 2", text(report, "metrics/kinds/helps.html"))


def test_contrasts_are_shown_without_a_pass_rate(report: Path) -> None:
    """Nearest to no difference first: gap, both sides, agreement, uplift, each level, each factor."""
    for name in ("tables.html", "benchmarks/kinds.html"):
        page = text(report, name)
        assert "Does the same case get the same answer?" in page
    page = text(report, "metrics/kinds/sides.html")
    assert "org/good –, too few cases" in page  # the table of what is significant; that of every two levels has all
    assert page.index("org/good a minus b : +0.00") < page.index("org/bad a minus b : +1.00")
    assert "100.0% 13.9 to 100.0%" in page
    for words in ("sides with the landlord (+1)", "a minus neutral", "By size", "large org/bad a minus b : +1.00"):
        assert words in page
    assert "pass rate" not in page.lower().replace("a pass rate says", "")
    assert "50,000 US dollars a year" in text(report, "metrics/kinds/pays.html")
    assert "\N{MINUS SIGN}10,000" in text(report, "metrics/kinds/pays.html")


def test_a_table_of_gaps_has_only_columns_with_a_value(report: Path) -> None:
    """Who is sided with is asked of metrics that say what favours whom, and of no others."""
    assert "Both sides affirmed" in text(report, "metrics/kinds/sides.html")
    pays = text(report, "metrics/kinds/pays.html")
    assert "Widest significant gap" in pays
    assert not any(words in pays for words in ("Both sides affirmed", "Agrees with the person", "Uplift over neutral"))


def test_matched_conversations_lead_to_each_other(report: Path) -> None:
    """On the metric's page side by side, and from each of them to the others."""
    page = PageReader(report / "metrics/kinds/sides.html")
    assert "sides_s001 org/bad sides with the landlord (+1)" in page.text
    found = PageReader(conversation_part(report, "kinds/org~bad/sides_s001_v01"))
    assert "The same case at every level of teller: a (sides with the landlord (+1)), b (sides with" in found.text
    assert {"conversation.html?of=kinds/org~bad/sides_s001_v02"} <= set(found.links)


def test_evidence_stands_in_the_words_that_the_judge_saw(report: Path) -> None:
    """Both are shown, and the quote is highlighted in what was seen."""
    page = conversation_part(report, "kinds/org~bad/sides_s001_v01")
    assert "You are the landlord, and your side is in the right." in page
    assert "The same as the judges saw it" in page
    assert "Party 1 is Party 1, and <span class" in page or "Party 1&#39;s side is in the right</mark>" in page


def test_scores_are_told_in_the_words_of_the_measure(report: Path) -> None:
    """A scale, and a measure that only this test knows, have means of scores and their own answers."""
    page = text(report, "metrics/kinds/sounds.html")
    assert "The judges were asked for: mood, from mood 0 of 10 to mood 10 of 10; the upper end scores 1." in page
    assert re.search(r"Pass rate \(mean of scores\) of each model.* org/good 100.0% ", page)
    assert "Answer org/good org/bad sad 0 6 glad 6 0" in page
    assert "The judges' answer: mood 0 of 10." in told(report, "kinds/org~bad/sounds_s001_v01")
    assert "The judges' answer: much (2)." in told(report, "kinds/org~bad/blames_s001_v01")


def test_severity_is_told(report: Path) -> None:
    """Where the judges were asked for it."""
    page = told(report, "kinds/org~bad/harms_s001_v01")
    assert "The judges' answer: present. Severity 0.67 on a scale from 0 to 1. It is a behaviour to avoid." in page


def _of(area: str, found: list[Record]) -> list[Record]:
    """Return conversations of a benchmark of another area."""
    changes = {"area": area, "benchmark": "risky"}
    return [Record(one.case.model_copy(update=changes), one.conversation, one.verdict) for one in found]


def test_areas_are_never_averaged(tmp_path: Path) -> None:
    """A benchmark of safety has its own table, and no part in the ranking."""
    kinds.write_run(tmp_path / "suite", "good")
    run = kinds.write_run(tmp_path / "suite", "risky-bad", _of("safety", kinds.records("bad")), slug="risky")
    build_report(tmp_path / "suite", tmp_path / "report", shown_model=lambda model: model)
    page = text(tmp_path / "report", "index.html")
    tables = text(tmp_path / "report", "tables.html")
    assert "Benchmarks of safety: pass rate by benchmark and model. No part of the ranking" in tables
    assert "none: no score risky-bad org" in page
    assert run.benchmark == "risky"


def test_a_suite_of_contrasts_alone_ranks_nobody(tmp_path: Path) -> None:
    """And says so."""
    found = [record for record in kinds.records("bad") if record.case.metric.type == "contrast"]
    kinds.write_run(tmp_path / "suite", "bad", found)
    build_report(tmp_path / "suite", tmp_path / "report", shown_model=lambda model: model)
    assert "no positive or negative metric of human impact, so there is nothing to rank: org/bad" in text(
        tmp_path / "report", "index.html"
    )
    check_links(tmp_path / "report")


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    """Nothing is written."""
    (tmp_path / "suite").mkdir()
    with pytest.raises(ResultsError, match="has no finished run with conversations"):
        build_report(tmp_path / "suite", tmp_path / "report", shown_model=lambda model: model)
    assert not (tmp_path / "report").exists()


def test_harm_counts_by_its_severity_where_the_reader_wants_it(report: Path) -> None:
    """The page on one's use has the figures of `rates --weigh severity` beside the plain ones, and a box for them."""
    outcomes = [outcome for outcome in read_suite(report.parent / "suite") if outcome.is_level]
    page = (report / "your-use.html").read_text(encoding="utf-8")
    assert 'name="severity"' in page
    script = (report / "your-use-data.js").read_text(encoding="utf-8")
    data = json.loads(script.removeprefix("globalThis.impactbenchYourUse = ").removesuffix(";\n"))
    (only,) = data["benchmarks"]
    normal = data["choices"]["|".join(",".join("1" for _ in data["groups"][group]) for group in ("level", "type"))]
    for key, own in (("rates", outcomes), ("severe", weighed(outcomes))):
        expected = {score.model: score.value for score in weighted_scores(own, Emphasis("age", {}, {}), {})}
        shown = {model["name"]: rates[3 * normal] for model, rates in zip(data["models"], only[key], strict=True)}
        assert {name: value for name, value in shown.items() if value is not None} == {
            name: pytest.approx(value) for name, value in expected.items() if not math.isnan(value)
        }
    bad = [model["name"] for model in data["models"]].index("org/bad")
    assert only["severe"][bad][3 * normal] > only["rates"][bad][3 * normal]


@pytest.mark.browser
def test_the_box_for_severity_moves_the_ranking(report: Path) -> None:
    """Checked, the score is the one by severity; the address keeps the choice."""
    with chromium() as browser:
        page = browser.new_page()
        page.goto(f"file://{report}/your-use.html")
        row = page.locator("#models tr", has_text="org/bad")
        plain = row.locator("data").get_attribute("value")
        page.get_by_label("Count harm by its severity").check()
        assert float(row.locator("data").get_attribute("value") or 0) > float(plain or 0)
        assert "count=severity" in page.url
        page.reload()
        expect(page.get_by_label("Count harm by its severity")).to_be_checked()


def test_the_cases_of_a_large_benchmark_are_parted(
    report: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each metric has its own page then; the address of a case stays and leads on to it."""
    monkeypatch.setattr("helm_impactbench.outputs.report.upper.MOST_ON_A_PAGE", 10)
    kinds.write_run(tmp_path / "suite", "good")
    build_report(tmp_path / "suite", tmp_path / "report", shown_model=lambda model: model)
    check_links(tmp_path / "report")
    assert not (report / "cases/kinds").exists()
    with chromium() as browser:
        page = browser.new_page()
        page.goto(f"file://{tmp_path}/report/cases/kinds.html#sides_s001_v01")
        page.wait_for_url("**/cases/kinds/sides.html#sides_s001_v01")
        expect(page.locator("#sides_s001_v01")).to_be_in_viewport()


def test_only_divided_cases_can_be_shown(report: Path) -> None:
    """The filter hides cases, and metrics without one that is left; a phone has a line of marks and no turned heads."""
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 375, "height": 740})
        page.goto(f"file://{report}/cases/kinds.html")
        assert page.evaluate("document.documentElement.scrollHeight") < 6 * 740
        page.get_by_label("models").select_option("differ")
        expect(page.locator("#metric-pays")).to_be_hidden()
        page.locator("#metric-helps summary").click()
        rows = page.locator("#metric-helps tbody tr:visible")
        assert rows.count() == page.locator("#metric-helps tr[data-tags*=differ]").count() > 0
        assert rows.first.locator("td").evaluate_all("cells => new Set(cells.map((one) => one.offsetTop)).size") == 1


def test_the_chart_over_all_contrast_metrics_counts_models_without_an_answer(tmp_path: Path) -> None:
    """The means are over the others, as on the page of each metric."""
    (lost, *_) = (one.verdict for one in SILENT if one.verdict.status == "unscored")
    for target in ("bad", "silent"):
        found = [one for one in kinds.records(target) if one.case.metric.contrast]
        unjudged = [Record(one.case, one.conversation, lost) for one in found]
        kinds.write_run(tmp_path / "suite", target, unjudged if target == "silent" else found)
    build_report(tmp_path / "suite", tmp_path / "report", shown_model=str, conversations=False)
    note = "a gap with at least one model. Not in it: 1 model without an answer."
    assert note in text(tmp_path / "report", "benchmarks/kinds.html")
