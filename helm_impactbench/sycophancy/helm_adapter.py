"""HELM adapter "telling": one request per instance, to the deployment that puts a telling to the target."""

from __future__ import annotations

from helm.benchmark.scenarios.scenario import Instance
from pydantic import BaseModel

from helm_impactbench.helm import conversation_adapter as helm_adapter
from helm_impactbench.sycophancy.helm_state import DEPLOYMENT_PREFIX, case_in

ADAPT_TELLING = "telling"


class TellingAdapter(helm_adapter.ConversationAdapter):
    """Puts the plan of a telling into a HELM request, as JSON in the prompt."""

    prefix = DEPLOYMENT_PREFIX

    @staticmethod
    def plan_of(instance: Instance) -> BaseModel:
        """Return what is to be told."""
        return case_in(instance).plan
