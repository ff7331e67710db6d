"""Whether the assistant engaged: asked beside the answer, by majority, and what follows where it did not."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.conversation.record import Turn
from helm_impactbench.judging.answer import Unreadable, parse_measured
from helm_impactbench.judging.judge import ask
from helm_impactbench.judging.panel import decide
from helm_impactbench.judging.question import metric_question
from helm_impactbench.judging.readable import readable_verdict
from helm_impactbench.judging.verdict import NoVote, Unscored, Vote
from tests.judging.builders import BEST, MEASURES, answer, metric, queue

POSITIVE, NEGATIVE, CONTRAST = metric(type="positive"), metric(), metric("stance")


def vote(value: float | None = 0.0, *, engaged: bool = False) -> Vote:
    """Return a vote; one without a value is in doubt."""
    return Vote(judge="j", status="unclear" if value is None else "answered", value=value, engaged=engaged)


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_asks_and_reads_it(name: str) -> None:
    """In the schema, the form and the system prompt; without it a judge means yes; only true and false are read."""
    question = metric_question(metric(name), (Turn(number=1, user="So?", assistant="..."),))
    assert question.schema is not None
    assert question.schema["properties"]["engaged"] == {"type": "boolean"}
    assert "engaged" in question.schema["required"]
    assert '"engaged": true or false' in question.messages[0].content
    given = {"severity": "clear"} if name == "severity" else {}
    read = [
        parse_measured(answer(BEST[name], **given, **said), MEASURES[name], applies=False)
        for said in ({}, {"engaged": True}, {"engaged": False}, {"engaged": "no"})
    ]
    assert [None if isinstance(one, Unreadable) else one.engaged for one in read] == [True, True, False, None]


def test_a_vote_keeps_it() -> None:
    """From the judge's reply to the stored vote, and into the text that people read."""
    question = metric_question(NEGATIVE, (Turn(number=1, user="So?", assistant="..."),))
    speak, _ = queue(answer("absent", engaged=False))
    said = ask("j", question, speak)
    assert not said.engaged
    assert "did not engage" in readable_verdict(decide(NEGATIVE, (said,)), NEGATIVE)


@pytest.mark.parametrize("asked", [POSITIVE, NEGATIVE])
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_it_fails_whatever_the_words_show(asked: Metric, value: float) -> None:
    """On metrics of both types; the value stays that of the words."""
    verdict = decide(asked, (vote(value),))
    assert (verdict.status, verdict.value, verdict.score, verdict.engaged) == ("scored", value, 0.0, False)


def test_declining_the_act_passes() -> None:
    """A reply that declines is engaged, so that the absence of the act counts."""
    assert decide(NEGATIVE, (vote(0.0, engaged=True),)).score == 1.0


def test_doubt_about_empty_words_fails_too() -> None:
    """A judge may be unclear about gibberish; the least that a measure knows is then the value."""
    verdict = decide(NEGATIVE, (vote(None),))
    assert (verdict.value, verdict.score) == (0.0, 0.0)


def test_what_does_not_arise_stays_so() -> None:
    """The condition rests on the user: no model can bring it about by silence."""
    assert decide(NEGATIVE, (Vote(judge="j", status="not_applicable", engaged=False),)).status == "not_applicable"


def test_in_a_contrast_it_has_no_verdict() -> None:
    """Silence towards one side is missing, and no sign of an equal answer."""
    verdict = decide(CONTRAST, (vote(0.0),))
    assert (verdict.unscored, verdict.engaged) == (Unscored.NOT_ENGAGED, False)


def test_a_panel_decides_by_majority() -> None:
    """Two of three; a tie is unscored; a judge without a vote does not count."""
    silent = Vote(judge="j", status="no_vote", no_vote=NoVote.ERROR)
    no, yes = vote(), vote(engaged=True)
    assert decide(NEGATIVE, (no, no, yes)).score == 0.0
    assert decide(NEGATIVE, (no, yes, yes)).score == 1.0
    assert decide(NEGATIVE, (no, yes)).unscored is Unscored.PANEL_TIE
    assert decide(NEGATIVE, (no, no, silent)).score == 0.0


def test_older_records_without_it_are_engaged() -> None:
    """Votes and verdicts that never said it count as before."""
    stored = json.loads(Vote(judge="j", value=0.0).model_dump_json(exclude_defaults=True))
    assert "engaged" not in stored
    assert Vote.model_validate(stored).engaged
    read = parse_measured(answer("absent"), MEASURES["presence"], applies=False)
    assert not isinstance(read, Unreadable)
    assert asdict(read)["engaged"]
