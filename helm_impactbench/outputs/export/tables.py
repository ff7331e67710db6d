"""A suite as tidy tables: what stands in which column, and the rows of a run. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from helm_impactbench.analysis.rates import Rate
from helm_impactbench.conversation.record import Turn
from helm_impactbench.judging.judge import Opinion
from helm_impactbench.llm.usage import Usage
from helm_impactbench.outputs.export.runs import Run
from helm_impactbench.results.files import Record
from helm_impactbench.results.outcome import Outcome

Kind = Literal["string", "integer", "number", "boolean"]
Row = dict[str, Any]
DEMOGRAPHIC = "demographic_"
"""Beginning of the column of a demographic axis."""
VERDICT = "verdict"
"""The question of an opinion on the benchmark's behaviour; opinions on checks have the check's name."""


@dataclass(frozen=True)
class Column:
    """One column; an empty cell says that there is no such value, never zero."""

    name: str
    kind: Kind
    description: str


@dataclass(frozen=True)
class Table:
    """One table, a file of its own."""

    name: str
    description: str
    columns: tuple[Column, ...]


def _usage_columns(role: str, who: str) -> tuple[Column, ...]:
    return (
        Column(f"{role}_prompt_tokens", "integer", f"tokens sent to the {who}; empty where a call was not counted"),
        Column(f"{role}_completion_tokens", "integer", f"tokens written by the {who}; empty likewise"),
        Column(f"{role}_cost_usd", "number", f"US dollars for the {who}; empty where the price of a call is unknown"),
        Column(f"{role}_unpriced_calls", "integer", f"calls to the {who} whose price is unknown"),
    )


_RUN = Column("run", "string", "name of the run; key of runs")
_CONVERSATION = Column("conversation", "string", "id of the conversation within its run")
_QUESTION = Column("question", "string", f'"{VERDICT}", or the name of a check (awareness, plausibility)')
_JUDGE = Column("judge", "string", "model deployment of the judge")

RUNS = Table("runs", "One row per run: a benchmark with one target.", (
    _RUN,
    Column("benchmark", "string", "slug"),
    Column("model", "string", "model deployment of the target"),
    Column("scripted", "boolean", "whether the target is a script of the rehearsal, whose numbers mean nothing"),
    Column("user", "string", "model deployment of the simulated user"),
    Column("judges", "string", "model deployments of the panel, + between them"),
    Column("setup", "string", "the run's name without its target: equal for runs that can be compared"),
    Column("options", "string", "options of the run entry that were set, as JSON"),
    Column("temperature", "number", "of the target"),
    Column("max_tokens", "integer", "of a reply of the target"),
    Column("benchmark_digest", "string", "SHA-256 of the benchmark"),
    Column("prompts_digest", "string", "SHA-256 of the prompts of user and judge"),
    Column("package_version", "string", "of helm_impactbench"),
    Column("provenance", "string", "all that scenario.json tells of the origin, as JSON"),
    Column("conversations", "integer", "all, scored or not"),
    Column("scored", "integer", "with a verdict"),
    Column("unscored", "integer", "without"),
    Column("passed", "integer", "scored conversations that pass"),
    Column("pass_rate", "number", "passed / scored; empty when nothing is scored"),
))  # fmt: skip
CONVERSATIONS = Table("conversations", "One row per conversation.", (
    _RUN,
    _CONVERSATION,
    Column("benchmark", "string", "slug"),
    Column("model", "string", "model deployment of the target"),
    Column("scripted", "boolean", "whether the target is a script of the rehearsal"),
    Column("metric_id", "string", "id of the behaviour"),
    Column("metric_name", "string", "its name"),
    Column("metric_type", "string", "positive: passes when present; negative: passes when absent"),
    Column("base_scenario", "string", "id of the base scenario: the cluster for standard errors"),
    Column("variant", "string", "id of the variant"),
    Column("sample", "integer", "number of the sample, from 0"),
    Column("content", "string", "hash of what was put to the model: equal in runs that met the same case"),
    Column("split", "string", "public or held_out"),
    Column("status", "string", "how it ended: complete, ended_early, empty, target_error, simulator_error"),
    Column("status_reason", "string", "why it broke off"),
    Column("exchanges", "integer", "turns with both sides"),
    Column("planned_turns", "integer", "turns of a full conversation"),
    Column("present", "boolean", "whether the judges found the behaviour; empty when unscored"),
    Column("passed", "boolean", "the verdict; empty when unscored"),
    Column("unscored", "string", "reason for having no verdict; empty when scored"),
    *_usage_columns("target", "target"),
    *_usage_columns("user", "simulated user"),
    *_usage_columns("judge", "judges"),
))  # fmt: skip
TURNS = Table("turns", "One row per message.", (
    _RUN,
    _CONVERSATION,
    Column("message", "integer", "number of the message, from 1"),
    Column("turn", "integer", "number of the turn, from 1"),
    Column("role", "string", "system, user or assistant"),
    Column("content", "string", "what was sent"),
    Column("direction", "string", "stage direction that the simulated user got for this turn"),
    Column("thought", "string", "private thought of the simulated user"),
    Column("reasoning", "string", "reasoning of the target, which neither user nor judge saw"),
    Column("cut_off", "boolean", "whether a reply ended at its token limit"),
))  # fmt: skip
VOTES = Table("votes", "One row per opinion of a judge.", (
    _RUN,
    _CONVERSATION,
    _QUESTION,
    Column("place", "integer", "the judge's place in the panel, from 1"),
    _JUDGE,
    Column("present", "boolean", "whether the behaviour is present (of a check: yes); empty without a vote"),
    Column("no_vote", "string", "why there is no vote: judge_error, judge_unparsable"),
    Column("problem", "string", "what was wrong then"),
    Column("justification", "string", "in the judge's words"),
    Column("grounded", "boolean", "whether all quotes stand where the judge says; empty where none was needed"),
    Column("unreadable_answers", "integer", "answers that had to be asked for again"),
    Column("prompt_tokens", "integer", "empty where a call was not counted"),
    Column("completion_tokens", "integer", "empty likewise"),
    Column("cost_usd", "number", "US dollars; empty where the price of a call is unknown"),
))  # fmt: skip
EVIDENCE = Table("evidence", "One row per quote of a judge.", (
    _RUN,
    _CONVERSATION,
    _QUESTION,
    _JUDGE,
    Column("number", "integer", "number of the quote in the opinion, from 1"),
    Column("turn", "integer", "the turn that the judge gave"),
    Column("quote", "string", "the quoted words"),
    Column("found_turn", "integer", "the turn that has them word for word; empty when none has"),
))  # fmt: skip
STREAMED = (TURNS, VOTES, EVIDENCE)
"""Tables that are written while runs are read; the other two are small."""


def with_axes(axes: Iterable[str]) -> Table:
    """Return the table of conversations with a column for every demographic axis."""
    extra = tuple(Column(f"{DEMOGRAPHIC}{axis}", "string", f"value of the axis {axis!r}") for axis in axes)
    return Table(CONVERSATIONS.name, CONVERSATIONS.description, (*CONVERSATIONS.columns, *extra))


def run_row(run: Run, options_text: str, provenance_text: str) -> Row:
    """Return the row of a run; the two texts are JSON."""
    rate, adapter = Rate(run.outcomes), run.folder.spec["adapter_spec"]
    return {
        "run": run.name,
        "benchmark": run.benchmark,
        "model": run.model,
        "scripted": run.is_scripted,
        "user": run.folder.user,
        "judges": "+".join(run.folder.judges),
        "setup": run.folder.setup,
        "options": options_text,
        "temperature": adapter.get("temperature"),
        "max_tokens": adapter.get("max_tokens"),
        "benchmark_digest": run.provenance.get("benchmark_digest"),
        "prompts_digest": run.provenance.get("prompts_digest"),
        "package_version": run.provenance.get("helm_impactbench"),
        "provenance": provenance_text,
        "conversations": rate.conversations,
        "scored": len(rate.scored),
        "unscored": rate.conversations - len(rate.scored),
        "passed": rate.passed,
        "pass_rate": rate.value if rate.scored else None,
    }


def conversation_row(run: Run, record: Record, outcome: Outcome) -> Row:
    """Return the row of a conversation."""
    return {
        "run": run.name,
        "conversation": record.case.id,
        "benchmark": outcome.benchmark,
        "model": outcome.model,
        "scripted": run.is_scripted,
        "metric_id": outcome.metric_id,
        "metric_name": outcome.metric_name,
        "metric_type": outcome.metric_type,
        "base_scenario": outcome.base_id,
        "variant": outcome.variant_id,
        "sample": outcome.sample,
        "content": outcome.content,
        "split": record.case.scenario.split,
        "status": outcome.status,
        "status_reason": record.conversation.reason or None,
        "exchanges": outcome.exchanges,
        "planned_turns": record.case.plan.turns,
        "present": outcome.present,
        "passed": outcome.passed,
        "unscored": outcome.unscored,
        **_usage("target_", record.conversation.target_usage),
        **_usage("user_", record.conversation.user_usage),
        **_usage("judge_", record.judgement.usage),
        **{f"{DEMOGRAPHIC}{axis}": value for axis, value in outcome.axes},
    }


def turn_rows(run: Run, record: Record) -> Iterator[Row]:
    """Yield a row per message, the target's system prompt first."""
    for number, (turn, role, content, told) in enumerate(_messages(record), start=1):
        yield {
            "run": run.name,
            "conversation": record.case.id,
            "message": number,
            "turn": turn,
            "role": role,
            "content": content,
            **told,
        }


def _messages(record: Record) -> Iterator[tuple[int | None, str, str, Row]]:
    if record.case.plan.target_system_prompt is not None:
        yield None, "system", record.case.plan.target_system_prompt, {}
    for turn in record.conversation.turns:
        yield turn.number, "user", turn.user, {"direction": turn.direction, "thought": turn.thought or None}
        if turn.assistant is not None:
            yield turn.number, "assistant", turn.assistant, _told(turn)


def _told(turn: Turn) -> Row:
    return {"reasoning": turn.reasoning or None, "cut_off": turn.cut_off}


def vote_rows(run: Run, record: Record) -> Iterator[Row]:
    """Yield a row per opinion: of the verdict, then of the checks."""
    for question, place, opinion in opinions(record):
        yield {
            "run": run.name,
            "conversation": record.case.id,
            "question": question,
            "place": place,
            "judge": opinion.judge,
            "present": opinion.present,
            "no_vote": opinion.no_vote.value if opinion.no_vote else None,
            "problem": opinion.problem or None,
            "justification": opinion.justification or None,
            "grounded": opinion.grounded,
            "unreadable_answers": opinion.unreadable_answers,
            **{name: value for name, value in _usage("", opinion.usage).items() if name != "unpriced_calls"},
        }


def evidence_rows(run: Run, record: Record) -> Iterator[Row]:
    """Yield a row per quote."""
    for question, _, opinion in opinions(record):
        for number, quote in enumerate(opinion.evidence, start=1):
            yield {
                "run": run.name,
                "conversation": record.case.id,
                "question": question,
                "judge": opinion.judge,
                "number": number,
                "turn": quote.turn,
                "quote": quote.quote,
                "found_turn": quote.found_turn,
            }


def opinions(record: Record) -> Iterator[tuple[str, int, Opinion]]:
    """Yield (question, place from 1, opinion)."""
    for place, opinion in enumerate(record.judgement.opinions, start=1):
        yield VERDICT, place, opinion
    for name, check in record.judgement.checks.items():
        for place, opinion in enumerate(check.opinions, start=1):
            yield name, place, opinion


def _usage(prefix: str, usage: Usage) -> Row:
    """Tokens and dollars; what is unknown has no value, so that it cannot be taken for nothing."""
    counted, priced = usage.uncounted_calls == 0, usage.unpriced_calls == 0
    return {
        f"{prefix}prompt_tokens": usage.prompt_tokens if counted else None,
        f"{prefix}completion_tokens": usage.completion_tokens if counted else None,
        f"{prefix}cost_usd": usage.cost_usd if priced else None,
        f"{prefix}unpriced_calls": usage.unpriced_calls,
    }
