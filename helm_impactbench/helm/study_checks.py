"""Whether a study can be run at all: its models, keys and prices, looked at before anything is planned or written."""

from __future__ import annotations

import logging
from pathlib import Path

from helm.benchmark.model_deployment_registry import get_model_deployment

from helm_impactbench.errors import SettingError, did_you_mean, dollars, listed
from helm_impactbench.helm.deployments import litellm_arguments
from helm_impactbench.helm.own_names import FREE_PREFIXES
from helm_impactbench.helm.preflight import check_provider, check_usable, resolve_deployment
from helm_impactbench.helm.products import product_of
from helm_impactbench.helm.session import know_deployments
from helm_impactbench.llm.prices import FREE, known_price, own_price, stated_price
from helm_impactbench.study.entries import asks_user
from helm_impactbench.study.model import Study


def check_study(study: Study, local_path: Path) -> None:
    """Raise an ImpactBenchError where a study cannot be run. Makes no call, and makes the deployments known.

    Keys are not looked for where it is only planned.
    """
    logging.getLogger("helm").setLevel(logging.ERROR)  # the lines that count here are ours
    know_deployments(local_path)
    _check_models(study)
    _check_prices(study)
    if study.user and not study.dry_run:  # else helm-run names all keys at once, with that of the usual user
        roles = _roles(study) if asks_user(study) else [one for one in _roles(study) if one[0] != "user"]
        check_usable(roles, local_path)


def _roles(study: Study) -> list[tuple[str, str]]:
    """Return (role, model) of those that a study names."""
    users = [study.user] if study.user else []
    return [
        (role, name)
        for role, names in (
            ("target", study.models),
            ("user", users),
            ("judge", study.judge),
            ("held-out judge", study.held_out_judges),
        )
        for name in names
    ]


def _check_models(study: Study) -> None:
    """Raise UnknownDeploymentError for a name that no model or provider has, with its role."""
    for role, name in _roles(study):
        check_provider(resolve_deployment(name, role), role)


def _check_prices(study: Study) -> None:
    """Raise SettingError for a price of a model that is not in the study, and for a budget that cannot be kept."""
    names = [*dict.fromkeys(name for _, name in _roles(study))]
    for name in study.prices:
        if name not in names:
            near = did_you_mean(name, names)
            raise SettingError(f"{name} has a price and is no model of this run.{near} Its models: {', '.join(names)}.")
    if study.budget_usd is None:
        return
    deployments = {name: resolve_deployment(name, "model") for name in names}
    helms = [name for name, found in deployments.items() if _is_helms(found)]
    if helms:
        raise SettingError(
            f"HELM's own clients report no usage, so the budget of {dollars(study.budget_usd)} cannot be kept with "
            f"{listed(helms)}. Name litellm/{helms[0]} instead, or --free {helms[0]} if it costs nothing."
        )
    unpriced = [name for name, found in deployments.items() if not _has_price(found)]
    if unpriced:
        raise SettingError(
            f"No price is known for {listed(unpriced)}, so the budget of {dollars(study.budget_usd)} cannot be kept. "
            f"Add --price {unpriced[0]}=IN,OUT in US dollars per million tokens of prompt and answer, or --free "
            f"{unpriced[0]} for a server of your own; a product says price: in its product.yaml."
        )


def _is_helms(deployment: str) -> bool:
    """Return whether one of HELM's clients calls it, for money as far as anybody knows."""
    if deployment.startswith(FREE_PREFIXES) or stated_price(deployment) == FREE:
        return False
    return litellm_arguments(get_model_deployment(deployment)) is None and product_of(deployment) is None


def _has_price(deployment: str) -> bool:
    if deployment.startswith(FREE_PREFIXES) or stated_price(deployment) is not None:
        return True
    product = product_of(deployment)
    if product is not None:
        return product.own_price is not None
    arguments = litellm_arguments(get_model_deployment(deployment)) or {}
    return own_price(arguments) is not None or known_price(str(arguments["litellm_model"])) is not None
