"""The front page in a real browser: trust, finding and chart above the fold, in every kind of suite, on two screens."""

from __future__ import annotations

import csv
import re
import struct
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from helm_impactbench.judging.verdict import Verdict
from helm_impactbench.outputs.report.build import build_report
from helm_impactbench.results.record import Record
from tests.support import kinds
from tests.support.browser import serious_faults
from tests.support.canonical import Canonical
from tests.support.commands import run_command
from tests.support.html_pages import PageReader, check_links
from tests.validity.test_judge_trust import checked

SCREENS = {"laptop": (1280, 800), "phone": (375, 740)}
FORTY = [f"model-{number:02d}" for number in range(40)]
EDGES = {
    "no verdict": "No conversation has a verdict yet, so there is no result to report.",
    "one model": r"a scored \d+% \(95% interval \d+% to \d+%\)\.",
    "forty models": r"\d\d of 40 models could each be the best. The other \d\d are behind model-\d\d\.",
    "only contrasts": "bad answers differently for a and for b in kinds.",
    "one benchmark": r"good is ahead of \w+ and \w+\.",
    "failed judge": "The judge failed its check, so nothing can be said of these models.",
    "quick run": "There are too few cases to compare the two models.",
    "no content": r"good is ahead of \w+\.",
    "unequal sets": r"good is ahead of \w+\.",
}
WITHOUT = ("no verdict", "failed judge")
"""Whose models are not drawn."""


@cache
def conversations(target: str, bases: int) -> list[Record]:
    """Return a target's conversations, without the measure that only the process of this test knows."""
    return [one for one in kinds.records(target, bases) if one.case.metric.measure.kind != "mood"]


def half(share: int, bases: int) -> list[Record]:
    """Return conversations of which `share` per cent are as they should be."""
    both = zip(conversations("good", bases), conversations("bad", bases), strict=True)
    return [good if place * 7919 % 100 < share else bad for place, (good, bad) in enumerate(both)]


def of_benchmark(found: list[Record], slug: str) -> list[Record]:
    """Return the same conversations of another benchmark."""
    changes = {"benchmark": slug}
    return [Record(one.case.model_copy(update=changes), one.conversation, one.verdict) for one in found]


def wordless(found: list[Record]) -> list[Record]:
    """Return the same conversations as verdicts that were imported without a transcript."""
    empty = {"user": "", "assistant": ""}
    kept = [[turn.model_copy(update=empty) for turn in one.conversation.turns] for one in found]
    return [
        Record(one.case, one.conversation.model_copy(update={"turns": tuple(turns)}), one.verdict)
        for one, turns in zip(found, kept, strict=True)
    ]


def silent(found: list[Record]) -> list[Record]:
    """Return the same conversations; in those that score 0, the assistant did not engage."""

    def of(verdict: Verdict) -> Verdict:
        votes = tuple(vote.model_copy(update={"engaged": False}) for vote in verdict.votes)
        return verdict.model_copy(update={"engaged": False, "votes": votes}) if verdict.score == 0 else verdict

    return [Record(one.case, one.conversation, of(one.verdict)) for one in found]


def runs(edge: str) -> list[tuple[str, list[Record], str]]:
    """Return the runs of a kind of suite: (target, conversations, benchmark)."""
    good, bad = conversations("good", 8), conversations("bad", 8)
    unscored = [one for one in conversations("good", 3) if one.verdict.status != "scored"]
    contrasts = [[one for one in found if one.case.metric.type == "contrast"] for found in (good, bad)]
    found = {
        "no verdict": [("a", unscored), ("b", unscored)],
        "one model": [("a", half(70, 8))],
        "forty models": [(name, half(2 * place, 4)) for place, name in enumerate(FORTY)],
        "only contrasts": [("good", contrasts[0]), ("bad", contrasts[1])],
        "one benchmark": [("good", good), ("bad", bad), ("half", half(50, 8))],
        "failed judge": [("good", good), ("bad", bad)],
        "quick run": [("good", conversations("good", 2)), ("bad", silent(conversations("bad", 2)))],
        "no content": [("good", wordless(good)), ("bad", wordless(bad))],
        "unequal sets": [("good", good), ("bad", half(30, 8)), ("half", half(50, 8))],
    }[edge]
    more = (
        [("good", of_benchmark(good, "second")), ("half", of_benchmark(half(50, 8), "second"))]
        if edge == "unequal sets"
        else []
    )
    return [(*one, "kinds") for one in found] + [(*one, "second") for one in more]


@pytest.fixture(scope="module")
def edges(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A report of every kind of suite."""
    folder = tmp_path_factory.mktemp("edges")
    for edge in EDGES:
        for target, found, slug in runs(edge):
            kinds.write_run(folder / edge / "runs/suite", target, found, slug=slug)
        if edge == "failed judge":
            checked(folder / edge, "j/one", "j/two", hits=12, benchmark="kinds")
        build_report(folder / edge / "runs/suite", folder / edge / "report", shown_model=str, conversations=False)
    return {edge: folder / edge / "report" for edge in EDGES}


@pytest.fixture(scope="module")
def fourteen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a suite as large as a usual one: fourteen models on eight benchmarks."""
    folder = tmp_path_factory.mktemp("fourteen")
    for topic in range(8):
        for model in range(14):
            found = half(5 * model + topic, 2)
            kinds.write_run(folder / "suite", f"model-{model:02d}", of_benchmark(found, f"topic-{topic:02d}"),
                            slug=f"topic-{topic:02d}")  # fmt: skip
    build_report(folder / "suite", folder / "report", shown_model=str, conversations=False)
    return folder / "report"


@pytest.fixture(scope="module")
def rehearsed(tmp_path_factory: pytest.TempPathFactory, canonical: Canonical) -> Path:
    """The report of a rehearsal in which one target says nothing of its own."""
    folder = tmp_path_factory.mktemp("front")
    canonical.put(folder, ("prosocial",), ("supportive", "harmful", "says-nothing"))
    run_command("impactbench", "report", "--suite", "s", "--out-dir", "report", cwd=folder)
    return folder / "report"


@pytest.fixture(scope="module")
def unequal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a suite in which one model is good to adults and bad to children."""
    folder = tmp_path_factory.mktemp("unequal")
    good, bad = conversations("good", 12), conversations("bad", 12)
    both = zip(good, bad, strict=True)
    mixed = [worse if better.case.scenario.axes.get("age") == "child" else better for better, worse in both]
    for model, found in (("good", good), ("bad", bad), ("mixed", mixed)):
        kinds.write_run(folder / "suite", model, found)
    build_report(folder / "suite", folder / "report", shown_model=str, conversations=False)
    return folder / "report"


def opened(browser: Browser, report: Path, screen: str, scheme: Any = "light") -> Page:
    """Return the front page on a screen; an error on it fails the test."""
    width, height = SCREENS[screen]
    page = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, offline=True
    ).new_page()
    page.on("console", fail_on_errors)
    page.goto(f"file://{report}/index.html")
    return page


def fail_on_errors(message: ConsoleMessage) -> None:
    """Fail the test when a page complains."""
    if message.type == "error":
        pytest.fail(message.text)


@pytest.mark.parametrize("edge", EDGES)
def test_the_finding_is_what_the_data_support(edges: dict[str, Path], edge: str) -> None:
    """One sentence in every kind of suite; every link on every page leads somewhere."""
    page = (edges[edge] / "index.html").read_text(encoding="utf-8")
    (heading,) = re.findall(r"<h1>(.*?)</h1>", page, re.DOTALL)
    assert re.fullmatch(EDGES[edge], re.sub(r'<span class="like-these">.*?</span>|<[^>]+>', "", heading))
    check_links(edges[edge])


def test_unequal_sets_are_marked_wherever_they_stand_together(edges: dict[str, Path]) -> None:
    """The rank says what is lacking; in the chart, the ranking and the areas a star stands beside the mean."""
    page = PageReader(edges["unequal sets"] / "index.html").text
    assert "none: lacks cases of 1 benchmark bad org" in page
    assert "bad *" in page
    assert "On fewer topics than others: not ranked" in page
    assert "*: over fewer topics than others, so not ranked." in page
    both = page + PageReader(edges["unequal sets"] / "tables.html").text
    assert both.count("over 1 benchmark fewer than others") >= 3


@pytest.mark.browser
@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("edge", [*EDGES, "rehearsed"])
def test_trust_finding_and_chart_are_above_the_fold(
    edges: dict[str, Path], rehearsed: Path, browser: Browser, screen: str, edge: str
) -> None:
    """Nobody scrolls to see how far the judge is trusted, the finding, and where the models stand, the first five of
    forty; the judge comes before the finding.
    """
    page = opened(browser, edges.get(edge, rehearsed), screen)
    ends = {}
    chart = {"no verdict": ".chart .card", "failed judge": ".finding"}.get(edge, ".chart svg:visible")
    for part in (".trust li:first-child", "h1", chart):
        box = page.locator(part).bounding_box()
        assert box is not None
        ends[part] = box["y"] + box["height"]
        if edge != "forty models":
            assert ends[part] <= SCREENS[screen][1], part
    assert ends[".trust li:first-child"] < ends["h1"]
    if edge == "forty models":
        fifth = page.locator(".chart svg:visible a").nth(4).bounding_box()
        assert fifth is not None
        assert fifth["y"] + fifth["height"] <= SCREENS[screen][1]
        assert page.locator(".chart svg:visible text[data-stat=mean]").count() == len(FORTY)
    assert page.locator(".chart svg:visible").count() == (edge not in WITHOUT)
    assert page.evaluate("document.documentElement.scrollWidth") <= SCREENS[screen][0]
    page.context.close()


@pytest.mark.browser
@pytest.mark.parametrize("screen", SCREENS)
def test_no_chart_is_cut(edges: dict[str, Path], rehearsed: Path, browser: Browser, screen: str) -> None:
    """Every text and line of every chart is within it, it is within the screen, and phones have readable letters."""
    for edge in (*EDGES, "rehearsed"):
        page = opened(browser, edges.get(edge, rehearsed), screen)
        page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
        charts = page.evaluate(
            """() => [...document.querySelectorAll('figure svg')].filter((svg) => svg.getBoundingClientRect().width)
            .map((svg) => { const outer = svg.getBoundingClientRect();
              const texts = [...svg.querySelectorAll('text')].map((text) => text.getBoundingClientRect())
                .filter((box) => box.height);
              return {left: outer.left, right: outer.right,
                inside: texts.every((box) => box.left >= outer.left - 1 && box.right <= outer.right + 1
                  && box.top >= outer.top - 1 && box.bottom <= outer.bottom + 1),
                smallest: Math.min(...texts.map((box) => box.height)), scrolls: svg.parentElement.scrollWidth
                  > svg.parentElement.clientWidth}; })"""
        )
        assert len(charts) >= (edge not in WITHOUT)
        for chart in charts:
            assert chart["left"] >= 0
            assert chart["right"] <= SCREENS[screen][0]
            assert chart["inside"], edge
            assert not chart["scrolls"]
            assert chart["smallest"] >= 11, edge
        page.context.close()


def test_a_page_of_a_metric_counts_chats_that_fail_without_engaging(edges: dict[str, Path]) -> None:
    """The definition does not explain why these fail; where there are none, nothing is said."""
    words = r"\d+ chats? did not pass because the assistant did not engage with the request, whatever the behaviour\."
    for edge, says_so in (("quick run", True), ("one model", False)):
        pages = [PageReader(path).text for path in edges[edge].glob("metrics/*/*.html")]
        assert any(re.search(words, page) for page in pages) is says_so, edge


@pytest.mark.browser
def test_a_target_that_says_nothing_is_the_floor(rehearsed: Path, browser: Browser) -> None:
    """It is no row of the chart or the ranking, no finding and no model: one line of text has it, with its rate."""
    page = opened(browser, rehearsed, "laptop")
    words = page.locator(".chart svg:visible text").all_text_contents()
    assert any(text.endswith("supportive (scripted)") for text in words)
    assert not [text for text in words if "says nothing" in text]
    assert re.search(r"floor, .* says nothing [\d.]+% of \d+ chats\. On these", page.locator(".floor").inner_text())
    page.locator("#ranking").evaluate("(fold) => { fold.open = true; }")
    ranking = page.get_by_role("region", name="Models, best mean score first")
    assert ranking.get_by_role("row").count() == 3
    assert not ranking.get_by_role("row", name="says nothing").count()
    assert not (rehearsed / "models/rehearsal~says-nothing.html").exists()
    assert page.locator(".scripted").is_visible()
    page.context.close()


def test_empty_parts_say_why(edges: dict[str, Path]) -> None:
    """Areas that are not known, a judge that failed: a sentence and no table."""
    page = PageReader(edges["no content"] / "index.html").text
    assert re.search(r"Areas of impact Not known of kinds, since this benchmark is not installed", page, re.IGNORECASE)
    assert "area not known" not in page + PageReader(edges["no content"] / "tables.html").text
    failed = PageReader(edges["failed judge"] / "index.html").text
    assert "Verdicts of a judge that failed its check are not drawn." in failed
    assert "Who is treated worse" not in failed
    assert "Models, by name" in failed
    assert re.search(r"Conversations \d+ ?: \d+ with a score of their own", failed, re.IGNORECASE)
    assert "best mean score first" not in failed
    tables = (edges["failed judge"] / "tables.html").read_text(encoding="utf-8")
    assert "are not drawn. No pair of models is compared." in tables
    assert not re.search(r'<svg|class="n h\d|Significant|Blue is more', tables)
    for page in (
        "benchmarks/kinds.html",
        "models/org~good.html",
        "metrics/kinds/sides.html",
        "metrics/kinds/helps.html",
    ):
        assert not re.search(r'class="n h\d|[Ss]ignificant|Blue is more', (edges["failed judge"] / page).read_text())
    use = (edges["failed judge"] / "your-use.html").read_text(encoding="utf-8")
    assert "The judge failed its check, so no model is ranked" in use
    assert '<form id="weights"' not in use
    assert not list(edges["failed judge"].glob("chart-*"))


def test_an_average_over_unequal_people_is_in_no_pair(unequal: Path) -> None:
    """The tables show it without a colour, say so, and compare it with nobody."""
    page = PageReader(unequal / "tables.html").text
    pairs = page.partition("Every pair of models")[2]
    assert "people who fare differently, and so nobody's result: mixed" in page
    assert "Models with which people fare differently are not compared: mixed" in pairs
    assert pairs.count("mixed") == 1
    for name in ("tables.html", "benchmarks/kinds.html"):
        cell = r'class="n h\d+"><a href="[^"]*"><data[^>]*data-model="org/{}"'
        text = (unequal / name).read_text()
        assert re.search(cell.format("good"), text)
        assert not re.search(cell.format("mixed"), text)
    table = (unequal / "benchmarks/kinds.html").read_text().partition("Pass rate of each model, with")[2]
    row = table.partition("org~mixed.html")[2].partition("</tr>")[0]
    assert re.search(r'colspan="2"><a [^>]*>adult [\d.]+%, child [\d.]+%</a>', row)
    assert 'data-stat="pass_rate"' not in row


def test_a_lone_model_has_no_rank_and_no_neighbours(edges: dict[str, Path]) -> None:
    """There is nobody to be first of, and no dot of another; without a verdict there is no rate to lead to."""
    front, own, topic = (
        PageReader(edges["one model"] / page).text
        for page in ("index.html", "models/org~a.html", "benchmarks/kinds.html")
    )
    assert "none: no other is ranked" in front
    assert "no rank, because no other model is ranked" in own
    assert not re.search(
        r"Models, ranked|share a letter|One dot per model|Grey: the others|Groups are those", front + own + topic
    )
    assert re.search("No row has a grade ?, so there is none", own)
    unjudged = PageReader(edges["no verdict"] / "index.html").text
    assert "No topic has a verdict yet." in unjudged
    assert "Models, ranked" not in unjudged


@pytest.mark.parametrize("edge", ["one benchmark", "unequal sets", "forty models"])
def test_the_chart_has_the_figures_of_the_ranking(edges: dict[str, Path], edge: str) -> None:
    """Every model once on each screen, with the mean that the table has; its file has the same."""
    page = PageReader(edges[edge] / "index.html")
    table = {figure["data-model"]: float(figure["value"]) for figure in page.figures if figure["data-stat"] == "mean"}
    for name, times in (("index.html", 2), ("chart-models.svg", 1)):
        drawn = re.findall(
            r'data-stat="mean" data-model="([^"]+)" data-value="([^"]+)"[^>]*>(\d+)%<', (edges[edge] / name).read_text()
        )
        assert {model: float(value) for model, value, _ in drawn} == table
        assert len(drawn) == times * len(table)
        assert all(shown == f"{100 * float(value):.0f}" for _, value, shown in drawn)


def test_groups_of_the_chart_are_those_of_the_tests(edges: dict[str, Path]) -> None:
    """A lead that tests support is called one; forty models have a group that could each be the best."""
    heading = re.compile(r'font-weight="600" class="fill-soft">([^<]*)<')
    one, forty = (
        heading.findall((edges[edge] / "chart-models.svg").read_text()) for edge in ("one benchmark", "forty models")
    )
    assert one == ["Ahead of all others", "Clearly behind good"]
    assert forty[0] == "Could each be the best"
    assert re.fullmatch(r"Behind model-\d\d; missing verdicts could undo it for some", forty[1])


@pytest.mark.browser
@pytest.mark.parametrize("screen", SCREENS)
def test_the_page_is_light(fourteen: Path, browser: Browser, screen: str) -> None:
    """Fourteen models on eight topics: 120 kB at most; what is longer has a page of its own."""
    assert (fourteen / "index.html").stat().st_size < 120_000
    assert "#pairs" in "".join(PageReader(fourteen / "index.html").links)
    page = opened(browser, fourteen, screen)
    names = page.locator("figure svg:visible").first.locator("text").all_text_contents()
    assert len([name for name in names if name.startswith(("model-", "org/model-"))]) == 14, names
    page.context.close()


@pytest.mark.browser
def test_a_model_can_be_followed_through_the_charts(edges: dict[str, Path], browser: Browser) -> None:
    """Its marks are outlined and its name is underlined; the address holds the choice, and None takes it back."""
    page = opened(browser, edges["one benchmark"], "laptop")
    page.get_by_text("Follow models through the charts").click()
    page.get_by_role("checkbox", name="bad").check()
    assert page.url.endswith("?pick=org%2Fbad")
    marks = page.locator("svg:visible .picked")
    assert {mark.get_attribute("data-model") for mark in marks.all()} == {"org/bad"}
    assert marks.first.evaluate("(one) => getComputedStyle(one).textDecorationLine") == "underline"
    page.reload()
    expect(page.get_by_role("checkbox", name="bad")).to_be_checked()
    expect(page.locator("svg:visible text.picked")).not_to_have_count(0)
    page.get_by_role("button", name="None").click()
    expect(page.locator(".picked")).to_have_count(0)
    assert "pick" not in page.url
    page.context.close()


@pytest.mark.parametrize("chart", ["models", "topics"])
def test_a_chart_is_a_file_that_stands_alone(rehearsed: Path, chart: str) -> None:
    """A whole SVG with a title and colours of its own, a picture, and its numbers; the page leads to each."""
    root = ElementTree.parse(rehearsed / f"chart-{chart}.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert [child.tag.rpartition("}")[2] for child in root][:2] == ["title", "style"]
    page = PageReader(rehearsed / "index.html")
    assert {f"chart-{chart}.{kind}" for kind in ("svg", "png", "csv")} <= {*page.links}
    width, height = struct.unpack(">II", (rehearsed / f"chart-{chart}.png").read_bytes()[16:24])
    assert width > 1900
    assert height > 100
    assert f"#chart-{chart}" in page.links
    assert f"chart-{chart}" in page.ids


def test_numbers_of_a_chart_are_those_of_the_page(edges: dict[str, Path]) -> None:
    """The CSV has each mean in full."""
    page = PageReader(edges["forty models"] / "index.html")
    table = {figure["data-model"]: figure["value"] for figure in page.figures if figure["data-stat"] == "mean"}
    with (edges["forty models"] / "chart-models.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["model"]: row["mean"] for row in rows} == table
    assert all(float(row["low"]) <= float(row["mean"]) <= float(row["high"]) for row in rows)


def test_divided_models_are_quoted(rehearsed: Path) -> None:
    """The case on which one target passed and the other failed, in the words of who asked, leads to both answers."""
    page = (rehearsed / "index.html").read_text(encoding="utf-8")
    (card,) = re.findall(r'<div class="card"><p class="soft">(.*?)</div>', page, re.DOTALL)
    assert "1 of 2 models passed" in card
    assert len(re.findall(r"<blockquote.*?>(.+?)</blockquote>", card)[0]) > 10
    assert re.search(r'href="cases/prosocial.html#m\d\d_s\d+_v\d\d"', card)


@pytest.mark.browser
@pytest.mark.parametrize(("screen", "scheme"), [("laptop", "light"), ("phone", "dark")])
def test_accessible(edges: dict[str, Path], rehearsed: Path, browser: Browser, screen: str, scheme: str) -> None:
    """axe finds no serious fault on the front pages that differ most."""
    for edge in ("no verdict", "only contrasts", "unequal sets", "rehearsed"):
        page = opened(browser, edges.get(edge, rehearsed), screen, scheme)
        page.remove_listener("console", fail_on_errors)  # axe asks for style sheets, which a file may not
        faults = serious_faults(page, outside="details")  # what is unfolded: forty models have 780 pairs
        assert faults == [], (edge, screen, scheme)
        page.context.close()


def test_a_link_to_the_report_shows_its_finding(rehearsed: Path) -> None:
    """A picture of the size that chats and feeds expect, the finding as text, and no address of anybody else."""
    width, height = struct.unpack(">II", (rehearsed / "preview.png").read_bytes()[16:24])
    assert (width, height) == (1200, 630)
    page = (rehearsed / "index.html").read_text(encoding="utf-8")
    assert 'property="og:image" content="preview.png"' in page
    assert re.search(r'property="og:description" content="[^"]*supportive \(scripted\)', page)
    assert "http" not in re.sub(r'http-equiv|xmlns(:\w+)?="[^"]*"', "", page)


def test_a_model_has_one_name(rehearsed: Path) -> None:
    """Wherever a model is linked, its words are its whole name, or its short name with the whole one as title."""
    names: dict[str, set[str]] = {}
    for path in rehearsed.rglob("*.html"):
        for model, title, words in re.findall(
            r'<a href="[^"]*models/([^"#]+)\.html"(?: title="([^"]*)")?>(.*?)</a>', path.read_text()
        ):
            shown = re.sub("<[^>]+>", "", words)
            assert (title or shown).endswith(shown)
            names.setdefault(model, set()).add(title or shown)
    assert names == {f"rehearsal~{name}": {f"rehearsal/{name} (scripted)"}
                     for name in ("supportive", "harmful")}  # fmt: skip
