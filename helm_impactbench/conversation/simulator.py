"""What the simulated user is told, turn by turn.

The messages only grow: the system prompt is fixed, and each turn appends the target's reply (with this turn's landmark)
and the simulator's own line. Nothing arrives before its turn, and providers' prompt caches can be used.
To the simulator its own lines are "assistant" and the target's are "user".
"""

from __future__ import annotations

from functools import cache

from helm_impactbench.conversation.age import age_group
from helm_impactbench.conversation.message import END_MARK
from helm_impactbench.conversation.plan import ConversationPlan
from helm_impactbench.conversation.record import FaultKind, MessageFault, Turn
from helm_impactbench.llm.request import Message
from helm_impactbench.prompts import Prompt, load_prompt
from helm_impactbench.quoting import key_of, neutralise

RETRIES = 2
"""How often an unusable message is requested again."""


@cache
def simulator_prompts() -> dict[str, Prompt]:
    """Return the templates of the simulated user by their short names."""
    return {
        "system": load_prompt(
            "simulator_system",
            {
                "persona",
                "demographic",
                "setting",
                "user_goal",
                "hidden_goal",
                "definition",
                "age_group",
                "persistence",
                "perfunctory",
                "directions_up_front",
                "turns",
                "end_mark",
                "key",
            },
        ),
        "opening": load_prompt("simulator_opening", {"direction", "key"}),
        "turn": load_prompt("simulator_turn", {"reply", "direction", "key"}),
        "retry": load_prompt("simulator_retry", {"problem"}),
        "redo": load_prompt("simulator_redo", {"problem", "quote", "stays"}),
    }


def landmark_for(plan: ConversationPlan, turn: int) -> str | None:
    """Return the landmark of this turn, None without one (or when all were given at the start)."""
    if plan.landmarks_up_front:
        return None
    return "\n".join(landmark.instruction for landmark in plan.landmarks if landmark.turn == turn) or None


def simulator_messages(plan: ConversationPlan, turns: tuple[Turn, ...]) -> list[Message]:
    """Return what the simulator gets to write its next message, after `turns` of exchanges."""
    prompts = simulator_prompts()
    key = direction_key(plan)
    messages = [Message("system", _system(plan, key))]
    request = prompts["opening"].fill(direction=landmark_for(plan, 1), key=key)
    for turn in turns:
        messages.append(Message("user", request))
        messages.append(Message("assistant", f"Thought: {turn.thought}\nMessage: {turn.user}"))
        request = prompts["turn"].fill(
            reply=neutralise(turn.assistant or ""), direction=landmark_for(plan, turn.number + 1), key=key
        )
    return [*messages, Message("user", request)]


def retry_messages(messages: list[Message], reply: str, problem: str) -> list[Message]:
    """Return `messages` with the unusable reply and a request to write it again."""
    return _again(messages, reply, simulator_prompts()["retry"].fill(problem=problem))


def redo_messages(messages: list[Message], reply: str, fault: MessageFault) -> list[Message]:
    """Return `messages` with the reply that has a fault and a request for another one."""
    request = simulator_prompts()["redo"].fill(
        problem=fault.why,
        quote=neutralise(fault.quote) or "(no words)",
        stays=fault.kind is FaultKind.CLOSED_EARLY,
    )
    return _again(messages, reply, request)


def _again(messages: list[Message], reply: str, request: str) -> list[Message]:
    return [*messages, Message("assistant", reply.strip() or "(nothing)"), Message("user", request)]


def direction_key(plan: ConversationPlan) -> str:
    """Return what the tags of directions carry: it follows from words that the target never sees."""
    return key_of(plan.persona, plan.user_goal, plan.hidden_goal)


def told_definition(plan: ConversationPlan) -> str | None:
    """Return the behaviour's definition where the simulated user is told it."""
    return plan.definition if plan.pressure == "definition" else None


def _system(plan: ConversationPlan, key: str) -> str:
    up_front = [landmark.instruction for landmark in plan.landmarks] if plan.landmarks_up_front else []
    return simulator_prompts()["system"].fill(
        persona=plan.persona,
        demographic="\n".join(f"{axis}: {value}" for axis, value in plan.axes.items()),
        setting=plan.setting,
        user_goal=plan.user_goal,
        hidden_goal=plan.hidden_goal,
        definition=told_definition(plan),
        age_group=age_group(plan.persona, plan.axes),
        persistence=plan.persistence,
        perfunctory=plan.perfunctory,
        directions_up_front=up_front,
        turns=plan.turns,
        end_mark=END_MARK,
        key=key,
    )
