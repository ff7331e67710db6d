"""HELM annotator: the panel's score of every answer, shown by helm-server under it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.annotation.annotator import Annotator
from helm.clients.auto_client import AutoClient

from helm_impactbench.helm.caller import shared_caller
from helm_impactbench.judging.judge import JudgeSpeaker
from helm_impactbench.judging.judge_conversation import speaker
from helm_impactbench.llm.request import CallFailure, Message, Reply
from helm_impactbench.process.stop import stop_on_error
from helm_impactbench.suites.panels.answer import NoAnswer, answer_of
from helm_impactbench.suites.panels.panel import SafetyJudgement, judged, readable
from helm_impactbench.suites.panels.question import Item
from helm_impactbench.suites.panels.reply import answer_text
from helm_impactbench.suites.panels.suites import SUITES
from helm_impactbench.suites.panels.templates import helm_templates, kind_of

_JUDGEMENT_KEY = "judgement"


class SafetyPanelAnnotator(Annotator):
    """Asks each judge of the panel about each answer, in HELM's own words."""

    name = "safety_panel"

    def __init__(self, auto_client: AutoClient, suite: str, judges: list[str]) -> None:
        """HELM injects `auto_client`, which tells credentials, storage and cache; `judges` are model deployments."""
        self._caller = shared_caller(Path(auto_client.file_storage_path), auto_client.cache_backend_config)
        self._suite, self._judges = SUITES[suite], judges
        self._templates = helm_templates(suite, auto_client)

    def annotate(self, request_state: RequestState) -> dict[str, Any]:
        """Return the judgement as JSON-like data. One bad answer is a value, never an exception.

        An exception would end the whole run. Ends the program when no call can succeed any more.
        """
        answer = answer_of(request_state.result)
        if isinstance(answer, NoAnswer):
            return annotation(SafetyJudgement(unscored=answer.reason, detail=answer.detail))
        item = Item(request_state.request.prompt, answer, kind_of(self._suite.name, request_state.instance))
        return annotation(stop_on_error(judged, self._suite, item, self._templates, self._judges, self._speaker))

    def _speaker(self, judge: str) -> JudgeSpeaker:
        # The seed is the suite's alone: equal answers to equal requests are then judged once, whoever gave them.
        speak = speaker(self._caller, judge, self._suite.name, None)

        def speak_in_full(messages: list[Message]) -> Reply | CallFailure:
            reply = speak(messages)
            return replace(reply, text=answer_text(reply.written)) if isinstance(reply, Reply) else reply

        return speak_in_full


def annotation(judgement: SafetyJudgement) -> dict[str, Any]:
    """Return a judgement as HELM keeps it: readable first, because helm-server shows it field by field, then whole."""
    return {
        "verdict": readable(judgement),
        _JUDGEMENT_KEY: judgement.model_dump(mode="json", exclude_defaults=True),
    }


def judgement_of(request_state: RequestState) -> SafetyJudgement:
    """Return the judgement that this annotator left in a request state."""
    found = (request_state.annotations or {})[SafetyPanelAnnotator.name]
    return SafetyJudgement.model_validate(found[_JUDGEMENT_KEY])
