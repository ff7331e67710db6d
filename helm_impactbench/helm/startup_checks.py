"""What is looked at before anything else of a helm-run: its command line and .env.

HELM parses run entries and model names itself and answers a slip in them with a traceback. The plug-in is loaded just
before, and says what was meant. Only what HELM would refuse, or silently misread, is refused here.
"""

from __future__ import annotations

from helm_impactbench.errors import RunEntryError, UnknownDeploymentError, did_you_mean
from helm_impactbench.files.safe_read import first_repeated
from helm_impactbench.llm.credentials import load_env_file
from helm_impactbench.process.helm_run import HelmRun, this_run
from helm_impactbench.process.shutdown import take_over_helm_run
from helm_impactbench.process.stop import stop_on_error

OWN_NAMES = ("impactbench", "moral_sycophancy")


def check_command_line(run: HelmRun) -> None:
    """Raise RunEntryError for a slip in helm-run's own arguments."""
    for conf in run.conf_paths:
        if not conf.is_file():
            raise RunEntryError(
                f"--conf-paths: no file {conf}; shipped ones are found with impactbench path run_entries/<name>.conf"
            )
    for entry in run.run_entries:
        check_entry(entry, has_models=bool(run.models_to_run))


def check_entry(entry: str, *, has_models: bool) -> None:
    """Raise RunEntryError for a slip in a run entry's form; its options are looked at by the run spec function."""
    name, _, options = entry.partition(":")
    if name not in OWN_NAMES:
        near = did_you_mean(name, OWN_NAMES) if _is_near(name) else ""
        if near:
            raise RunEntryError(f"Run entry {entry!r}: {name!r} is no run spec.{near}")
        return
    parts = [part.partition("=") for part in options.split(",")] if options else []
    bare = next((option for option, sign, _ in parts if not sign), None)
    if bare is not None:
        raise RunEntryError(
            f"Run entry {name}: got {bare!r}, a part without =; allowed: option=value with commas between them"
        )
    twice = first_repeated(option for option, _, _ in parts)
    if twice is not None:
        raise RunEntryError(f"Run entry {name}: {twice}= stands there twice; allowed: once")
    if not has_models and not any(option in ("model", "model_deployment") and value for option, _, value in parts):
        raise RunEntryError(
            f"Run entry {name}: model= is missing, the model under test; for example model=rehearsal/mixed, or "
            "--models-to-run for several"
        )


def check_models(run: HelmRun) -> None:
    """Raise UnknownDeploymentError for a name in --models-to-run that HELM would refuse; deployments are registered."""
    from helm.benchmark.model_deployment_registry import (
        ALL_MODEL_DEPLOYMENTS,
        ModelDeploymentNotFoundError,
        get_model_deployment,
    )
    from helm.benchmark.model_metadata_registry import get_all_models

    for name in run.models_to_run:
        try:
            known = name in get_all_models() or bool(get_model_deployment(name))
        except ModelDeploymentNotFoundError:
            known = False
        if not known:
            near = did_you_mean(name, [*get_all_models(), *(found.name for found in ALL_MODEL_DEPLOYMENTS)])
            raise UnknownDeploymentError(
                f"--models-to-run: got {name!r}, which is no model or model deployment.{near} Allowed: those of HELM "
                "and of prod_env/model_deployments.yaml, litellm/<provider>/<model>, rehearsal/<script>"
            )


def _is_near(name: str) -> bool:
    """Return whether a name can only be a slip of the fingers: HELM has hundreds of names of its own."""
    import difflib

    return bool(difflib.get_close_matches(name, OWN_NAMES, n=1, cutoff=0.85))


stop_on_error(take_over_helm_run, this_run())
stop_on_error(check_command_line, this_run())
stop_on_error(load_env_file)
