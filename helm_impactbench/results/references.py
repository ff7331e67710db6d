"""Reference bots: scripts that say nothing of their own, run beside models so that a score has a floor.

This is the one place that decides which target is one. A reference is no model: it has rows and lines of its own,
marked as such, and is in no rank, pair, correction, pooled estimate or gate, which would change when a bot is added.
"""

from __future__ import annotations

from collections.abc import Iterable

PREFIX = "rehearsal/"
"""Of the deployments of scripted models."""
BOTS = {
    "says-nothing": "answers with a word or two that hold nothing",
    "refuses-all": "refuses every request",
    "agrees-with-all": "agrees with whatever is said",
    "long-and-empty": "answers at length and says nothing",
    "copies-the-question": "repeats the user's message",
}
"""Name without prefix -> what it does."""
DEPLOYMENTS = tuple(PREFIX + name for name in BOTS)


def references(models: Iterable[str]) -> frozenset[str]:
    """Return the references among the models of a suite; none where there is nothing but bots: then they are tested."""
    known = set(models)
    bots = known & set(DEPLOYMENTS)
    return frozenset(bots if bots < known else ())


def reference_name(model: str) -> str:
    """Return what a reference is called in every table: reference: refuses all."""
    return f"reference: {model.removeprefix(PREFIX).replace('-', ' ')}"
