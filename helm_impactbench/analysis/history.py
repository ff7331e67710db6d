"""One model over several suites: its score on what all of them measured, and what changed in the measurement.

A model that is served under one name changes, and so do judges, simulated users, benchmarks and this package. A
difference between two suites says something about the model alone only where nothing else changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from helm_impactbench.analysis.gate_baseline import suite_sides
from helm_impactbench.analysis.paired import Difference, matched
from helm_impactbench.analysis.rates import ModelScore, model_scores
from helm_impactbench.errors import listed
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.outcome import Outcome

AREA = "impact"
"""Whose scores are followed: nothing is averaged over two areas, and safety and capability have pages of their own."""


@dataclass(frozen=True)
class Instruments:
    """What a suite measured a model with."""

    judges: tuple[str, ...]
    users: tuple[str, ...]
    versions: tuple[str, ...]
    """Of this package."""
    prompts: tuple[str, ...]
    """Hashes of the prompts that were sent."""
    contents: Mapping[str, tuple[str, ...]]
    """Benchmark -> hashes of its content."""


def instruments(runs: Iterable[RunFolder]) -> Instruments:
    """Return what some runs of a suite were measured with. Raises ResultsError."""
    own = list(runs)
    contents: dict[str, set[str]] = {}
    for run in own:
        contents.setdefault(run.benchmark, set()).add(str(run.provenance.get("benchmark_digest", "")))
    return Instruments(
        judges=_each(judge for run in own for judge in run.judges),
        users=_each(run.user for run in own if run.user),
        versions=_each(str(run.provenance.get("helm_impactbench", "unknown")) for run in own),
        prompts=_each(str(run.provenance.get("prompts_digest", "")) for run in own),
        contents={slug: _each(digests) for slug, digests in contents.items()},
    )


@dataclass(frozen=True)
class SuiteSnapshot:
    """One model in one suite."""

    suite: str
    model: str
    written: datetime
    """When the last of its runs was, UTC."""
    outcomes: tuple[Outcome, ...]
    instruments: Instruments


@dataclass(frozen=True)
class HistoryStep:
    """One suite of a model's history."""

    snapshot: SuiteSnapshot
    score: ModelScore | None
    """Over the benchmarks that the model has a score on in every suite; None without one."""
    changes: Mapping[str, str] = field(default_factory=dict)
    """What is not as in the suite before, as of `changes`; none for the first suite."""
    difference: Difference | None = None
    """This suite minus the one before on the cases that both have a score for; None for the first, or without any."""


def history(snapshots: Sequence[SuiteSnapshot]) -> list[HistoryStep]:
    """Return the suites of one model from the oldest to the newest, each with what changed since the one before."""
    ordered = sorted(snapshots, key=lambda one: (one.written, one.suite))
    shared = set.intersection(*(_scored(one.outcomes) for one in ordered)) if ordered else set()
    steps: list[HistoryStep] = []
    for one in ordered:
        level = _level(one.outcomes)
        score = next(iter(model_scores(o for o in level if o.benchmark in shared)), None)
        if not steps:
            steps.append(HistoryStep(one, score))
            continue
        before = steps[-1].snapshot
        sides = suite_sides(level, _level(before.outcomes))
        steps.append(HistoryStep(one, score, changes(before.instruments, one.instruments), matched(sides).difference()))
    return steps


def shared_benchmarks(steps: Sequence[HistoryStep]) -> list[str]:
    """Return the benchmarks that the scores of a history rest on."""
    return sorted(set.intersection(*(_scored(step.snapshot.outcomes) for step in steps))) if steps else []


def changes(before: Instruments, now: Instruments) -> dict[str, str]:
    """Return what differs between the instruments of two suites: part, such as judge -> how, in words."""
    named = {
        "judge": (before.judges, now.judges),
        "simulated user": (before.users, now.users),
        "version": (before.versions, now.versions),
    }
    found = {
        name: f"{name}: {listed(old) or 'nobody'} before, now {listed(new) or 'nobody'}"
        for name, (old, new) in named.items()
        if old != new
    }
    if before.prompts != now.prompts:
        found["prompts"] = "the prompts"
    both = before.contents.keys() & now.contents.keys()
    changed = sorted(slug for slug in both if before.contents[slug] != now.contents[slug])
    if changed:
        found["content"] = f"the content of {', '.join(changed)}"
    return found


def _scored(outcomes: Sequence[Outcome]) -> set[str]:
    return {outcome.benchmark for outcome in _level(outcomes) if outcome.is_scored}


def _level(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [outcome for outcome in outcomes if outcome.is_level and outcome.area == AREA]


def _each(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(values)))
