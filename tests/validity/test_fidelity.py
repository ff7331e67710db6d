"""Simulated users beside people: planted distances are ordered, equal ones left alone, and the index says how far.

The people are the ones of the hand-written dialogues; a simulated user writes their messages as models do, in doses.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from helm_impactbench.rehearsal.dialogues import dialogues
from helm_impactbench.stats.two_samples import coordinate_tests, one_each, overall_test
from helm_impactbench.validity.simulator.fidelity import MOST, Styles, WrittenMessages, compare, cut_at, styles_of
from helm_impactbench.validity.simulator.user_style import TRAITS

DOSES = (0.0, 0.25, 0.5, 0.75)
"""Share of messages that are written as models do; the people themselves are at 0."""
SETS = 200
NULL_SETS = 500
PEOPLE = [
    WrittenMessages(f"{slug} {dialogue.variant}", tuple(said for said, _ in version.turns))
    for slug, own in dialogues().items()
    for dialogue in own
    for version in dialogue.versions
]


def _as_a_model(written: WrittenMessages, dose: float) -> WrittenMessages:
    """Return a conversation with capitals, full stops, thanks and one sentence more in a share of its messages."""
    rng = random.Random(f"{written.cluster} {dose}")
    told = [
        f"Thank you, that is helpful. {text[0].upper()}{text[1:].rstrip('.')}. Could you elaborate on this matter?"
        if rng.random() < dose
        else text
        for text in written.messages
    ]
    return WrittenMessages(written.cluster, tuple(told))


@pytest.fixture(scope="module")
def styles() -> dict[float, Styles]:
    """Dose -> the styles of everybody."""
    cut = cut_at(PEOPLE)
    return {dose: styles_of([_as_a_model(one, dose) for one in PEOPLE], cut) for dose in DOSES}


def _part(styles: Styles, people: set[str]) -> Styles:
    places = [place for place, one in enumerate(styles.clusters) if one in people]
    return Styles(styles.values[places], tuple(styles.clusters[place] for place in places))


def _names() -> list[str]:
    return sorted({str(one.cluster) for one in PEOPLE})


def test_planted_distances_are_ordered(styles: dict[float, Styles]) -> None:
    """Three simulated users of different people each are ordered by their dose in at least 95% of 200 sets."""
    rng, names, right = np.random.default_rng(1), _names(), 0
    for _ in range(SETS):
        drawn = rng.permutation(names)
        human = _part(styles[0.0], set(drawn[:24]))
        simulated = {
            str(dose): _part(styles[dose], set(drawn[16 * n + 8 : 16 * n + 24])) for n, dose in enumerate(DOSES) if dose
        }
        found = compare(simulated, human, permutations=0)
        right += [one.name for one in found.likenesses] == ["0.25", "0.5", "0.75"]
    assert right >= 0.95 * SETS


def test_people_beside_people_are_told_apart_in_six_per_cent_at_most(styles: dict[float, Styles]) -> None:
    """Overall, and by any trait: random halves of the people."""
    rng, names, overall, any_trait = np.random.default_rng(2), _names(), 0, 0
    for number in range(NULL_SETS):
        drawn = rng.permutation(names)
        halves = [_part(styles[0.0], set(drawn[part])) for part in (slice(30), slice(30, 72))]
        one, other = (half.values[one_each(half.clusters, number)] for half in halves)
        any_trait += any(test.apart for test in coordinate_tests(one, other, 99, number))
        overall += overall_test(np.nan_to_num(one), np.nan_to_num(other), 99, number) <= 0.05
    assert overall <= 0.06 * NULL_SETS
    assert any_trait <= 0.06 * NULL_SETS


def test_the_index_falls_from_100_and_names_what_differs(styles: dict[float, Styles]) -> None:
    """People beside other people are near 100; a full dose is far off in politeness, length and typing."""
    names = np.random.default_rng(3).permutation(_names())
    human = _part(styles[0.0], set(names[:36]))
    others = {str(dose): _part(styles[dose], set(names[36:])) for dose in DOSES}
    found = compare(others, human)
    indices = {one.name: one.value for one in found.likenesses}
    assert indices["0.0"] > 90
    assert indices["0.0"] > indices["0.25"] > indices["0.5"] > indices["0.75"]
    assert indices["0.75"] < 60
    assert found.halves[0] < 100 == found.halves[1]
    near, far = (next(one for one in found.likenesses if one.name == name) for name in ("0.0", "0.75"))
    assert not near.told_apart
    assert far.told_apart
    assert {"length", "politeness", "questions"} <= set(far.dimensions_apart)
    assert far.interval.high < near.interval.low
    polite = next(one for one in far.traits if one.trait.name == "polite")
    assert polite.difference.interval.low > 0
    assert polite.simulated > 0.6 > 0.3 > polite.human
    (ahead,) = [one for one in found.order if (one.nearer, one.farther) == ("0.25", "0.75")]
    assert ahead.interval.low > 0


def test_both_sides_are_cut_to_the_simulated_users_messages() -> None:
    """The median of the simulated ones; a chat that goes on for long is compared by its beginning."""
    assert cut_at([WrittenMessages(n, ("Hello.",) * n) for n in (1, 4, 6)]) == 4
    assert cut_at([WrittenMessages(0, ("Hello.",))]) == 2
    long = styles_of([WrittenMessages(0, ("I need help with ferns.",) * 2 + ("NO!",) * 9)], 2)
    assert long.mean([trait.name for trait in TRAITS].index("shouting")) == 0
    assert styles_of([WrittenMessages(n, ("Hello there.",)) for n in range(MOST + 5)], 2).size == MOST


def test_what_one_side_cannot_show_does_not_count() -> None:
    """German people beside English ones: traits of English are not compared, the others are."""
    english = [WrittenMessages(n, ("I need a plan for the garden.", "The soil is heavy.")) for n in range(30)]
    german = [
        WrittenMessages(
            n, ("Ich brauche einen Plan f\u00fcr den Garten hinter dem Haus.", "der Boden ist schwer" * (n % 3 + 1))
        )
        for n in range(30)
    ]
    (found,) = compare({"user": styles_of(german, 2)}, styles_of(english, 2)).likenesses
    by_name = {one.trait.name: one for one in found.traits}
    assert not by_name["polite"].told.apart
    assert np.isnan(by_name["polite"].simulated)
    assert by_name["words"].told.apart
