"""A reading: the outcomes that an analysis gets, with what was taken in, withheld and filtered on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from helm_impactbench.errors import ImpactBenchError, counted, did_you_mean, the_one_meant
from helm_impactbench.judging.verdict import UNSCORED_REASONS
from helm_impactbench.results.outcome import Outcome, without_marked, without_ungrounded
from helm_impactbench.stats.population import DEFAULT, POPULATIONS, Population
from helm_impactbench.suites.arguments import check_choice
from helm_impactbench.suites.registry import are_kept, left_out, read_references, read_suite

Withheld = Literal["ungrounded", "marked"]
WITHHELD: tuple[Withheld, ...] = ("ungrounded", "marked")
"""Votes whose quotes are not in the transcript, and conversations whose simulated user has a fault."""


@dataclass(frozen=True)
class Selection:
    """What of a suite is read, and for whom its intervals are. The same for every command and every output."""

    benchmarks: tuple[str, ...] = ()
    """Slugs; empty for all."""
    models: tuple[str, ...] = ()
    """Deployments of targets; empty for all."""
    metrics: tuple[str, ...] = ()
    """`slug/id`, or an id; empty for all."""
    releases: tuple[str, ...] = ()
    """Of the targets; empty for all. A target of several releases is called by model and release: `acme/chat@v2`."""
    where: tuple[str, ...] = ()
    """`AXIS=LEVEL`, or the beginning of a level; levels of one axis are alternatives, axes all have to hold."""
    withhold: tuple[Withheld, ...] = ()
    population: Population = DEFAULT
    """What 95% intervals on screens and pages are for; files have those for both populations."""

    def __post_init__(self) -> None:
        """Raise ImpactBenchError for what cannot be withheld, and for a population that there is not."""
        for one in self.withhold:
            check_choice("withhold", one, WITHHELD)
        check_choice("population", self.population, POPULATIONS)

    def takes(self, benchmark: str) -> bool:
        """Return whether a benchmark is read."""
        return not self.benchmarks or benchmark in self.benchmarks


@dataclass(frozen=True)
class Reading:
    """The outcomes of a suite, as selected; what every analysis of a suite gets."""

    folder: Path
    """HELM's folder of the suite's runs."""
    outcomes: tuple[Outcome, ...]
    """Of models; reference bots are apart."""
    selection: Selection = field(default_factory=Selection)
    notes: tuple[str, ...] = ()
    """What was left out, withheld or counted once, in a sentence each."""
    read_bots: Callable[[], Sequence[Outcome]] = tuple
    """Reads the outcomes of the suite's reference bots, which few analyses need."""

    @cached_property
    def bots(self) -> tuple[Outcome, ...]:
        """Outcomes of the suite's reference bots, selected alike."""
        return tuple(self.read_bots())

    @cached_property
    def is_of_kept(self) -> bool:
        """Whether its cases are kept failures, whose rates rank nobody. Raises ResultsError."""
        return are_kept(self.folder, self.selection.benchmarks, self.selection.releases)

    @property
    def population(self) -> Population:
        """What 95% intervals on screens and pages are for."""
        return self.selection.population

    @property
    def levels(self) -> list[Outcome]:
        """The outcomes of level metrics, which have a pass rate."""
        return [outcome for outcome in self.outcomes if outcome.is_level]

    def selected(self, selection: Selection) -> Reading:
        """Return a reading of the same folder, read with another selection. Raises ImpactBenchError."""
        return read(self.folder, selection)

    def check_verdicts(self) -> None:
        """Raise ImpactBenchError when no conversation has a verdict."""
        if words := no_verdict(self.outcomes):
            raise ImpactBenchError(words)


def read(folder: Path, selection: Selection | None = None) -> Reading:
    """Return what is selected of a suite. Raises ResultsError, or ImpactBenchError for a name that nothing has."""
    chosen = selection or Selection()
    notes: list[str] = []
    outcomes = read_suite(folder, chosen.benchmarks, chosen.models, notes.append, chosen.releases)
    notes += left_out(folder, releases=chosen.releases, benchmarks=chosen.benchmarks)
    kept, withheld = _withheld(_filtered(outcomes, chosen), chosen)

    def bots() -> list[Outcome]:
        found = read_references(folder, chosen.benchmarks, chosen.models, chosen.releases)
        return _withheld(_filtered(found, chosen, strict=False), chosen)[0]

    return Reading(folder, tuple(kept), chosen, (*notes, *withheld), bots)


def reading_of(outcomes: Sequence[Outcome], population: Population = DEFAULT) -> Reading:
    """Return a reading of outcomes that are at hand, without a folder: for tests and for other tools."""
    return Reading(Path(), tuple(outcomes), Selection(population=population))


def narrowed(reading: Reading, metrics: tuple[str, ...], where: tuple[str, ...]) -> Reading:
    """Return a reading limited further to metrics and levels. Raises ImpactBenchError for a name that nothing has."""
    selection = replace(reading.selection, metrics=metrics, where=where)
    return replace(reading, outcomes=tuple(_filtered(reading.outcomes, selection)), selection=selection)


def no_verdict(outcomes: Sequence[Outcome]) -> str:
    """Return why no conversation has a verdict, in one line; empty when one has."""
    if any(outcome.is_scored for outcome in outcomes):
        return ""
    words = {reason.value: text for reason, text in UNSCORED_REASONS.items()}
    reasons = Counter(outcome.why_missing or "" for outcome in outcomes).most_common()
    listed = "; ".join(f"{count:,}: {words.get(reason, reason.replace('_', ' '))}" for reason, count in reasons)
    return f"None of {counted(len(outcomes), 'conversation')} has a verdict, so there is no rank ({listed})."


def _filtered(outcomes: Sequence[Outcome], selection: Selection, *, strict: bool = True) -> list[Outcome]:
    return at_levels(of_metrics(outcomes, selection.metrics, strict=strict), selection.where, strict=strict)


def _withheld(outcomes: Sequence[Outcome], selection: Selection) -> tuple[list[Outcome], list[str]]:
    """Return outcomes without what is withheld, and a sentence for each kind."""
    kept, notes = list(outcomes), []
    if "ungrounded" in selection.withhold:
        without = without_ungrounded(kept)
        touched = sum(outcome.withheld is not None for outcome in kept)
        lost = sum(before.is_scored and not after.is_scored for before, after in zip(kept, without, strict=True))
        notes.append(
            f"Ungrounded votes are withheld: in {touched:,} of {counted(len(kept), 'conversation')}; without them, "
            f"{lost:,} of these lack a verdict."
        )
        kept = without
    if "marked" in selection.withhold:
        marked = [outcome for outcome in kept if outcome.marked]
        notes.append(
            f"Marked conversations are withheld: {len(marked):,} of {counted(len(kept), 'conversation')}, of which "
            f"{sum(outcome.is_scored for outcome in marked):,} had a score."
        )
        kept = without_marked(kept)
    return kept, notes


def of_metrics(outcomes: Sequence[Outcome], metrics: Sequence[str], *, strict: bool = True) -> list[Outcome]:
    """Return the outcomes of some metrics, named slug/id or id; all without any.

    strict: raise ImpactBenchError for a name that nothing has.
    """
    known = sorted({outcome.metric for outcome in outcomes})
    for name in metrics if strict else ():
        if not any(name in (metric, metric.split("/")[1]) for metric in known):
            near = did_you_mean(name, known)
            raise ImpactBenchError(f"This suite has no metric {name!r}. Write slug/id, for example {known[0]}.{near}")
    return [outcome for outcome in outcomes if not metrics or outcome.metric in metrics or outcome.metric_id in metrics]


def at_levels(outcomes: Sequence[Outcome], where: Sequence[str], *, strict: bool = True) -> list[Outcome]:
    """Return the outcomes at levels that are named AXIS=LEVEL, or AXIS= and the beginning of a level; all without any.

    Several levels of one axis are alternatives; different axes all have to hold. strict: raise ImpactBenchError for an
    axis or level that nothing has, or several have.
    """
    wanted: dict[str, set[str]] = {}
    known = sorted({f"{axis}={level}" for outcome in outcomes for axis, level in outcome.axes})
    for text in where:
        meant = the_one_meant(text, known) if "=" in text else None
        if meant is None:
            if strict:
                raise ImpactBenchError(_no_level(text, known))
            return []
        axis, _, level = meant.partition("=")
        wanted.setdefault(axis, set()).add(level)
    return [outcome for outcome in outcomes if all(dict(outcome.axes).get(axis) in own for axis, own in wanted.items())]


def _no_level(text: str, known: Sequence[str]) -> str:
    if not known:
        return f"--where {text!r} selects nothing: no conversation of this suite has an axis."
    return (
        f"--where {text!r} names no level of this suite, or more than one. Write one of these, or as much of it as "
        f"tells it from the others: {', '.join(known)}.{did_you_mean(text, known)}"
    )
