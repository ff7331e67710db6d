"""Model deployments that are generated from their names, and which deployments litellm reaches.

`impactbench/<target deployment>`   holds a conversation with that target; only requests of our adapters go there
`impactbench-answer/<target ...>`   puts a prompt of HELM's to that target, and survives its faults
`rehearsal/<name>`                  the scripted models that are shipped
`callable:<module>:<function>`      a Python function that judges, or plays the user
`litellm/<provider>/<model>`        HELM's own generator; our runs use our own client for it
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from helm.benchmark.model_deployment_registry import (
    _REGISTERED_MODEL_DEPLOYMENT_GENERATORS,
    ClientSpec,
    ModelDeployment,
    ModelDeploymentGenerator,
    ModelDeploymentNotFoundError,
    get_model_deployment,
)

from helm_impactbench.errors import did_you_mean
from helm_impactbench.helm.own_names import CAST, FUNCTION_PREFIX, REHEARSAL_PREFIX, TARGET_CLIENTS
from helm_impactbench.helm.products import product_of
from helm_impactbench.helm.rehearsal_cast import register_cast
from helm_impactbench.llm.prices import stated_arguments

CONVERSATION_PREFIX = "impactbench/"
ANSWER_PREFIX = "impactbench-answer/"
LITELLM_PREFIX = "litellm/"
LITELLM_CLIENTS = (
    "helm_impactbench.helm.litellm_client.LiteLLMClient",
    "helm.clients.litellm_client.LiteLLMCompletionClient",
)
"""Ours and HELM's. Our runs replace HELM's by ours: it drops token usage and retries by HELM's policy."""


def target_deployment(prefix: str, name: str) -> ModelDeployment:
    """Return the deployment that talks with the target deployment named after the prefix."""
    target = get_model_deployment(name.removeprefix(prefix))
    path, arguments = TARGET_CLIENTS[prefix]
    client = ClientSpec(path, args={"target": target.name, **arguments})
    return ModelDeployment(name=name, model_name=target.model_name, client_spec=client)


def rehearsal_deployment(name: str) -> ModelDeployment:
    """Return the deployment of a scripted model, whose display names HELM then knows."""
    if name not in CAST:
        raise ModelDeploymentNotFoundError(
            f"No rehearsal model {name!r}; there are: {', '.join(CAST)}.{did_you_mean(name, CAST)}"
        )
    register_cast()
    return ModelDeployment(
        name=name,
        client_spec=ClientSpec("helm_impactbench.helm.rehearsal_client.RehearsalClient", args={"name": name}),
    )


def function_deployment(name: str) -> ModelDeployment:
    """Return the deployment of a Python function."""
    path = name.removeprefix(FUNCTION_PREFIX)
    client = ClientSpec("helm_impactbench.helm.function_client.FunctionClient", args={"path": path})
    return ModelDeployment(name=name, client_spec=client)


def litellm_arguments(deployment: ModelDeployment) -> Mapping[str, Any] | None:
    """Return the arguments of our litellm client for a deployment, None for one that litellm does not reach."""
    arguments = deployment.client_spec.args or {}
    ours = deployment.client_spec.class_name in LITELLM_CLIENTS and "litellm_model" in arguments
    return {**arguments, **stated_arguments(deployment.name)} if ours else None


def release_of(deployment: str) -> str:
    """Return the release that a deployment states in model_deployments.yaml, or a product in product.yaml; empty where
    it states none.
    """
    product = product_of(deployment)
    if product is not None:
        return product.release or ""
    arguments = litellm_arguments(get_model_deployment(deployment)) or {}
    return str(arguments.get("release") or "").removeprefix("@")


def register_deployments() -> None:
    """Make all of these known to HELM. Harmless when repeated."""
    for prefix in TARGET_CLIENTS:
        _register(prefix, partial(target_deployment, prefix))
    _register(REHEARSAL_PREFIX, rehearsal_deployment)
    _register(FUNCTION_PREFIX, function_deployment)


def _register(prefix: str, generator: ModelDeploymentGenerator) -> None:
    # Not by HELM's decorator, under which every prefix ends in a slash.
    _REGISTERED_MODEL_DEPLOYMENT_GENERATORS.setdefault(prefix, generator)
