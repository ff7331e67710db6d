"""HELM's entry point: importing this module makes ImpactBench known to helm-run."""

import sys

from helm_impactbench.errors import stop_on_error
from helm_impactbench.helm import registration, run_specs
from helm_impactbench.helm import startup_checks as at_start
from helm_impactbench.helm.panels import run_specs as safety_run_specs
from helm_impactbench.process import folder_checks as writable
from helm_impactbench.sycophancy import run_specs as sycophancy_run_specs

registration.register()
stop_on_error(writable.check_folders, sys.argv)
stop_on_error(at_start.check_models, sys.argv)

__all__ = ["run_specs", "safety_run_specs", "sycophancy_run_specs"]
