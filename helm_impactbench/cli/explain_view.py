"""One conversation as blocks of labelled text: the same for the terminal and for a file of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from helm_impactbench.errors import counted

if TYPE_CHECKING:
    from helm_impactbench.analysis.doubts import Doubt
    from helm_impactbench.analysis.reruns import Rerun
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.results.passages import Segment
    from helm_impactbench.results.record import Record
    from helm_impactbench.results.shown import ShownMessage, ShownTurn, ShownVote


@dataclass(frozen=True)
class ExplainEntry:
    """A label and its text; the pieces that are evidence carry the numbers of their quotes."""

    label: str
    segments: tuple[Segment, ...]
    most: int
    """Characters that a screen shows of it, beside its evidence."""


@dataclass(frozen=True)
class Block:
    """Entries under a heading."""

    title: str
    entries: tuple[ExplainEntry, ...]


@dataclass(frozen=True)
class Explained:
    """All that is known of one conversation."""

    suite: str
    address: str
    """slug/id."""
    record: Record
    outcome: Outcome
    guess: str
    doubts: tuple[Doubt, ...]
    reruns: tuple[Rerun, ...]
    same: frozenset[str]
    """Suites that hold the very same conversation, judged again."""
    others: tuple[Outcome, ...]
    """What other models came to on the same case."""


SHORT, MIDDLE, LONG = 150, 220, 320


def blocks(found: Explained) -> Iterator[Block]:
    """Yield all that is shown of a conversation."""
    from helm_impactbench.results.shown import shown_conversation

    shown = shown_conversation(found.record.conversation, found.record.verdict)
    yield Block("", tuple(_head(found)))
    if told := tuple(_told(found)):
        yield Block("What the simulated user was told", told)
    planned = len(found.record.case.plan.messages)
    for turn in shown.turns:
        yield Block(f"Turn {turn.turn.number}", tuple(_turn(turn, fixed=turn.turn.number <= planned)))
    if shown.left:
        yield Block("The simulated user left", tuple(_entry("fault", fault.why, LONG) for fault in shown.left))
    if reason := found.record.conversation.reason:
        yield Block("How it ended", (_entry(found.record.conversation.status.value, reason, LONG),))
    yield Block("What the judges said", tuple(map(_vote, shown.votes)) or (_entry("", "No judge was asked.", SHORT),))
    if shown.validation:
        yield Block("The held-out judge, who has no part in the verdict", (_vote(shown.validation),))
    for meaning, answer, votes in shown.checks:
        entries = (_entry("answer", answer, SHORT), *map(_vote, votes))
        yield Block(f"Check: {meaning}?", entries)
    yield Block("The same case again", tuple(_again(found)))


def _head(found: Explained) -> Iterator[ExplainEntry]:
    from helm_impactbench.cli.suite import shown_model
    from helm_impactbench.results.verdict_words import said, verdict

    metric, outcome = found.record.case.metric, found.outcome
    levels = ", ".join(f"{axis}: {level}" for axis, level in (*outcome.axes, *outcome.factors))
    yield _entry("Verdict", f"{verdict(outcome).replace('_', ' ').upper()}. {said(outcome, metric)}", LONG)
    yield _entry("First guess", found.guess, 2 * LONG)
    for doubt in found.doubts[1:]:
        yield _entry("Also", f"{doubt.whose}: {doubt.text}.", LONG)
    yield _entry("Model", shown_model(outcome.model), LONG)
    yield _entry("Metric", f"{metric.id}, {metric.name} ({metric.type}, {metric.measure.kind})", LONG)
    yield _entry("Behaviour", metric.definition, LONG)
    if levels:
        yield _entry("Levels", levels, LONG)


def _told(found: Explained) -> Iterator[ExplainEntry]:
    plan = found.record.case.plan
    if not plan.is_simulated:
        return
    yield from (
        _entry(label, text, MIDDLE)
        for label, text in (
            ("Person", plan.persona),
            ("Setting", plan.setting),
            ("Wants", plan.user_goal),
            ("Hidden goal", plan.hidden_goal),
            ("Behaviour", plan.definition if plan.pressure == "definition" else ""),
            ("Persistence", plan.persistence),
            ("Manner", "hurried fragments with typing noise" if plan.perfunctory else ""),
            ("Landmarks", "all at the start" if plan.landmarks_up_front else ""),
        )
        if text
    )


def _turn(turn: ShownTurn, *, fixed: bool) -> Iterator[ExplainEntry]:
    if turn.turn.landmark:
        yield _entry("told", turn.turn.landmark, SHORT)
    if turn.turn.thought:
        yield _entry("thought", turn.turn.thought, SHORT)
    if turn.redone:
        yield _entry("asked again", f'because {turn.redone.why}: "{turn.redone.quote}"', MIDDLE)
    yield _message("fixed message" if fixed else "user", turn.user, MIDDLE)
    for fault in turn.faults:
        yield _entry("fault", f'{fault.why}: "{fault.quote}"', MIDDLE)
    if turn.assistant is None:
        yield _entry("assistant", "(no reply: the conversation broke off here)", LONG)
        return
    yield _message("assistant", turn.assistant, MIDDLE)
    if turn.seen is not None:
        yield _message("judges saw", turn.seen, MIDDLE)
    if turn.turn.cut_off:
        yield _entry("", "(this reply ended at its token limit)", LONG)


def _message(label: str, message: ShownMessage, most: int) -> ExplainEntry:
    return ExplainEntry(label, message.segments, most)


def _vote(one: ShownVote) -> ExplainEntry:
    vote = one.vote
    grounds = {True: "", False: " (ungrounded: a quote is missing from the turn it is given for)", None: ""}
    severity = "" if vote.severity is None else f", severity {vote.severity:.2f}"
    engaged = "" if vote.engaged else ", did not engage"
    quotes = [
        f"[{quote.number}]"
        if quote.highlighted and quote.found_turn == quote.turn
        else f'[{quote.number}] given for turn {quote.turn}, stands in {_place(quote.found_turn)}: "{quote.quote}"'
        for quote in one.quotes
    ]
    sure = "" if vote.confidence is None else f", {vote.confidence:.0%} sure"
    words = [
        f"{one.answer.replace('_', ' ')}{severity}{engaged}{sure}{grounds[vote.grounded]}.",
        vote.problem,
        vote.justification,
    ]
    words += [f"Quotes: {' '.join(quotes)}"] if quotes else []
    return _entry(vote.judge, " ".join(word for word in words if word), 2 * LONG)


def _place(turn: int | None) -> str:
    return "no turn" if turn is None else f"turn {turn}"


def _again(found: Explained) -> Iterator[ExplainEntry]:
    from helm_impactbench.results.verdict_words import answer, verdict, vote_words

    for rerun in found.reruns:
        elsewhere = f"suite {rerun.suite}" if rerun.suite != found.suite else ""
        same = "the same conversation, judged again" if rerun.suite in found.same and elsewhere else ""
        how = ", ".join(part for part in (elsewhere, rerun.how, same) if part)
        votes = ", ".join(vote_words(rerun.outcome))
        yield _entry(
            verdict(rerun.outcome).replace("_", " "),
            f"{how}: {answer(rerun.outcome)}" + (f" (votes: {votes})" if len(rerun.outcome.votes) > 1 else ""),
            LONG,
        )
    if not found.reruns:
        yield _entry(
            "",
            "No other sample, replicate or set-up of it, and no other suite in which it was judged; "
            "--suite may be repeated.",
            LONG,
        )
    if found.others:
        yield _entry("other models", models_line(found.others), LONG)


def models_line(others: Sequence[Outcome]) -> str:
    """Return other models' verdicts on the same case in one line."""
    from helm_impactbench.results.verdict_words import answer, verdict

    said: dict[str, list[str]] = {}
    for other in others:
        word = answer(other) if other.contrast else verdict(other).replace("_", " ")
        said.setdefault(word, []).append(other.model)
    return "; ".join(f"{word}: {', '.join(models)}" for word, models in said.items())


def cut(entry: ExplainEntry) -> tuple[Segment, ...]:
    """Return an entry's text for a screen: in one line, evidence whole, and of the rest what is around it."""
    from helm_impactbench.results.passages import Segment

    pieces = [Segment(_one_line(segment.text), segment.quotes) for segment in entry.segments]
    if sum(len(piece.text) for piece in pieces) <= entry.most:
        return tuple(pieces)
    plain = sum(not piece.quotes for piece in pieces)
    each = max(40, entry.most // max(1, plain))
    last = len(pieces) - 1
    return tuple(
        piece if piece.quotes else Segment(_shortened(piece.text, each, opens=place == 0, ends=place == last))
        for place, piece in enumerate(pieces)
    )


def _shortened(text: str, most: int, *, opens: bool, ends: bool) -> str:
    """Return a piece of a message: its beginning where it opens the message, its end where evidence follows."""
    if len(text) <= most:
        return text
    if opens and ends:
        return f"{text[: most - 1].rstrip()}…"
    if opens:
        half = most // 2
        return f"{text[:half].rstrip()} … {text[-half:].lstrip()}"
    if ends:
        return f"{text[: most - 1].rstrip()}…"
    half = most // 2
    return f"{text[:half].rstrip()} … {text[-half:].lstrip()}"


def _one_line(text: str) -> str:
    from helm_impactbench.results.passages import visible

    return re.sub(r"\s+", " ", visible(text))


def _entry(label: str, text: str, most: int) -> ExplainEntry:
    from helm_impactbench.results.passages import Segment

    return ExplainEntry(label, (Segment(text),), most)


def headline(found: Explained) -> str:
    """Return the first line: what it is, and where it is from."""
    turns = counted(len(found.record.conversation.exchanges), "exchange")
    return f"Conversation {found.address}, suite {found.suite}, {turns}"
