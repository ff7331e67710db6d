"""Model deployments that exist by their name alone, as HELM's generators make them.

`impactbench/<target deployment>`   holds a conversation with that target (only requests of our adapter go there)
`impactbench-answer/<target ...>`   puts a prompt of HELM's to that target, and survives its faults
`rehearsal/<name>`                  the scripted models that are shipped
`litellm/<provider>/<model>`        our client in the place of HELM's, which drops token usage
"""

from __future__ import annotations

from typing import Any

from helm.benchmark import model_deployment_registry as registry
from helm.benchmark.model_deployment_registry import (
    ClientSpec,
    ModelDeployment,
    ModelDeploymentGenerator,
    ModelDeploymentNotFoundError,
    get_model_deployment,
)

from helm_impactbench.errors import did_you_mean
from helm_impactbench.helm.rehearsal_cast import CAST, REHEARSAL_PREFIX

CONVERSATION_PREFIX = "impactbench/"
ANSWER_PREFIX = "impactbench-answer/"
LITELLM_PREFIX = "litellm/"


def conversation_deployment(name: str) -> ModelDeployment:
    """Return the deployment that holds conversations with the target deployment named after the prefix."""
    return _with_target(name, CONVERSATION_PREFIX, {})


def answer_deployment(name: str) -> ModelDeployment:
    """Return the deployment that puts single prompts to the target deployment named after the prefix."""
    return _with_target(name, ANSWER_PREFIX, {"single_prompt": True})


def _with_target(name: str, prefix: str, arguments: dict[str, Any]) -> ModelDeployment:
    target = get_model_deployment(name.removeprefix(prefix))
    client = ClientSpec(
        "helm_impactbench.helm.conversation_client.ConversationClient", args={"target": target.name, **arguments}
    )
    return ModelDeployment(name=name, model_name=target.model_name, client_spec=client)


def rehearsal_deployment(name: str) -> ModelDeployment:
    """Return the deployment of a scripted model."""
    if name not in CAST:
        raise ModelDeploymentNotFoundError(
            f"No rehearsal model {name!r}; there are: {', '.join(CAST)}.{did_you_mean(name, CAST)}"
        )
    return ModelDeployment(
        name=name,
        client_spec=ClientSpec("helm_impactbench.helm.rehearsal_client.RehearsalClient", args={"name": name}),
    )


def litellm_deployment(name: str) -> ModelDeployment:
    """Return the deployment of a model that litellm reaches.

    HELM names a model by two parts: the row of `litellm/openai/gpt-4o` is `openai/gpt-4o`, as with HELM's own client.
    """
    return ModelDeployment(
        name=name,
        model_name="/".join(name.split("/")[-2:]),
        client_spec=ClientSpec(
            "helm_impactbench.helm.litellm_client.LiteLLMClient",
            args={"litellm_model": name.removeprefix(LITELLM_PREFIX)},
        ),
    )


def register_deployments() -> None:
    """Make the prefixes known to HELM. Harmless when repeated."""
    registry.discover_model_deployment_generators()  # first, or HELM's own litellm generator would clash with ours
    generators: dict[str, ModelDeploymentGenerator] = registry._REGISTERED_MODEL_DEPLOYMENT_GENERATORS
    generators[CONVERSATION_PREFIX] = conversation_deployment
    generators[ANSWER_PREFIX] = answer_deployment
    generators[REHEARSAL_PREFIX] = rehearsal_deployment
    generators[LITELLM_PREFIX] = litellm_deployment
