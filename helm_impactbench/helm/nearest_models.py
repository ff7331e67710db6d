"""Which model may have been meant where a provider does not know one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from helm.benchmark.model_deployment_registry import ALL_MODEL_DEPLOYMENTS, ModelDeployment
from helm.clients.client import Client

from helm_impactbench.errors import did_you_mean
from helm_impactbench.helm.deployments import LITELLM_PREFIX, litellm_arguments
from helm_impactbench.llm.price_list import providers_of

if TYPE_CHECKING:
    from helm_impactbench.llm.endpoint import Endpoint

MOST_SHOWN = 10
"""Names of an endpoint's models."""


def reached_by_litellm(name: str) -> str:
    """Return how litellm calls a model that was named without its provider, in a sentence; empty where it has none."""
    bare = name.rpartition("/")[2]
    found = providers_of(bare)
    return f" litellm reaches it as {LITELLM_PREFIX}{found[0]}/{bare}." if found else ""


def nearest_model(deployment: ModelDeployment, client: Client) -> str:
    """Return " Did you mean ...?" for a deployment whose provider does not know its model, or an empty string.

    An endpoint of somebody's own is asked which models it has.
    """
    arguments = litellm_arguments(deployment)
    if arguments is None:
        return reached_by_litellm(deployment.name) or did_you_mean(
            deployment.name, (one.name for one in ALL_MODEL_DEPLOYMENTS if one.name != deployment.name)
        )
    provider, _, model = str(arguments["litellm_model"]).partition("/")
    endpoint: Endpoint | None = getattr(client, "endpoint", None)
    if endpoint is not None and endpoint.set_by:
        served = endpoint.served_models()
        return did_you_mean(model, served) or (f" It has {', '.join(served[:MOST_SHOWN])}." if served else "")
    known = {name.removeprefix(f"{provider}/") for name in _chat_models(provider)} - {model}
    return did_you_mean(f"{LITELLM_PREFIX}{provider}/{model}", (f"{LITELLM_PREFIX}{provider}/{name}" for name in known))


def _chat_models(provider: str) -> Iterator[str]:
    """Yield the models of a provider that can hold a chat."""
    from helm_impactbench.llm.quiet_litellm import litellm

    for name in litellm.models_by_provider.get(provider, ()):
        if litellm.model_cost.get(name, {}).get("mode") in ("chat", "responses"):
            yield name
