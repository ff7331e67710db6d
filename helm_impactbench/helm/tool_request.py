"""A request of HELM's that carries tools, which HELM has no field for; only our own clients read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from helm.common.request import Request


@dataclass(frozen=True)
class ToolRequest(Request):
    """A request with the definitions of tools that the model may call."""

    tools: tuple[Mapping[str, Any], ...] = ()
    """In OpenAI's shape."""


def tools_in(request: Request) -> Sequence[Mapping[str, Any]]:
    """Return the tools that a request carries."""
    return request.tools if isinstance(request, ToolRequest) else ()
