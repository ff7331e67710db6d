"""What a product's answer says: its reply, its session, its usage, or why it has none (pure)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from helm_impactbench.errors import listed
from helm_impactbench.llm.amounts import count
from helm_impactbench.llm.failures import PermanentCallError, one_line
from helm_impactbench.llm.secrets import without_secrets
from helm_impactbench.llm.tool_call import Action, ToolCall, action
from helm_impactbench.llm.usage_block import MOST_TOKENS
from helm_impactbench.targets.description import Product
from helm_impactbench.targets.paths import values_at

_OF_A_CALLABLE = "$.reply"


@dataclass(frozen=True)
class ProductAnswer:
    """An answer of status 2xx, or what a callable returned."""

    parts: Sequence[Any]
    """The body as data; of a stream, the data of its events."""

    def newest(self, path: str) -> Any:
        """Return what the newest part has at a path; None where none has anything."""
        found = (value for part in reversed(self.parts) for value in values_at(path, part))
        return next((value for value in found if value is not None), None)


def reply_in(answer: ProductAnswer, product: Product) -> str:
    """Return the text of a reply; empty where there is none. Raises PermanentCallError for what holds no reply."""
    if product.error is not None and (failed := answer.newest(product.error)):
        raise PermanentCallError(f"the product says that it has failed: {one_line(_written(failed))}")
    if product.function and len(answer.parts) == 1 and isinstance(answer.parts[0], str):
        return answer.parts[0]
    path = product.reply or _OF_A_CALLABLE
    found = [value for part in answer.parts for value in values_at(path, part)]
    if not found:
        raise PermanentCallError(f"the answer has nothing at {path} (reply); {_what_it_has(answer)}")
    wrong = next((value for value in found if value is not None and not isinstance(value, str)), None)
    if wrong is not None:
        raise PermanentCallError(f"at {path} (reply) stands a {_kind(wrong)} and no text")
    return "".join(value or "" for value in found)


def session_in(answer: ProductAnswer, path: str | None) -> str | None:
    """Return the session's id in an answer; None where it states none."""
    found = answer.newest(path) if path else None
    return None if found is None or found == "" else str(found)


def tokens_in(answer: ProductAnswer, product: Product) -> tuple[int, int] | None:
    """Return the tokens of (prompt, answer); None where they are not stated."""
    if product.usage is None:
        return None
    prompt = count(answer.newest(product.usage.prompt_tokens), MOST_TOKENS)
    completion = count(answer.newest(product.usage.completion_tokens), MOST_TOKENS)
    return None if prompt is None or completion is None else (prompt, completion)


def actions_in(answer: ProductAnswer, product: Product) -> tuple[Action, ...]:
    """Return what the product says that it has done. Raises PermanentCallError for events that cannot be read."""
    if product.tools is None:
        return ()
    found = [value for part in answer.parts for value in values_at(product.tools, part)]
    events = [event for value in found for event in (value if isinstance(value, list) else [value])]
    return tuple(_action(event, product.tools) for event in events if event is not None)


def _action(event: Any, path: str) -> Action:
    """Return an event {name, arguments, result}; `error` in place of a result where it failed."""
    name = event.get("name") if isinstance(event, Mapping) else None
    if not isinstance(name, str) or not name.strip():
        raise PermanentCallError(f"at {path} (tools) stands {one_line(_written(event), 60)}, and no event with a name")
    arguments, failed = event.get("arguments") or {}, event.get("error")
    result = failed or event.get("result")
    return action(
        ToolCall(without_secrets(name.strip()), without_secrets(_written(arguments))),
        "" if result is None else without_secrets(_written(result)),
        failed=bool(failed),
    )


def _what_it_has(answer: ProductAnswer) -> str:
    part = answer.parts[-1] if answer.parts else None
    if isinstance(part, Mapping):
        return f"it has {listed([one_line(str(name), 40) for name in part], 8) or 'nothing'}"
    return f"it is {'empty' if part is None else f'a {_kind(part)}'}"


def _kind(value: Any) -> str:
    names = {dict: "JSON object", list: "list", str: "text", bool: "truth value", int: "number", float: "number"}
    return names.get(type(value), type(value).__name__)


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
