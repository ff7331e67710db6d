"""Slips in a command line that HELM answers with a traceback, said in one line.

HELM looks at models and at names of run specs after all plug-ins and models are registered, when what is wrong is
certain. So nothing is looked at beforehand: the exception that ends HELM is put into words where it comes out.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from types import TracebackType

from helm_impactbench.errors import (
    ImpactBenchError,
    ModelError,
    RunEntryError,
    UnknownDeploymentError,
    did_you_mean,
)
from helm_impactbench.helm.datasets.missing import told_together
from helm_impactbench.helm.own_entries import WHAT_A_CONF_HAS, is_shipped_conf, parse_fault
from helm_impactbench.process.helm_run import this_run
from helm_impactbench.process.stop import stop

_RUN_SPEC = re.compile(r"Unknown run spec name: (.*)")
_MODEL = re.compile(r"Unknown model '(.*)' passed to --models-to-run")
_RUN = re.compile(r'"([^"]*)"')
_NO_MODELS = re.compile(r"--models-to-run must be set")


@cache
def explain() -> None:
    """Explain mistakes that end this process in one line. Can be repeated."""
    usual = sys.excepthook

    def excepthook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        said = explained(error)
        if said is None:
            usual(kind, error, trace)
        else:
            stop(said)

    sys.excepthook = excepthook


def explained(error: BaseException) -> ImpactBenchError | None:
    """Return what to say about an exception that ends HELM; None for one that is not a user's mistake."""
    text = str(error)
    if isinstance(error, FileNotFoundError) and Path(str(error.filename)) in this_run().conf_paths:
        return _no_conf(Path(str(error.filename)))
    faults = ((path, said) for path in this_run().conf_paths if (said := parse_fault(path)))
    if (faulty := next(faults, None)) is not None:
        return RunEntryError(f"--conf-paths: {faulty[0]} is not a file of run entries ({faulty[1]}). {WHAT_A_CONF_HAS}")
    if type(error).__name__ == "RunnerError" and (missing := told_together(_RUN.findall(text))):
        return missing
    if found := _RUN_SPEC.fullmatch(text):
        return RunEntryError(f"Run entry {found[1]!r}: no run spec has this name.{_nearest_run_spec(found[1])}")
    if found := _MODEL.fullmatch(text):
        return _unknown_model(found[1])
    if _NO_MODELS.match(text):
        return ModelError(
            "No run entry names a model: give model= in the entries, or --models-to-run with one or more models"
        )
    return None


def _unknown_model(name: str) -> UnknownDeploymentError:
    from helm.benchmark.model_deployment_registry import ALL_MODEL_DEPLOYMENTS
    from helm.benchmark.model_metadata_registry import get_all_models

    from helm_impactbench.helm.own_names import CAST

    near = did_you_mean(name, [*get_all_models(), *(found.name for found in ALL_MODEL_DEPLOYMENTS), *CAST])
    return UnknownDeploymentError(
        f"--models-to-run: {name!r} is not a model or model deployment.{near} Name one of those of HELM "
        f"and of {this_run().local_path}/model_deployments.yaml, litellm/<provider>/<model>, rehearsal/<script>"
    )


def _nearest_run_spec(name: str) -> str:
    from helm.benchmark.run_spec import _REGISTERED_RUN_SPEC_FUNCTIONS

    return did_you_mean(name, _REGISTERED_RUN_SPEC_FUNCTIONS, most=1)


def _no_conf(path: Path) -> RunEntryError:
    shipped = (
        f" A conf of this name is shipped: impactbench list --path run_entries/{path.name}"
        if is_shipped_conf(path)
        else ""
    )
    return RunEntryError(f"--conf-paths: no file {path}.{shipped}")
