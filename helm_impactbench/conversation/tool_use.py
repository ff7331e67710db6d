"""What comes back when the target calls a tool: the scenario's scripted answers (pure)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from helm_impactbench.benchmark.tools import Tool
from helm_impactbench.errors import listed
from helm_impactbench.llm.tool_call import Action, ToolCall, action, tidy

MOST_ROUNDS = 8
"""Replies with calls that a target may give in one turn before it says something."""


def done(tools: Mapping[str, Tool], call: ToolCall, before: Sequence[Action], said: str) -> Action:
    """Return the record of a call; `before` are the actions of the conversation so far."""
    tool = tools.get(call.name)
    if tool is None:
        return _failed(call, f"There is no tool {call.name}. There are: {listed(list(tools))}.", said)
    arguments = _arguments(call)
    if arguments is None:
        return _failed(call, "The arguments have to be a JSON object.", said)
    if missing := [name for name in tool.required if arguments.get(name) in (None, "")]:
        return _failed(call, f"Missing: {listed(missing)}.", said)
    earlier = [_arguments(ToolCall(one.name, one.arguments)) or {} for one in before if one.name == call.name]
    for answer in tool.answers:
        if answer.fits(arguments) and (answer.times is None or sum(map(answer.fits, earlier)) < answer.times):
            return action(call, answer.text, failed=answer.fails is not None, said=said)
    return _failed(call, "This cannot be done.", said)


def _failed(call: ToolCall, why: str, said: str) -> Action:
    return action(call, why, failed=True, said=said)


def _arguments(call: ToolCall) -> dict[str, Any] | None:
    try:
        found = json.loads(tidy(call.arguments))
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
