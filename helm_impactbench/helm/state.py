"""Where a HELM request state keeps our data, and how to get it back."""

from __future__ import annotations

from helm.benchmark.adaptation.request_state import RequestState

from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.record import Conversation

CASE_KEY = "impactbench"
"""Where an instance's extra_data holds the conversation case."""

RECORD_KEY = "conversation"
"""Where finish_reason, the only free dictionary of a HELM completion, holds the conversation."""


def case_of(request_state: RequestState) -> ConversationCase:
    """Return the case of a request state of our adapter."""
    return ConversationCase.model_validate((request_state.instance.extra_data or {})[CASE_KEY])


def conversation_of(request_state: RequestState) -> Conversation:
    """Return the conversation that was held for a request state. Raises ValueError when none was."""
    result = request_state.result
    if result is None or not result.completions or not result.completions[0].finish_reason:
        raise ValueError(f"Instance {request_state.instance.id}: no conversation was held")
    return Conversation.model_validate(result.completions[0].finish_reason[RECORD_KEY])
