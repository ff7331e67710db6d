"""What was recorded against a verdict, and what the same case came to elsewhere: facts, and never more than facts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helm_impactbench.analysis.doubts import first_guess, outcome_doubts, record_doubts, rests_on
from helm_impactbench.analysis.reruns import other_models, reruns
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.judging.evidence import CheckedQuote
from helm_impactbench.judging.panel import decide
from helm_impactbench.judging.verdict import CheckResult, NoVote, Unscored, Verdict, Vote, unscored
from helm_impactbench.results.outcome import outcome_of
from helm_impactbench.results.record import Record
from tests.support import kinds
from tests.support.outcomes import outcome

CASE = next(record.case for record in kinds.records("bad") if record.case.metric.id == "harms")
TALK = Conversation(
    status=Status.COMPLETE, turns=tuple(Turn(number=n, user=f"U{n}.", assistant=f"I harm {n}.") for n in (1, 2, 3))
)


def vote(judge: str, answer: str | None, *quotes: tuple[int, int | None], grounded: bool | None = None) -> Vote:
    """Return a vote; quotes are (turn given, turn found)."""
    evidence = tuple(CheckedQuote(turn=given, quote=f"I harm {given}.", found_turn=found) for given, found in quotes)
    if answer is None:
        return Vote(judge=judge, status="no_vote", no_vote=NoVote.UNPARSABLE, problem="It is no JSON.")
    value = {"present": 1.0, "absent": 0.0}[answer]
    return Vote(judge=judge, answer=answer, value=value, evidence=evidence, grounded=grounded)


def found(*votes: Vote, talk: Conversation = TALK, verdict: Verdict | None = None) -> tuple[str, list[str]]:
    """Return the first guess and all doubts on a conversation with these votes."""
    record = Record(CASE, talk, verdict or decide(CASE.metric, votes))
    doubts = record_doubts(record, outcome_of(record, model="org/bad", setup="s"))
    return first_guess(record, doubts), [f"{doubt.whose}: {doubt.text}" for doubt in doubts]


def test_without_a_doubt_the_verdict_rests_on_what_was_quoted() -> None:
    """Only quotes that are there, and only of judges who voted as the panel did."""
    guess, doubts = found(vote("a", "present", (1, 1), (3, 3), grounded=True))
    assert doubts == []
    assert guess == "Nothing that was recorded speaks against it: the verdict rests on the assistant's turns 1 and 3."
    guess, _ = found(vote("a", "absent"))
    assert guess == "Nothing that was recorded speaks against it: the verdict says that the behaviour does not occur."
    votes = vote("a", "present", (2, 2), grounded=True), vote("b", "present"), vote("c", "absent", (1, 1))
    assert rests_on(Record(CASE, TALK, decide(CASE.metric, votes))) == "the verdict rests on the assistant's turn 2"


def test_judges_who_disagree_are_named_with_their_counts() -> None:
    """The majority first."""
    guess, doubts = found(vote("a", "present", (2, 2), grounded=True), vote("b", "absent"), vote("c", "present"))
    assert doubts == ["judges: they disagree 2 to 1 (present: a, c; absent: b)"]
    assert guess == (
        "Look first at the judges: they disagree 2 to 1 (present: a, c; absent: b); "
        "the verdict rests on the assistant's turn 2."
    )


def test_quotes_that_are_not_where_they_should_be() -> None:
    """In no turn, in another turn, or not given."""
    _, doubts = found(
        vote("a", "present", (9, None), (3, 1), grounded=False), vote("b", "present", grounded=False),
        vote("c", None),
    )  # fmt: skip
    assert doubts == [
        "judges: a quote of a, given for turn 9, is not in the transcript",
        "judges: a quote of a, given for turn 3, stands in turn 1",
        "judges: b gives no quote for its answer",
        "judges: c gave no vote that could be read",
    ]


@pytest.mark.parametrize(
    ("status", "reason", "expected"),
    [
        (Unscored.SIMULATOR_ERROR, "", "Look first at the simulated user: no verdict, because the simulated user gave"),
        (Unscored.TARGET_BLOCKED, "", "Look first at the provider: no verdict, because the provider blocked"),
        (Unscored.TARGET_EMPTY, "", "Look first at the assistant: no verdict, because the target answered nothing."),
        (Unscored.JUDGE_UNPARSABLE, "", "Look first at the judges: no verdict, because the judge's answer could not"),
        (Unscored.PANEL_TIE, "", "Look first at the judges: no verdict, because the judges' votes are tied."),
        (Unscored.NOT_JUDGED, "", "No verdict, because no judge has been asked yet."),
    ],
)
def test_a_missing_verdict_says_who_is_missing(status: Unscored, reason: str, expected: str) -> None:
    """By the reason that was recorded."""
    assert found(verdict=unscored(status, reason))[0].startswith(expected)


def test_what_happened_in_the_conversation() -> None:
    """A person who leaves, a reply that was cut, checks; never a check that was not asked."""
    early = Conversation(
        status=Status.ENDED_EARLY, reason="It said goodbye.",
        turns=(TALK.turns[0], TALK.turns[1].model_copy(update={"cut_off": True})),
    )  # fmt: skip
    checks = {"plausibility": CheckResult(answer=False), "awareness": CheckResult(answer=True)}
    verdict = decide(CASE.metric, (vote("a", "absent"),)).model_copy(update={"checks": checks})
    assert found(talk=early, verdict=verdict)[1] == [
        "simulated user: it left after turn 2, before its time (It said goodbye)",
        "simulated user: the judges doubt that a real person could have written its messages",
        "assistant: it takes the conversation for a test, say the judges",
        "assistant: its reply in turn 2 ended at its token limit",
    ]


def test_an_outcome_alone_says_less_and_nothing_else() -> None:
    """For lists, which read no conversation."""
    record = Record(CASE, TALK, decide(CASE.metric, (vote("a", "present", (9, None), grounded=False),)))
    doubts = outcome_doubts(outcome_of(record, model="m", setup="s"))
    assert [doubt.text for doubt in doubts] == ["a quote of a is not where the judge says it is"]
    assert outcome_doubts(outcome(True)) == []


def test_reruns_are_told_apart_by_what_differs() -> None:
    """Samples, replicates and options; the conversation itself and other models are none."""
    own = outcome(False, setup="x:benchmark=mini,user=u,judge=j")
    others = [
        replace(own, sample=2),
        replace(own, setup="x:benchmark=mini,replicate=3,user=u,judge=j"),
        replace(own, setup="x:benchmark=mini,user=u,judge=k"),
        replace(own, setup="x:benchmark=mini,judge=j"),
    ]
    away = [replace(own, model="other"), replace(own, variant_id="another")]
    met = reruns(own, "s", {"s": [own, *others, *away], "t": [own]})
    assert [(rerun.suite, rerun.how) for rerun in met] == [
        ("s", "sample 3"), ("s", "replicate 3"), ("s", "judge=k"), ("s", "without user=u"), ("t", ""),
    ]  # fmt: skip
    assert other_models(own, [own, *others, *away]) == [away[0]]
