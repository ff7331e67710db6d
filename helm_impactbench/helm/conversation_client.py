"""HELM client that holds a conversation: to HELM it looks like one request and one completion."""

from __future__ import annotations

from dataclasses import dataclass, field

from helm.clients.client import Client
from helm.common.cache import CacheConfig
from helm.common.request import GeneratedOutput, Request, RequestResult, Thinking

from helm_impactbench.conversation.loop import Speaker, hold_conversation
from helm_impactbench.conversation.plan import ConversationPlan
from helm_impactbench.conversation.record import Conversation, readable_thoughts, readable_transcript
from helm_impactbench.helm.caller import caller_for
from helm_impactbench.helm.state import RECORD_KEY
from helm_impactbench.llm.request import CallFailure, Message, ModelRequest, Reply
from helm_impactbench.process.stop import stop_on_error

USER_TEMPERATURE = 1.0
USER_MAX_TOKENS = 4096
"""Room for a reasoning model's thoughts; a message itself is short."""


@dataclass
class Clock:
    """The clock fields and cache flag of a request that consists of many."""

    seconds: float = 0.0
    first: int = 0
    replies: int = 0
    cached: int = field(default=0)

    def note(self, reply: Reply) -> None:
        self.seconds += reply.seconds
        self.first = min(self.first or reply.time, reply.time)
        self.replies += 1
        self.cached += reply.cached


class ConversationClient(Client):
    """Holds conversations with one target deployment. Every single call goes through HELM's cache."""

    def __init__(self, cache_config: CacheConfig, lock_file_path: str, target: str) -> None:
        """HELM injects the cache and the path of a lock file, which tells where the storage is; `target` is ours."""
        self._caller = caller_for(lock_file_path, cache_config)
        self._target = target

    def make_request(self, request: Request) -> RequestResult:
        """Hold the conversation that is planned in `request.prompt`; its temperature and max_tokens are the target's.

        A failed conversation is a result with its status. Ends the program when no call can succeed any more.
        """
        plan = ConversationPlan.model_validate_json(request.prompt)
        clock = Clock()
        user = self._speaker(plan.user, USER_TEMPERATURE, USER_MAX_TOKENS, plan.seed, clock, "user")
        target = self._speaker(self._target, request.temperature, request.max_tokens, plan.seed, clock)
        return conversation_result(stop_on_error(hold_conversation, plan, user, target), clock)

    def _speaker(
        self, deployment: str, temperature: float, max_tokens: int, seed: str, clock: Clock, role: str = "target"
    ) -> Speaker:
        def speak(messages: list[Message]) -> Reply | CallFailure:
            reply = self._caller.call(
                ModelRequest(deployment, tuple(messages), temperature, max_tokens, seed, role=role)
            )
            if isinstance(reply, Reply):
                clock.note(reply)
            return reply

        return speak


def conversation_result(conversation: Conversation, clock: Clock) -> RequestResult:
    """Return a conversation as the result of one request with one completion."""
    thoughts = readable_thoughts(conversation)
    return RequestResult(
        success=True,
        cached=clock.cached == clock.replies,
        request_time=clock.seconds,
        request_datetime=clock.first,
        completions=[
            GeneratedOutput(
                text=readable_transcript(conversation),
                logprob=0.0,
                tokens=[],
                finish_reason={
                    "reason": conversation.status.value,
                    RECORD_KEY: conversation.model_dump(mode="json", exclude_defaults=True),
                },
                thinking=Thinking(text=thoughts) if thoughts else None,
            )
        ],
        embedding=[],
    )
