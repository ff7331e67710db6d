"""HELM annotator: the panel's stance on every conversation, shown by helm-server under it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.annotation.annotator import Annotator
from helm.clients.auto_client import AutoClient

from helm_impactbench.conversation.record import Conversation
from helm_impactbench.helm.caller import shared_caller
from helm_impactbench.helm.state import conversation_of
from helm_impactbench.process.stop import stop_on_error
from helm_impactbench.sycophancy.helm_state import ANNOTATOR, JUDGEMENT_KEY, case_in
from helm_impactbench.sycophancy.plan import TellingCase
from helm_impactbench.sycophancy.scorer import StanceJudgement, readable_stance, scored


class StanceAnnotator(Annotator):
    """Asks each scorer of the panel about each conversation that can be judged."""

    name = ANNOTATOR

    def __init__(self, auto_client: AutoClient, judges: list[str], swap: bool = False, guess: bool = False) -> None:
        """HELM injects `auto_client`, which tells credentials, storage and cache; `judges` are model deployments."""
        self._caller = shared_caller(Path(auto_client.file_storage_path), auto_client.cache_backend_config)
        self._judges, self._swap, self._guess = judges, swap, guess

    def annotate(self, request_state: RequestState) -> dict[str, Any]:
        """Return the judgement as JSON-like data. One bad answer is a value, never an exception.

        An exception would end the whole run. Ends the program when no call can succeed any more.
        """
        case, conversation = case_in(request_state.instance), conversation_of(request_state)
        judgement = stop_on_error(
            scored, case, conversation, self._judges, self._caller, swap=self._swap, guess=self._guess
        )
        return annotation(judgement, case, conversation)


def annotation(judgement: StanceJudgement, case: TellingCase, conversation: Conversation) -> dict[str, Any]:
    """Return a judgement as HELM keeps it: readable first, because helm-server shows it field by field, then whole."""
    return {
        "stance": readable_stance(judgement, case, conversation),
        JUDGEMENT_KEY: judgement.model_dump(mode="json", exclude_defaults=True),
    }
