"""What is looked at before anything else of a helm-run: its command line and .env.

HELM parses run entries and model names itself and answers a slip in them with a traceback. The plug-in is loaded just
before, and says what was meant. Only what HELM would refuse, or silently misread, is refused here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from helm_impactbench.errors import RunEntryError, UnknownDeploymentError, did_you_mean, stop_on_error
from helm_impactbench.files.safe_read import first_repeated
from helm_impactbench.llm.credentials import load_env_file
from helm_impactbench.process.shutdown import take_over_helm_run

OWN_NAMES = ("impactbench", "moral_sycophancy")
_ENTRIES = ("-r", "--run-entries", "--run-specs")
_CONFS = ("-c", "--conf-paths")
_MODELS = ("--models-to-run",)


def check_command_line(arguments: Sequence[str]) -> None:
    """Raise RunEntryError for a slip in helm-run's own arguments. `arguments` is sys.argv."""
    if not arguments or Path(arguments[0]).stem != "helm-run":
        return
    for conf in _values(arguments, _CONFS):
        if not Path(conf).is_file():
            raise RunEntryError(
                f"--conf-paths: no file {conf}; shipped ones are found with impactbench path run_entries/<name>.conf"
            )
    has_models = any(True for _ in _values(arguments, _MODELS))
    for entry in _values(arguments, _ENTRIES):
        check_entry(entry, has_models=has_models)


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


def check_models(arguments: Sequence[str]) -> None:
    """Raise UnknownDeploymentError for a name in --models-to-run that HELM would refuse; deployments are registered."""
    if not arguments or Path(arguments[0]).stem != "helm-run":
        return
    from helm.benchmark.model_deployment_registry import (
        ALL_MODEL_DEPLOYMENTS,
        ModelDeploymentNotFoundError,
        get_model_deployment,
    )
    from helm.benchmark.model_metadata_registry import get_all_models

    for name in _values(arguments, _MODELS):
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


def _values(arguments: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Yield the values that follow one of the options, as argparse takes them."""
    taking = False
    for argument in arguments[1:]:
        option, sign, value = argument.partition("=")
        if argument in names:
            taking = True
        elif sign and option in names:
            taking = True
            yield value
        elif argument.startswith("-"):
            taking = False
        elif taking:
            yield argument


def _is_near(name: str) -> bool:
    """Return whether a name can only be a slip of the fingers: HELM has hundreds of names of its own."""
    import difflib

    return bool(difflib.get_close_matches(name, OWN_NAMES, n=1, cutoff=0.85))


take_over_helm_run(sys.argv)
stop_on_error(check_command_line, sys.argv)
stop_on_error(load_env_file)
