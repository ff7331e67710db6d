"""Run entries as what they will take, before anything is run: through the same run specs as helm-run's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from helm.benchmark.model_deployment_registry import ModelDeploymentNotFoundError, get_model_deployment
from helm.benchmark.presentation.run_entry import read_run_entries
from helm.benchmark.run_expander import RUN_EXPANDERS
from helm.benchmark.run_spec import RunSpec
from helm.benchmark.scenarios.scenario import create_scenario
from helm.common.object_spec import ObjectSpec, get_class_by_name, parse_object_spec

from helm_impactbench.analysis.costs.forecast import Expense, PlannedRun
from helm_impactbench.errors import ImpactBenchError, RunEntryError
from helm_impactbench.helm.entry_form import check_form
from helm_impactbench.helm.own_entries import WHAT_A_CONF_HAS, is_own, parse_fault
from helm_impactbench.helm.own_names import FREE_PREFIXES, RUN_SPECS
from helm_impactbench.helm.products import product_of
from helm_impactbench.llm.prices import is_listed, known_price, own_price, stated_price
from helm_impactbench.suites.panels.table import BY_SLUG
from helm_impactbench.suites.planned_prompts import PlannedPrompts
from helm_impactbench.suites.registry import prompts_of

T = TypeVar("T")
Planned = PlannedRun | tuple[PlannedPrompts, str]
"""Cases of ours, or prompts of known number with the target that they are put to."""


def planned_runs(entry: str, models: Sequence[str], most: int, most_conversations: int | None = None) -> list[Planned]:
    """Return the runs that a run entry stands for: one per target, none where nothing is known of its suite.

    most: prompts of a suite of HELM's at most. most_conversations: of a benchmark; all without it. Raises
    ImpactBenchError, also when the entry names no target.
    """
    spec = _parsed(entry)
    options = {name: value for name, value in spec.args.items() if name not in RUN_EXPANDERS}
    given = str(options.pop("model", spec.args.get("model", "")))
    prompts = prompts_of(spec.class_name, options, most)
    if prompts is None and (spec.class_name not in RUN_SPECS or spec.class_name in BY_SLUG):
        return []
    targets = [given] if "/" in given else list(models)
    if not targets:
        raise RunEntryError(f"Run entry {entry!r} names no model; add model=... or --models-to-run ...")
    if prompts is not None:
        return [(prompts, target) for target in targets]
    make_run_spec = get_class_by_name(RUN_SPECS[spec.class_name])
    heat = spec.args.get("temperature")
    temperature = None if heat is None else float(heat)
    return _own(make_run_spec(spec.class_name, options), targets, temperature, most_conversations)


def _own(spec: RunSpec, targets: Sequence[str], temperature: float | None, most_cases: int | None) -> list[Planned]:
    """Return a run of ours for each target; the HELM scenario lists its cases."""
    annotators = [annotator.args for annotator in spec.annotators or []]
    judges = tuple(judge for arguments in annotators for judge in arguments["judges"])
    checks = tuple(check for arguments in annotators for check in arguments.get("checks", ()))
    validate = next((arguments["validate"] for arguments in annotators if "validate" in arguments), None)
    cases: Any = create_scenario(spec.scenario_spec).cases()  # type: ignore[attr-defined]
    cases = taken_by_helm(cases, len(cases) if most_cases is None else most_cases)
    most = spec.adapter_spec.max_tokens
    return [PlannedRun(cases, target, judges, checks, most, temperature, validate) for target in targets]


def taken_by_helm(cases: Sequence[T], most: int) -> list[T]:
    """Return the cases that helm-run -m takes: drawn at random, and the same ones every time."""
    if len(cases) <= most:
        return list(cases)
    return [cases[place] for place in np.random.RandomState(0).choice(len(cases), most, replace=False)]


def entries_in(conf: str) -> list[str]:
    """Return the run entries in a file of them. Raises ImpactBenchError."""
    if not Path(conf).is_file():
        raise ImpactBenchError(f"No file {conf}; shipped ones: impactbench list --path run_entries/...")
    if said := parse_fault(Path(conf)):
        raise ImpactBenchError(f"{conf} is not a file of run entries ({said}). {WHAT_A_CONF_HAS}")
    return [entry.description for entry in read_run_entries([conf]).entries]


def price(deployment: str, expense: Expense) -> float | None:
    """Return US dollars, None when no price is known. Raises ModelError for a price that cannot be one."""
    if deployment.startswith(FREE_PREFIXES):
        return 0.0
    arguments = _client_arguments(deployment)
    product = product_of(deployment)
    own = stated_price(deployment) or (product.own_price if product else own_price(arguments))
    if own is not None:
        return own.of(expense.prompt_tokens, expense.completion_tokens, expense.calls)
    if product is not None:
        return None
    model = str(arguments.get("litellm_model", deployment))  # what litellm's price list may call it
    per_token = known_price(model)
    if per_token is not None:
        return per_token.of(expense.prompt_tokens, expense.completion_tokens)
    if not is_listed(model):
        return None
    from helm_impactbench.llm.quiet_litellm import (
        litellm,  # takes two seconds, for models that are not paid by the token
    )

    try:
        costs = litellm.cost_per_token(
            model=model,
            prompt_tokens=expense.prompt_tokens,
            completion_tokens=expense.completion_tokens,
        )
    except Exception:  # litellm raises bare Exception for a model without a price
        return None
    return float(sum(costs)) or None


def _client_arguments(deployment: str) -> Mapping[str, Any]:
    """Return the arguments of a deployment's client, none of a name that HELM does not know."""
    try:
        return get_model_deployment(deployment).client_spec.args or {}
    except ModelDeploymentNotFoundError:
        return {}


def _parsed(entry: str) -> ObjectSpec:
    if is_own(entry):
        check_form(entry)
    try:
        return parse_object_spec(entry)
    except ValueError as error:
        raise RunEntryError(f"Run entry {entry!r}: {error}") from error
