"""Divide deferred calls into files, and write each call as the provider reads it (pure)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from helm_impactbench.llm.quiet_litellm import litellm

MOST_REQUESTS = 50_000
MOST_BYTES = 200_000_000
"""OpenAI's limits for one batch; Azure's are not lower. A megabyte is taken as 1,000,000 bytes, the smaller reading."""
ENDPOINT = "/v1/chat/completions"
_NOT_PARAMETERS = frozenset({"model", "messages"})


@dataclass(frozen=True)
class WantedBatch:
    """A deferred call on its way into a batch."""

    id: str
    body: Mapping[str, Any]
    """As the provider takes it."""
    most_usd: float | None
    """What it costs at most; None when the price is unknown."""


@dataclass(frozen=True)
class BatchPart:
    """What becomes one file and one batch."""

    ids: tuple[str, ...]
    content: bytes
    """JSON lines in OpenAI's form."""
    most_usd: float | None
    """US dollars; None when a price is unknown."""


def parts(
    wanted: Iterable[WantedBatch], most_requests: int = MOST_REQUESTS, most_bytes: int = MOST_BYTES
) -> Iterator[BatchPart]:
    """Yield the calls of one deployment in as few parts as the provider's limits allow, in their order."""
    held: list[WantedBatch] = []
    lines: list[bytes] = []
    size = 0
    for call in wanted:
        line = line_of(call)
        if held and (len(held) == most_requests or size + len(line) > most_bytes):
            yield _part(held, lines)
            held, lines, size = [], [], 0
        held.append(call)
        lines.append(line)
        size += len(line)
    if held:
        yield _part(held, lines)


def wire_body(wire: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON body for arguments of litellm.completion, for a provider of OpenAI's protocol.

    It is what litellm would send: litellm renames what a model calls otherwise (max_tokens of reasoning models) and
    drops what it does not take.
    """
    model, provider, _, _ = litellm.get_llm_provider(wire["model"])
    parameters = {name: value for name, value in wire.items() if name not in _NOT_PARAMETERS}
    taken = litellm.get_optional_params(
        model=model, custom_llm_provider=provider, messages=wire["messages"], drop_params=True, **parameters
    )
    more = taken.pop("extra_body", None) or {}
    taken.pop("stream", None)  # litellm's default, which a batch has no use for
    return {"model": model, "messages": wire["messages"], **taken, **more}


def line_of(call: WantedBatch) -> bytes:
    """Return a call as a line of OpenAI's batch file."""
    line = {"custom_id": call.id, "method": "POST", "url": ENDPOINT, "body": call.body}
    return json.dumps(line).encode() + b"\n"


def _part(calls: list[WantedBatch], lines: list[bytes]) -> BatchPart:
    return BatchPart(tuple(call.id for call in calls), b"".join(lines), total_usd(call.most_usd for call in calls))


def total_usd(amounts: Iterable[float | None]) -> float | None:
    """Return the sum in US dollars, None when one of the amounts is unknown."""
    total = 0.0
    for amount in amounts:
        if amount is None:
            return None
        total += amount
    return total
