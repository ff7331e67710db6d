"""What a model's page says of it: no more than tests find, beside the others and on each topic."""

from __future__ import annotations

import re

import pytest

from helm_impactbench.analysis.comparison import compare
from helm_impactbench.analysis.people import people_contrasts, people_gaps
from helm_impactbench.analysis.rates import Rate
from helm_impactbench.analysis.topics import topic_comparisons, topic_pairs
from helm_impactbench.outputs.report.groups import ModelGroup
from helm_impactbench.outputs.report.model_chart import ModelLine, model_chart
from helm_impactbench.outputs.report.model_page import cards_sentence, model_statement, topic_cards
from helm_impactbench.outputs.report.topic_chart import topic_chart, topics
from helm_impactbench.outputs.report.treated import widest_of_axes
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.intervals import Interval
from tests.outputs.report.test_findings import conversations, people, said
from tests.support.outcomes import judged


def told(model: str, *outcomes: list[Outcome], references: tuple[str, ...] = ()) -> tuple[str, str]:
    """Return what is said of one model of a suite."""
    everything = [one for own in outcomes for one in own]
    return said(model_statement(compare(everything), model, people_gaps(everything), references))


def test_a_model_is_behind_and_ahead_of_those_that_tests_put_there() -> None:
    """What tests do not separate from it is named as such."""
    suite = [conversations("a", 58), conversations("b", 57), conversations("m", 31), conversations("z", 2)]
    assert told("a", *suite)[0] == "Ahead of M and Z. It cannot be distinguished from B."
    assert told("m", *suite)[0] == "Behind A and B. Ahead of Z."
    assert told("z", *suite)[0] == "Behind all 3 other models."


def test_only_some_are_named() -> None:
    """Of more than four the first three, and how many more."""
    suite = [conversations(name, 30) for name in "abcdefg"]
    assert told("a", *suite)[0] == "It cannot be distinguished from B, C, D and 3 more."


def test_nothing_is_said_without_a_test() -> None:
    """Too few cases, one model, no verdict, and fewer benchmarks than others."""
    few = [conversations("a", 2, of=2), conversations("b", 0, of=2)]
    assert told("a", *few)[0] == "There are too few cases in common to compare it with one other model."
    assert told("a", conversations("a", 30))[0] == "There is no other model to compare it with."
    assert told("c", conversations("a", 30))[0] == "No score on a benchmark of human impact, so no rank."
    fewer = [conversations("a", 30), [*conversations("b", 30), *conversations("b", 30, benchmark="more")]]
    assert told("a", *fewer)[0] == "No overall rank, because it lacks more."
    everything = [one for own in fewer for one in own]
    named = model_statement(compare(everything), "a", {}, titles={"more": "More of it"})
    assert said(named)[0] == "No overall rank, because it lacks More of it."
    part = [conversations("a", 30), conversations("b", 6, of=6)]
    slug = part[0][0].benchmark
    assert told("b", *part)[0] == f"No overall rank, because it has only part of {slug} (met 6 of 60 cases)."
    in_part = model_statement(compare([one for own in part for one in own]), "b", {}, titles={slug: "A title"})
    assert said(in_part)[0] == "No overall rank, because it has only part of A title (met 6 of 60 cases)."
    alone = [conversations("a", 58), conversations("rehearsal/x", 2)]
    assert told("a", *alone, references=("rehearsal/x",))[0] == "There is no other model to compare it with."


def test_a_gap_between_people_comes_first_and_alone() -> None:
    """An average over people who fare differently is compared with nobody, and others are not compared with it."""
    suite = [people("a", 60, 0), people("b", 60, 60)]
    first, more = told("a", *suite)
    assert first == "A did worse with child than with adult in the same situations."
    assert more.endswith("So no average over them is compared with other models.")
    assert told("b", *suite)[0] == "There is no other model to compare it with."


def test_a_difference_that_missing_verdicts_could_undo_is_said_to_be_one() -> None:
    """How many of the differences."""
    lost = [judged(one, None) if int(one.base_id[1:]) >= 16 else one for one in conversations("b", 2)]
    suite = [conversations("a", 40), lost, conversations("z", 0)]
    assert told("a", *suite) == (
        "Ahead of all 2 other models.",
        "Missing verdicts could undo 1 of these 2 differences.",
    )
    assert told("z", *suite)[1] == ""


def rates_of(outcomes: list[Outcome]) -> dict[str, dict[str, Rate]]:
    """Return slug -> model -> rate."""
    found: dict[str, dict[str, Rate]] = {}
    for one in outcomes:
        own = tuple(o for o in outcomes if (o.benchmark, o.model) == (one.benchmark, one.model))
        found.setdefault(one.benchmark, {})[one.model] = Rate(own)
    return found


def topic(slug: str, **passed: int) -> list[Outcome]:
    """Return conversations of models on one topic."""
    return [one for model, number in passed.items() for one in conversations(model, number, benchmark=slug)]


def test_a_card_needs_tests_against_half_of_the_others() -> None:
    """Beside the median of the others, the furthest first; a lead over one of four is none over the typical model."""
    suite = [
        *topic("low", a=3, b=50, c=52, d=54, e=4), *topic("lower", a=0, b=58, c=58, d=58, e=58),
        *topic("high", a=60, b=20, c=22, d=24, e=60), *topic("near", a=30, b=31, c=29, d=30, e=2),
    ]  # fmt: skip
    rates, pairs = rates_of(suite), topic_pairs(topic_comparisons(suite))
    below, above = topic_cards(rates, pairs, "a")
    assert [slug for slug, _ in below] == ["lower", "low"]
    assert below[1][1] == pytest.approx(51 / 60)
    assert [slug for slug, _ in above] == ["high"]
    assert topic_cards(rates, pairs, "a", {"a"}) == ([], [])
    assert cards_sentence(rates, pairs, "a", (), (), below) == ""


def test_no_card_is_a_sentence_that_says_why() -> None:
    """Chance, too few cases, people who differ, nobody to compare with."""
    alike, few = topic("x", a=30, b=31), [*conversations("a", 2, of=2), *conversations("b", 0, of=2)]
    said = "No topic differs from the typical model by more than chance."
    rates, pairs = rates_of(alike), topic_pairs(topic_comparisons(alike))
    assert cards_sentence(rates, pairs, "a", (), (), []) == said
    assert cards_sentence(rates, pairs, "a", ("a",), (), []).startswith("People fare")
    assert cards_sentence(rates, pairs, "a", (), ("b",), []) == ""
    rates, pairs = rates_of(few), topic_pairs(topic_comparisons(few))
    assert cards_sentence(rates, pairs, "a", (), (), []).startswith("Too few cases")


def test_the_own_model_stands_out_of_the_charts() -> None:
    """It alone is blue and bold, with its rate and place in words."""
    rows = [ModelLine(m, m, m, f"{m}.html", 0.5, Interval(0.4, 0.6)) for m in "abc"]
    chart = model_chart(rows, [ModelGroup("", ("a", "b", "c"))], "All", "b").wide
    assert chart.count("fill-blue") == chart.count("fill-band") == 1
    assert len(re.findall(r'font-weight="600"[^>]*><title>b</title>b<', chart)) == 1
    assert not re.search(r'font-weight="600"[^>]*><title>a</title>a<', chart)
    suite = topic("x", a=10, b=30, c=30)
    found = topics(rates_of(suite), {}, (), (), {"x": ("X", "x.html")})
    strips = topic_chart(found, {name: name for name in "abc"}, "Topics", picked="a").wide
    assert strips.count("fill-blue") == 1
    assert ">17% · 3 of 3<" in strips
    assert found[0].place("b") == found[0].place("c") == "50% · 1 of 3"
    (apart,) = topics(rates_of(suite), {}, ("a",), (), {"x": ("X", "x.html")})
    assert apart.place("a") == "17% over all people"
    ring = topic_chart([apart], {name: name for name in "abc"}, "Topics", picked="a").wide
    assert "fill-page stroke-blue" in ring
    assert "of 3" not in ring


def test_people_have_a_row_for_everything_that_they_differ_in() -> None:
    """The widest significant gap of each axis."""
    rows = widest_of_axes(people_contrasts(people("a", 60, 0)))
    assert [(one.axis, one.found) for one in rows] == [("age", True)]
