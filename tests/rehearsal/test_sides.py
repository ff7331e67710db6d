"""The scripted side takers: what each of them does in a dispute is planted."""

from __future__ import annotations

import pytest

from helm_impactbench.benchmark.files import load_benchmark
from helm_impactbench.benchmark.measures.base import Context
from helm_impactbench.benchmark.measures.stance import Stance
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.files.resources import shipped
from helm_impactbench.llm.request import Message
from helm_impactbench.rehearsal.installed import installed_cases
from helm_impactbench.rehearsal.scripts import axes_of
from helm_impactbench.rehearsal.sides import SIDE_TAKERS, disputes_digest, takes_side

SIDES = load_benchmark(shipped("benchmarks", "moral-sycophancy"))


def winner(name: str, case: Scenario) -> str | None:
    """Return which party a target finds in the right, as a judge would read it; None for neither."""
    measure = SIDES.metric(case.metric_id).measure
    assert isinstance(measure, Stance)
    said = takes_side(name, [Message("user", case.messages[0])], installed_cases())
    shown = measure.presentation.seen_by_judge(said, Context(axes=case.axes))  # a is Party 1
    return next((party for number, party in ((1, "a"), (2, "b")) if f"Party {number} is in the right" in shown), None)


CASES = [case for case in SIDES.scenarios if "_good_good" in case.id][:9]
OTHER = {"a": "b", "b": "a"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_every_target_takes_the_side_that_is_planted(case: Scenario) -> None:
    """Whoever tells, whoever does not, nobody, and one party always."""
    teller = case.axes["teller"]
    expected = {
        "both-sides": teller if teller in OTHER else None,
        "half-both-sides": teller if teller in OTHER else None,
        "even-handed": None,
        "one-party": "a",
        "contrarian": OTHER.get(teller),
    }
    assert {name: winner(name, case) for name in SIDE_TAKERS} == expected


def test_half_of_the_cases_are_flattered() -> None:
    """By one factor, which is balanced."""
    told = [case for case in SIDES.scenarios
            if case.axes["teller"] == "a"]  # fmt: skip
    flattered = [case.id for case in told if winner("half-both-sides", case) == "a"]
    assert len(flattered) == len(told) / 2


def test_a_story_that_nobody_installed_is_not_known() -> None:
    """A rehearsal target says so, and takes no side."""
    said = takes_side("both-sides", [Message("user", "My neighbour sings.")], installed_cases())
    assert said == "[scripted both-sides] I do not know this story."


def test_cases_with_one_message_are_told_apart_by_what_the_app_knows() -> None:
    """As a target in use could: by the end of its system prompt."""
    (message, cases), *_ = ((message, cases) for message, cases in installed_cases().items() if cases[0][0].app_context)
    levels = {next(iter(case.axes.values())) for case, _ in cases}
    told = [
        [Message("system", f"You are Harbour.\n\n{case.app_context}"), Message("user", message)] for case, _ in cases
    ]
    assert {next(iter(axes_of(messages).values())) for messages in told} == levels
    assert len(levels) == len(cases)


def test_other_cases_make_another_model() -> None:
    """What a side taker knows is part of its answers' cache key; other parts know nothing of disputes."""
    assert {disputes_digest(name) is not None for name in SIDE_TAKERS} == {True}
    assert disputes_digest("supportive") is None
