"""HELM annotator: the panel's judgement on every conversation, shown by helm-server under it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.annotation.annotator import Annotator
from helm.clients.auto_client import AutoClient

from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.record import Conversation
from helm_impactbench.helm.caller import shared_caller
from helm_impactbench.helm.state import case_of, conversation_of
from helm_impactbench.judging.judge_conversation import judged
from helm_impactbench.judging.panel import Judgement, readable_judgement
from helm_impactbench.process.stop import stop_on_error

_JUDGEMENT_KEY = "judgement"


class ImpactBenchAnnotator(Annotator):
    """Asks each judge of the panel about each conversation that can be judged."""

    name = "impactbench"

    def __init__(self, auto_client: AutoClient, judges: list[str], checks: Sequence[str] = ()) -> None:
        """HELM injects `auto_client`, which tells credentials, storage and cache; `judges` are model deployments.

        `checks` are names of judging.checks.CHECKS, asked of every judge after its verdict.
        """
        self._caller = shared_caller(Path(auto_client.file_storage_path), auto_client.cache_backend_config)
        self._judges = judges
        self._checks = checks

    def annotate(self, request_state: RequestState) -> dict[str, Any]:
        """Return the judgement as JSON-like data. One bad answer is a value, never an exception.

        An exception would end the whole run. Ends the program when no call can succeed any more.
        """
        case, conversation = case_of(request_state), conversation_of(request_state)
        judgement = stop_on_error(judged, case, conversation, self._judges, self._checks, self._caller)
        return annotation(judgement, case, conversation)


def annotation(judgement: Judgement, case: ConversationCase, conversation: Conversation) -> dict[str, Any]:
    """Return a judgement as HELM keeps it: readable first, because helm-server shows it field by field, then whole."""
    return {
        "verdict": readable_judgement(judgement, case.metric, conversation),
        _JUDGEMENT_KEY: judgement.model_dump(mode="json", exclude_defaults=True),
    }


def judgement_of(request_state: RequestState) -> Judgement:
    """Return the judgement that this annotator left in a request state."""
    return Judgement.model_validate((request_state.annotations or {})[ImpactBenchAnnotator.name][_JUDGEMENT_KEY])
