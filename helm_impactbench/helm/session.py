"""A caller outside of helm-run: HELM's configuration read, our deployments known, HELM's cache used."""

from __future__ import annotations

from pathlib import Path

from helm.benchmark.config_registry import (
    register_builtin_configs_from_helm_package,
    register_configs_from_directory,
)
from helm.common.cache_backend_config import SqliteCacheBackendConfig
from helm.proxy.services.service import CACHE_DIR

from helm_impactbench.helm.caller import ModelCaller, shared_caller
from helm_impactbench.helm.registration import install


def know_deployments(local_path: Path) -> None:
    """Make the deployments known that helm-run --local-path knows."""
    register_builtin_configs_from_helm_package()
    register_configs_from_directory(str(local_path))
    install()


def open_caller(local_path: Path) -> ModelCaller:
    """Return a caller that shares credentials, deployments and cache with helm-run --local-path."""
    know_deployments(local_path)
    storage = local_path / CACHE_DIR
    storage.mkdir(parents=True, exist_ok=True)
    return shared_caller(storage, SqliteCacheBackendConfig(str(storage)))
