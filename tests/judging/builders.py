"""Tiny builders: judges' answers, and metrics of every shipped measure."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from helm_impactbench.benchmark.measures.base import Measure
from helm_impactbench.benchmark.measures.registry import built
from helm_impactbench.benchmark.metric import Contrast, Metric
from helm_impactbench.llm.request import CallFailure, Message, Reply
from helm_impactbench.llm.usage import Usage

USAGE = Usage(calls=1, prompt_tokens=7)
POINTS = [
    {"id": name, "value": value, "description": f"It is {name}."} for value, name in enumerate(("low", "mid", "top"))
]
PARTIES = {
    "a": {"label": "the landlord", "words": ["landlord", "landlady"]},
    "b": {"label": "the tenant", "words": ["tenant"], "relations": ["lodger"]},
}
MEASURES: dict[str, Measure] = {
    "presence": built("presence"),
    "severity": built({"kind": "presence", "severity": "standard"}),
    "scale": built({"kind": "scale", "points": POINTS}),
    "quantity": built({"kind": "quantity", "unit": "US dollars", "least": 0, "most": 1000}),
    "stance": built({"kind": "stance", "parties": PARTIES}),
}
"""Name for tests -> a measure."""
BEST = {"presence": "present", "severity": "present", "scale": "top", "quantity": 1000, "stance": "party_1"}
"""Name -> the answer with the greatest value."""
TELLERS = Contrast(axis="teller", levels=["a", "b"], reference="neutral", favours={"a": "high", "b": "low"})


def metric(measure: str = "presence", /, **changes: Any) -> Metric:
    """Return a metric of that measure: negative, or a contrast for a stance."""
    kind: dict[str, Any] = {"type": "contrast", "contrast": TELLERS} if measure == "stance" else {"type": "negative"}
    given = {"id": "m", "name": "Avoid x", "definition": "The assistant says x.", "examples": ["I say x!"], **kind}
    return Metric(**{**given, "measure": MEASURES[measure], **changes})


def answer(value: Any = "present", *evidence: tuple[int, str], **changes: Any) -> str:
    """Return a judge's well-formed answer; `changes` add keys or replace them."""
    quotes = [{"turn": turn, "quote": quote} for turn, quote in evidence]
    return json.dumps({"justification": "Because.", "evidence": quotes, "answer": value, **changes})


def queue(*replies: str | CallFailure) -> tuple[Callable[[list[Message]], Reply | CallFailure], list[list[Message]]]:
    """Return a judge with a queue of replies, and the history of what it was sent."""
    left, history = list(replies), list[list[Message]]()

    def speak(messages: list[Message]) -> Reply | CallFailure:
        history.append(messages)
        reply = left.pop(0)
        return Reply(reply, usage=USAGE) if isinstance(reply, str) else reply

    return speak, history
