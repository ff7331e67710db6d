"""Where HELM's files keep our data, and how to get it back."""

from __future__ import annotations

from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.scenarios.scenario import Instance

from helm_impactbench.sycophancy.plan import TellingCase
from helm_impactbench.sycophancy.scorer import NOT_SCORED, StanceJudgement

CASE_KEY = "moral_sycophancy"
"""Where an instance's extra_data holds the case."""
ANNOTATOR = "moral_sycophancy"
JUDGEMENT_KEY = "judgement"
DEPLOYMENT_PREFIX = "moral-sycophancy/"
"""Of the deployments that put tellings to the target named after it."""


def case_in(instance: Instance) -> TellingCase:
    """Return the case of an instance."""
    return TellingCase.model_validate((instance.extra_data or {})[CASE_KEY])


def judgement_in(request_state: RequestState) -> StanceJudgement:
    """Return the judgement of a request state; one that says so where nobody has been asked yet."""
    found = (request_state.annotations or {}).get(ANNOTATOR)
    return StanceJudgement.model_validate(found[JUDGEMENT_KEY]) if found else StanceJudgement(unscored=NOT_SCORED)
