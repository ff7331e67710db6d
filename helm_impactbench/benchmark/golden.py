"""What a golden set is: short transcripts whose verdict is known, on which a judge is checked before it is trusted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from helm_impactbench.benchmark.measures.base import Context, InvalidAnswerError, ParsedAnswer
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.parts import Text, content_digest
from helm_impactbench.errors import did_you_mean
from helm_impactbench.files.safe_yaml import Place

BORDERLINE = "borderline"
"""The verdict of an item on which competent people differ: shown apart and never scored."""
SHARED_WORDS = 6
"""So many words in a row that a transcript shares with an example are the example's."""

Trap = Literal["late", "too_late", "wrong_mouth", "wrong_fact", "partial", "topic"]
"""Why a transcript is easily misread: the behaviour comes only late; it comes when it no longer counts; somebody else
says the words (the user, a quotation, a text to send); a fact is stated wrongly with confidence; one part is missing;
the subject is there and the behaviour, or the condition, is not."""
Finding = tuple[Place, str, str]
"""Place, message, severity."""


def _verdict(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
        raise ValueError(f"found {value!r}, expected a word of the metric's measure, a number, or {BORDERLINE}")
    return value


class _GoldenPart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class GoldenTurn(_GoldenPart):
    """One message of a person and the reply to it."""

    user: Text
    assistant: Text


class GoldenItem(_GoldenPart):
    """One transcript and what a judge should say of it."""

    metric: Text
    """Id of the metric that is asked about."""
    verdict: Annotated[str | int | float, BeforeValidator(_verdict)]
    """The judge's answer in the words of the metric's measure, a number for a quantity, or BORDERLINE."""
    transcript: Annotated[list[GoldenTurn], Field(min_length=1)]
    why: Text
    """Which words meet, or miss, which part of the definition."""
    quote: Text | None = None
    """The decisive words of the assistant; needed where the verdict is present."""
    axes: dict[Text, Text] = {}
    """Axis -> level, for a measure that has to know who speaks, such as the stance."""
    facts: list[Text] = []
    """True statements about this case that the judge needs."""
    tone: Literal["warm", "cool"] | None = None
    """How the assistant sounds, whatever it does: a judge of tone must not find the verdict."""
    severity: Text | None = None
    """How severe the behaviour is, in the words of the measure; where it is present and the measure asks."""
    trap: Trap | None = None
    """What a careless judge falls for."""
    engaged: bool = True
    """Whether the assistant takes up the request; the verdict is that of its words all the same."""

    @property
    def is_borderline(self) -> bool:
        """Whether it is never scored."""
        return self.verdict == BORDERLINE

    @property
    def context(self) -> Context:
        """What a measure may know of it."""
        return Context(axes=self.axes)

    def wanted(self, metric: Metric) -> ParsedAnswer | None:
        """Return what a judge should say; None where nobody can tell. Raises InvalidAnswerError."""
        if self.is_borderline:
            return None
        found = metric.measure.read(self.verdict, applies=metric.applies is not None)
        if found.status == "unclear":
            raise InvalidAnswerError(f"the verdict cannot be unclear; where people differ it is {BORDERLINE}")
        return replace(metric.measure.presentation.oriented(found, self.context), engaged=self.engaged)


@dataclass(frozen=True)
class GoldenSet:
    """The golden set of one benchmark."""

    benchmark: Benchmark
    items: tuple[GoldenItem, ...]


def golden_digest(sets: Iterable[GoldenSet]) -> str:
    """Return the SHA-256 (hex) of what judges are asked in golden sets, and of the verdicts that are known."""
    return content_digest(
        [
            [one.benchmark.slug, one.benchmark.metric(item.metric).digest(), item.model_dump(mode="json")]
            for one in sets
            for item in one.items
        ]
    )


def item_findings(place: int, item: GoldenItem, benchmark: Benchmark) -> Iterator[Finding]:
    """Yield what is wrong with one item."""
    metrics = {metric.id: metric for metric in benchmark.metrics}
    metric = metrics.get(item.metric)
    if metric is None:
        near = did_you_mean(item.metric, metrics) or f" There are: {', '.join(metrics)}."
        yield (place, "metric"), f"no metric {item.metric!r} in benchmark.yaml.{near}", "error"
        return
    yield from _verdict_findings(place, item, metric)
    said = [_plain(turn.assistant) for turn in item.transcript]
    if item.quote is not None and not any(_plain(item.quote) in words for words in said):
        yield (place, "quote"), "these are not the words of the assistant; copy them letter by letter", "error"
    own = {shared for turn in item.transcript for shared in _runs(f"{turn.user} . {turn.assistant}")}
    for other in benchmark.metrics:
        for line in (*other.examples, *other.near_misses):
            if common := next((run for run in _runs(line) if run in own), None):
                words = " ".join(common)
                yield (
                    (place, "transcript"),
                    f"shares {words!r} with an example or near miss of metric {other.id}; judges read those, so use "
                    "other words",
                    "warning",
                )


def _verdict_findings(place: int, item: GoldenItem, metric: Metric) -> Iterator[Finding]:
    applies = metric.applies is not None
    try:
        wanted = item.wanted(metric)
    except InvalidAnswerError:
        form = metric.measure.answer_form(applies=applies).replace(' or "unclear"', "")
        yield (
            (place, "verdict"),
            f'found {item.verdict!r}, expected {form} or "{BORDERLINE}", which metric {metric.id} allows',
            "error",
        )
        return
    if metric.measure.kind == "presence" and wanted is not None and wanted.value == 1 and item.quote is None:
        yield (place, "quote"), "is missing, but required where the verdict is present", "error"
    allowed = list(metric.measure.severities) if item.verdict == "present" else []
    if item.severity is not None and item.severity not in allowed:
        expected = f"one of {', '.join(allowed)}" if allowed else "none: the verdict or the metric has no degrees"
        yield (place, "severity"), f"found {item.severity!r}, expected {expected}", "error"


def _plain(text: str) -> str:
    """Return a text on one line: a file may break its lines anywhere."""
    return " ".join(text.split())


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    """Yield every run of SHARED_WORDS words, in lower case and without punctuation."""
    words = re.findall(r"[\w']+", text.lower())
    for start in range(len(words) - SHARED_WORDS + 1):
        yield tuple(words[start : start + SHARED_WORDS])
