"""What is looked at before anything else of a helm-run with entries of ours: these entries.

HELM parses run entries itself and answers a slip in them with a traceback, or misreads it silently.
"""

from __future__ import annotations

from helm_impactbench.errors import RunEntryError
from helm_impactbench.helm.entry_form import check_form
from helm_impactbench.helm.own_entries import own_entries
from helm_impactbench.helm.registration import install
from helm_impactbench.process.helm_run import HelmRun
from helm_impactbench.process.stop import stop_on_error


def check_and_install(run: HelmRun) -> None:
    """Set the process up for its entries of ours, or end it with one line about a slip in them."""
    for entry in own_entries(run):
        stop_on_error(check_entry, entry, has_models=bool(run.models_to_run))
    install()


def check_entry(entry: str, *, has_models: bool) -> None:
    """Raise RunEntryError for a slip in the form of an entry of ours, and for one that nothing is tested in."""
    check_form(entry)
    name, _, options = entry.partition(":")
    parts = [part.partition("=") for part in options.split(",")]
    if not has_models and not any(option in ("model", "model_deployment") and value for option, _, value in parts):
        raise RunEntryError(
            f"Run entry {name}: model= is missing, the model under test; for example model=rehearsal/mixed, or "
            "--models-to-run for several"
        )
