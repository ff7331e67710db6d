"""What a stored conversation holds that speaks against its verdict, and about whom: facts alone, nothing is inferred.

Of 20 failed verdicts that somebody looks at, some fail because of the simulated user, or of a judge, and not because
of the model. Each doubt here is something that was recorded; where there is none, the verdict rests on the words that
the judges quoted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from helm_impactbench.conversation.record import Conversation, Status
from helm_impactbench.judging.verdict import UNSCORED_REASONS, Unscored, Verdict
from helm_impactbench.results.outcome import MARKED, JudgeVote, Outcome
from helm_impactbench.results.record import Record
from helm_impactbench.results.verdict_words import vote_word

Whose = Literal["simulated user", "judges", "provider", "assistant", "nobody"]

_OWNERS: dict[Unscored, Whose] = {
    Unscored.CONVERSATION_EMPTY: "simulated user",
    Unscored.SIMULATOR_ERROR: "simulated user",
    Unscored.TARGET_ERROR: "provider",
    Unscored.TARGET_BLOCKED: "provider",
    Unscored.TARGET_EMPTY: "assistant",
    Unscored.LIMIT_REACHED: "nobody",
    Unscored.NO_QUESTION: "nobody",
    Unscored.NOT_JUDGED: "nobody",
}
"""Reason -> whom it is about; every other reason is about the judges."""


@dataclass(frozen=True)
class Doubt:
    """One fact."""

    whose: Whose
    text: str
    """In one sentence, without its full stop."""


def outcome_doubts(outcome: Outcome) -> list[Doubt]:
    """Return what can be said from a conversation's outcome alone, the weightiest first."""
    faulty = [Doubt("simulated user", "a message of it has a fault")] if outcome.marked else []
    return [*_missing(outcome), *faulty, *_quotes(outcome.votes), *_votes(outcome), *_checks(outcome)]


def record_doubts(record: Record, outcome: Outcome) -> list[Doubt]:
    """Return what can be said from the whole conversation, the weightiest first."""
    return [
        *_missing(outcome),
        *_faults(record.conversation),
        *_person(record.conversation),
        *_stray_quotes(record.verdict),
        *_votes(outcome),
        *_checks(outcome),
        *_broken_off(record.conversation),
        *_cut_off(record.conversation),
    ]


def rests_on(record: Record) -> str:
    """Return what the verdict rests on: the turns that judges quoted, of those who answered as the panel did.

    Of points, numbers and sides, whose middle the panel takes, it is all judges' quotes. Empty without a verdict.
    """
    verdict, measure = record.verdict, record.case.metric.measure
    if verdict.value is None:
        return ""
    turns = sorted(
        {
            quote.found_turn
            for vote in verdict.votes
            if vote.value == verdict.value or (vote.value is not None and measure.scale == "interval")
            for quote in vote.evidence
            if quote.found_turn is not None
        }
    )
    if turns:
        first, last = ", ".join(map(str, turns[:-1])), turns[-1]
        return f"the verdict rests on the assistant's {f'turns {first} and' if first else 'turn'} {last}"
    absent = measure.kind == "presence" and not verdict.value
    return "the verdict says that the behaviour does not occur" if absent else "no quote stands behind the verdict"


def first_guess(record: Record, doubts: Sequence[Doubt]) -> str:
    """Return in one sentence where to look first; it states recorded facts and concludes nothing else."""
    rests = rests_on(record)
    if not doubts:
        return f"Nothing that was recorded speaks against it: {rests}."
    first = doubts[0]
    lead = "" if first.whose == "nobody" else f"Look first at the {first.whose}: "
    text = f"{lead}{first.text}{f'; {rests}' if rests else ''}."
    return text if lead else text[0].upper() + text[1:]


def _missing(outcome: Outcome) -> Iterator[Doubt]:
    if outcome.unscored == MARKED:
        yield Doubt("simulated user", "no verdict, because conversations with a fault of it are withheld")
    elif outcome.unscored is not None:
        reason = next((one for one in Unscored if one.value == outcome.unscored), None)
        words = UNSCORED_REASONS[reason] if reason else "its judges' quotes are not in the transcript"
        yield Doubt(_OWNERS.get(reason, "judges") if reason else "judges", f"no verdict, because {words}")
    elif outcome.status == "unclear":
        yield Doubt("judges", "no verdict, because they find the words unclear")
    elif outcome.status == "not_applicable":
        yield Doubt("nobody", "the question did not arise, by the judges' answer")


def _faults(conversation: Conversation) -> Iterator[Doubt]:
    for fault in conversation.faults:
        yield Doubt("simulated user", f"in turn {fault.turn} {fault.why}")


def _person(conversation: Conversation) -> Iterator[Doubt]:
    if conversation.status is Status.ENDED_EARLY:
        why = f" ({_bare(conversation.reason)})" if conversation.reason else ""
        yield Doubt("simulated user", f"it left after turn {len(conversation.exchanges)}, before its time{why}")


def _quotes(votes: Iterable[JudgeVote]) -> Iterator[Doubt]:
    lost = [vote.judge for vote in votes if vote.grounded is False]
    if lost:
        yield Doubt("judges", f"a quote of {_with_counts(lost)} is not where the judge says it is")


def _stray_quotes(verdict: Verdict) -> Iterator[Doubt]:
    for vote in verdict.votes:
        if vote.grounded is False and not vote.evidence:
            yield Doubt("judges", f"{vote.judge} gives no quote for its answer")
        for quote in vote.evidence:
            if quote.found_turn is None:
                yield Doubt("judges", f"a quote of {vote.judge}, given for turn {quote.turn}, is not in the transcript")
            elif quote.found_turn != quote.turn:
                yield Doubt(
                    "judges", f"a quote of {vote.judge}, given for turn {quote.turn}, stands in turn {quote.found_turn}"
                )


def _votes(outcome: Outcome) -> Iterator[Doubt]:
    said: dict[str, list[str]] = {}
    for vote in outcome.votes:
        if vote.status != "no_vote":
            said.setdefault(vote_word(vote, outcome.measure), []).append(vote.judge)
    if len(said) > 1:
        sides = sorted(said.items(), key=lambda item: -len(item[1]))
        counts = " to ".join(str(len(judges)) for _, judges in sides)
        yield Doubt(
            "judges",
            f"they disagree {counts} ({'; '.join(f'{word}: {_with_counts(judges)}' for word, judges in sides)})",
        )
    silent = [vote.judge for vote in outcome.votes if vote.status == "no_vote"]
    if silent and outcome.unscored is None:
        yield Doubt("judges", f"{_with_counts(silent)} gave no vote that could be read")


def _checks(outcome: Outcome) -> Iterator[Doubt]:
    answers = dict(outcome.checks)
    if answers.get("plausibility") is False:
        yield Doubt("simulated user", "the judges doubt that a real person could have written its messages")
    if answers.get("awareness") is True:
        yield Doubt("assistant", "it takes the conversation for a test, say the judges")


def _broken_off(conversation: Conversation) -> Iterator[Doubt]:
    if conversation.reason and conversation.status not in (Status.ENDED_EARLY, Status.COMPLETE):
        yield Doubt("nobody", _bare(conversation.reason))


def _cut_off(conversation: Conversation) -> Iterator[Doubt]:
    for turn in conversation.turns:
        if turn.cut_off:
            yield Doubt("assistant", f"its reply in turn {turn.number} ended at its token limit")


def _with_counts(names: Iterable[str]) -> str:
    return ", ".join(name if count == 1 else f"{count} times {name}" for name, count in Counter(names).items())


def _bare(sentence: str) -> str:
    return " ".join(sentence.split()).rstrip(".")
