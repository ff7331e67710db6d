"""Figures of a judge under stress: worked out by hand, and in simulation against judges with planted effects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

from helm_impactbench.stats import simultaneous
from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.detectable import detectable_shift
from helm_impactbench.stats.simultaneous import simultaneous_tests
from helm_impactbench.validity.records.answers import PLAIN, REPEAT, KnownAnswer, StressedItem
from helm_impactbench.validity.stress.figures import KindFigures, StressFigures, conclusions, moves, stress_figures

VALUES = {"present": 1.0, "absent": 0.0}


def said(word: str | float) -> KnownAnswer:
    """Return an answer: a word on presence, or a number."""
    if isinstance(word, float | int):
        return KnownAnswer(status="scored", answer=f"{word:g}", value=float(word))
    status: Any = {"unclear": "unclear", "failed": "unscored", "not_applicable": "not_applicable"}.get(word, "scored")
    return KnownAnswer(status=status, answer=word if status == "scored" else "", value=VALUES.get(word))


def answered(word: str | float, known: str | float | None) -> KnownAnswer:
    """Return an answer that is right if it is the known one."""
    answer = said(word)
    return answer.model_copy(update={"right": None if known is None else answer.same(said(known))})


def item(place: int, known: str | float | None, answers: Mapping[str, str | float], **changes: Any) -> StressedItem:
    """Return an item of one of thirty metrics; without another answer, a judge says the known one."""
    kept = {"benchmark": "b", "metric": f"m{place % 30:02d}", "type": "positive", "measure": "presence",
            "item": str(place), "span": 1.0}  # fmt: skip
    wanted = "absent" if known is None else known
    all_said = {PLAIN: wanted, REPEAT: wanted, **answers}
    return StressedItem(
        **{**kept, **changes},
        known="" if known is None else str(known),
        answers={name: (answered(word, known),) for name, word in all_said.items()},
    )


def of(figures: StressFigures, kind: str) -> KindFigures:
    """Return the figures of one edit."""
    return next(one for one in figures.kinds if one.kind == kind)


def test_moves_and_shifts_by_hand() -> None:
    """Of 60 transcripts padding moves 12 to present, and asking again moves 3; formatting moves as many as asking."""
    rows = [item(i, "absent" if i % 2 else "present",
                 {"padding": "present" if i < 24 else "absent" if i % 2 else "present",
                  "formatting": "absent" if i % 2 or i in (0, 2, 4) else "present",
                  REPEAT: "present" if i in (1, 3, 5) else "absent" if i % 2 else "present"})
            for i in range(60)]  # fmt: skip
    found = stress_figures(rows, ["padding", "formatting"])
    padding, formatting = found.kinds
    assert (found.repeat.value, padding.moved.value, padding.repeat.value) == (3 / 60, 12 / 60, 3 / 60)
    assert padding.more.figure.value == pytest.approx(9 / 60)
    assert padding.shift.figure.value == pytest.approx((12 + 9) / 2 / 60)
    assert (padding.to_present, padding.to_absent, padding.to_right, padding.to_wrong) == (12, 0, 0, 12)
    assert (formatting.to_present, formatting.to_absent, formatting.to_wrong) == (0, 3, 3)
    assert padding.found
    assert not formatting.found
    assert not found.holds
    assert [(move.kind, move.again) for move in moves(rows, ["padding"])][:3] == [("padding", True)] * 3
    first, second = conclusions(found)
    assert first.startswith("Verdicts move with padding,")
    assert second.startswith("No effect of formatting was found.")


def test_other_measures_move_by_shares_of_their_range_and_numbers_by_their_sign() -> None:
    """A point of a scale of five is a quarter of its range."""
    rows = [item(i, 0.5, {"padding": 0.75}, measure="scale") for i in range(30)]
    rows += [item(i, 100.0, {"padding": 90.0}, measure="quantity", span=None) for i in range(30)]
    (padding,) = stress_figures(rows, ["padding"]).kinds
    assert padding.by_measure["scale"].value == pytest.approx(0.25)
    assert padding.by_measure["quantity"].value == -1
    assert padding.moved.value == 1
    assert (padding.to_present, padding.to_absent) == (0, 0)


def test_flattery_is_for_better_scores() -> None:
    """Present on positive metrics and absent on negative ones is one direction; contrasts have none."""
    kinds = ["positive", "negative", "contrast"]
    plain = ["present" if i % 3 else "absent" for i in range(60)]
    edited = ["absent" if i % 3 else "present" for i in range(60)]
    rows = [
        item(i, None, {PLAIN: plain[i], REPEAT: plain[i], "flattery": edited[i]}, type=kinds[i % 3]) for i in range(60)
    ]
    (flattery,) = stress_figures(rows, ["flattery"]).kinds
    assert flattery.shift.figure.value == pytest.approx(40 / 60)


def test_injected_verdicts_are_counted_where_the_plain_one_is_another() -> None:
    """By what is asked for and how."""
    rows = [item(i, "absent", {"injection": "present" if i < 10 else "absent"}, injected=said("present"),
                 forms={"injection": "note" if i < 20 else "json"}) for i in range(40)]  # fmt: skip
    rows += [item(i, "present", {"injection": "present"}, injected=said("absent"), forms={"injection": "note"})
             for i in range(10)]  # fmt: skip
    rows += [item(0, "absent", {PLAIN: "present", "injection": "present"}, injected=said("present"),
                  forms={"injection": "note"})]  # fmt: skip
    found = stress_figures(rows, ["injection"])
    shares = {(one.asked_for, one.form): (one.taken.value, one.taken.items) for one in found.believed}
    assert shares == {("present", "note"): (0.5, 20), ("present", "json"): (0, 20), ("absent", "note"): (0, 10)}
    assert of(found, "injection").found


def test_missing_verdicts_are_no_moves_and_unclear_ones_are() -> None:
    """A failed call leaves a transcript out; both rates are given."""
    rows = [item(i, "absent", {"padding": ("failed", "unclear", "absent", "absent")[i % 4]}) for i in range(40)]
    (padding,) = stress_figures(rows, ["padding"]).kinds
    assert (padding.moved.value, padding.moved.items) == (10 / 30, 30)
    assert padding.failed.value == 0.25
    assert padding.unclear.value == pytest.approx(10 / 30)
    assert padding.shift.figure.value == pytest.approx(5 / 30)


def test_few_transcripts_say_nothing_and_the_command_says_so() -> None:
    """Whatever was found: three metrics cannot show an effect."""
    rows = [item(i % 3, "absent", {"names": "present"}) for i in range(9)]
    found = stress_figures(rows, ["names"])
    assert found.holds
    assert conclusions(found) == [
        "Nothing can be said of names (9 transcripts): so few cannot show an effect of 20 points."
    ]
    assert conclusions(stress_figures([], ["names"])) == [
        "Nothing can be said of names (0 transcripts): so few cannot show an effect of 20 points."
    ]


METRICS = np.arange(494) // 2
PRESENT = np.arange(494) % 2 == 0
ON_PRESENCE = np.arange(494) < 424
LONG = partial(pytest.param, marks=pytest.mark.long)
SIZES = {"padding": 492, "formatting": 492, "order": 452, "names": 23, "flattery": 492, "injection": 492}
"""About as many transcripts as the shipped golden sets give each edit."""
Votes = dict[str, Floats]
Family = dict[tuple[str, str], float]


def votes(rng: np.random.Generator, noise: float, effect: float) -> Votes:
    """Return 1 for present and 0 for absent of all versions of all transcripts; an edit that is not made repeats plain.

    noise: how often the same question gets another verdict. effect: by how much padding raises the share of present
    verdicts on presence, in shares.
    """
    errs = (1 - np.sqrt(1 - 2 * noise)) / 2
    chance = np.where(PRESENT, 1 - errs, errs)
    up = effect / (1 - chance[ON_PRESENCE]).mean()
    padded = np.where(ON_PRESENCE, chance + up * (1 - chance), chance)
    return {
        name: (rng.random(494) < (padded if name == "padding" else chance)).astype(float)
        for name in (PLAIN, REPEAT, *SIZES)
    }


def family(drawn: Votes) -> list[Family]:
    """Return the moves of both tests of each edit by metric, as stress_figures sums them."""
    found = list[Family]()
    for name, size in SIZES.items():
        plain, again, edited = (drawn[each][:size] for each in (PLAIN, REPEAT, name))
        beyond = (edited != plain).astype(float) - (again != plain)
        shift = edited - (plain + again) / 2
        for moved in (beyond, shift):
            found.append({("b", f"m{i:03d}"): move for i, move in enumerate(np.bincount(METRICS[:size], moved))})
    return found


def found_by(family_of_one: Sequence[Family]) -> list[bool]:
    """Return what is found of each edit."""
    tests = simultaneous_tests(family_of_one)
    return [
        (tests[i].found and sum(family_of_one[i].values()) > 0) or tests[i + 1].found for i in range(0, len(tests), 2)
    ]


@pytest.mark.parametrize(("noise", "power"), [LONG(0.03, 0.9), (0.05, 0.8), LONG(0.08, 0.6)])
def test_a_length_effect_of_five_points_is_found(noise: float, power: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """In 80% of 500 checks or more up to a noise of 5%; fewer than 5% of 500 checks without an effect find any."""
    monkeypatch.setattr(simultaneous, "FLIPS", 299)
    rng = np.random.default_rng(22)
    assert np.mean([found_by(family(votes(rng, noise, 0.05)))[0] for _ in range(500)]) >= power
    alarms = np.mean([any(found_by(family(votes(rng, noise, 0.0)))) for _ in range(500)])
    assert alarms <= 0.065  # 5% and twice the standard error of 500 sets


def test_what_is_simulated_is_what_the_command_tests() -> None:
    """The same votes as items give the same p values."""
    drawn = votes(np.random.default_rng(3), 0.05, 0.05)
    words = {1.0: "present", 0.0: "absent"}
    rows = [
        item(i, None, {name: words[drawn[name][i]] for name in (PLAIN, REPEAT, *SIZES) if i < SIZES.get(name, 494)},
             metric=f"m{METRICS[i]:03d}", injected=said("present"), forms={"injection": "note"})
        for i in range(494)
    ]  # fmt: skip
    tests = simultaneous_tests(family(drawn))
    for place, one in enumerate(stress_figures(rows, SIZES).kinds):
        assert one.more.test.p_value == pytest.approx(tests[2 * place].p_value)
        assert one.shift.test.p_value == pytest.approx(tests[2 * place + 1].p_value)


@pytest.mark.parametrize(("noise", "points"), [(0.0, 2.2), (0.03, 4.0), (0.05, 4.7), (0.08, 5.6)])
def test_the_effect_that_is_said_to_be_found_is_about_right(noise: float, points: float) -> None:
    """With 12 tests and 494 transcripts; the simulation above finds 5 points at 5% noise in 8 of 10."""
    assert 100 * detectable_shift(0.75 * noise / 494, 494, 12) == pytest.approx(points, abs=0.1)
