"""HELM's entry point: importing this module makes ImpactBench known to helm-run."""

from helm_impactbench import registration, run_specs
from helm_impactbench.sycophancy import run_specs as sycophancy_run_specs

registration.register()

__all__ = ["run_specs", "sycophancy_run_specs"]
