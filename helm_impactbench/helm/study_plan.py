"""What a run of a study will do and cost, before it starts: conversations, models, price and budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from helm_impactbench.analysis.costs.forecast import Assumptions, CostEstimate, PlannedRun, estimate
from helm_impactbench.conversation.usual_roles import Role, default_reason
from helm_impactbench.errors import counted, dollars, listed
from helm_impactbench.helm.planned import planned_runs, price
from helm_impactbench.helm.stored_answers import PlannedAnswers, planned_answers
from helm_impactbench.llm.batch.deferred_call import judges_deferred
from helm_impactbench.study.entries import reference_entries, run_entries
from helm_impactbench.study.model import Study, Target
from helm_impactbench.tables.names import shown_model

_NO_USER = "none: all messages are fixed"


@dataclass(frozen=True)
class StudyPlan:
    """The runs of a study, planned without a call."""

    study: Study
    entries: Sequence[str]
    """Run entries, without the models under test."""
    references: Sequence[str]
    """Run entries of reference bots."""
    runs: Sequence[PlannedRun]
    """Of the models under test."""
    bots: Sequence[PlannedRun]
    """Of reference bots."""
    answers: PlannedAnswers
    """Of the models under test."""

    @property
    def whole(self) -> CostEstimate:
        """What all of it takes."""
        return estimate([*self.runs, *self.bots], Assumptions())

    @property
    def benchmarks(self) -> list[str]:
        """Their slugs, each once."""
        return _slugs(self.entries)


def planned_study(study: Study, local_path: Path, share: float = 1.0) -> StudyPlan:
    """Return the plan of a study that `check_study` has passed, or of a share of what it takes.

    Raises RunEntryError, BenchmarkError.
    """
    entries, references = run_entries(study, share), reference_entries(study)
    runs = [run for entry in entries for run in planned_runs(entry, study.models, study.most_prompts)]
    own = [run for run in runs if isinstance(run, PlannedRun)]
    bots = _planned_bots(references, study.most_prompts)
    return StudyPlan(study, entries, references, own, bots, planned_answers(own, local_path))


def plan_lines(plan: StudyPlan) -> list[str]:
    """Return a plan in lines for people."""
    study, whole = plan.study, plan.whole
    batch = " (its calls wait for a batch: IMPACTBENCH_JUDGE_CALLS=batch)" if judges_deferred() else ""
    early = any("until_" in entry for entry in plan.entries)
    return [
        f"{_size(plan)}"
        f"{', and reference bots' if plan.references else ''}: "
        f"{counted(whole.conversations, 'conversation')}, {counted(whole.calls, 'call')}, "
        f"{_price(whole)}. Finished calls are not made again.",
        f"  on        {', '.join(plan.benchmarks)}",
        f"  tested    {', '.join(map(_shown, study.targets))}",
        *([f"  answers   {words}"] if (words := answers_words(plan.answers)) else []),
        *([_bots_line(plan)] if plan.bots else []),
        f"  user      {_user(plan)}",
        f"  judge     {_with_reason('judge', ', '.join(study.judge))}{batch}",
        *([_held_out_line(plan)] if study.held_out_judges else []),
        *([f"  at most   all of this: runs may stop early{_taken_whole(plan.entries)}"] if early else []),
        *([f"  budget    {_budget(study, whole)}"] if study.budget_usd is not None else []),
    ]


def answers_words(found: PlannedAnswers) -> str:
    """Return how many answers of the tested models are new; empty where only scripts are tested."""
    about = "about " if found.is_estimate else ""
    parts = []
    if found.new + found.stored:
        parts.append(
            f"{about}{found.new:,} of {found.new + found.stored:,} new, {about}{found.stored:,} from the cache"
        )
    if found.unknown:
        parts.append(f"not known before the run of {listed(found.unknown)}, which HELM's own client calls")
    if found.stored and not found.new:
        parts.append("nothing is asked of the tested models: --release ID asks a new release")
    return "; ".join(parts)


def _user(plan: StudyPlan) -> str:
    is_asked = any(",user=" in entry for entry in plan.entries)
    return _with_reason("user", plan.study.user) if is_asked and plan.study.user else _NO_USER


def _with_reason(role: Role, name: str) -> str:
    """Return who has a role, and why where that is a default by the keys that are there."""
    reason = default_reason(role, name)
    return f"{name} ({reason})" if reason else name


def _size(plan: StudyPlan) -> str:
    targets = len(dict.fromkeys(plan.study.targets))
    each = len(plan.entries) // targets if any(",model=" in entry for entry in plan.entries) else len(plan.entries)
    return f"{counted(targets, 'model')} x {counted(each, 'run entry', 'run entries')}"


def _shown(target: Target) -> str:
    release = f", release {target.release}" if target.release else ""
    prompt = f", system prompt {target.system_prompt}" if target.system_prompt else ""
    heat = "" if target.temperature is None else f", temperature {target.temperature:g}"
    tokens = f", {target.target_tokens:,} tokens a reply" if target.target_tokens else ""
    return f"{shown_model(target.name)}{release}{prompt}{heat}{tokens}"


def _held_out_line(plan: StudyPlan) -> str:
    read = sum(case.scenario.is_held_out for run in (*plan.runs, *plan.bots) if run.validate for case in run.cases)
    return f"  validate  {', '.join(plan.study.held_out_judges)}, on {counted(read, 'held-out conversation')}"


def _bots_line(plan: StudyPlan) -> str:
    beside = estimate(plan.bots, Assumptions())
    return (
        f"  beside    {counted(len({run.target for run in plan.bots}), 'reference bot')}, scripts on "
        f"{plan.study.references:.0%} of what a model takes: {counted(beside.conversations, 'conversation')} of "
        f"these, {_price(beside)} (--references 0: none)"
    )


def _planned_bots(references: Sequence[str], most: int) -> list[PlannedRun]:
    """Return the runs of reference bots; each benchmark's cases are made once for all bots."""
    by_entry: dict[str, list[str]] = {}
    for entry in references:
        rest, _, bot = entry.rpartition(",model=")
        by_entry.setdefault(rest, []).append(bot)
    runs = [run for entry, bots in by_entry.items() for run in planned_runs(entry, bots, most)]
    return [run for run in runs if isinstance(run, PlannedRun)]


def _price(whole: CostEstimate) -> str:
    costs = [price(deployment, expense) for (_, deployment), expense in whole.expenses.items()]
    known = sum(cost for cost in costs if cost is not None)
    text = f"about ${known:,.2f}" if known or None not in costs else "of unknown price"
    return f"{text} and calls of unknown price" if known and None in costs else text


def _budget(study: Study, whole: CostEstimate) -> str:
    """Return what the suite may cost, and how far that reaches where the known part of the price is above it."""
    costs = [price(deployment, expense) for (_, deployment), expense in whole.expenses.items()]
    known, most = sum(cost for cost in costs if cost is not None), study.budget_usd or 0.0
    reach = f": about {most / known:.0%} of this plan, where the run stops" if known > most else ""
    return f"{dollars(most)} for the whole suite {study.suite}{reach}"


def _slugs(entries: Sequence[str]) -> list[str]:
    """Return the benchmarks of run entries, each once."""
    return [*dict.fromkeys(entry.partition("benchmark=")[2].partition(",")[0] for entry in entries)]


def _taken_whole(entries: Sequence[str]) -> str:
    """Return which benchmarks are run whole although others may stop early."""
    whole = _slugs([entry for entry in entries if "until_" not in entry])
    return f", but not on {', '.join(whole)}, where contrasts are measured" if whole else ""
