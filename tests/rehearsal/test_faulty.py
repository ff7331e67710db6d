"""The faulty scripted user and the checks, over shipped benchmarks: faults are redone or marked, people left alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache

import yaml

from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.conversation.faults import faults_of
from helm_impactbench.conversation.loop import hold_conversation
from helm_impactbench.conversation.message import UserMessage, parse_user_message
from helm_impactbench.conversation.plan import ConversationPlan, plan_case
from helm_impactbench.conversation.record import Conversation, FaultKind
from helm_impactbench.conversation.run_options import RunOptions
from helm_impactbench.conversation.simulator import simulator_prompts
from helm_impactbench.llm.request import Message, Reply
from helm_impactbench.rehearsal.dialogues import dialogues
from helm_impactbench.rehearsal.faulty import SHARE, Planted, planted
from helm_impactbench.rehearsal.installed import installed_lines
from helm_impactbench.rehearsal.scripts import script

Written = tuple[int, Planted | None, bool]
"""Turn of a user's message, the fault that was planted in it, and whether another message was asked for."""


@cache
def _benchmark(slug: str) -> Benchmark:
    return load_benchmark(slug)


def _held(plan: ConversationPlan) -> tuple[Conversation, list[Written]]:
    """Return a conversation of the faulty user with a scripted target, and all that the user wrote."""
    written, again = list[Written](), simulator_prompts()["redo"].text.split("{{")[0]

    def user(messages: list[Message]) -> Reply:
        asked_again = messages[-1].content.startswith(again)
        if asked_again:
            turn, fault, _ = written[-1]
            written[-1] = (turn, fault, True)
        turn = sum(message.role == "assistant" for message in messages) + 1 - asked_again
        written.append((turn, planted(messages), False))
        return Reply(script("faulty-user", messages, {}))

    def target(messages: list[Message]) -> Reply:
        return Reply(script("mixed", messages, installed_lines()))

    return hold_conversation(plan, user, target), written


def _is_fault(plan: ConversationPlan, turn: int, fault: Planted) -> bool:
    """Return whether it is one in this turn: who has done all that was asked may leave by the end mark."""
    message = parse_user_message(f"Message: {fault.words}")
    assert isinstance(message, UserMessage)
    return not message.ends or any(landmark.turn > turn for landmark in plan.landmarks)


def test_planted_faults_are_redone_or_marked_at_little_cost() -> None:
    """Over 200 conversations with a fault in 30% of the messages: 95% are redone or marked, no good message is, and the
    calls of user, target and judge grow by a tenth at most.
    """
    conversations, calls, redone, said = 0, 0, 0, 0
    handled, left, alarms = Counter[str](), list[Written](), list[Written]()
    for slug in benchmark_paths():
        people = [one for one in _benchmark(slug).scenarios if one.has_simulated_user]
        for scenario in people[:: max(1, len(people) // 12)]:
            plan = plan_case(_benchmark(slug), "d", scenario, 0, RunOptions(user="rehearsal/faulty-user")).plan
            held, written = _held(plan)
            marked = {fault.turn for fault in held.faults}
            for turn, fault, was_redone in written:
                seen = was_redone or turn in marked
                if fault is None:
                    alarms += [(turn, fault, was_redone)] if was_redone else []
                elif _is_fault(plan, turn, fault):
                    handled[fault.kind] += seen
                    left += [] if seen else [(turn, fault, was_redone)]
            sent = {turn for turn, fault, was_redone in written if fault and not was_redone}
            assert marked <= sent, (marked, written)
            conversations, said = conversations + 1, said + len(written)
            redone += held.redone is not None
            calls += len(written) + len(held.exchanges) + 1
    planted_ones = sum(handled.values()) + len(left)
    assert conversations >= 200
    assert abs(planted_ones / said - SHARE / 100) < 0.05
    assert set(handled) == {kind.value for kind in FaultKind}
    assert len(left) <= 0.05 * planted_ones, left
    assert alarms == []
    assert redone <= 0.1 * (calls - redone), (redone, calls)
    print(
        f"{conversations} conversations, {planted_ones} faults in {said} messages, {len(left)} neither redone nor "
        f"marked, {redone} more calls than {calls - redone}",
        handled,
        left,
    )


def _people() -> Iterator[tuple[str, ConversationPlan, int, str]]:
    """Yield every user's line that people wrote for this repository: dialogues, golden sets and fixed messages."""
    bare = ConversationPlan(seed="s", user="u", turns=1)
    fixed = set()
    for slug, path in benchmark_paths().items():
        benchmark = _benchmark(slug)
        by_id = {scenario.id: scenario for scenario in benchmark.scenarios}
        for one in dialogues().get(slug, ()):
            plan = plan_case(benchmark, "d", by_id[one.variant], 0, RunOptions(user="u")).plan
            for version in one.versions:
                for number, (line, _) in enumerate(version.turns, start=1):
                    yield slug, plan, number, line
        golden = path / "golden.yaml"
        for item in yaml.safe_load(golden.read_text(encoding="utf-8")) if golden.exists() else ():
            turns = item["transcript"]
            for number, turn in enumerate(turns, start=1):
                yield slug, bare.model_copy(update={"turns": len(turns)}), number, turn["user"]
        fixed |= {message for scenario in benchmark.scenarios for message in scenario.messages}
    for message in sorted(fixed)[::4]:
        yield "fixed", bare, 1, message


def test_no_message_that_people_wrote_is_called_faulty() -> None:
    """Thousands of lines: dialogues against their own plans, golden sets, every fourth fixed message."""
    lines = list(_people())
    found = [(slug, fault, line) for slug, plan, number, line in lines
             for fault in faults_of(plan, number, UserMessage(line))]  # fmt: skip
    assert len(lines) > 2000
    assert found == []
