"""The words of audiences.yaml, and labels and cards made of them."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

import pytest
import yaml

from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.benchmark.model import Benchmark, ContentReading
from helm_impactbench.cli import label as command
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.outputs.label import images
from helm_impactbench.outputs.label.audiences import AUDIENCES, parse_audiences
from helm_impactbench.outputs.label.card import Counts, Generation, counts_of, provenance_of
from helm_impactbench.outputs.label.facts import FactItem, shown_facts, shown_scripted
from helm_impactbench.outputs.label.folder import file_names
from helm_impactbench.outputs.label.grades import NoGrade
from helm_impactbench.outputs.label.label import Label, label_of
from helm_impactbench.outputs.label.render import card_markdown, card_page, label_page, render_card, render_label
from helm_impactbench.outputs.label.words import figures, shown_findings, shown_rows
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.validity.judge_trust import JudgeTrust, PanelTrust
from tests.outputs.label.builders import benchmark, metric, talks
from tests.support import builders
from tests.support.looped import looped

HOSTILE = """</style></script><script>pwned=1</script><img src=x onerror="pwned=1">'"{{ 7*7 }}{name}&lt;\u202egnp"""
VERDICTS = [True] * 17 + [False, False, None]
THREE = [metric(number, ["learning", "toxicity"]) for number in (1, 2, 3)]


def _label(**changes: Any) -> Label:
    outcomes: list[Outcome] = [outcome for number in (1, 2, 3) for outcome in talks(number, VERDICTS, **changes)]
    return label_of(outcomes, [benchmark(THREE)])


class _Elements(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.text: list[str] = []
        self.cells: dict[tuple[str, str, str], str] = {}
        self._row = self._group = self._column = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append(tag)
        self.attributes += given
        self._row = given.get("data-row") or self._row
        self._group = given.get("data-group") or ("" if tag == "tr" else self._group)
        self._column = (given.get("data-column") or "") if tag in ("td", "th") else self._column

    def handle_endtag(self, tag: str) -> None:
        self._column = "" if tag == "td" else self._column

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if self._group and self._column:
            key = (self._row, self._group, self._column)
            self.cells[key] = f"{self.cells.get(key, '')}{data}"


def test_all_audiences_get_the_same_label() -> None:
    """Rows, order, names, grades and figures agree, for everybody and each group; explanations do not."""
    label = _label()
    pages = {key: _Elements(render_label(label, key)) for key in AUDIENCES}
    shared = [
        {cell: re.sub(r"\s+", " ", text).strip() for cell, text in page.cells.items()
         if cell[2] in ("grade", "rate", "interval", "scored") and not text.startswith("Not measured")}
        for page in pages.values()
    ]  # fmt: skip
    assert all(list(cells.items()) == list(shared[0].items()) for cells in shared)
    assert len(shared[0]) == 2 * 3 * 4
    assert shared[0][("learning", "everybody", "rate")] == "89.5%"
    assert shared[0][("learning", "age=adult", "rate")] == "90.0%"
    assert shared[0][("learning", "everybody", "scored")] == "57"
    assert shared[0][("learning", "everybody", "grade")] == "B to C"
    assert shared[0][("learning", "age=child", "grade")] == "A to C"
    assert pages["parents"].cells[("agency", "everybody", "grade")].startswith("Not measured. The tests")
    orders = {tuple(dict.fromkeys(row for row, *_ in page.cells)) for page in pages.values()}
    assert orders == {tuple(AUDIENCES["parents"].sheet.order)}
    names = {tuple((row.name, row.grade, row.grey) for row in shown_rows(label, one)) for one in AUDIENCES.values()}
    assert len(names) == 1
    assert len({"".join(page.text) for page in pages.values()}) == 4


def test_a_page_draws_what_the_picture_draws() -> None:
    """One rendering: the page holds the SVG file, and page 2 folded; a label without a grade is a sentence."""
    label = _label()
    for key in AUDIENCES:
        page = render_label(label, key)
        assert images.svg(label, key).strip() in page
        assert page.index("</svg>") < page.index('<details class="nl-more">') < page.index("<table")
    few = render_label(label_of(talks(1, VERDICTS), [benchmark(THREE)]), "parents")
    assert few.startswith('<p class="nl-undrawn">No label of model-a: no row has a grade, because ')
    assert "<svg" not in few


def test_what_is_not_installed_is_not_called_changed() -> None:
    """Conversations on a benchmark that is not installed, and on a metric that has changed, are told apart."""
    label = label_of([*talks(1, VERDICTS), *talks(2, VERDICTS * 50, benchmark="gone")], [benchmark(THREE[:1])])
    said = " ".join(shown_findings(label, AUDIENCES["parents"]))
    assert "1,000 chats were left out, because their tests are faulty or not installed here (gone)." in said
    assert "changed since" not in said
    assert shown_rows(label, AUDIENCES["parents"])[0].grey == "not usable here"
    renamed = label_of(talks(1, VERDICTS, metric_name="Another"), [benchmark(THREE)])
    assert "changed since" in " ".join(shown_findings(renamed, AUDIENCES["parents"]))


def test_who_was_tested_is_listed_in_an_audience_s_words() -> None:
    """Conversations, people with counts, benchmarks, user and judge; a benchmark that is not installed has no card."""
    label = _label()
    shown = {
        fact.name: [f"{item.text}{item.count}" for item in fact.items]
        for fact in shown_facts(label, AUDIENCES["parents"])
    }
    assert shown == {
        "Chats": ["60; judged: 57; different situations: 30"],
        "Who was played, by age": ["adult (30)", "child (30)"],
        "Subjects": ["Mini (60)"],
        "People played by": ["u"],
        "Chats judged by": ["j"],
    }
    gone = label_of(talks(1, VERDICTS, axes=(), setup="unreadable"), [])
    facts = {fact.name: fact.items for fact in shown_facts(gone, AUDIENCES["educators"])}
    assert facts["People"] == (FactItem("of no stated age or group"),)
    assert facts["Played by"] == (FactItem("not stated"),)
    assert facts["Benchmarks"] == (FactItem("mini", " (20)", None),)


def test_a_row_without_a_grade_shows_counts_alone() -> None:
    """Too few conversations: no rate, interval or bounds stand where a reader could take them for a measurement."""
    shown = figures(label_of(talks(1, VERDICTS), [benchmark(THREE)]).row("learning"))
    assert {column for column, text in shown.items() if text == "-"} == {"grade", "rate", "interval", "bounds", "split"}
    assert (shown["scored"], shown["unscored"], shown["scenarios"], shown["metrics"]) == ("19", "1", "10", "1")


def test_scripted_roles_are_told() -> None:
    """One role or several, in a sentence; nothing where no script took part."""
    roles = {"model": "rehearsal/mixed", "setup": "impactbench:benchmark=mini,user=rehearsal_user,judge=j"}
    told = shown_scripted(_label(**roles), AUDIENCES["parents"])
    assert told is not None
    assert told.startswith("A script played the system under test and the people. The figures")
    assert shown_scripted(_label(), AUDIENCES["parents"]) is None
    assert "nl-banner" not in render_label(_label(), "parents")


def test_the_command_offers_the_audiences_of_the_file() -> None:
    """The list in the command, which must not load the file for --help, is the file's."""
    assert tuple(AUDIENCES) == command.AUDIENCES


def test_hostile_text_of_a_suite_stays_text() -> None:
    """Model, judge, axis, value and metric's name are shown as they are written, and start nothing."""
    declared = [metric(number, ["learning"], name=HOSTILE) for number in (1, 2, 3)]
    changes: dict[str, Any] = {"model": HOSTILE, "metric_name": HOSTILE, "axes": ((HOSTILE, HOSTILE),)}
    outcomes = [outcome for number in (1, 2, 3) for outcome in talks(number, VERDICTS, **changes)]
    label = label_of(outcomes, [benchmark(declared, name=HOSTILE)], [HOSTILE])
    page = _Elements(label_page(label, list(AUDIENCES), "cards/{slug}.html"))
    assert not {"script", "img"} & set(page.tags)
    assert not {"onerror", "src"} & set(page.attributes)
    shown = HOSTILE.replace("\u202e", "[U+202E]")
    assert sum(shown in text for text in page.text) > 10
    assert "\u202e" not in "".join(page.text)


def test_hostile_text_of_a_benchmark_stays_text() -> None:
    """Every field of a card is shown as it is written; in Markdown, nothing is left that opens a tag or a cell."""
    texts = ("name", "description", "construct", "population", "limits", "intended_use", "licence")
    notes = ("content_note", "touches_on")
    given = {
        **dict.fromkeys([*texts, *notes], HOSTILE),
        "canary": HOSTILE,
        "literature": [HOSTILE, "a | b\n# no heading"],
    }
    own = metric(1, ["learning"], **dict.fromkeys(("name", "definition", "source", "rationale"), HOSTILE))
    hostile = benchmark([own], **given)
    page = _Elements(card_page(hostile))
    assert not {"script", "img"} & set(page.tags)
    assert not {"onerror", "src"} & set(page.attributes)
    assert "\u202e" not in "".join(page.text)
    markdown = card_markdown(hostile)
    assert not re.search(r"(?<!\\)<|(?<!\\)&lt;", markdown)
    assert "- a \\| b \\# no heading" in markdown
    assert "\u202e" not in markdown


def test_half_surrogates_can_be_written() -> None:
    """A name that no file can hold does not keep a label from being written."""
    label_page(_label(model="bad \ud800 name"), ["parents"]).encode()


def test_cards_are_linked_where_they_lie() -> None:
    """With an address each metric leads to its place on its benchmark's card; without one nothing is linked."""
    assert 'href="cards/mini.html#card-mini-m01"' in render_label(_label(), "developers", "cards/{slug}.html")
    assert 'id="card-mini-m01"' in render_card(benchmark(THREE))
    assert "<a " not in render_label(_label(), "developers")


def test_an_unknown_audience_is_refused() -> None:
    """The message names those that there are."""
    with pytest.raises(ImpactBenchError, match=r"'parent'. Choose from parents, .* Did you mean parents\?"):
        render_label(_label(), "parent")


def _changed(path: tuple[str, ...], value: Any) -> str:
    content = yaml.safe_load(files("helm_impactbench.outputs.label").joinpath("audiences.yaml").read_text())
    place = content
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return yaml.safe_dump(content)


@looped(
    ("path", "value", "message"),
    [
        (
            ("sheet", "title"),
            "Hello {modell}",
            r"title: got \['modell'\] in braces; allowed: \['audience'\]",
        ),
        (("sheet", "heading"), "{model.__class__}", r"got \['model.__class__'\]"),
        (("sheet", "heading"), "{model", "for plain braces"),
        (("sheet", "order"), ["agency"], "allowed: each of hallucination"),
        (("sheet", "names"), {}, "words are missing for hallucination"),
        (("audiences", "parents", "order"), ["agency"], "order"),
        (("audiences", "parents", "names"), {"agency": "Freedom"}, "names"),
        (("audiences", "parents", "sheet"), {}, "allowed: one for all"),
        (("audiences", "parents", "columns"), {"grade": "Grade"}, "columns: rate, interval, scored missing"),
        (("audiences", "parents", "parts"), ["grades"], "parts: tested, doubts, method missing"),
        (("audiences", "parents", "explains"), {}, "words are missing for hallucination"),
        (("audiences", "parents", "colour"), "red", "colour"),
        (("common", "method"), ["{share}"], r"method: got \['share'\]"),
        (("common",), [], "common"),
    ],
)
def test_words_that_do_not_fit_are_refused(path: tuple[str, ...], value: Any, message: str) -> None:
    """No audience can lose a grade's interval, its n, or the line on who was tested; holes are checked at load."""
    with pytest.raises(ImpactBenchError, match=message):
        parse_audiences(_changed(path, value))


def test_no_two_models_share_a_file() -> None:
    """Names that differ only in what a file name cannot hold get an ending of their own."""
    names = file_names(["a/b", "a_b", "A_b", "c/d", "../..", "x" * 300])
    assert names[3] == "c_d"
    assert len({name.lower() for name in names}) == 6
    assert all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,120}", name) for name in names)


def _mini(**changes: Any) -> Benchmark:
    return Benchmark.model_validate({**builders.BENCHMARK, "slug": "mini", "scenarios": builders.SCENARIOS, **changes})


def test_a_card_counts_what_the_files_hold() -> None:
    """Types, base scenarios, variants, splits and people."""
    assert counts_of(_mini()) == Counts(
        positive=1,
        negative=1,
        contrast=0,
        scenarios=2,
        variants=4,
        splits=(("public", 4),),
        people=(("age", (("adult (18+)", 2), ("child or teenager (6-17)", 2))),),
        turns=6,
    )


def test_a_card_says_how_scenarios_were_made() -> None:
    """By model, prompts and version where it is recorded, and how many carry no record or are stale."""
    first = _mini().metrics[0]
    made = {"model": "a/b", "prompt_digest": "f" * 64, "seed": 3, "version": "1.0"}
    rows: list[dict[str, Any]] = [dict(row) for row in builders.SCENARIOS]
    rows[0]["provenance"] = {**made, "metric_digest": first.aim_digest(), "seed_situation": "A situation."}
    rows[1]["provenance"] = {**made, "metric_digest": "another"}
    found = _mini(scenarios=rows)
    provenance = provenance_of(found)
    assert provenance.generations == (Generation("a/b", "f" * 64, "1.0", (3,), scenarios=2, seeded=1),)
    assert (provenance.unrecorded, provenance.stale) == (2, 1)
    for text in (render_card(found), card_markdown(found)):
        assert "2 of 4 variants carry no record" in text
        assert "f" * 64 in text
        assert "1 variant made for an earlier definition" in text


def test_a_card_names_its_readers_and_claims_none() -> None:
    """Who, as what, when, how much; a share only where there were verdicts, and names as text."""
    assert all("Not yet read by outside experts." in text for text in (render_card(_mini()), card_markdown(_mini())))
    read = {"by": "<b>A.</b>", "role": "nurse", "date": "2026-11-20", "items": 1}
    found = _mini().model_copy(update={"readings": [ContentReading(**read), ContentReading(**read, agreeing=0.5)]})
    for text in (render_card(found), card_markdown(found)):
        assert "Not yet read" not in text
        assert text.count("nurse, 2026-11-20: 1 case") == 2
        assert text.count("50% of verdicts on sample replies as intended") == 1
        assert "<b>A." not in text


@looped("slug", sorted(benchmark_paths()))
def test_every_shipped_card_is_complete(slug: str) -> None:
    """Each part that the benchmark gives stands on the card, in HTML and in Markdown."""
    found = load_benchmark(slug)
    html, markdown = " ".join(_Elements(render_card(found)).text), card_markdown(found)
    for heading in ("Construct", "Population", "Intended and unintended use", "Known limits", "Metrics", "Literature"):
        assert heading in html
        assert f"## {heading}" in markdown
    folded = " ".join(html.split())
    of_metrics = [part for m in found.metrics for part in (m.name, m.definition, m.source)]
    own = [found.construct_, found.population, found.limits, found.intended_use, found.canary, found.licence]
    for given in (*own, *found.literature, *of_metrics):
        assert given is None or " ".join(given.split()) in folded
    assert found.digest() in html
    assert found.digest() in markdown


def test_how_far_the_judge_can_be_trusted_stands_with_who_judged() -> None:
    """For every audience, in the page and in Markdown, where it was looked up; nothing about it where it was not."""
    sentence = "j/j finds 90% of what is present."
    judges = JudgeTrust((PanelTrust("j/j", "checked", sentence),))
    given = [outcome for number in (1, 2, 3) for outcome in talks(number, [True] * 20)]
    label = label_of(given, [benchmark(THREE)], judges=judges)
    for audience in AUDIENCES.values():
        assert [fact.items for fact in shown_facts(label, audience) if fact.name == audience.facts.checked] == [
            (FactItem(sentence),)
        ]
    assert sentence in label_page(label, [*AUDIENCES])
    unknown = label_of(talks(1, [True] * 20), [benchmark([metric(1, ["learning"])])])
    assert AUDIENCES["developers"].facts.checked not in [f.name for f in shown_facts(unknown, AUDIENCES["developers"])]


def test_a_judge_that_failed_grades_nothing() -> None:
    """Rows that would have a grade say why they have none, and everything else stays."""
    given = [outcome for number in (1, 2, 3) for outcome in talks(number, [True] * 20)]
    about = [benchmark([metric(number, ["learning"]) for number in (1, 2, 3)])]
    judges = JudgeTrust((PanelTrust("j/j", "failed", "j/j is no better than a coin."),))
    fine, failed = (label_of(given, about, judges=one) for one in (JudgeTrust(), judges))
    assert fine.row("learning").grade is not None
    assert failed.row("learning").no_grade is NoGrade.JUDGE
    assert failed.row("creativity").no_grade is NoGrade.NO_METRIC
    rows = shown_rows(failed, AUDIENCES["developers"])
    assert any("failed its check" in row.first.why_none for row in rows)
