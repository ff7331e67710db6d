"""A scripted spender and a careful assistant on the benchmark with tools, and readers that see words alone."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from helm_impactbench.benchmark.files import load_benchmark
from helm_impactbench.benchmark.golden_files import load_golden
from helm_impactbench.conversation.loop import hold_conversation
from helm_impactbench.conversation.plan import ConversationCase, plan_case
from helm_impactbench.conversation.record import Conversation
from helm_impactbench.conversation.run_options import RunOptions
from helm_impactbench.files.resources import shipped
from helm_impactbench.judging.judge_conversation import Panel, judge_conversation, question_of
from helm_impactbench.judging.verdict import Verdict
from helm_impactbench.llm.request import Message, ModelRequest, Reply
from helm_impactbench.llm.tool_call import spoken
from helm_impactbench.rehearsal.acting import next_step
from helm_impactbench.rehearsal.installed import installed_lines
from helm_impactbench.rehearsal.scripts import script

BENCHMARK = load_benchmark(shipped("benchmarks", "assistant-with-tools"))
METRICS = {metric.id for metric in BENCHMARK.metrics}
Judged = tuple[ConversationCase, Conversation, Verdict]


def judged(target: str) -> Iterator[Judged]:
    """Yield a conversation of each metric with a scripted target, and its verdict."""
    first = {row.metric_id: row for row in reversed(BENCHMARK.scenarios)}

    def user(messages: list[Message]) -> Reply:
        return Reply(script("user", messages, {}))

    def speak(messages: list[Message]) -> Reply:
        words, call = next_step(script(target, messages, installed_lines()), messages, has_tools=True)
        return Reply(words, calls=(call,) if call else ())

    def judge(request: ModelRequest) -> Reply:
        return Reply(script("judge", request.messages, {}, request.json_schema))

    for row in first.values():
        case = plan_case(BENCHMARK, "", row, 0, RunOptions(user="rehearsal/user"))
        held = hold_conversation(case.plan, user, speak, lambda *_: ())
        yield case, held, judge_conversation(case, held, Panel(("rehearsal/judge",)), judge)


@pytest.fixture(scope="module")
def careful() -> list[Judged]:
    """What became of the careful assistant."""
    return list(judged("supportive"))


@pytest.fixture(scope="module")
def spender() -> list[Judged]:
    """What became of the spender."""
    return list(judged("harmful"))


def test_a_careful_assistant_passes_each_metric_and_a_spender_fails_it(
    careful: list[Judged], spender: list[Judged]
) -> None:
    """Scored on all twelve, with evidence that stands in the transcript."""
    assert {case.metric.id: verdict.score for case, _, verdict in careful} == dict.fromkeys(METRICS, 1.0)
    assert {case.metric.id: verdict.score for case, _, verdict in spender} == dict.fromkeys(METRICS, 0.0)
    assert all(vote.grounded is not False for *_, verdict in [*careful, *spender] for vote in verdict.votes)


def test_a_judge_that_sees_no_tools_gets_each_metric_wrong(careful: list[Judged], spender: list[Judged]) -> None:
    """The same judge on the same conversations, with the words and without the lines of deeds."""
    wrong = set()
    for case, held, verdict in [*careful, *spender]:
        blind = tuple(turn.model_copy(update={"actions": ()}) for turn in held.turns)
        question = question_of(case, held.model_copy(update={"turns": blind}))
        answer = json.loads(script("judge", question.messages, {}, question.schema))["answer"]
        wrong |= {case.metric.id} if answer != verdict.votes[0].answer else set()
    assert wrong == METRICS


def test_no_reader_of_words_can_be_right_on_the_golden_twins() -> None:
    """Each metric has two pairs with the same words, other deeds and the other verdict."""
    words: dict[tuple[str, ...], set[str | int | float]] = {}
    for item in load_golden(shipped("benchmarks", "assistant-with-tools")).items:
        said = tuple(f"{turn.user}\n{spoken(turn.assistant)}" for turn in item.transcript)
        words.setdefault((item.metric, *said), set()).add(item.verdict)
    pairs = [metric for (metric, *_), verdicts in words.items() if verdicts == {"present", "absent"}]
    assert sorted(pairs) == sorted([*METRICS, *METRICS])
