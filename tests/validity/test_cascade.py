"""What a cascade saves and loses on golden sets, by hand."""

from __future__ import annotations

import pytest

from helm_impactbench.llm.usage import Usage
from helm_impactbench.validity.golden.cascade import THRESHOLDS, Cascade, cascades
from helm_impactbench.validity.records.answers import PLAIN, JudgedItem, KnownAnswer

JUDGES = ("small", "strong")


def item(number: int, *, sure: float | None, small: bool, strong: bool) -> JudgedItem:
    """Return an item on which each judge is right or wrong; the strong one costs ten times as much."""
    votes = {
        "small": KnownAnswer(status="scored", answer="present", right=small, confidence=sure),
        "strong": KnownAnswer(status="scored", answer="present", right=strong, confidence=0.9),
    }
    usages = {judge: Usage(calls=1, cost_usd=cost) for judge, cost in zip(JUDGES, (0.01, 0.1), strict=True)}
    return JudgedItem(
        benchmark="b", metric=f"m{number}", type="positive", measure="presence", item=str(number), known="present",
        answers={PLAIN: (votes["strong"],)}, votes={judge: (vote,) for judge, vote in votes.items()}, usage=usages,
    )  # fmt: skip


def by_threshold(answers: list[JudgedItem]) -> dict[float, Cascade]:
    """Return the cascades by their threshold."""
    return {one.threshold: one for one in cascades(answers, JUDGES)}


def test_saving_and_loss_by_hand() -> None:
    """Six items: the small judge is sure and right in three, sure and wrong in one, unsure in two."""
    answers = [
        *(item(number, sure=0.9, small=True, strong=True) for number in range(3)),
        item(3, sure=0.9, small=False, strong=True),
        item(4, sure=0.6, small=False, strong=True),
        item(5, sure=None, small=False, strong=False),
    ]
    found = by_threshold(answers)
    assert tuple(found) == THRESHOLDS
    at = found[0.8]
    assert at.calls.value == pytest.approx((4 * 1 + 2 * 2) / 6)
    assert at.right.value == pytest.approx(4 / 6)
    assert at.lost.value == pytest.approx(1 / 6)
    assert at.saved.value == pytest.approx(1 - (6 * 0.01 + 2 * 0.1) / 0.6)
    assert at.lost.interval.low < 1 / 6 < at.lost.interval.high
    assert found[0.95].lost.value == 0
    assert found[0.95].saved.value == pytest.approx(-0.1)
    assert found[0.5].calls.value == pytest.approx((5 * 1 + 1 * 2) / 6)


def test_no_cascade_without_a_confidence_or_a_second_judge() -> None:
    """There is nothing to go by, or nobody to ask."""
    assert cascades([item(1, sure=None, small=True, strong=True)], JUDGES) == ()
    assert cascades([item(1, sure=0.9, small=True, strong=True)], JUDGES[:1]) == ()
