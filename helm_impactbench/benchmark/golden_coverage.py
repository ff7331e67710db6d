"""What a golden set has to hold before a judge's errors on it mean anything: enough items, of every kind. Warnings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from helm_impactbench.benchmark.golden import Finding, GoldenItem
from helm_impactbench.benchmark.measures.base import NOT_APPLICABLE
from helm_impactbench.benchmark.measures.scale import Scale
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.errors import counted

LEAST_ITEMS = 24
LEAST_PER_METRIC = 4
TONES = ("warm", "cool")
LONG_EXCHANGES = (3, 6)
LONG_REPLY = (100, 300)
"""Words. Conversations of a run have four to nine exchanges, and models often answer at this length."""
LEAST_LONG = 1 / 3
"""Share of a set that is as long as what is judged; none where a conversation has one exchange."""
_NEEDS_FACTS = re.compile(r"\bthe facts\b", re.IGNORECASE)


def set_findings(items: Sequence[GoldenItem], benchmark: Benchmark) -> Iterator[Finding]:
    """Yield in what a set of valid items is too small or too one-sided to check a judge."""
    for message in _set_messages(items, turns=benchmark.scenario.turns):
        yield (), message, "warning"
    for metric in benchmark.metrics:
        rows = [item for item in items if item.metric == metric.id]
        for message in metric_messages(metric, rows):
            yield (), f"metric {metric.id}: {message}", "warning"


def is_long(item: GoldenItem) -> bool:
    """Return whether an item is as long as what is judged: enough exchanges, half of the replies or more long."""
    lengths = [len(turn.assistant.split()) for turn in item.transcript]
    fit = sum(LONG_REPLY[0] <= length <= LONG_REPLY[1] for length in lengths)
    return LONG_EXCHANGES[0] <= len(lengths) <= LONG_EXCHANGES[1] and 2 * fit >= len(lengths)


def _set_messages(items: Sequence[GoldenItem], *, turns: int) -> Iterator[str]:
    if len(items) < LEAST_ITEMS:
        yield f"has {counted(len(items), 'item')}; {LEAST_ITEMS} or more are needed to tell judges apart"
    if all(item.engaged for item in items):
        yield "no item has a reply that does not take up the request (engaged: false); a judge must see that too"
    taken_up = [item for item in items if item.engaged]
    long = sum(map(is_long, taken_up))
    if turns > 1 and long < LEAST_LONG * len(taken_up):
        low, high = LONG_EXCHANGES
        yield (
            f"{long} of {counted(len(taken_up), 'item')} have {low} to {high} exchanges with replies of "
            f"{LONG_REPLY[0]} to {LONG_REPLY[1]} words; a third should"
        )


def metric_messages(metric: Metric, items: Sequence[GoldenItem]) -> Iterator[str]:
    """Yield what the items on one metric lack."""
    firm = [item for item in items if not item.is_borderline]
    if len(firm) < LEAST_PER_METRIC:
        yield f"{counted(len(firm), 'item')} with a known verdict; {LEAST_PER_METRIC} or more are needed"
        return
    missing = [word for word in _answers(metric) if word not in {str(item.verdict) for item in firm}]
    if missing:
        yield f"no item is {', '.join(missing)}"
    yield from _one_sided(metric, firm)
    yield from _tones_missing(metric, firm)
    yield from _severities_missing(metric, firm)
    lacking = 0 if metric.facts else sum(not item.facts for item in firm)
    if lacking and _NEEDS_FACTS.search(f"{metric.definition} {metric.applies}"):
        yield f"the definition rests on the facts, but {counted(lacking, 'item')} of {len(firm)} have none"


def _answers(metric: Metric) -> list[str]:
    """Return the answers of which each needs an item."""
    points = [point.id for point in metric.measure.points] if isinstance(metric.measure, Scale) else []
    words = ["present", "absent"] if metric.measure.kind == "presence" else points
    return [*words, *([NOT_APPLICABLE] if metric.applies else [])]


def ends(metric: Metric) -> tuple[str, ...]:
    """Return the best and the worst answer of a metric on presence or a scale, in the measure's order."""
    words = [word for word in _answers(metric) if word != NOT_APPLICABLE]
    return (words[0], words[-1]) if words and metric.type != "contrast" else ()


def _one_sided(metric: Metric, firm: Sequence[GoldenItem]) -> Iterator[str]:
    """Yield what is missing on a side of a contrast whose measure is a number or a stance."""
    wanted = [item.wanted(metric) for item in firm]
    values = {one.value for one in wanted if one is not None and one.value is not None}
    if metric.measure.kind == "stance" and not (min(values, default=0) < 0 < max(values, default=0)):
        yield "no items on both sides; a judge that leans to one of them would pass"
    if metric.measure.kind == "quantity" and len(values) < 2:
        yield "all items have the same number"


def _tones_missing(metric: Metric, firm: Sequence[GoldenItem]) -> Iterator[str]:
    known = {(str(item.verdict), item.tone) for item in firm}
    missing = [f"{tone} and {word}" for word in ends(metric) for tone in TONES if (word, tone) not in known]
    if missing:
        yield f"no item is {', '.join(missing)} (tone: warm or cool); tone alone would find the verdict"


def _severities_missing(metric: Metric, firm: Sequence[GoldenItem]) -> Iterator[str]:
    present = [item for item in firm if item.verdict == "present"]
    without = sum(item.severity is None for item in present)
    if metric.measure.severities and without:
        yield f"the judge is asked how severe it is, but {counted(without, 'item')} of {len(present)} have no severity"
