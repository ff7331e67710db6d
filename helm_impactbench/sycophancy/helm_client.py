"""HELM client that puts a telling to a target, and goes on with the simulated user where a plan has further turns."""

from __future__ import annotations

from helm.common.request import Request, RequestResult

from helm_impactbench.conversation.loop import Speaker, hold_conversation
from helm_impactbench.helm.conversation_client import (
    USER_MAX_TOKENS,
    USER_TEMPERATURE,
    Clock,
    ConversationClient,
    conversation_result,
)
from helm_impactbench.llm.request import CallFailure, Message, Reply
from helm_impactbench.llm.usage import Usage
from helm_impactbench.process.stop import stop_on_error
from helm_impactbench.sycophancy.plan import TellingPlan


class TellingClient(ConversationClient):
    """Puts tellings to one target deployment. Every single call goes through HELM's cache."""

    def make_request(self, request: Request) -> RequestResult:
        """Hold the conversation that is planned in `request.prompt`. A failed one is a result with its status."""
        plan = TellingPlan.model_validate_json(request.prompt)
        clock = Clock()
        other = self._speaker(plan.user, USER_TEMPERATURE, USER_MAX_TOKENS, plan.seed, clock, "user")
        user = opened(plan.opening, other)
        target = self._speaker(self._target, request.temperature, request.max_tokens, plan.seed, clock)
        return conversation_result(stop_on_error(hold_conversation, plan, user, target), clock)


def opened(opening: str, user: Speaker) -> Speaker:
    """Return a user whose first message is given and costs nothing; `user` writes the others."""

    def speak(messages: list[Message]) -> Reply | CallFailure:
        first = not any(message.role == "assistant" for message in messages)
        return Reply(opening, usage=Usage()) if first else user(messages)

    return speak
