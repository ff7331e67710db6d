"""A chat completion as a server sends it, brought into the shape that litellm reads (pure).

Servers write the words of an answer as a text, a list of parts or a number, and leave fields out or put odd values into
them. Litellm refuses such answers, which are paid for all the same, and checks and keeps each field of the others.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from helm_impactbench.files.json_fields import Fields, First, read_fields
from helm_impactbench.llm.tool_call import ToolCall, wire_call
from helm_impactbench.llm.usage_block import sound_usage

MOST_WORDS = 2_000_000
"""Characters of an answer that are kept. The longest that models write are half of it; the rest is cut off, and the
answer ends for the same reason as at a limit of tokens."""
MOST_CALLS = 32
"""Calls of tools in an answer that are kept."""
_MOST_REASON = 100
_MESSAGE: Fields = dict.fromkeys(
    ("content", "refusal", "reasoning_content", "reasoning", "tool_calls", "function_call", "text")
)
_FIELDS: Fields = {
    **dict.fromkeys(("id", "created", "model", "system_fingerprint", "usage", "error")),
    "choices": First({"message": _MESSAGE, "finish_reason": None, "text": None}),
}
_THOUGHTS = {"thinking", "reasoning", "thought"}
"""What the parts of an answer are called that hold reasoning."""


class UnreadableAnswerError(ValueError):
    """A whole answer without anything in it that could be taken for a model's words; its text says why."""


def sound_chat(body: bytes) -> bytes:
    """Return a chat completion with the fields that we use, in the shape that litellm reads.

    Raises UnreadableAnswerError.
    """
    answer = _read(body)
    if not isinstance(answer, dict):
        raise UnreadableAnswerError(f"it is {_kind(answer)} where a chat completion is expected")
    choice = _choice(answer)
    sound: dict[str, Any] = {
        "id": _text(answer.get("id")),
        "object": "chat.completion",
        "created": answer["created"] if type(answer.get("created")) is int else 0,
        "choices": [choice],
        "usage": sound_usage(answer.get("usage")),
    }
    names = {name: value for name in ("model", "system_fingerprint") if (value := _text(answer.get(name)))}
    return json.dumps({**sound, **names}).encode()


def is_complete(body: bytes) -> bool:
    """Return whether a body holds a whole JSON object, which cannot be the beginning of a longer one."""
    try:
        return body.rstrip().endswith(b"}") and isinstance(read_fields(_decoded(body), {}), dict)
    except (ValueError, RecursionError):
        return False


def _read(body: bytes) -> Any:
    try:
        return read_fields(_decoded(body), _FIELDS)
    except (ValueError, RecursionError) as error:
        begin = _decoded(body[:80]).strip()
        raise UnreadableAnswerError(f"it is not JSON that can be read ({error}): {begin!r}") from error


def _decoded(body: bytes) -> str:
    return body.decode(json.detect_encoding(body), "replace")


def _choice(answer: Mapping[str, Any]) -> dict[str, Any]:
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, Mapping):
        raise UnreadableAnswerError(_why_none(answer, "it holds no choice"))
    message = choice.get("message")
    if not isinstance(message, Mapping):
        message = {"content": message if isinstance(message, str) else choice.get("text")}
        if message["content"] is None:
            raise UnreadableAnswerError(_why_none(answer, "its choice holds no message"))
    sound = _message(message)
    reason = _text(choice.get("finish_reason"))[:_MOST_REASON] or None
    if len(sound["content"] or "") > MOST_WORDS:
        sound["content"], reason = sound["content"][:MOST_WORDS], "length"
    return {"index": 0, "message": sound, "finish_reason": reason}


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    if content is None and isinstance(message.get("text"), str):
        content = message["text"]
    words = _words(content)
    sound: dict[str, Any] = {"role": "assistant", "content": words}
    thoughts = "".join(_texts(content, thoughts=True)) if isinstance(content, list) else ""
    for name in ("reasoning_content", "reasoning"):
        thoughts = thoughts or "".join(_texts(message.get(name), thoughts=False))
    if thoughts:
        sound["reasoning_content"] = thoughts[:MOST_WORDS]
    if refusal := _text(message.get("refusal")):
        sound["refusal"] = refusal
    if message.get("tool_calls") or message.get("function_call"):
        sound["tool_calls"] = _tool_calls(message)
    return sound


def _words(content: object) -> str | None:
    """Return the words of a message's content, None where it is null."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, (int, float)) and not isinstance(content, bool):
        return json.dumps(content)
    if isinstance(content, list) or (isinstance(content, Mapping) and "text" in content):
        return "".join(_texts(content, thoughts=False))
    raise UnreadableAnswerError(f"its content is {_kind(content)}")


def _texts(content: object, *, thoughts: bool) -> Iterator[str]:
    """Yield the texts of the parts of an answer: those of its reasoning, or all others."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            if (isinstance(part, Mapping) and part.get("type") in _THOUGHTS) == thoughts:
                yield from _texts(part, thoughts=False)
    elif isinstance(content, Mapping):
        text = next((content[name] for name in ("text", "thinking", "reasoning") if content.get(name)), None)
        text = text.get("value") if isinstance(text, Mapping) else text
        yield from _texts(text, thoughts=False)


def _tool_calls(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the calls of tools in OpenAI's shape; their ids are ours, by which we tell of them later."""
    calls = message.get("tool_calls")
    found = calls[:MOST_CALLS] if isinstance(calls, list) and calls else [{"function": message.get("function_call")}]
    return [wire_call(_tool_call(call), f"call_{place}") for place, call in enumerate(found, start=1)]


def _tool_call(call: object) -> ToolCall:
    function = call.get("function") if isinstance(call, Mapping) else None
    named: Mapping[str, Any] = function if isinstance(function, Mapping) else {}
    given = named.get("arguments")
    arguments = _text(given) or (json.dumps(given) if isinstance(given, Mapping) else "{}")
    return ToolCall(_text(named.get("name"))[:_MOST_REASON] or "unknown", arguments[:MOST_WORDS])


def _why_none(answer: Mapping[str, Any], otherwise: str) -> str:
    """Return the error that some servers put into an answer of status 200, else what is missing."""
    error = answer.get("error")
    message = error.get("message") if isinstance(error, Mapping) else error
    return f"it holds an error: {message}" if isinstance(message, str) and message else otherwise


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")
