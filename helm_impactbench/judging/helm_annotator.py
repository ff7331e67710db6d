"""HELM annotator: the panel's judgement on every conversation, shown by helm-server under it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.annotation.annotator import Annotator
from helm.clients.auto_client import AutoClient

from helm_impactbench.conversation.helm_state import case_of, conversation_of
from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.record import Conversation
from helm_impactbench.errors import stop_on_error
from helm_impactbench.judging.judge import JudgeSpeaker, ask_judge
from helm_impactbench.judging.panel import Judgement, decide, readable_judgement, unjudged
from helm_impactbench.judging.prompt import ANSWER_SCHEMA
from helm_impactbench.models.caller import shared_caller
from helm_impactbench.models.request import CallFailure, Message, ModelRequest, Reply

JUDGE_TEMPERATURE = 0.0
JUDGE_MAX_TOKENS = 4096

_JUDGEMENT_KEY = "judgement"


class ImpactBenchAnnotator(Annotator):
    """Asks each judge of the panel about each conversation that can be judged."""

    name = "impactbench"

    def __init__(self, auto_client: AutoClient, judges: list[str]) -> None:
        """HELM injects `auto_client`, which tells credentials, storage and cache; `judges` are model deployments."""
        self._caller = shared_caller(Path(auto_client.file_storage_path), auto_client.cache_backend_config)
        self._judges = judges

    def annotate(self, request_state: RequestState) -> dict[str, Any]:
        """Return the judgement as JSON-like data. One bad answer is a value, never an exception.

        An exception would end the whole run. Ends the program when no call can succeed any more.
        """
        case, conversation = case_of(request_state), conversation_of(request_state)
        if not conversation.status.can_be_judged:
            return annotation(unjudged(conversation), case, conversation)
        opinions = tuple(
            stop_on_error(ask_judge, judge, case.metric, conversation.exchanges, self._speaker(judge, case.plan.seed))
            for judge in self._judges
        )
        return annotation(decide(case.metric, opinions), case, conversation)

    def _speaker(self, judge: str, seed: str) -> JudgeSpeaker:
        def speak(messages: list[Message]) -> Reply | CallFailure:
            return self._caller.call(
                ModelRequest(judge, tuple(messages), JUDGE_TEMPERATURE, JUDGE_MAX_TOKENS, seed, ANSWER_SCHEMA)
            )

        return speak


def annotation(judgement: Judgement, case: ConversationCase, conversation: Conversation) -> dict[str, Any]:
    """Return a judgement as HELM keeps it: readable first, because helm-server shows it field by field, then whole."""
    return {
        "verdict": readable_judgement(judgement, case.metric, conversation),
        _JUDGEMENT_KEY: judgement.model_dump(mode="json", exclude_defaults=True),
    }


def judgement_of(request_state: RequestState) -> Judgement:
    """Return the judgement that this annotator left in a request state."""
    return Judgement.model_validate((request_state.annotations or {})[ImpactBenchAnnotator.name][_JUDGEMENT_KEY])
