"""HELM's entry point. Every helm-run imports this module, so all that it does is to make names known.

Run specs and scripted models are registered by HELM's own decorators and do their work when they are asked for. Only a
helm-run that has an entry of ours is set up here, and the entry checked, before HELM reads it.
"""

from __future__ import annotations

from typing import Any

from helm.benchmark.model_deployment_registry import (
    _REGISTERED_MODEL_DEPLOYMENT_GENERATORS,
    ModelDeployment,
    model_deployment_generator,
)
from helm.benchmark.run_spec import RunSpec, run_spec_function
from helm.common.object_spec import get_class_by_name

from helm_impactbench.helm.own_entries import invites_us, nearly_invites_us
from helm_impactbench.helm.own_names import REHEARSAL_PREFIX, RUN_SPECS
from helm_impactbench.process.helm_run import Program, this_run


def _register(name: str, path: str) -> None:
    def make_run_spec(**options: Any) -> RunSpec:
        from helm_impactbench.helm.registration import install
        from helm_impactbench.process.stop import stop_on_error

        install()
        run_spec: RunSpec = stop_on_error(get_class_by_name(path), name, options)
        return run_spec

    run_spec_function(name)(make_run_spec)


def _rehearsal(name: str) -> ModelDeployment:
    from helm_impactbench.helm.deployments import rehearsal_deployment

    return rehearsal_deployment(name)


def _look_at_this_run() -> None:
    run = this_run()
    if run.program is not Program.HELM_RUN:
        return
    if invites_us(run):
        from helm_impactbench.helm.startup_checks import check_and_install

        check_and_install(run)
    elif nearly_invites_us(run):
        from helm_impactbench.helm.slips import explain

        explain()


for _name, _path in RUN_SPECS.items():
    _register(_name, _path)
if REHEARSAL_PREFIX not in _REGISTERED_MODEL_DEPLOYMENT_GENERATORS:  # set up already: HELM refuses a prefix twice
    model_deployment_generator(REHEARSAL_PREFIX)(_rehearsal)
_look_at_this_run()
