"""A caller outside of helm-run: HELM's configuration read, our deployments known, HELM's cache used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from helm.benchmark.config_registry import (
    register_builtin_configs_from_helm_package,
    register_configs_from_directory,
)
from helm.common.cache_backend_config import SqliteCacheBackendConfig
from helm.proxy.services.service import CACHE_DIR

from helm_impactbench.errors import BatchError, SettingError
from helm_impactbench.helm.caller import ModelCaller, shared_caller
from helm_impactbench.helm.patches import lists_of_models
from helm_impactbench.helm.products import register_products
from helm_impactbench.helm.registration import install
from helm_impactbench.llm.failures import one_line


def know_deployments(local_path: Path) -> None:
    """Make the deployments known that helm-run --local-path knows. Raises SettingError for files of another form."""
    lists_of_models()
    register_builtin_configs_from_helm_package()
    try:
        register_configs_from_directory(str(local_path))
    except Exception as error:  # HELM's readers raise what YAML and its converters raise
        mark = getattr(error, "problem_mark", None)
        why = f"line {mark.line + 1}: {getattr(error, 'problem', '')}" if mark else one_line(str(error))
        raise SettingError(
            f"{local_path} has a model_deployments.yaml, model_metadata.yaml or tokenizer_configs.yaml that HELM "
            f"cannot read ({why}). Correct it, or name another folder with --local-path."
        ) from error
    install()
    register_products(local_path)


if TYPE_CHECKING:
    from helm_impactbench.llm.batch.client import BatchClient


def open_caller(local_path: Path) -> ModelCaller:
    """Return a caller that shares credentials, deployments and cache with helm-run --local-path."""
    know_deployments(local_path)
    storage = local_path / CACHE_DIR
    storage.mkdir(parents=True, exist_ok=True)
    return shared_caller(storage, SqliteCacheBackendConfig(str(storage)))


def batch_client(caller: ModelCaller, deployment: str) -> BatchClient:
    """Return the client of a judge's batches. Raises BatchError for a deployment that litellm does not reach."""
    from helm_impactbench.helm.litellm_client import LiteLLMClient
    from helm_impactbench.llm.batch.client import BatchClient

    client = caller.client_of(deployment, "judge")
    if not isinstance(client, LiteLLMClient):
        raise BatchError(
            f"{deployment} was reached through litellm when its calls were deferred, and is reached by "
            f"{type(client).__name__} now. Restore it in model_deployments.yaml."
        )
    return BatchClient(deployment, client.endpoint, client.cache)
