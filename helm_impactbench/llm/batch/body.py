"""A noted call as the provider takes it: what litellm would send, without sending it (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import litellm

_NOT_PARAMETERS = frozenset({"model", "messages"})


def wire_body(wire: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON body for arguments of litellm.completion, for a provider of OpenAI's protocol.

    litellm renames what a model calls otherwise (max_tokens of reasoning models) and drops what it does not take.
    """
    model, provider, _, _ = litellm.get_llm_provider(wire["model"])
    parameters = {name: value for name, value in wire.items() if name not in _NOT_PARAMETERS}
    taken = litellm.get_optional_params(
        model=model, custom_llm_provider=provider, messages=wire["messages"], drop_params=True, **parameters
    )
    more = taken.pop("extra_body", None) or {}
    taken.pop("stream", None)  # litellm's default, which a batch has no use for
    return {"model": model, "messages": wire["messages"], **taken, **more}
