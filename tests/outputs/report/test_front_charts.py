"""The charts of the front page: groups that tests support, axes that fit, names, topics, people, moments."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from xml.etree import ElementTree

import pytest

from helm_impactbench.analysis.comparison import compare
from helm_impactbench.analysis.people import people_contrasts, people_gaps
from helm_impactbench.analysis.rates import Rate
from helm_impactbench.analysis.topics import topic_comparisons, topic_pairs
from helm_impactbench.outputs.people_words import group_words
from helm_impactbench.outputs.report.groups import ModelGroup, model_groups
from helm_impactbench.outputs.report.marks import NARROW, Drawing, drawn, fitted_axis, short, text_width
from helm_impactbench.outputs.report.model_chart import ModelLine, model_chart
from helm_impactbench.outputs.report.moments import moments
from helm_impactbench.outputs.report.picture import png
from helm_impactbench.outputs.report.topic_chart import Topic, topic_chart, topics, topics_sentence
from helm_impactbench.outputs.report.treated import TreatedRow, treated_chart, widest_of_each
from helm_impactbench.outputs.report.trust import months
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.intervals import UNKNOWN, Interval
from helm_impactbench.tables.names import bare_names
from tests.outputs.report.test_findings import conversations, people

HOSTILE = '<script>alert(1)</script>\x00\u202e"'


def groups(*outcomes: list[Outcome], apart: tuple[str, ...] = ()) -> list[tuple[str, tuple[str, ...]]]:
    """Return heading and models of each group."""
    everything = [one for own in outcomes for one in own]
    return [(group.heading, group.models) for group in model_groups(compare(everything), apart)]


def test_models_are_grouped_by_tests_and_not_by_intervals() -> None:
    """A lead is one where each test supports it; those not behind anybody could each be the best."""
    a, b, z = conversations("a", 58), conversations("b", 57), conversations("z", 2)
    assert groups(a, b, z) == [("Could each be the best", ("a", "b")), ("Clearly behind a", ("z",))]
    assert groups(a, z) == [("Ahead of all others", ("a",)), ("Clearly behind a", ("z",))]
    assert groups(a, b) == [("No difference is significant", ("a", "b"))]
    assert groups(a) == [("", ("a",))]


def test_too_few_cases_are_not_a_tie() -> None:
    """Models that no test could separate are not said to be alike."""
    assert groups(conversations("a", 2, of=2), conversations("b", 0, of=2)) == [
        ("Too few cases to compare these", ("a", "b"))
    ]


def test_names_that_differ_at_their_end_stay_apart_and_within_a_phone() -> None:
    """A name that is too long loses its middle, and both ends of a topic fit under its strip."""
    names = {level: f"claude-sonnet-4-6-20261015-thinking-{level}" for level in ("high", "low")}
    assert len({short(name, 15) for name in names.values()}) == 2
    assert [len(short(names["high"], most)) for most in (15, 22, 28, 40)] == [15, 22, 28, 40]
    found = Topic("t", "T", "t.html", {"high": 1.0, "low": 0.99}, {}, is_found=False)
    (words,) = re.findall(r">([^<]* · [^<]*)</text>", topic_chart([found], names, "All").narrow)
    assert text_width(words, 12) <= NARROW


def test_names_of_wide_letters_and_long_groups_stay_within_a_chart() -> None:
    """Fewer wide letters have room; names of two groups lose their middle, and what the test says stays."""
    wide = "W" * 58
    assert text_width(short(wide), 14) <= 286
    assert short("a" * 28) == "a" * 28
    a, z = conversations(wide, 58), conversations("z", 2)
    assert groups(a, z)[1] == (f"Clearly behind {short(wide)}", ("z",))
    (one,) = people_contrasts(people("a", 60, 0))
    long = replace(one, first="a person who has lived with a severe disability since birth", second="somebody " * 8)
    chart = treated_chart([TreatedRow(long, "A", "a.html")], "People")
    for svg, most in ((chart.wide, 72), (chart.narrow, 58)):
        (line,) = re.findall(r">([^<]*: significant)</text>", svg)
        assert len(line) <= most


def test_a_model_that_met_part_of_a_topic_is_neither_its_highest_nor_its_lowest() -> None:
    """It has a dot and no place."""
    outcomes = [*conversations("a", 50), *conversations("b", 40), *conversations("few", 0, of=6)]
    compared = topic_comparisons(outcomes)
    rates = {slug: {score.model: score.rates[slug] for score in found.scores} for slug, found in compared.items()}
    about = {slug: (slug, slug) for slug in rates}
    (found,) = topics(rates, {}, (), (), about, {slug: one.models for slug, one in compared.items()})
    assert [name for name, _ in found.ends({"a": "A", "b": "B", "few": "F"})] == ["A", "B"]
    assert (found.place("few"), found.place("b")) == ("0%", "67% · 2 of 2")


def test_an_average_over_people_who_differ_is_compared_with_nobody() -> None:
    """Such a model stands alone, and no other is said to be behind it."""
    a, b, z = conversations("a", 58), conversations("b", 57), conversations("z", 2)
    assert groups(a, b, z, apart=("a",)) == [
        ("Ahead of the other ranked models", ("b",)), ("Clearly behind b", ("z",)),
        ("Differ by who asks: no single result", ("a",)),
    ]  # fmt: skip


def test_a_model_on_fewer_topics_is_not_ranked() -> None:
    """It stands below the others, and behind none."""
    both = [*conversations("a", 50), *conversations("a", 50, benchmark="more")]
    assert groups(both, conversations("b", 60))[-1] == ("On fewer topics than others: not ranked", ("b",))
    few, z = conversations("c", 6, of=6), [*conversations("z", 2), *conversations("z", 2, benchmark="more")]
    assert groups(conversations("a", 50), few)[-1] == ("On fewer cases than others: not ranked", ("c",))
    assert groups(both, z, conversations("b", 60))[0] == ("Ahead of the other ranked models", ("a",))
    mixed = groups(both, conversations("b", 60), [*few, *conversations("c", 60, benchmark="more")])
    assert mixed[-1][0] == "On fewer topics or cases than others: not ranked"


@pytest.mark.parametrize(
    ("shares", "ends", "note"),
    [
        ([0.66, 0.79], (0.66, 0.8, 0.05), "axis starts at 65%"),
        ([0.0, 1.0], (0.0, 1.0, 0.2), ""),
        ([0.03, 0.4], (0.0, 0.4, 0.1), ""),
        ([1.0], (0.98, 1.0, 0.01), "axis starts at 98%"),
        ([], (0.0, 1.0, 0.2), ""),
    ],
)
def test_an_axis_fits_the_data(shares: list[float], ends: tuple[float, float, float], note: str) -> None:
    """Its ends are round and within 0 and 1, and where it does not begin at 0 it says so."""
    axis = fitted_axis(shares)
    assert axis.step == ends[2]
    assert axis.low <= min(shares, default=0) + 1e-9
    assert axis.high >= max(shares, default=1) - 1e-9
    assert axis.high == pytest.approx(ends[1])
    assert axis.note == note
    assert len(axis.ticks) <= 8


def row(model: str, mean: float, low: float, high: float, **more: object) -> ModelLine:
    """Return a row of the chart of models."""
    return ModelLine(model, model, f"org/{model}", f"models/{model}.html", mean, Interval(low, high), **more)  # type: ignore[arg-type]


def test_every_model_is_drawn_with_its_figure() -> None:
    """Forty too, on both screens, with whole names as titles."""
    rows = [row(f"model-{place}", place / 100, place / 100 - 0.01, place / 100 + 0.01) for place in range(50, 90)]
    found = model_chart(rows, [ModelGroup("", tuple(one.model for one in rows))], "All")
    for svg in (found.wide, found.narrow):
        assert svg.count('data-stat="mean"') == 40
        assert svg.count("<title>org/model-") == (40 if svg == found.wide else 0)
        assert "axis starts at 40%" in svg


def test_a_model_whose_people_differ_has_two_marks_and_no_average() -> None:
    """Pass rates with both groups are drawn and written; the mean over them is not."""
    gap = people_gaps(people("a", 60, 0))["a"][0]
    apart = model_chart([row("a", 0.55, 0.2, 0.9, gap=gap)], [ModelGroup("", ("a",))], "All").wide
    assert ">0% | 100%</text>" in apart or "</title>0% | 100%</text>" in apart
    assert "55%" not in apart
    assert apart.count("<polygon") == 2
    assert "fill-band" not in apart
    together = model_chart([row("a", 0.55, 0.2, 0.9)], [ModelGroup("", ("a",))], "All").wide
    assert ">55%</text>" in together
    assert "<polygon" not in together


def test_names_are_text_and_a_file_is_whole() -> None:
    """A hostile name is text in the page and in the file; nothing needs what the page's policy forbids."""
    rows = [ModelLine("m", HOSTILE, HOSTILE, "models/m.html", 0.4, UNKNOWN)]
    found = model_chart(rows, [ModelGroup(HOSTILE, ("m",))], HOSTILE)
    for svg in (found.wide, found.narrow):
        assert "&lt;script&gt;" in svg
        assert not re.search(r"<script|\sstyle=|<style|\x00|\u202e", svg)
    root = ElementTree.fromstring(found.alone)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "\u202e" not in found.alone


def test_names_are_without_their_provider_unless_two_are_equal() -> None:
    """Arms and scripts keep what distinguishes them."""
    shown = {
        "org/a": "org/a",
        "org/b#x/y": "org/b#x/y",
        "one/c": "one/c",
        "two/c": "two/c",
        "r/s": "r/s (scripted)",
        "d": "D",
    }
    assert bare_names(shown) == {
        "org/a": "a", "org/b#x/y": "b#x/y", "one/c": "one/c", "two/c": "two/c", "r/s": "s (scripted)", "d": "D",
    }  # fmt: skip


def found_topics(outcomes: list[Outcome], apart: tuple[str, ...] = ()) -> tuple[list[Topic], str]:
    """Return the topics and what is said of them."""
    rates: dict[str, dict[str, Rate]] = {}
    for slug in sorted({one.benchmark for one in outcomes}):
        for model in sorted({one.model for one in outcomes}):
            own = tuple(one for one in outcomes if (one.benchmark, one.model) == (slug, model))
            rates.setdefault(slug, {})[model] = Rate(own)
    pairs = topic_pairs(topic_comparisons(outcomes))
    own_topics = topics(rates, pairs, apart, (), {slug: (slug.title(), f"{slug}.html") for slug in rates})
    return own_topics, topics_sentence(own_topics, pairs)


def test_topics_are_sorted_by_spread_and_claim_what_tests_support() -> None:
    """The widest first; a difference that may be chance is neither counted nor coloured."""
    outcomes = [
        *conversations("a", 31, benchmark="near"), *conversations("b", 30, benchmark="near"),
        *conversations("a", 5, benchmark="wide"), *conversations("b", 55, benchmark="wide"),
    ]  # fmt: skip
    found, said = found_topics(outcomes)
    assert [(topic.name, topic.is_found) for topic in found] == [("Wide", True), ("Near", False)]
    assert said == "Models differ significantly on 1 of 2 topics. The widest difference: Wide."
    assert found[0].ends({"a": "A", "b": "B"}) == (("B", pytest.approx(55 / 60)), ("A", pytest.approx(5 / 60)))
    chart = topic_chart(found, {"a": "A", "b": "B"}, "Topics").wide
    assert chart.count('class="fill-blue"') == chart.count('class="fill-orange"') == 1
    assert "B 92% · A 8%" in chart


def test_topics_without_a_finding() -> None:
    """Chance, too few cases and a lone model are three different things."""
    assert found_topics([*conversations("a", 31), *conversations("b", 30)])[1] == (
        "No difference between models on a single topic is significant."
    )
    few = [*conversations("a", 2, of=2), *conversations("b", 0, of=2)]
    assert found_topics(few)[1] == "Too few cases to compare models topic by topic."
    assert found_topics(conversations("a", 31))[1] == ""


def test_a_model_whose_people_differ_is_neither_highest_nor_lowest_on_a_topic() -> None:
    """It is a ring, and no claim rests on it."""
    found, said = found_topics([*conversations("a", 60), *conversations("b", 30), *conversations("c", 29)], ("a",))
    assert dict(found[0].apart) == {"a": 1.0}
    assert list(found[0].shares) == ["b", "c"]
    assert said == "No difference between models on a single topic is significant."


def test_people_are_coloured_only_where_a_test_finds_a_gap() -> None:
    """One line for each model, its significant gap first; the others are grey and say why."""
    contrasts = people_contrasts([*people("a", 60, 0), *people("b", 31, 30)])
    rows = widest_of_each(contrasts)
    assert [(one.model, one.found) for one in rows] == [("a", True), ("b", False)]
    shown = [TreatedRow(one, one.model.upper(), f"{one.model}.html") for one in rows]
    chart = treated_chart(shown, "People").wide
    assert "adult 100%, child 0%: significant" in chart
    assert "adult 52%, child 50%: could be chance" in chart
    assert chart.count("stroke-orange") == 2
    assert widest_of_each(contrasts, without=("a", "b")) == []


def test_groups_of_people_have_plain_names() -> None:
    """Levels of age are said as people say them; others are left as they are."""
    assert group_words("adult (18+)") == "adults"
    assert group_words("child or teenager (6-17)") == "children and teenagers"
    assert group_words("nurse") == "nurse"


def test_moments_are_the_most_divided_cases_of_different_benchmarks() -> None:
    """A case that all passed, one that may not be quoted and a second one of the same benchmark are none."""
    outcomes = [
        *conversations("a", 2, of=3), *conversations("b", 1, of=3), *conversations("c", 1, of=3),
        *conversations("d", 1, of=3),
        *conversations("a", 2, of=3, benchmark="other"), *conversations("b", 0, of=3, benchmark="other"),
    ]  # fmt: skip
    words = {(one.benchmark, one.conversation): f"words of {one.conversation}" for one in outcomes}
    found = moments(outcomes, words)
    assert [(one.benchmark, one.passed, one.models) for one in found] == [("other", 1, 2), ("mini", 1, 4)]
    assert found[0].address == f"cases/other.html#{outcomes[0].conversation}"
    assert found[1].words == "words of s1_v1"
    assert moments(outcomes, {key: text for key, text in words.items() if key[0] == "other"})[0] == found[0]
    assert moments(conversations("a", 2, of=3), words) == []


def test_months() -> None:
    """One month, the first and the last of several, none."""
    assert months([date(2026, 11, 3), None, date(2026, 11, 20)]) == "Nov 2026"
    assert months([date(2027, 1, 1), date(2026, 12, 3), date(2026, 11, 20)]) == "Nov 2026 to Jan 2027"
    assert months([None]) == ""


def dotted(to: Drawing) -> None:
    """Draw one of each part."""
    to.height = 40
    to.text(1, 20, "a $x$")
    to.rect(1, 2, 30, 4, "band", round_by=2)
    to.line(1, 2, 30, 4, "grey", dashes="2 3")
    to.dot(1, 2, 3, "blue", pale=True)
    to.dot(1, 2, 3, "blue", hollow=True)
    to.diamond(9, 9, 3, "orange")


def test_the_same_drawing_gives_the_same_bytes() -> None:
    """Nothing depends on time."""
    one, other = (drawn("x", "X", dotted) for _ in range(2))
    assert one.wide == other.wide
    assert png(one.on_screen) == png(other.on_screen)
