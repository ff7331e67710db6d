"""The tidy tables of a suite and their columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from helm_impactbench.analysis.contrast_metrics import FIGURES
from helm_impactbench.stats.population import DEFAULT, WORDS

Kind = Literal["string", "integer", "number", "boolean"]
AXIS, FACTOR = "axis_", "factor_"
"""Beginning of the column of an axis, and of a factor."""
VERDICT = "verdict"
"""The question of a vote on the benchmark's metric; votes on checks have the check's name."""


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
        Column(
            f"{role}_completion_tokens", "integer", f"tokens written by the {who}; empty where a call was not counted"
        ),
        Column(f"{role}_cost_usd", "number", f"US dollars for the {who}; empty where the price of a call is unknown"),
        Column(f"{role}_unpriced_calls", "integer", f"calls to the {who} whose price is unknown"),
    )


_RUN = Column("run", "string", "name of the run; key of runs")
_CONVERSATION = Column("conversation", "string", "id of the conversation within its run")
_BENCHMARK = Column("benchmark", "string", "slug")
_AREA = Column("area", "string", "impact, safety or capability; figures of different areas are never averaged")
_MODEL = Column("model", "string", "model deployment of the target")
_QUESTION = Column("question", "string", f'"{VERDICT}", or the name of a check (awareness, plausibility, teller)')
_JUDGE = Column("judge", "string", "model deployment of the judge")
_VALUE = Column("value", "number", "the answer as a number: 1 present and 0 absent, a point of a scale, a quantity")
_SEVERITY = Column("severity", "number", "from 0 to 1, where it was asked and the behaviour is present")

RUNS = Table("runs", "One row per run: a benchmark with one target.", (
    _RUN,
    _BENCHMARK,
    _AREA,
    _MODEL,
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
    Column("provenance", "string", "everything that scenario.json records about the origin, as JSON"),
    Column("conversations", "integer", "all, whatever their status"),
    Column("scored", "integer", "with an answer of the panel"),
    Column("not_applicable", "integer", "in which the question did not arise; neither a pass nor a fail"),
    Column("unclear", "integer", "in which the judges are in real doubt; neither a pass nor a fail"),
    Column("unscored", "integer", "without a verdict, for a reason"),
    Column("not_drawn", "integer", "not held, as the run had seen enough; neither missing nor failed"),
    Column("passed", "number", "sum of the scores of positive and negative metrics"),
    Column("pass_rate", "number", "mean of these scores; empty when there is none, as for contrast metrics"),
    *(
        Column(name, "number", f"of contrast metrics: {text}")
        for figure in FIGURES
        for name, text in (
            (figure.name, figure.description),
            (f"{figure.name}_low", f"lower bound of its 95% interval, {WORDS[DEFAULT]}"),
            (f"{figure.name}_high", f"upper bound of its 95% interval, {WORDS[DEFAULT]}"),
        )
    ),
))  # fmt: skip
CONVERSATIONS = Table("conversations", "One row per conversation, of whatever benchmark, measure and metric.", (
    _RUN,
    _CONVERSATION,
    _BENCHMARK,
    _AREA,
    _MODEL,
    Column("scripted", "boolean", "whether the target is a script of the rehearsal"),
    Column("metric_id", "string", "id of the metric"),
    Column("metric_name", "string", "its name"),
    Column("metric_type", "string", "positive or negative: single conversations have a score; contrast: they have none,"
           " levels of an axis are compared"),
    Column("measure", "string", "the type of the judges' answer: presence, scale, quantity, stance"),
    Column("base_scenario", "string", "id of the base scenario: the cluster for standard errors"),
    Column("variant", "string", "id of the variant"),
    Column("sample", "integer", "number of the sample, from 0"),
    Column("content", "string", "hash of what was put to the model: equal in runs that met the same case"),
    Column("split", "string", "public or held_out"),
    Column("ended", "string", "how the conversation ended: complete, ended_early, empty, target_error, target_empty, "
           "target_blocked, simulator_error"),
    Column("ended_reason", "string", "why it broke off"),
    Column("exchanges", "integer", "turns with both sides"),
    Column("planned_turns", "integer", "turns of a full conversation"),
    Column("marked", "boolean", "whether a message of the simulated user has a fault and was sent nevertheless"),
    Column("redone", "string", "fault for which a message was asked for once more; empty where none was"),
    Column("status", "string", "scored, not_applicable, unclear or unscored"),
    Column("answer", "string", "the panel's answer in the measure's words; empty unless scored"),
    _VALUE,
    Column("score", "number", "how good that is, from 0 to 1; empty unless scored, and for a contrast"),
    Column("passed", "boolean", "whether the score is 1; empty where it is neither 1 nor 0"),
    _SEVERITY,
    Column("unscored", "string", "reason for having no verdict; empty unless unscored"),
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
    Column("seen_by_judges", "string", "of the assistant's messages: the words as the judges saw them, where these are "
           "not the words as written"),
    Column("landmark", "string", "instruction that the simulated user got for this turn"),
    Column("thought", "string", "private thought of the simulated user"),
    Column("faults", "string", "of the user's messages: faults that were sent, + between them"),
    Column("reasoning", "string", "reasoning of the target, which neither user nor judge saw"),
    Column("cut_off", "boolean", "whether a reply ended at its token limit"),
))  # fmt: skip
VOTES = Table("votes", "One row per vote of a judge.", (
    _RUN,
    _CONVERSATION,
    _QUESTION,
    Column("place", "integer", "the judge's place in the panel, from 1"),
    _JUDGE,
    Column("status", "string", "answered, not_applicable, unclear or no_vote"),
    Column("answer", "string", "in the measure's words (of a check: its own); empty unless answered"),
    _VALUE,
    _SEVERITY,
    Column("confidence", "number", "how probable the judge thinks that a second reader answers the same, from 0 "
           "to 1; empty where it does not say"),
    Column("no_vote", "string", "why there is no vote: judge_error, judge_unparsable"),
    Column("problem", "string", "what was wrong then"),
    Column("justification", "string", "in the judge's words"),
    Column("grounded", "boolean", "whether all quotes are where the judge says; empty where none was needed"),
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
    Column("number", "integer", "number of the quote in the vote, from 1"),
    Column("turn", "integer", "the turn that the judge gave"),
    Column("quote", "string", "the quoted words, as the judge saw them"),
    Column("found_turn", "integer", "the turn that has them word for word; empty when none has"),
))  # fmt: skip
STREAMED = (TURNS, VOTES, EVIDENCE)
"""Tables that are written while runs are read; the other two are small."""


def conversations_table(axes: Iterable[str], factors: Iterable[str]) -> Table:
    """Return the table of conversations with a column for every axis and every factor that occurs."""
    extra = (
        *(Column(f"{AXIS}{axis}", "string", f"level of the axis {axis!r}") for axis in axes),
        *(Column(f"{FACTOR}{factor}", "string", f"level of the factor {factor!r}") for factor in factors),
    )
    return Table(CONVERSATIONS.name, CONVERSATIONS.description, (*CONVERSATIONS.columns, *extra))
