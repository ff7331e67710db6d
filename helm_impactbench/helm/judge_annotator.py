"""HELM annotator: the panel's verdict on every conversation, shown by helm-server under it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.annotation.annotator import Annotator
from helm.clients.auto_client import AutoClient

from helm_impactbench.helm.caller import shared_caller
from helm_impactbench.helm.state import case_of, conversation_of
from helm_impactbench.judging.judge_conversation import JUDGE_MAX_TOKENS, Panel, judge_conversation
from helm_impactbench.llm.limits.probe import in_judgement
from helm_impactbench.process.stop import stop_on_error
from helm_impactbench.results.record import ANNOTATOR, Record, annotation
from helm_impactbench.suites.registry import suite_named


class ImpactBenchAnnotator(Annotator):
    """Asks each judge of the panel about each conversation that can be judged."""

    name = ANNOTATOR

    def __init__(
        self,
        auto_client: AutoClient,
        judges: list[str],
        checks: Sequence[str] = (),
        suite: str = "",
        cascade: float | None = None,
        max_tokens: int | None = None,
        validate: str | None = None,
    ) -> None:
        """HELM injects `auto_client`, which has credentials, storage and cache; `judges` are model deployments.

        `checks` are names of judging.checks.CHECKS, asked of every judge after its vote. `suite` is the name of one in
        the registry that asks otherwise than the metric does. `cascade`, `max_tokens`, `validate`: see
        Panel.
        """
        self._caller = shared_caller(Path(auto_client.file_storage_path), auto_client.cache_backend_config)
        self._panel = Panel(tuple(judges), tuple(checks), cascade, max_tokens or JUDGE_MAX_TOKENS, validate)
        self._question = suite_named(suite).question if suite else None

    def annotate(self, request_state: RequestState) -> dict[str, Any]:
        """Return the verdict as JSON-like data. One bad answer is a value, never an exception.

        An exception would end the whole run. Ends the program when no call can succeed any more.
        """
        case, conversation = case_of(request_state), conversation_of(request_state)
        with in_judgement(self._panel.deployments, self._caller.probe):
            verdict = stop_on_error(
                judge_conversation, case, conversation, self._panel, self._caller.call, self._question
            )
        return annotation(Record(case, conversation, verdict))
