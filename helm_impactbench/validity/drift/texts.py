"""What two suites said on the same cases: opening messages of the user, first replies of the target, verdicts.

An opening message does not depend on the target, so it shows the simulated user alone. The first reply depends on the
opening message and the target; what is said later depends on both sides.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.outcome import Case, Outcome
from helm_impactbench.results.record import Record
from helm_impactbench.validity.drift.reply_style import reply_style
from helm_impactbench.validity.drift.styles import Style, TextPair
from helm_impactbench.validity.simulator.user_style import TRAITS, style_of

_LOGS = {trait.name for trait in TRAITS if trait.log}
_NOT_MANNER = {"user", "seed"}
"""Of a plan: who plays, and what only tells calls apart."""


@dataclass(frozen=True)
class SpokenText:
    """A text without its words."""

    digest: str
    style: Style


@dataclass(frozen=True)
class Spoken:
    """One conversation, as far as it shows who changed."""

    model: str
    case: Case
    cluster: Hashable
    """The base scenario, across benchmarks."""
    manner: str
    """Hash of all that the simulated user is told."""
    opening: SpokenText | None
    """Of the simulated user; None where the first message is fixed, or never came."""
    reply: SpokenText | None
    """The target's first; None where it never came."""
    verdict: Style
    """One number; empty without a verdict."""


def spoken(runs: Iterable[RunFolder]) -> list[Spoken]:
    """Return the conversations of runs. Raises ResultsError."""
    found: list[Spoken] = []
    for run in runs:
        records, outcomes = run.read()
        found += [_spoken(record, outcome) for record, outcome in zip(records, outcomes, strict=True)]
    return found


def _spoken(record: Record, outcome: Outcome) -> Spoken:
    plan, turns = record.case.plan, record.conversation.turns
    opening = turns[0].user if turns and not plan.messages else ""
    reply = turns[0].whole if turns else None
    return Spoken(
        model=outcome.model,
        case=outcome.case,
        cluster=outcome.cluster,
        manner=content_digest(plan.model_dump(mode="json", exclude=_NOT_MANNER))[:16],
        opening=SpokenText(_digest(opening), _opening_style(opening)) if opening else None,
        reply=None if reply is None else SpokenText(_digest(reply), reply_style(reply)),
        verdict=_verdict(outcome),
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _opening_style(text: str) -> Style:
    return {name: math.log1p(max(0.0, value)) if name in _LOGS else value for name, value in style_of([text]).items()}


def _verdict(outcome: Outcome) -> Style:
    """Return the score of a verdict; for a contrast its value, from 0 to 1 where it has bounds, or else as a log."""
    if outcome.score is not None:
        return {"score": outcome.score}
    if outcome.value is None:
        return {}
    if outcome.bounds is None:
        return {f"{outcome.measure} (log)": math.copysign(math.log1p(abs(outcome.value)), outcome.value)}
    low, high = outcome.bounds
    return {outcome.measure: (outcome.value - low) / (high - low) if high > low else 0.0}


Shared = Sequence[tuple[Spoken, Spoken]]
"""The same target on the same case in both suites."""


def shared(before: Iterable[Spoken], after: Iterable[Spoken]) -> Shared:
    """Return the conversations that both suites have, of the same target on the same case."""
    later = {(one.model, one.case): one for one in after}
    return [(one, other) for one in before if (other := later.get((one.model, one.case))) is not None]


def same_manner(before: Iterable[Spoken], after: Iterable[Spoken]) -> bool:
    """Return whether the simulated user is told the same on all cases that both suites have."""
    later = {one.case: one.manner for one in after}
    return all(later.get(one.case, one.manner) == one.manner for one in before)


def opening_pairs(before: Iterable[Spoken], after: Iterable[Spoken]) -> list[TextPair]:
    """Return the opening messages on the cases that both suites have: one a case, whatever its targets."""
    first, second = ({one.case: one for one in reversed([*side])} for side in (before, after))
    return [
        TextPair(one.cluster, one.opening.style, other.opening.style, one.opening.digest == other.opening.digest)
        for case, one in sorted(first.items())
        if (other := second.get(case)) is not None and one.opening is not None and other.opening is not None
    ]


def meets_the_same_words(one: Spoken, other: Spoken) -> bool:
    """Return whether the target answers the same opening message, letter by letter."""
    if one.opening is None or other.opening is None:
        return one.opening is other.opening and one.manner == other.manner
    return one.opening.digest == other.opening.digest


def reply_pairs(conversations: Shared, *, verdicts: bool) -> Iterator[TextPair]:
    """Yield first replies, with the verdicts on the conversations where these speak about the target."""
    for one, other in conversations:
        if one.reply is None or other.reply is None:
            continue
        added = (one.verdict, other.verdict) if verdicts else ({}, {})
        yield TextPair(
            one.cluster,
            {**one.reply.style, **{f"{VERDICT}{name}": value for name, value in added[0].items()}},
            {**other.reply.style, **{f"{VERDICT}{name}": value for name, value in added[1].items()}},
            one.reply.digest == other.reply.digest,
            one.model,
        )


VERDICT = "verdict: "
"""How the name of a dimension begins that is a judge's and not a text's."""
