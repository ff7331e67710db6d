"""One conversation before the panel: who is called, with what, and what is never called at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.conversation.plan import ConversationCase, plan_case
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.conversation.run_options import RunOptions
from helm_impactbench.judging.judge_conversation import Call, Panel, judge_conversation, question_of
from helm_impactbench.judging.verdict import UNSCORED_BY_STATUS, Unscored, Verdict
from helm_impactbench.llm.request import CallFailure, ModelRequest, Reply
from helm_impactbench.rehearsal.reading import without_keys
from tests.judging.builders import BEST, MEASURES, answer, metric
from tests.support.looped import looped


def case(own: Metric, teller: str = "a", sample: int = 0, *, swap: bool = False) -> ConversationCase:
    """Return a case with one fixed message."""
    scenario = Scenario(
        id=f"s_{teller}", metric_id=own.id, base="s", messages=["secret of the user"], axes={"teller": teller},
        facts=["{A} asks {b} for more."], view={"first": "a"},
    )  # fmt: skip
    benchmark = Benchmark(slug="b", name="B", description="B.", metrics=[own], scenarios=[scenario])
    return plan_case(benchmark, "digest", scenario, sample, RunOptions(swap=swap))


def said(*words: str) -> Conversation:
    """Return a complete conversation with these replies."""
    turns = tuple(Turn(number=i, user="secret of the user", assistant=text) for i, text in enumerate(words, start=1))
    return Conversation(status=Status.COMPLETE, turns=turns)


def calls(answers: Mapping[str, str | CallFailure]) -> tuple[Call, list[ModelRequest]]:
    """Return what makes calls (deployment -> what it always answers), and the requests that were made."""
    made: list[ModelRequest] = []

    def call(request: ModelRequest) -> Reply | CallFailure:
        made.append(request)
        reply = answers[request.deployment]
        return Reply(reply) if isinstance(reply, str) else reply

    return call, made


@looped("status", [status for status in Status if not status.can_be_judged])
@looped("name", ["presence", "stance"])
def test_a_failed_conversation_is_never_judged(status: Status, name: str) -> None:
    """Its status is its reason and costs no call; a negative metric does not pass on silence."""
    call, made = calls({})
    held = Conversation(status=status, reason="Something.")
    verdict = judge_conversation(case(metric(name)), held, Panel(("j",), ("awareness",)), call)
    assert verdict == Verdict(status="unscored", unscored=UNSCORED_BY_STATUS[status], detail="Something.")
    assert made == []


def test_without_judges_nothing_is_called_and_nothing_is_scored() -> None:
    """judge=none leaves a conversation to be judged later."""
    call, made = calls({})
    verdict = judge_conversation(case(metric()), said("x!"), Panel(()), call)
    assert (verdict.status, verdict.unscored, made) == ("unscored", Unscored.NOT_JUDGED, [])


def test_a_case_without_a_question_is_unscored() -> None:
    """Another suite may have no question for some of its cases."""
    call, made = calls({})
    verdict = judge_conversation(case(metric()), said("x!"), Panel(("j",)), call, question=lambda *_: None)
    assert (verdict.unscored, made) == (Unscored.NO_QUESTION, [])


@pytest.mark.parametrize("name", MEASURES)
def test_a_panel_of_each_measure_ends_in_a_verdict(name: str) -> None:
    """Every judge is asked once, at temperature 0, with the schema; the verdict is the panel's."""
    extra: dict[str, Any] = {"severity": "clear"} if name == "severity" else {}
    right = answer(BEST[name], (1, "A word."), **extra)
    call, made = calls({"j1": right, "j2": right})
    verdict = judge_conversation(case(metric(name)), said("A word."), Panel(("j1", "j2")), call)
    assert [(request.deployment, request.temperature, request.role) for request in made] == [
        ("j1", 0.0, "judge"), ("j2", 0.0, "judge"),
    ]  # fmt: skip
    assert verdict.value == (MEASURES[name].bounds or (0, 0))[1]
    assert all(vote.grounded for vote in verdict.votes)
    assert all(
        request.json_schema is not None and request.json_schema["title"] == MEASURES[name].kind for request in made
    )


def test_the_seed_of_a_judge_tells_no_level_and_is_another_for_another_sample() -> None:
    """It reaches the provider: equal words to either teller are one call."""
    seeds = [case(metric("stance"), teller, sample).judge_seed for sample in (0, 1) for teller in ("a", "b", "neutral")]
    assert len(set(seeds)) == 2
    assert len(set(seeds[:3])) == 1
    call, made = calls({"j": answer("balanced")})
    judge_conversation(case(metric("stance")), said("Hm."), Panel(("j",)), call)
    assert {request.seed for request in made} == {seeds[0]}


def test_checks_come_after_the_votes_and_change_no_verdict() -> None:
    """The question of the verdict is the same with and without them."""
    call, made = calls({"j": answer("absent")})
    plain = judge_conversation(case(metric()), said("Hm."), Panel(("j",)), call)
    first = made[0]
    made.clear()
    checked = judge_conversation(case(metric()), said("Hm."), Panel(("j",), ("awareness", "plausibility")), call)
    assert made[0] == first
    assert checked.model_copy(update={"checks": {}}) == plain
    assert list(checked.checks) == ["awareness", "plausibility"]
    assert {check.undecided for check in checked.checks.values()} == {Unscored.JUDGE_UNPARSABLE}


@pytest.mark.parametrize(("teller", "answered"), [("a", True), ("b", False), ("neutral", None)])
@pytest.mark.parametrize("swap", [False, True])
def test_a_guess_at_the_teller_is_checked(teller: str, answered: bool | None, swap: bool) -> None:
    """Asked of one-sided stances alone; whoever is called Party 1, the answer is whether the guess is right."""

    def call(request: ModelRequest) -> Reply:
        guess = "party_2" if swap else "party_1"
        return Reply(answer(guess if (request.json_schema or {})["title"] == "teller" else "balanced"))

    own = case(metric("stance"), teller, swap=swap)
    checks = judge_conversation(own, said("Hm."), Panel(("j",), ("teller",)), call).checks
    assert {name: check.answer for name, check in checks.items()} == ({} if answered is None else {"teller": answered})
    assert (
        judge_conversation(
            case(metric()), said("Hm."), Panel(("j",), ("teller",)), calls({"j": answer("absent")})[0]
        ).checks
        == {}
    )


def test_what_the_judges_saw_is_kept_where_it_is_not_what_was_said() -> None:
    """A reader can check a quote against the third person; plain transcripts are not stored twice."""
    call, _ = calls({"j": answer("party_1", (1, "Party 1 is right"))})
    shown = judge_conversation(case(metric("stance")), said("You are right."), Panel(("j",)), call)
    assert shown.shown == ("Party 1 is right.",)
    assert shown.votes[0].grounded is True
    call, _ = calls({"j": answer("absent")})
    assert judge_conversation(case(metric()), said("You are right."), Panel(("j",)), call).shown == ()


@pytest.mark.parametrize("quote", ["You are right", ""])
def test_a_side_needs_a_quote_of_what_the_judge_saw(quote: str) -> None:
    """Words that it cannot have read are not evidence."""
    call, _ = calls({"j": answer("party_1", *([(1, quote)] if quote else []))})
    verdict = judge_conversation(case(metric("stance")), said("You are right."), Panel(("j",)), call)
    assert verdict.votes[0].grounded is False


@looped("words", ["You are right.", "The tenant is right.", "Your lodger is right.", "Hm."])
@looped("said_so", ["party_1", "leans_party_1", "balanced", "leans_party_2", "party_2"])
def test_the_swap_exchanges_the_names_that_a_judge_sees_and_nothing_else(words: str, said_so: str) -> None:
    """A judge that goes by the words gives the same stance; one that always says the same is turned round."""
    for teller in ("a", "b", "neutral"):
        plain, swapped = (case(metric("stance"), teller, swap=swap) for swap in (False, True))
        one, two = (question_of(own, said(words)) for own in (plain, swapped))
        asked = [without_keys(question.messages[1].content) for question in (one, two)]
        assert exchanged(asked[0]) == asked[1]
        assert one.messages[0] == two.messages[0]
        values = [
            judge_conversation(own, said(words), Panel(("j",)), calls({"j": answer(given)})[0]).value
            for own, given in ((plain, said_so), (swapped, said_so), (swapped, exchanged(said_so)))
        ]
        assert values[0] == -(values[1] or 0.0) == values[2]


def exchanged(text: str) -> str:
    """Return `text` with the two names exchanged."""
    for one, two in (("Party 1", "Party 2"), ("party_1", "party_2")):
        text = text.replace(one, "\0").replace(two, one).replace("\0", two)
    return text
