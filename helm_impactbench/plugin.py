"""HELM's entry point: importing this module makes ImpactBench known to helm-run."""

from helm_impactbench.helm import registration, run_specs
from helm_impactbench.helm import startup_checks as at_start
from helm_impactbench.helm.panels import run_specs as safety_run_specs
from helm_impactbench.process.folder_checks import check_folders
from helm_impactbench.process.helm_run import Program, this_run
from helm_impactbench.process.stop import stop_on_error

registration.register()
if this_run().program is Program.HELM_RUN:
    stop_on_error(check_folders, this_run())
    stop_on_error(at_start.check_models, this_run())

__all__ = ["run_specs", "safety_run_specs"]
