"""From one run to its conversations' pages, and to the little that all other pages need of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from textwrap import shorten
from typing import Any, Protocol

from helm_impactbench.analysis.rates import grouped
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.llm.usage import Usage
from helm_impactbench.outputs.report import names
from helm_impactbench.outputs.report.citation import RunOrigin, citation, origin_of
from helm_impactbench.outputs.report.content import BenchmarkInfo
from helm_impactbench.outputs.report.contrasts import level_of, matched_with
from helm_impactbench.outputs.report.names import (
    CONVERSATION,
    case_name,
    conversation_address,
    conversation_id,
    run_address,
    words_address,
)
from helm_impactbench.outputs.report.pages import render
from helm_impactbench.outputs.report.redaction import HIDDEN, Redaction
from helm_impactbench.outputs.report.run_script import has_words, run_script
from helm_impactbench.outputs.report.run_text import run_text
from helm_impactbench.process.collector import collector_off
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.record import Record
from helm_impactbench.results.run_summary import RunSummary, run_summary, summary
from helm_impactbench.results.shown import person_line, shown_conversation
from helm_impactbench.results.verdict_words import said, verdict
from helm_impactbench.validity.judge_trust import NO_JUDGES, JudgeTrust

LONGEST_OPENING = 240
"""Characters of a person's first message that the front page quotes."""


@dataclass(frozen=True)
class Site:
    """What every page knows."""

    suite: str
    folder: Path
    """Where it is written."""
    models: dict[str, str]
    """Deployment -> name for people."""
    benchmarks: dict[str, BenchmarkInfo]
    shared_slugs: frozenset[str]
    """Benchmarks that the suite has in several set-ups: their conversations' addresses name the set-up."""
    redaction: Redaction
    others: dict[str, str] = field(default_factory=dict)
    """The same for models without a conversation that can be read, and therefore without a page."""
    combined: bool = False
    """Whether there is a page that sets impact beside safety and capability."""
    has_history: bool = False
    """Whether there is a page that follows the models over several suites."""
    has_people: bool = False
    """Whether there is a page on how the simulated users write."""
    has_arms: bool = False
    """Whether there is a page that compares ways to set up a model."""
    has_conversations: bool = True
    """Whether conversations can be read."""
    judges: JudgeTrust = NO_JUDGES
    """What is known of the judges, which stands before every figure."""
    unfinished: str = ""
    """What the suite lacks, and how to go on; empty where it is finished."""

    @property
    def scripted(self) -> bool:
        """Whether any model is a script, which its name for people says."""
        return any(deployment != shown for deployment, shown in self.models.items())

    @property
    def all_scripted(self) -> bool:
        """Whether every model is a script."""
        return bool(self.models) and all(deployment != shown for deployment, shown in self.models.items())

    def conversation(self, outcome: Outcome) -> str:
        """Return the address of a conversation; empty where none can be read."""
        if not self.has_conversations:
            return ""
        return conversation_address(outcome.benchmark, outcome.model, conversation_id(outcome), self._setup(outcome))

    def run(self, of: Outcome | RunFolder) -> str:
        """Return what the addresses of all conversations of the run have in common."""
        return run_address(of.benchmark, of.model, self._setup(of))

    def side(self, outcome: Outcome) -> str:
        """Return what the page with two answers calls the run that a conversation is of."""
        return names.side(outcome.model, self._setup(outcome))

    @property
    def has_compare(self) -> bool:
        """Whether there is a page with two answers side by side."""
        return self.has_conversations and (len(self.models) > 1 or self.has_history)

    def words(self, of: Outcome | RunFolder) -> str:
        """Return the address of the script with the run, or with the run that a conversation is of."""
        return words_address(of.benchmark, of.model, self._setup(of))

    def _setup(self, of: Outcome | RunFolder) -> str | None:
        return of.setup if of.benchmark in self.shared_slugs else None


@dataclass(frozen=True)
class RunPart:
    """What is kept of a run when its conversations are written."""

    name: str
    model: str
    user: str
    judges: tuple[str, ...]
    digest: str
    """Of the benchmark that was run."""
    metrics: dict[str, Metric]
    """Id -> metric, as it was run."""
    aims: dict[str, str]
    """Variant -> what the person openly wants, or is asked word for word."""
    costs: tuple[tuple[str, Usage], ...]
    """(role, what its calls took in all)."""
    day: date | None = None
    """On which it was finished."""
    openings: Mapping[str, str] = field(default_factory=dict)
    """Conversation -> the beginning of the person's first message, where anybody may read it unasked; none where
    no conversation can be read."""
    search_bytes: int = 0
    """Of the script that a search loads; 0 where there are no words in it."""
    outcomes: tuple[Outcome, ...] = ()
    """None before they are read from the run's folder."""


def write_run(site: Site, run: RunFolder) -> RunPart:
    """Write a run's conversations, if they can be read: a script for the page that shows them, and their text.

    Raises ResultsError when the run's files contradict themselves.
    """
    if site.has_conversations:
        with collector_off():
            records, outcomes = run.read()
        return replace(
            _part(site, run, summary(records)),
            openings=dict(_openings(site, records, outcomes)),
            search_bytes=_write_conversations(site, run, records, outcomes) if records else 0,
        )
    with collector_off():
        return _part(site, run, run_summary(run))


def _openings(site: Site, records: Sequence[Record], outcomes: Sequence[Outcome]) -> Iterator[tuple[str, str]]:
    """Yield conversations and what they begin with; none that is hidden, or that a content note stands before."""
    for record, outcome in zip(records, outcomes, strict=True):
        slug, metric = outcome.benchmark, record.case.metric
        is_open = not site.redaction.hides(slug, metric.id) and site.benchmarks[slug].note_before(metric) is None
        if is_open and record.conversation.turns:
            words = shorten(record.conversation.turns[0].user, LONGEST_OPENING, placeholder=" …")
            yield conversation_id(outcome), words


def _write_conversations(site: Site, run: RunFolder, records: Sequence[Record], outcomes: Sequence[Outcome]) -> int:
    """Write the conversations of a run, and return how many bytes a search loads."""
    address, origin, matched = site.words(outcomes[0]), origin_of(run), matched_in(outcomes)
    parts = (
        render(
            "conversation_part",
            CONVERSATION,
            site=site,
            **conversation_values(site, run, record, outcomes, place, matched, origin),
        )
        for place, record in enumerate(records)
    )
    script = run_script(address, records, site.redaction, parts)
    path = site.folder / address
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script, encoding="utf-8", newline="\n")
    path.with_suffix(".txt").write_text(text_of_run(site, records, outcomes), encoding="utf-8", newline="\n")
    return len(script) if has_words(records, site.redaction) else 0


def text_of_run(site: Site, records: Sequence[Record], outcomes: Sequence[Outcome]) -> str:
    """Return the conversations of a run as text."""
    model, info = site.models[outcomes[0].model], site.benchmarks[outcomes[0].benchmark]
    return run_text(records, outcomes, model, info, site.redaction)


def _part(site: Site, run: RunFolder, own: RunSummary) -> RunPart:
    hides = site.redaction.hides
    return RunPart(
        name=run.name,
        model=run.model,
        user=run.user,
        judges=tuple(run.judges),
        digest=own.digest,
        day=run.written.date(),
        metrics=own.metrics,
        aims={variant: HIDDEN if hides(*metric) else aim for variant, (*metric, aim) in own.aims.items()},
        costs=(
            ("assistant under test", own.target_usage),
            ("simulated user", own.user_usage),
            ("judges", own.judge_usage),
        ),
    )


class ConversationRun(Protocol):
    """What a conversation's page says of the run that it is of."""

    @property
    def name(self) -> str:
        """HELM's name of the run."""

    @property
    def user(self) -> str:
        """Deployment of the simulated user; empty where nobody is simulated."""


def conversation_values(
    site: Site,
    run: ConversationRun,
    record: Record,
    outcomes: Sequence[Outcome],
    place: int,
    matched: Mapping[tuple[object, ...], list[Outcome]],
    origin: RunOrigin,
) -> dict[str, Any]:
    """Return what the page of a conversation shows.

    `outcomes` are those of its run, `place` is its own among them; `matched` has the contrasting ones by their case.
    """
    outcome, metric = outcomes[place], record.case.metric
    info = site.benchmarks[outcome.benchmark]
    around = [outcomes[i] if 0 <= i < len(outcomes) else None for i in (place - 1, place + 1)]
    same_case = matched.get(matched_with(outcome), ()) if outcome.contrast else ()
    return {
        "title": f"{metric.name}: {case_name(outcome)}, {site.models[outcome.model]}",
        "run": run,
        "outcome": outcome,
        "word": verdict(outcome),
        "said": said(outcome, metric),
        "case": record.case,
        "facts": [
            *metric.facts,
            *metric.measure.presentation.told_to_judge(record.case.scenario.facts, record.case.context),
        ],
        "conversation": record.conversation,
        "shown": shown_conversation(record.conversation, record.verdict),
        "matched": [(level_of(other), other) for other in same_case],
        "hidden": site.redaction.hides(outcome.benchmark, outcome.metric_id),
        "note": info.note_before(metric),
        "who": person_line(record.case),
        "cited": citation(site.suite, info.name, metric.name, record.case.id, site.models[outcome.model], origin),
        "place": place + 1,
        "of": len(outcomes),
        "before": around[0],
        "after": around[1],
    }


def matched_in(outcomes: Iterable[Outcome]) -> dict[tuple[object, ...], list[Outcome]]:
    """Return the contrasting conversations of a run by the case that they are of."""
    return grouped((outcome for outcome in outcomes if outcome.contrast), matched_with)
