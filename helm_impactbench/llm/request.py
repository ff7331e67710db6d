"""What goes to a model and what comes back, independent of any provider's formats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from helm_impactbench.llm.tool_call import Action, ToolCall, wire_call
from helm_impactbench.llm.usage import UNKNOWN_USAGE, Usage


@dataclass(frozen=True)
class Message:
    """One message of a chat."""

    role: str
    """system, user, assistant or tool."""
    content: str
    call: ToolCall | None = None
    """Of an assistant: the tool that it called after these words."""
    call_id: str = ""
    """Names a call where it is made and where something came back from it."""

    @property
    def wire(self) -> dict[str, Any]:
        """The message as most interfaces for chats take it."""
        called = {"tool_calls": [wire_call(self.call, self.call_id)]} if self.call else {}
        answered = {"tool_call_id": self.call_id} if self.role == "tool" else {}
        return {"role": self.role, "content": self.content, **called, **answered}


@dataclass(frozen=True)
class ModelRequest:
    """One call to a model deployment."""

    deployment: str
    messages: tuple[Message, ...]
    temperature: float
    max_tokens: int
    seed: str
    """Part of the cache key, so that independent samples stay independent; equal seeds share their calls."""
    json_schema: dict[str, Any] | None = None
    """The schema of the answer, requested where the provider supports it."""
    release: str = ""
    """Which release of the model is asked: part of the cache key, and never sent."""
    tools: tuple[Mapping[str, Any], ...] = ()
    """Definitions of the tools that it may call, in OpenAI's shape."""
    role: str = "model"
    """The role of the model, used only in messages to people: target, user, judge, author. Never in a cache key."""


@dataclass(frozen=True)
class Reply:
    """A model's answer."""

    text: str
    """Without reasoning; empty when the model said nothing."""
    reasoning: str = ""
    finish_reason: str = "unknown"
    usage: Usage = UNKNOWN_USAGE
    cached: bool = False
    seconds: float = 0.0
    """How long the provider took, even if the answer now comes from the cache."""
    time: int = 0
    """When the provider was asked, in seconds since the epoch."""
    served: str = field(default="", compare=False)
    """What the provider calls the model that answered, with the fingerprint of its system; empty where it says neither.
    """
    written: str = field(default="", compare=False)
    """`text` and `reasoning` as the model wrote them; some forms of answer call a part of the answer "reasoning"."""
    call: str = field(default="", compare=False)
    """Which call gave it (`llm.release.stored_call`), where that is kept."""

    calls: tuple[ToolCall, ...] = ()
    """The tools that the model wants to be called before it goes on."""
    actions: tuple[Action, ...] = ()
    """What a product says that it has done in this turn."""

    @property
    def why_empty(self) -> str:
        """Why there are no words, when there are none."""
        if self.finish_reason == "length":
            spent = "on reasoning " if self.reasoning else ""
            return f"empty reply: the token limit was spent {spent}before the first word (finish reason: length)"
        return f"empty reply (finish reason: {self.finish_reason})"


@dataclass(frozen=True)
class CallFailure:
    """No answer, for this call alone; the next one may succeed."""

    reason: str
    """One line without secrets, prompts or paths."""
    usage: Usage = field(default_factory=Usage)
    """Of an answer that was paid for but blocked; other failed calls report none."""


class Caller(Protocol):
    """Anything that calls models, whichever framework provides their clients."""

    def call(self, request: ModelRequest) -> Reply | CallFailure:
        """Return the model's reply, or why this call has none.

        Raises FatalCallError when no call to the deployment can succeed.
        """
