"""Which model may have been meant where a provider does not know one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from helm.benchmark.model_deployment_registry import ALL_MODEL_DEPLOYMENTS, ModelDeployment
from helm.clients.client import Client

from helm_impactbench.errors import did_you_mean
from helm_impactbench.helm.deployments import LITELLM_PREFIX, litellm_arguments

if TYPE_CHECKING:
    from helm_impactbench.llm.endpoint import Endpoint

PROVIDERS = ("openai", "anthropic", "gemini", "mistral", "xai", "deepseek", "cohere_chat")
"""Whose own models these are."""
MOST_SHOWN = 10
"""Names of an endpoint's models."""


def reached_by_litellm(name: str) -> str:
    """Return how litellm calls a model that was named without its provider, in a sentence; empty where it knows none.

    Providers that are known for models of their own come first, as in the list of litellm.
    """
    import litellm

    bare = name.rpartition("/")[2]
    found = [provider for provider, names in litellm.models_by_provider.items()
             if {bare, f"{provider}/{bare}"} & {*names}]  # fmt: skip
    own = sorted(found, key=lambda provider: provider not in PROVIDERS)
    return f" litellm reaches it as {LITELLM_PREFIX}{own[0]}/{bare}." if own else ""


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
    import litellm

    for name in litellm.models_by_provider.get(provider, ()):
        if litellm.model_cost.get(name, {}).get("mode") in ("chat", "responses"):
            yield name
