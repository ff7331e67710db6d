"""From the rows of an ImpactBench run to conversations and judgements as this package has them. Pure.

Verdicts are kept as they were published, and what cannot be a verdict is unscored, with its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from helm_impactbench.benchmark.model import Benchmark, Metric
from helm_impactbench.benchmark.model import Scenario as BenchmarkScenario
from helm_impactbench.conversation.plan import ConversationCase, plan_case
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.judging.judge import NoVote, Opinion
from helm_impactbench.judging.panel import UNSCORED_BY_STATUS, Judgement, Unscored, decide, unjudged
from helm_impactbench.llm.usage import UNKNOWN_USAGE
from helm_impactbench.outputs.export.errors import ExchangeError
from helm_impactbench.outputs.export.foreign import ForeignFolder, ForeignRun
from helm_impactbench.outputs.export.foreign_rows import MOST_FAULTS, ConversationRow, Message, ScoreRow, UnscoredRow
from helm_impactbench.outputs.export.tables import VERDICT
from helm_impactbench.results.files import Record

IMPORTED = "imported"
"""Name of a user or judge that the files do not name. No model deployment, so nothing can be called by it."""
Policy = Literal["refuse", "present", "unscored"]
Key = tuple[str, int]
"""Scenario's id and sample."""


@dataclass
class Notes:
    """What an import met that a reader of its numbers has to know."""

    contradictions: dict[str, list[str]] = field(default_factory=dict)
    """Metric (id, name) -> rows whose verdict does not follow from presence and type, each in words."""
    unscored: Counter[str] = field(default_factory=Counter)
    """Reason -> conversations."""
    scored_but_empty: int = 0
    """Conversations with a published verdict and without an exchange."""
    other_metrics: int = 0
    """Verdicts on a metric other than that of the scenario."""
    conversations: int = 0


@dataclass(frozen=True)
class Roles:
    """Who played and judged, as far as it is known."""

    user: str
    judges: tuple[str, ...]
    has_opinions: bool = False
    """Whether the files hold the opinions of these very judges."""


def records_of(folder: ForeignFolder, run: ForeignRun, roles: Roles, policy: Policy, notes: Notes) -> list[Record]:
    """Return the run's conversations. Raises ExchangeError for rows that do not fit together."""
    scores, given, voices = _scores(folder.benchmark, run, notes), _given(run), _opinions(run, roles)
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
                "allowed: every sample of a scenario once per target."
            )
        seen.add(key)
        case = _case(folder, scenario, row, roles.user, digest, turns)
        conversation = _conversation(row, number, run, turns)
        told = Told(scores.pop(key, None), given.get(key), voices.get(row.conv_id or row.id, ()), roles.judges[0])
        judgement = _judgement(case.metric, conversation, told, policy, notes)
        notes.unscored.update([judgement.unscored.value] if judgement.unscored else [])
        found.append(Record(case, conversation, judgement))
    notes.conversations += len(found)
    _check_used(scores, run)
    return found


@dataclass(frozen=True)
class Told:
    """What the files tell of the verdict on one conversation."""

    score: ScoreRow | None
    unscored: UnscoredRow | None
    opinions: tuple[Opinion, ...]
    judge: str
    """Who gave the verdict where there are no opinions."""


def _scenario(benchmark: Benchmark, row: ConversationRow, number: int, run: ForeignRun) -> BenchmarkScenario:
    by_id = {scenario.id: scenario for scenario in benchmark.scenarios}
    scenario = by_id.get(row.id) or by_id.get(row.conv_id or "")
    if scenario is None:
        raise ExchangeError(
            f"{run.folder / 'conversations.json'}: row {number}, field id: got {row.id!r}, a scenario that "
            f"scenarios.json does not have; it has {len(by_id)}, for example {', '.join(list(by_id)[:3]) or 'none'}."
        )
    if scenario.metric_id not in {metric.id for metric in benchmark.metrics}:
        raise ExchangeError(
            f"scenarios.json: scenario {scenario.id}, field metric_id: got {scenario.metric_id!r}, a metric that "
            f"benchmark.yaml does not have; it has: {', '.join(metric.id for metric in benchmark.metrics)}."
        )
    return scenario


def _scores(benchmark: Benchmark, run: ForeignRun, notes: Notes) -> dict[Key, ScoreRow]:
    """Return the verdict on the scenario's own metric per conversation; older files hold one on every metric."""
    by_id = {scenario.id: scenario for scenario in benchmark.scenarios}
    found: dict[Key, ScoreRow] = {}
    for number, row in enumerate(run.scores or ()):
        scenario = by_id.get(row.id) or by_id.get(row.conv_id or "")
        if scenario is not None and scenario.metric_id != row.metric_id:
            notes.other_metrics += 1
            continue
        key = (scenario.id if scenario else row.id, row.sample)
        if key in found:
            raise ExchangeError(
                f"{run.folder / 'scores.json'}: row {number} ({row.id}, sample {row.sample}) is a second verdict on "
                "one conversation; allowed: one."
            )
        found[key] = row
    return found


def _given(run: ForeignRun) -> dict[Key, UnscoredRow]:
    return {(row.id, row.sample): row for row in run.unscored}


def _opinions(run: ForeignRun, roles: Roles) -> dict[str, tuple[Opinion, ...]]:
    """Return conversation -> opinions on the behaviour, in the order of the panel."""
    found: dict[str, tuple[Opinion, ...]] = {}
    for row in run.opinions if roles.has_opinions else ():
        if row.question == VERDICT:
            content = row.model_dump(exclude={"conv_id", "question"})
            found[row.conv_id] = (*found.get(row.conv_id, ()), Opinion(**content, usage=UNKNOWN_USAGE))
    return found


def _check_used(scores: dict[Key, ScoreRow], run: ForeignRun) -> None:
    if scores:
        shown = ", ".join(f"{name} (sample {sample})" for name, sample in list(scores)[:MOST_FAULTS])
        raise ExchangeError(
            f"{run.folder / 'scores.json'} has verdicts on {len(scores)} conversations that conversations.json does "
            f"not have: {shown}."
        )


def _case(
    folder: ForeignFolder, scenario: BenchmarkScenario, row: ConversationRow, user: str, digest: str, turns: int
) -> ConversationCase:
    case = plan_case(folder.benchmark, digest, scenario, row.sample, user=user, turns=turns)
    prompts = [message.content for message in row.transcript if message.role == "system"]
    if not prompts:
        return case
    return case.model_copy(update={"plan": case.plan.model_copy(update={"target_system_prompt": prompts[0]})})


def _conversation(row: ConversationRow, number: int, run: ForeignRun, turns: int) -> Conversation:
    said = [message for message in row.transcript if message.role != "system"]
    for place, message in enumerate(said):
        wanted = ("user", "assistant")[place % 2]
        if message.role != wanted:
            raise ExchangeError(
                f"{run.folder / 'conversations.json'}: row {number} ({row.id}), field transcript.{place}.role: got "
                f"{message.role!r}; allowed: {wanted!r}, because user and assistant take turns and the user begins."
            )
    status, reason = _status(said, turns, row.status)
    usage = {"user_usage": UNKNOWN_USAGE, "target_usage": UNKNOWN_USAGE}  # told per run at best, in cost.json
    return Conversation(status=status, reason=reason, turns=tuple(_turns(said)), **usage)


def _turns(said: Sequence[Message]) -> Iterator[Turn]:
    for place in range(0, len(said), 2):
        reply = said[place + 1].content if place + 1 < len(said) else None
        yield Turn(number=place // 2 + 1, user=said[place].content, assistant=reply)


def _status(said: Sequence[Message], turns: int, told: Status | None) -> tuple[Status, str]:
    if told is not None and not told.can_be_judged:
        return told, "See unscored.json of the imported files."
    if not said:
        return Status.EMPTY, "The imported transcript is empty."
    if not any(message.role == "assistant" and message.content.strip() for message in said):
        return Status.TARGET_ERROR, "The imported transcript has no reply of the target."
    return told or (Status.COMPLETE if len(said) // 2 == turns else Status.ENDED_EARLY), ""


def _judgement(metric: Metric, conversation: Conversation, told: Told, policy: Policy, notes: Notes) -> Judgement:
    score = told.score
    if not conversation.status.can_be_judged:
        notes.scored_but_empty += score is not None and score.passed is not None
        return unjudged(conversation)
    if score is None:
        return _without(told)
    problem = _contradiction(metric, score, told.opinions)
    if problem:
        where = f"{score.id}, sample {score.sample}: {problem}"
        notes.contradictions.setdefault(f"{metric.id} {metric.name}", []).append(where)
    if score.present is None or (problem and policy == "unscored"):
        reason = problem or score.justification or "present is null in scores.json"
        return _failed(told.judge, NoVote.UNPARSABLE, f"{reason} (imported)", Unscored.JUDGE_UNPARSABLE)
    if told.opinions and decide(metric, told.opinions).present == score.present:
        return decide(metric, told.opinions)
    opinion = Opinion(
        judge=told.judge, present=score.present, justification=score.justification or "", usage=UNKNOWN_USAGE
    )
    return decide(metric, (opinion,))


def _contradiction(metric: Metric, score: ScoreRow, opinions: tuple[Opinion, ...]) -> str:
    """Return in which way a row contradicts itself, benchmark.yaml or opinions.json; empty when it does not."""
    said = f"present={score.present}, passed={score.passed}, score={score.score}"
    if score.metric_type not in (None, metric.type):
        return f"scores.json calls the metric {score.metric_type}, benchmark.yaml {metric.type} ({said})"
    if score.present is None:
        return f"{said}: a verdict without presence" if score.passed is not None or score.score is not None else ""
    passed = metric.passed(score.present)
    if score.passed not in (None, passed) or score.score not in (None, float(passed)):
        return f"{said} on a {metric.type} metric"
    if opinions and decide(metric, opinions).present != score.present:
        return f"{said}, and the opinions in opinions.json come to another"
    return ""


def _without(told: Told) -> Judgement:
    """Return the judgement of a conversation without a row of its own: our export tells the reason, others do not."""
    known = {reason.value for reason in Unscored} - {reason.value for reason in UNSCORED_BY_STATUS.values()}
    if told.unscored is None or told.unscored.unscored not in known:
        return _failed(told.judge, NoVote.ERROR, "scores.json has no row for it", Unscored.JUDGE_ERROR)
    reason = Unscored(told.unscored.unscored)
    if told.opinions:
        return Judgement(unscored=reason, opinions=told.opinions)
    no_vote = NoVote.UNPARSABLE if reason is Unscored.JUDGE_UNPARSABLE else NoVote.ERROR
    return _failed(told.judge, no_vote, told.unscored.reason or "no verdict", reason)


def _failed(judge: str, no_vote: NoVote, problem: str, unscored: Unscored) -> Judgement:
    opinion = Opinion(judge=judge, no_vote=no_vote, problem=problem, usage=UNKNOWN_USAGE)
    return Judgement(unscored=unscored, opinions=(opinion,))
