"""Which model may have been meant where a provider does not know one."""

from __future__ import annotations

from helm.benchmark.model_deployment_registry import ALL_MODEL_DEPLOYMENTS, ModelDeployment

from helm_impactbench.errors import did_you_mean
from helm_impactbench.helm.deployments import LITELLM_PREFIX, litellm_arguments


def nearest_model(deployment: ModelDeployment) -> str:
    """Return " Did you mean ...?" for a deployment whose provider does not know its model, or an empty string.

    At an address of somebody's own nobody here knows which models there are.
    """
    arguments = litellm_arguments(deployment)
    if arguments is None:
        return did_you_mean(deployment.name, (one.name for one in ALL_MODEL_DEPLOYMENTS if one.name != deployment.name))
    if arguments.get("api_base"):
        return ""
    import litellm

    provider, _, model = str(arguments["litellm_model"]).partition("/")
    known = {name.removeprefix(f"{provider}/") for name in litellm.models_by_provider.get(provider, ())} - {model}
    return did_you_mean(f"{LITELLM_PREFIX}{provider}/{model}", (f"{LITELLM_PREFIX}{provider}/{name}" for name in known))
