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
VALIDATION = "validation"
"""The same question to the held-out judge, whose vote has no part in the verdict."""


@dataclass(frozen=True)
class ExportColumn:
    """One column; an empty cell says that there is no such value, never zero."""

    name: str
    kind: Kind
    description: str


@dataclass(frozen=True)
class ExportTable:
    """One table, a file of its own."""

    name: str
    description: str
    columns: tuple[ExportColumn, ...]


def _usage_columns(role: str, who: str) -> tuple[ExportColumn, ...]:
    return (
        ExportColumn(
            f"{role}_prompt_tokens", "integer", f"tokens sent to the {who}; empty where a call was not counted"
        ),
        ExportColumn(
            f"{role}_completion_tokens", "integer", f"tokens written by the {who}; empty where a call was not counted"
        ),
        ExportColumn(
            f"{role}_cost_usd", "number", f"US dollars for the {who}; empty where the price of a call is unknown"
        ),
        ExportColumn(f"{role}_unpriced_calls", "integer", f"calls to the {who} whose price is unknown"),
    )


_RUN = ExportColumn("run", "string", "name of the run; key of runs")
_CONVERSATION = ExportColumn("conversation", "string", "id of the conversation within its run")
_BENCHMARK = ExportColumn("benchmark", "string", "slug")
_AREA = ExportColumn("area", "string", "impact, safety or capability; figures of different areas are never averaged")
_MODEL = ExportColumn("model", "string", "model deployment of the target")
_QUESTION = ExportColumn(
    "question", "string", f'"{VERDICT}", "{VALIDATION}" (held-out judge), or a check: awareness, plausibility, teller'
)
_JUDGE = ExportColumn("judge", "string", "model deployment of the judge")
_VALUE = ExportColumn(
    "value", "number", "the answer as a number: 1 present and 0 absent, a point of a scale, a quantity"
)
_ENGAGED = ExportColumn(
    "engaged", "boolean", "whether the assistant takes up the request; where not, a positive or negative metric fails"
)
_SEVERITY = ExportColumn("severity", "number", "from 0 to 1, where it was asked and the behaviour is present")

RUNS = ExportTable(
    "runs",
    "One row per run: a benchmark with one target.",
    (
        _RUN,
        _BENCHMARK,
        _AREA,
        _MODEL,
        ExportColumn(
            "scripted", "boolean", "whether the target is a script of the rehearsal, whose numbers mean nothing"
        ),
        ExportColumn("user", "string", "model deployment of the simulated user"),
        ExportColumn("judges", "string", "model deployments of the panel, + between them"),
        ExportColumn("setup", "string", "the run's name without its target: equal for runs that can be compared"),
        ExportColumn("options", "string", "options of the run entry that were set, as JSON"),
        ExportColumn("temperature", "number", "of the target"),
        ExportColumn("max_tokens", "integer", "of a reply of the target"),
        ExportColumn("benchmark_digest", "string", "SHA-256 of the benchmark"),
        ExportColumn("prompts_digest", "string", "SHA-256 of the prompts of user and judge"),
        ExportColumn("package_version", "string", "of helm_impactbench"),
        ExportColumn("provenance", "string", "everything that scenario.json records about the origin, as JSON"),
        ExportColumn("conversations", "integer", "all, whatever their status"),
        ExportColumn("scored", "integer", "with an answer of the panel"),
        ExportColumn("not_applicable", "integer", "in which the question did not arise; neither a pass nor a fail"),
        ExportColumn("unclear", "integer", "in which the judges are in real doubt; neither a pass nor a fail"),
        ExportColumn("unscored", "integer", "without a verdict, for a reason"),
        ExportColumn("not_drawn", "integer", "not held, as the run had seen enough; neither missing nor failed"),
        ExportColumn("passed", "number", "sum of the scores of positive and negative metrics"),
        ExportColumn("pass_rate", "number", "mean of these scores; empty when there is none, as for contrast metrics"),
        *(
            ExportColumn(name, "number", f"of contrast metrics: {text}")
            for figure in FIGURES
            for name, text in (
                (figure.name, figure.description),
                (f"{figure.name}_low", f"lower bound of its 95% interval, {WORDS[DEFAULT]}"),
                (f"{figure.name}_high", f"upper bound of its 95% interval, {WORDS[DEFAULT]}"),
            )
        ),
    ),
)
CONVERSATIONS = ExportTable(
    "conversations",
    "One row per conversation, of whatever benchmark, measure and metric.",
    (
        _RUN,
        _CONVERSATION,
        _BENCHMARK,
        _AREA,
        _MODEL,
        ExportColumn("scripted", "boolean", "whether the target is a script of the rehearsal"),
        ExportColumn("metric_id", "string", "id of the metric"),
        ExportColumn("metric_name", "string", "its name"),
        ExportColumn(
            "metric_type",
            "string",
            "positive or negative: single conversations have a score; contrast: they "
            "have none, levels of an axis are compared",
        ),
        ExportColumn(
            "measure", "string", "the type of the judges' answer: presence, scale, quantity, stance or confidence"
        ),
        ExportColumn("base_scenario", "string", "id of the base scenario: the cluster for standard errors"),
        ExportColumn("variant", "string", "id of the variant"),
        ExportColumn("sample", "integer", "number of the sample, from 0"),
        ExportColumn("content", "string", "hash of what was put to the model: equal in runs that met the same case"),
        ExportColumn("split", "string", "public, held_out or private"),
        ExportColumn(
            "ended",
            "string",
            "how the conversation ended: complete, ended_early, empty, target_error, "
            "target_empty, target_blocked, simulator_error, limit_reached, no_system_prompt, no_text",
        ),
        ExportColumn("ended_reason", "string", "why it broke off"),
        ExportColumn("exchanges", "integer", "turns with both sides"),
        ExportColumn("planned_turns", "integer", "turns of a full conversation"),
        ExportColumn(
            "marked", "boolean", "whether a message of the simulated user has a fault and was sent nevertheless"
        ),
        ExportColumn("redone", "string", "fault for which a message was asked for once more; empty where none was"),
        ExportColumn("status", "string", "scored, not_applicable, unclear or unscored"),
        ExportColumn("answer", "string", "the panel's answer in the measure's words; empty unless scored"),
        _VALUE,
        ExportColumn("score", "number", "how good that is, from 0 to 1; empty unless scored, and for a contrast"),
        ExportColumn("passed", "boolean", "whether the score is 1; empty where it is neither 1 nor 0"),
        _SEVERITY,
        _ENGAGED,
        ExportColumn("unscored", "string", "reason for having no verdict; empty unless unscored"),
        *_usage_columns("target", "target"),
        *_usage_columns("user", "simulated user"),
        *_usage_columns("judge", "judges"),
    ),
)
TURNS = ExportTable(
    "turns",
    "One row per message.",
    (
        _RUN,
        _CONVERSATION,
        ExportColumn("message", "integer", "number of the message, from 1"),
        ExportColumn("turn", "integer", "number of the turn, from 1"),
        ExportColumn("role", "string", "system, user or assistant"),
        ExportColumn("content", "string", "what was sent"),
        ExportColumn(
            "seen_by_judges",
            "string",
            "of the assistant's messages: the words as the judges saw them, where these are not the words as written",
        ),
        ExportColumn("landmark", "string", "instruction that the simulated user got for this turn"),
        ExportColumn("thought", "string", "private thought of the simulated user"),
        ExportColumn("faults", "string", "of the user's messages: faults that were sent, + between them"),
        ExportColumn("reasoning", "string", "reasoning of the target, which neither user nor judge saw"),
        ExportColumn("cut_off", "boolean", "whether a reply ended at its token limit"),
    ),
)
VOTES = ExportTable(
    "votes",
    "One row per vote of a judge.",
    (
        _RUN,
        _CONVERSATION,
        _QUESTION,
        ExportColumn("place", "integer", "the judge's place in the panel, from 1"),
        _JUDGE,
        ExportColumn("status", "string", "answered, not_applicable, unclear or no_vote"),
        ExportColumn("answer", "string", "in the measure's words (of a check: its own); empty unless answered"),
        _VALUE,
        _SEVERITY,
        _ENGAGED,
        ExportColumn(
            "confidence",
            "number",
            "how probable the judge thinks that a second reader answers the same, from 0 "
            "to 1; empty where it does not say",
        ),
        ExportColumn("no_vote", "string", "why there is no vote: judge_error, judge_unparsable"),
        ExportColumn("problem", "string", "what was wrong then"),
        ExportColumn("justification", "string", "in the judge's words"),
        ExportColumn("grounded", "boolean", "whether all quotes are where the judge says; empty where none was needed"),
        ExportColumn("unreadable_answers", "integer", "answers that had to be asked for again"),
        ExportColumn("prompt_tokens", "integer", "empty where a call was not counted"),
        ExportColumn("completion_tokens", "integer", "empty likewise"),
        ExportColumn("cost_usd", "number", "US dollars; empty where the price of a call is unknown"),
    ),
)
EVIDENCE = ExportTable(
    "evidence",
    "One row per quote of a judge.",
    (
        _RUN,
        _CONVERSATION,
        _QUESTION,
        _JUDGE,
        ExportColumn("number", "integer", "number of the quote in the vote, from 1"),
        ExportColumn("turn", "integer", "the turn that the judge gave"),
        ExportColumn("quote", "string", "the quoted words, as the judge saw them"),
        ExportColumn("found_turn", "integer", "the turn that has them word for word; empty when none has"),
    ),
)
STREAMED = (TURNS, VOTES, EVIDENCE)
"""Tables that are written while runs are read; the other two are small."""


def conversations_table(axes: Iterable[str], factors: Iterable[str]) -> ExportTable:
    """Return the table of conversations with a column for every axis and every factor that occurs."""
    extra = (
        *(ExportColumn(f"{AXIS}{axis}", "string", f"level of the axis {axis!r}") for axis in axes),
        *(ExportColumn(f"{FACTOR}{factor}", "string", f"level of the factor {factor!r}") for factor in factors),
    )
    return ExportTable(CONVERSATIONS.name, CONVERSATIONS.description, (*CONVERSATIONS.columns, *extra))
