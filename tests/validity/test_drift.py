"""Whom a difference between two suites is due to: planted changes are named, and chance is not.

Sizes as in a small study: 40 anchors read three times, 200 shared cases in base scenarios of three, a judge whose noise
is 4%.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from helm_impactbench.validity.commands.drift import drift
from helm_impactbench.validity.drift.attribution import Attribution, attribute
from helm_impactbench.validity.drift.judge import NO_ANCHORS, judge_shift
from helm_impactbench.validity.drift.suites import Drift, SuiteText
from helm_impactbench.validity.drift.texts import Spoken, SpokenText
from helm_impactbench.validity.drift.words import conclusion, sentences, warning
from helm_impactbench.validity.records.anchors import AnchorRecord
from helm_impactbench.validity.records.answers import PLAIN, JudgedItem, KnownAnswer
from tests.validity.drift_simulation import Planted, attribution

JUDGE, USER, TARGET = "judge", "simulated user", "target"
LARGE = [
    pytest.param(Planted(judge=0.5), (JUDGE,), id="judge"),
    pytest.param(Planted(user=0.5), (USER,), id="simulated user"),
    pytest.param(Planted(target=0.5), (TARGET,), id="target"),
    pytest.param(Planted(target=0.5, verdicts=0.3), (TARGET,), id="target and its verdicts"),
]
SMALLEST = [
    pytest.param(Planted(judge=0.22), JUDGE, id="judge: 11% of all answers"),
    pytest.param(Planted(user=0.24), USER, id="simulated user: .24 SD of two traits"),
    pytest.param(Planted(target=0.24), TARGET, id="target: .24 SD of two dimensions"),
]


def named(planted: Planted, sets: int, seed: int = 1) -> Counter[tuple[str, ...]]:
    """Return how often each combination of parts is named."""
    rng = np.random.default_rng(seed)
    return Counter(attribution(rng, planted).moved for _ in range(sets))


@pytest.mark.parametrize(("planted", "parts"), LARGE)
def test_a_planted_change_is_attributed(planted: Planted, parts: tuple[str, ...]) -> None:
    """In nearly all of 30 sets; the long test counts 200."""
    assert named(planted, 30)[parts] >= 27


def test_chance_is_not_named() -> None:
    """In 60 sets without a change; the long test counts 600."""
    assert named(Planted(), 60)[()] >= 55


def test_two_changes_are_both_named() -> None:
    """Judge and simulated user; the target's replies then answer other words, so nothing is said about it."""
    rng = np.random.default_rng(3)
    found = [attribution(rng, Planted(judge=0.6, user=0.6)) for _ in range(20)]
    assert sum(one.moved == (JUDGE, USER) for one in found) >= 18
    assert all(
        one.untold == {TARGET: "its replies answer other opening messages"} for one in found if USER in one.moved
    )


@pytest.mark.long
@pytest.mark.parametrize(("planted", "parts"), LARGE)
def test_planted_changes_are_attributed_in_200_sets(planted: Planted, parts: tuple[str, ...]) -> None:
    """Rightly, and alone, in at least 95%."""
    assert named(planted, 200, seed=7)[parts] >= 190


@pytest.mark.long
def test_false_alarms_in_600_sets() -> None:
    """At most 5%."""
    assert 600 - named(Planted(), 600, seed=8)[()] <= 30


@pytest.mark.long
@pytest.mark.parametrize(("planted", "part"), SMALLEST)
def test_the_smallest_change_that_is_found_with_probability_8(planted: Planted, part: str) -> None:
    """As docs/decisions/evidence.md states it."""
    found = sum(count for parts, count in named(planted, 200, seed=9).items() if part in parts)
    assert 0.72 <= found / 200 <= 0.9


def reading(*said: str, benchmark: str = "b") -> AnchorRecord:
    """Return a reading of present anchors. Each word is the answers to one: p, a, u (unclear), x (none)."""
    kinds = {"p": ("scored", 1.0), "a": ("scored", 0.0), "u": ("unclear", None), "x": ("unscored", None)}
    answers = tuple(
        JudgedItem(
            item=f"{benchmark}{place}", benchmark=benchmark, metric=f"m{place:02d}", type="positive",
            measure="presence", known="present",
            answers={PLAIN: tuple(
                KnownAnswer.model_validate({"status": kinds[one][0], "value": kinds[one][1],
                                     "right": None if kinds[one][1] is None else one == "p"})
                for one in word
            )},
        )
        for place, word in enumerate(said)
    )  # fmt: skip
    return AnchorRecord(judges=("j",), began=date(2026, 6, 3), prompts_digest="p", helm_impactbench="1", items=answers)


def test_a_judge_that_answers_otherwise_moved_in_a_direction() -> None:
    """Four of twenty answers changed for good: the known verdicts say that it became worse."""
    found = judge_shift(reading(*["ppp"] * 20), reading(*["aaa"] * 4, *["ppp"] * 16))
    assert found.p_value < 0.001
    assert (found.accuracy.before, found.accuracy.after, found.accuracy.anchors) == (1.0, 0.8, 20)
    assert found.accuracy.interval.high < 0
    assert (found.present.before, found.present.after) == (1.0, 0.8)


def test_failed_calls_and_other_anchors_say_nothing() -> None:
    """An unclear answer is an answer; a call that failed is none, and an anchor of one suite alone has no pair."""
    found = judge_shift(reading("ppp", "uuu", "pxx", "xxx"), reading("ppp", "ppp", "xpx", "ppp"))
    assert (found.anchors, found.repeats) == (3, 1)
    assert found.between == pytest.approx(1 / 3)
    assert judge_shift(reading("ppp"), reading("aaa", benchmark="c")) == judge_shift(None, reading("ppp")) == NO_ANCHORS
    assert not NO_ANCHORS.can_be_told


def test_numbers_count_by_their_distance() -> None:
    """Of the range of all answers to the same anchor."""

    def asked(*values: float) -> AnchorRecord:
        said = tuple(KnownAnswer(status="scored", value=value) for value in values)
        answer = JudgedItem(
            item="a", benchmark="b", metric="m", type="contrast", measure="quantity", known="1", answers={PLAIN: said}
        )
        return AnchorRecord(judges=("j",), began=date(2026, 6, 3), prompts_digest="p", helm_impactbench="1",
                             items=(answer,))  # fmt: skip

    found = judge_shift(asked(100, 110), asked(200, 190))
    assert found.between == pytest.approx(0.9)
    assert found.within == pytest.approx(0.1)
    assert found.present.anchors == 0


def conversation(number: int, opening: str = "same", reply: str = "same", score: float = 1.0, **more: float) -> Spoken:
    """Return one conversation of a base scenario of its own."""
    return Spoken(
        model="lab/t", case=("b", f"v{number}", 0, "c"), cluster=("b", number), manner="m",
        opening=None if opening == "fixed" else SpokenText(opening, {"words": more.get("words", 2.0)}),
        reply=SpokenText(reply, {"length": more.get("length", 3.0)}), verdict={"score": score},
    )  # fmt: skip


STEADY = judge_shift(reading(*["ppp"] * 40), reading(*["ppp"] * 40))


def said(found: Attribution, *facts: str) -> str:
    """Return all sentences."""
    return "\n".join(sentences(Drift(facts, found)))


def test_the_same_words_everywhere_are_no_measurement() -> None:
    """They come from the cache or from scripts."""
    suite = [conversation(number) for number in range(30)]
    found = attribute(STEADY, suite, suite)
    assert (found.moved, found.untold, found.nothing_new) == ((), {}, True)
    assert "so no change of simulated user or target could show" in said(found)
    assert warning(Drift((), found)) == ""


def test_without_anchors_nothing_is_said_of_the_judge() -> None:
    """Nor of the verdicts; never that nothing changed."""
    before = [conversation(number, f"o{number}", f"r{number}") for number in range(30)]
    after = [conversation(number, f"o{number}", f"s{number}", score=0.0) for number in range(30)]
    found = attribute(NO_ANCHORS, before, after)
    assert found.moved == ()
    assert found.untold == {"judge": "the suites share 0 anchors that their judges read, and 10 are needed"}
    assert conclusion(Drift((), found)) == "No change was found. Whether the judge changed could not be tested."
    assert warning(Drift((), found)) == "Whether the judge changed could not be tested"


def test_too_few_cases_are_said() -> None:
    """Two base scenarios can show no change."""
    before = [conversation(number, f"o{number}", f"r{number}") for number in range(2)]
    after = [conversation(number, f"p{number}", f"s{number}", words=9.0) for number in range(2)]
    found = attribute(STEADY, before, after)
    assert found.untold == {
        USER: "the suites share opening messages in 2 base scenarios, too few",
        TARGET: "its replies answer other opening messages",
    }
    assert attribute(STEADY, before, []).untold[TARGET] == "no target met the same case in both suites"


def test_verdicts_that_moved_alone_are_the_targets_only_where_the_judge_cannot_have_done_it() -> None:
    """40 anchors would have shown a change of the judge that turns every verdict round; 12 would not for certain."""
    before = [conversation(number, f"o{number}", f"r{number}") for number in range(60)]
    after = [conversation(number, f"o{number}", f"s{number}", score=float(number % 3 > 0)) for number in range(60)]
    found = attribute(STEADY, before, after)
    assert found.moved == (TARGET,)
    assert found.moved_targets == ("lab/t",)
    assert "a difference between the suites is the model's" in said(found)
    few = judge_shift(reading(*["ppp"] * 12), reading(*["ppp"] * 12))
    doubted = attribute(few, before, after)
    assert doubted.moved == ()
    assert "Verdicts changed while the words did not" in said(doubted)
    assert warning(Drift((), doubted)) == "Verdicts changed while the words did not: the judge may have changed"


def test_fixed_messages_have_no_simulated_user() -> None:
    """The target still shows in its replies."""
    before = [conversation(number, "fixed", f"r{number}") for number in range(30)]
    after = [conversation(number, "fixed", f"s{number}", length=4.0) for number in range(30)]
    found = attribute(STEADY, before, after)
    assert (found.moved, found.untold) == ((TARGET,), {})
    assert "Simulated user: none: the first messages are fixed." in said(found)
    assert "words (log) 3.00 before, 4.00 now" in said(found)


def test_where_nothing_is_shared_nothing_is_said_to_be_unchanged() -> None:
    """Imported verdicts have no words: no part is tested, and no p value stands beside it."""
    suite = [replace(conversation(number, "fixed"), reply=None) for number in range(30)]
    found = attribute(NO_ANCHORS, suite, suite)
    assert found.untold[USER] == "the suites share no opening messages"
    assert found.untold[TARGET] == "the suites share no first replies"
    assert conclusion(Drift((), found)) == "Nothing could be tested: the suites share too little to tell what changed."
    sides = [SuiteText(name, [], [], suite) for name in "ab"]
    rows = drift(sides[0], sides[1:])["parts"].rows
    assert [(row["result"], row["p_value"]) for row in rows] == [("too few cases", None)] * 3


def test_openings_that_stayed_show_the_target_although_the_user_changed() -> None:
    """Cases with the same opening message in both suites are enough if there are a dozen."""
    before = [conversation(number, f"o{number}", f"r{number}") for number in range(60)]
    after = [
        conversation(
            number, f"o{number}" if number < 20 else "new", f"s{number}", words=2.0 + (number >= 20), length=4.0
        )
        for number in range(60)
    ]
    found = attribute(STEADY, before, after)
    assert found.moved == (USER, TARGET)
    assert found.target.pairs == 20
    assert "Several changed: the simulated user and the target lab/t" in said(found)
    assert warning(Drift((), found)) == "The simulated user changed: a difference is not the model's alone"
    assert replace(found, moved=()).is_the_target_alone


def test_several_targets_are_named_as_several() -> None:
    """Alone, and beside something else that changed."""
    found = attribute(STEADY, *([conversation(number) for number in range(30)] for _ in "ab"))
    moved = [replace(found.target.dimensions[0], group=group) for group in ("a/x", "b/y")]
    alone = replace(found, moved=(TARGET,), dimensions={TARGET: tuple(moved)}, untold={})

    def told(one: Attribution) -> str:
        return conclusion(Drift((), one))

    assert "What changed are the targets a/x and b/y: a difference between the suites is the models'." in told(alone)
    both = replace(alone, moved=(USER, TARGET))
    assert "the simulated user and the targets a/x and b/y" in told(both)
    single = replace(alone, dimensions={TARGET: tuple(moved[:1])})
    assert "What changed is the target a/x: a difference between the suites is the model's." in told(single)


def test_what_is_on_record_comes_first() -> None:
    """In one sentence."""
    suite = [conversation(number) for number in range(30)]
    assert said(attribute(STEADY, suite, suite), "a", "b").startswith("On record: a; b.\nJudge: no change was found.")
