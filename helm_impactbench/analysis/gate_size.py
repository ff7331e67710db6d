"""How many conversations would decide what the gate leaves open: an interval narrows with the root of their number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from helm_impactbench.analysis.gate import GateCheck
from helm_impactbench.analysis.gate_reasons import is_at_the_end, taken_from
from helm_impactbench.errors import counted, dollars
from helm_impactbench.results.outcome import Outcome

MOST = 1_000_000
"""Conversations: a figure that needs more lies at its bar."""


@dataclass(frozen=True)
class Needed:
    """What would decide a condition."""

    check: GateCheck
    held: int
    """Conversations that its figure was taken from."""
    conversations: int
    """Of the same kind that would decide it, to two digits, if the figure stays as it is."""


def needed(checks: Sequence[GateCheck], outcomes: Sequence[Outcome]) -> list[Needed]:
    """Return what would decide each check that is undecided by chance and has an interval."""
    return [
        Needed(check, held, _rounded(held * factor))
        for check in checks
        if (factor := _factor(check)) is not None and (held := len(taken_from(check, outcomes)))
    ]


def _factor(check: GateCheck) -> float | None:
    """Return by how much there are too few; None where more of them would not decide, or nothing is known."""
    is_open = check.decision == "undecided" and not check.open_because and check.interval.is_known
    if not is_open or math.isnan(check.value) or math.isinf(check.interval.high) or is_at_the_end(check.condition):
        return None
    beyond = check.value - check.bar
    reach = check.value - check.interval.low if beyond > 0 else check.interval.high - check.value
    return max(1.0, (reach / beyond) ** 2) if beyond else math.inf


def _rounded(number: float) -> int:
    """Return a number rounded up to two digits; MOST where it is greater."""
    if number >= MOST:
        return MOST
    step = 10 ** max(0, math.floor(math.log10(number)) - 1)
    return int(math.ceil(number / step) * step)


def needed_sentence(every: Sequence[Needed], usd_each: float | None) -> str:
    """Return what would decide all of them, in a sentence or two; empty without any. usd_each: of a conversation."""
    if not every:
        return ""
    most = max(every, key=lambda one: one.conversations)
    of = f"{most.check.model}, {most.check.words}"
    if most.conversations >= MOST:
        return f"{of}: cannot be decided with these conversations, because the value lies on the bar."
    price = f", for about {dollars(usd_each * most.conversations)} in all" if usd_each else ""
    text = (
        f"{of}: about {counted(most.conversations, 'conversation')} instead of {most.held:,} would decide it{price}, "
        "if the figure stays as it is."
    )
    return f"{text} The other open conditions need no more." if len(every) > 1 else text
