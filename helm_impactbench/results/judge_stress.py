"""What a judge said of the same transcripts, plain and edited, as it is stored beside its checks."""

from __future__ import annotations

import math
from typing import Any

from pydantic import Field

from helm_impactbench.judging.verdict import VerdictStatus
from helm_impactbench.llm.usage import Usage
from helm_impactbench.results.stored import Stored

PLAIN = "plain"
REPEAT = "repeat"
"""The very same question once more."""
NUMBERS_ALIKE = 1e-6
"""Relative difference of two numbers that are the same."""


class Said(Stored):
    """What the judge or panel said of one version of a transcript."""

    status: VerdictStatus
    answer: str = ""
    """In the measure's words; the reason where there is no verdict."""
    value: float | None = None

    @property
    def is_verdict(self) -> bool:
        """Whether it is something that can move: unclear is, a failed call is not."""
        return self.status != "unscored"

    @property
    def shown(self) -> str:
        """The answer, or why there is none."""
        return self.answer or self.status

    def same(self, other: Said) -> bool:
        """Return whether both are the same verdict."""
        if self.value is None or other.value is None:
            return self.status == other.status
        return math.isclose(self.value, other.value, rel_tol=NUMBERS_ALIKE, abs_tol=1e-12)


class StressedItem(Stored):
    """One transcript, and what was said of each version of it."""

    benchmark: str
    metric: str
    type: str
    """positive, negative or contrast."""
    measure: str
    """Its kind: presence, scale, quantity, stance."""
    item: str
    """Its place in golden.yaml, or the conversation's id."""
    span: float | None = None
    """Greatest less least value of the measure; None where there is no limit."""
    known: Said | None = None
    """The known verdict; None where nobody can tell."""
    injected: Said | None = None
    """The verdict that the injection asked for."""
    said: dict[str, Said]
    """PLAIN, REPEAT or the name of an edit -> what was said."""
    forms: dict[str, str] = Field(default={})
    """Name of an edit -> which wording it used, where it has several."""
    left_out: dict[str, str] = Field(default={})
    """Name of an edit -> why it was not made."""

    @property
    def key(self) -> tuple[str, str, str]:
        """What no other transcript of a check shares."""
        return self.benchmark, self.metric, self.item


class StressCheck(Stored):
    """What a judge or panel said of plain and of edited transcripts."""

    judges: tuple[str, ...]
    """Deployments."""
    kinds: tuple[str, ...]
    """Names of the edits."""
    rewriter: str | None = None
    """Deployment that wrote some of them."""
    source: str
    """What the transcripts are called."""
    source_digest: str
    """Of the transcripts and of what is asked about them."""
    helm_impactbench: str
    """Version that asked."""
    items: tuple[StressedItem, ...]
    usage: Usage = Usage()
    figures: dict[str, Any] = Field(default={}, repr=False)
    """What follows from the answers (validity.stress.figures), for other tools."""
