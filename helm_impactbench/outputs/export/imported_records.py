"""From the rows of an ImpactBench run to conversations as this package has them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Scenario as BenchmarkScenario
from helm_impactbench.conversation.plan import ConversationCase, plan_case
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.conversation.run_options import RunOptions
from helm_impactbench.errors import ExchangeError, counted
from helm_impactbench.llm.usage import UNKNOWN_USAGE, Usage
from helm_impactbench.outputs.export.foreign import ForeignFolder, ForeignRun
from helm_impactbench.outputs.export.foreign_rows import MOST_FAULTS, ConversationRow, ForeignMessage, ForeignScore
from helm_impactbench.outputs.export.verdicts import ExportedVerdict, Notes, Policy, by_one, verdict_of, why
from helm_impactbench.results.record import Record

IMPORTED = "imported"
"""Name of a user or judge that the files do not name. No model deployment, so nothing can be called by it."""
_WHY_NOT = {Status.NO_TEXT: "The verdict was imported from a table that does not hold the conversation."}
Key = tuple[str, int]
"""Scenario's id and sample."""


@dataclass(frozen=True)
class Roles:
    """Who played and judged, as far as it is known."""

    user: str
    """Empty where nobody was simulated."""
    judges: tuple[str, ...]
    """None: the conversations are not judged yet."""
    has_votes: bool = False
    """Whether the files hold the votes of these very judges."""
    swap: bool = False
    """Whether the judges had the two names of a measure exchanged."""

    @property
    def first_judge(self) -> str:
        """Who gave a verdict whose votes are unknown."""
        return self.judges[0] if self.judges else IMPORTED


def records_of(folder: ForeignFolder, run: ForeignRun, roles: Roles, policy: Policy, notes: Notes) -> list[Record]:
    """Return the run's conversations. Raises ExchangeError for rows that do not fit together."""
    scores = _scores(folder.benchmark, run, notes)
    own = {(row.id, row.sample): row for row in run.verdicts}
    turns = max((len(row.transcript) // 2 for row in run.conversations), default=1) or 1
    digest = folder.benchmark.digest()
    seen: set[Key] = set()
    found = []
    for number, row in enumerate(run.conversations):
        scenario = _scenario(folder.benchmark, row, number, run)
        key = (scenario.id, row.sample)
        if key in seen:
            raise ExchangeError(
                f"{run.folder / 'conversations.json'}: row {number} is sample {row.sample} of {scenario.id} again; "
                "a target has every sample of a scenario once."
            )
        seen.add(key)
        case = _case(folder, scenario, row, roles, digest, turns)
        told = ExportedVerdict(scores.pop(key, None), own.get(key), roles.first_judge)
        conversation = _conversation(row, number, run, turns, told)
        if not case.plan.is_simulated:
            conversation = conversation.model_copy(update={"user_usage": Usage()})  # nobody was called for it
        verdict = verdict_of(case.metric, conversation, told, policy, notes)
        found.append(Record(case, conversation, verdict if roles.has_votes else by_one(verdict, told.judge)))
        notes.unscored.update([] if verdict.status == "scored" else [why(verdict)])
    notes.conversations += len(found)
    _check_used(scores, run)
    return found


def _scenario(benchmark: Benchmark, row: ConversationRow, number: int, run: ForeignRun) -> BenchmarkScenario:
    by_id = {scenario.id: scenario for scenario in benchmark.scenarios}
    scenario = by_id.get(row.id) or by_id.get(row.conv_id or "")
    if scenario is None:
        raise ExchangeError(
            f"{run.folder / 'conversations.json'}: row {number}, field id: {row.id!r} is a scenario that "
            f"scenarios.json does not have; it has {len(by_id)}, for example {', '.join(list(by_id)[:3]) or 'none'}."
        )
    if scenario.metric_id not in {metric.id for metric in benchmark.metrics}:
        raise ExchangeError(
            f"scenarios.json: scenario {scenario.id}, field metric_id: {scenario.metric_id!r} is a metric that "
            f"benchmark.yaml does not have; it has: {', '.join(metric.id for metric in benchmark.metrics)}."
        )
    return scenario


def _scores(benchmark: Benchmark, run: ForeignRun, notes: Notes) -> dict[Key, ForeignScore]:
    """Return the verdict on the scenario's own metric per conversation; older files hold one on every metric."""
    by_id = {scenario.id: scenario for scenario in benchmark.scenarios}
    found: dict[Key, ForeignScore] = {}
    for number, row in enumerate(run.scores or ()):
        scenario = by_id.get(row.id) or by_id.get(row.conv_id or "")
        if scenario is not None and scenario.metric_id != row.metric_id:
            notes.other_metrics += 1
            continue
        key = (scenario.id if scenario else row.id, row.sample)
        if key in found:
            raise ExchangeError(
                f"{run.folder / 'scores.json'}: row {number} ({row.id}, sample {row.sample}) is a second verdict on "
                "a conversation that has one already."
            )
        found[key] = row
    return found


def _check_used(scores: dict[Key, ForeignScore], run: ForeignRun) -> None:
    if scores:
        shown = ", ".join(f"{name} (sample {sample})" for name, sample in list(scores)[:MOST_FAULTS])
        raise ExchangeError(
            f"{run.folder / 'scores.json'} has verdicts on {counted(len(scores), 'conversation')} that "
            f"conversations.json does not have: {shown}."
        )


def _case(
    folder: ForeignFolder, scenario: BenchmarkScenario, row: ConversationRow, roles: Roles, digest: str, turns: int
) -> ConversationCase:
    planned = turns if scenario.has_simulated_user else min(turns, len(scenario.messages))
    played = {"user": roles.user or None, "turns": planned, "swap": roles.swap}
    options = RunOptions().model_copy(update=played)  # unchecked: files from elsewhere may have more turns than a run
    case = plan_case(folder.benchmark, digest, scenario, row.sample, options)
    case = case.model_copy(update={"draw": row.draw})
    prompts = [message.content for message in row.transcript if message.role == "system"]
    if not prompts:
        return case
    return case.model_copy(update={"plan": case.plan.model_copy(update={"target_system_prompt": prompts[0]})})


def _conversation(
    row: ConversationRow, number: int, run: ForeignRun, turns: int, told: ExportedVerdict
) -> Conversation:
    said = [message for message in row.transcript if message.role != "system"]
    for place, message in enumerate(said):
        wanted = ("user", "assistant")[place % 2]
        if message.role != wanted:
            raise ExchangeError(
                f"{run.folder / 'conversations.json'}: row {number} ({row.id}), field transcript.{place}.role: found "
                f"{message.role!r}, expected {wanted!r}, because user and assistant take turns and the user begins."
            )
    status, reason = _status(said, turns, row.status, told.own.ended_reason if told.own else "")
    usage = {"user_usage": UNKNOWN_USAGE, "target_usage": UNKNOWN_USAGE}  # told per run at best, in cost.json
    noted = {"redone": told.own.redone, "faults": tuple(told.own.faults)} if told.own else {}
    return Conversation(status=status, reason=reason, turns=tuple(_turns(said)), **usage, **noted)


def _turns(said: Sequence[ForeignMessage]) -> Iterator[Turn]:
    for place in range(0, len(said), 2):
        reply = said[place + 1].content if place + 1 < len(said) else None
        yield Turn(number=place // 2 + 1, user=said[place].content, assistant=reply)


def _status(said: Sequence[ForeignMessage], turns: int, told: Status | None, reason: str) -> tuple[Status, str]:
    if told is not None and not told.can_be_judged:
        return told, reason or _WHY_NOT.get(told, "The imported files do not say why.")
    if not said:
        return Status.EMPTY, "The imported transcript is empty."
    if not any(message.role == "assistant" and message.content.strip() for message in said):
        return Status.TARGET_ERROR, "The imported transcript has no reply of the target."
    return told or (Status.COMPLETE if len(said) // 2 == turns else Status.ENDED_EARLY), reason
