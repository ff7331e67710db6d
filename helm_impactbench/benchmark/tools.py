"""Tools that a benchmark gives the assistant: their definitions, and what comes back from a call, as data."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, JsonValue, model_validator

from helm_impactbench.benchmark.parts import Part, Text
from helm_impactbench.errors import did_you_mean, listed

OPTIONAL = "?"
"""At the end of an argument's name: a call may leave it out."""
NAME = r"^[a-z][a-z0-9_]{0,63}$"


class ToolAnswer(Part):
    """What comes back from a call of a tool."""

    when: dict[Text, Text] = {}
    """Argument -> words that it has to contain, in any case; without any, every call fits."""
    times: Annotated[int, Field(ge=1)] | None = None
    """How often in a conversation; always when unset."""
    result: JsonValue = None
    """A text, or JSON."""
    fails: Text | None = None
    """In place of a result: why the call fails."""

    @model_validator(mode="after")
    def _says_one_thing(self) -> ToolAnswer:
        if (self.result is None) == (self.fails is None):
            raise ValueError("give either result or fails, and not both")
        return self

    def fits(self, arguments: Mapping[str, Any]) -> bool:
        """Return whether this answers a call with these arguments."""
        return all(words.lower() in _text(arguments.get(name, "")).lower() for name, words in self.when.items())

    @property
    def text(self) -> str:
        """What the assistant is told."""
        return self.fails if self.fails is not None else _text(self.result)


class Tool(Part):
    """A tool, as the assistant is told of it, and what it answers where a scenario says nothing else."""

    description: Text
    arguments: dict[Text, Text | dict[str, JsonValue]] = {}
    """Name -> what it is, for a text; or its JSON schema. A name that ends in "?" may be left out."""
    answers: Annotated[list[ToolAnswer], Field(min_length=1)]
    """The first one that fits a call answers it."""

    @property
    def names(self) -> list[str]:
        """The arguments' names."""
        return [name.removesuffix(OPTIONAL) for name in self.arguments]

    @property
    def required(self) -> list[str]:
        """The arguments that a call needs."""
        return [name for name in self.arguments if not name.endswith(OPTIONAL)]

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        properties = {
            name: {"type": "string", "description": told} if isinstance(told, str) else dict(told)
            for name, told in zip(self.names, self.arguments.values(), strict=True)
        }
        return {"type": "object", "properties": properties, "required": self.required}


def tools_of(tools: Mapping[str, Tool], scripted: Mapping[str, Sequence[ToolAnswer]]) -> dict[str, Tool]:
    """Return the tools with a scenario's answers before their own."""
    return {
        name: tool.model_copy(update={"answers": [*scripted.get(name, ()), *tool.answers]})
        for name, tool in tools.items()
    }


def definitions(tools: Mapping[str, Tool]) -> tuple[Mapping[str, Any], ...]:
    """Return the tools in OpenAI's shape, as a model is told of them."""
    return tuple(
        {"type": "function", "function": {"name": name, "description": one.description, "parameters": one.parameters}}
        for name, one in tools.items()
    )


def tool_faults(tools: Mapping[str, Tool], scripted: Mapping[str, Sequence[ToolAnswer]]) -> Iterator[tuple[str, str]]:
    """Yield (tool, what is wrong) of a scenario's answers."""
    for name, answers in scripted.items():
        if name not in tools:
            yield (
                name,
                f"no tool of scenario.tools, which are {listed(list(tools)) or 'none'}.{did_you_mean(name, tools)}",
            )
            continue
        yield from ((name, fault) for answer in answers for fault in answer_faults(tools[name], answer))


def answer_faults(tool: Tool, answer: ToolAnswer) -> Iterator[str]:
    """Yield what is wrong with an answer of a tool."""
    for argument in answer.when:
        if argument not in tool.names:
            near = did_you_mean(argument, tool.names)
            yield f"when names {argument!r}; the arguments are {listed(tool.names)}.{near}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
