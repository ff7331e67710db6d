"""The state of a run in a few lines."""

from __future__ import annotations

from dataclasses import replace

from helm_impactbench.cli.live import lines
from helm_impactbench.process.progress_file import Snapshot
from helm_impactbench.process.shared_state import FAILING

STATE = Snapshot(
    runs=4, runs_done=1, cases=20, expected=80, scored=17, unscored={"judge_error": 2, "not_applicable": 1},
    paid_usd=1.5, in_flight=6, waiting_for={"a rate limit": 3}, repeating=2,
    doing="holding 4 conversations, judging 2 conversations",
    seconds=60,
)  # fmt: skip


def test_everything_that_a_person_waits_for_is_named() -> None:
    """What is done and planned, time, reasons, money, and what calls wait for."""
    assert lines(STATE) == [
        "20 of 80 conversations (25%), 1 of 4 runs finished, about 3 min left",
        "17 scored, 2 judge error, 1 not applicable",
        "now: holding 4 conversations, judging 2 conversations",
        "$1.50 paid, about $4.50 to come",
        "6 calls in flight, 3 waiting for a rate limit, 2 waiting to be repeated",
    ]


def test_a_budget_and_a_pause_are_named() -> None:
    """The suite's money with earlier commands; in a pause no time is foretold, and nobody waits for a rate limit."""
    paused = Snapshot(**{**vars(STATE), "paused": True, "budget_usd": 25.0, "suite_usd": 4.0})
    assert lines(paused) == [
        "PAUSED: no call begins; impactbench watch --resume goes on",
        "20 of 80 conversations (25%), 1 of 4 runs finished",
        "17 scored, 2 judge error, 1 not applicable",
        "now: holding 4 conversations, judging 2 conversations",
        "this command $1.50, about $4.50 to come; the suite $4.00 of $25.00",
        "6 calls in flight, 2 waiting to be repeated",
    ]


def test_the_oldest_call_has_an_age() -> None:
    """So that a provider that does not answer is seen before its time limit is over."""
    (line,) = [line for line in lines(replace(STATE, oldest_call_seconds=104.2)) if "in flight" in line]
    assert line.startswith("6 calls in flight (the oldest for 2 min), 3 waiting for a rate limit")


def test_a_run_that_gets_ready_says_so() -> None:
    """Before the number of conversations is known."""
    assert lines(Snapshot()) == ["Starting: HELM is loaded, and the models are checked ..."]


def test_the_reason_is_shown_while_calls_are_repeated() -> None:
    """Without a network a run would seem to do nothing; the reason goes when no call waits any more."""
    failing = replace(STATE, repeating_why="connection error: Name or service not known")
    assert lines(failing)[-1] == "last failure: connection error: Name or service not known"
    assert lines(replace(failing, repeating=0)) == lines(replace(STATE, repeating=0))
    assert lines(replace(failing, repeating=0, waiting_for={FAILING: 3}))[-1] == lines(failing)[-1]
