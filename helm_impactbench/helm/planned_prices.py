"""Whether a study's budget can be kept: looked at before its plan is shown."""

from __future__ import annotations

from helm.benchmark.model_deployment_registry import get_model_deployment

from helm_impactbench.errors import SettingError, did_you_mean, dollars, listed
from helm_impactbench.helm.deployments import litellm_arguments
from helm_impactbench.helm.own_names import REHEARSAL_PREFIX
from helm_impactbench.helm.preflight import resolve_deployment
from helm_impactbench.llm.prices import FREE, known_price, own_price, stated_price
from helm_impactbench.study.model import Study


def check_prices(study: Study) -> None:
    """Raise SettingError for a price of a model that is not in the study, and for a budget that cannot be kept."""
    names = [*dict.fromkeys([*study.models, *([study.user] if study.user else []), *study.judge])]
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
            f"{unpriced[0]} for a server of your own."
        )


def _is_helms(deployment: str) -> bool:
    """Return whether one of HELM's clients calls it, for money as far as anybody knows."""
    if deployment.startswith(REHEARSAL_PREFIX) or stated_price(deployment) == FREE:
        return False
    return litellm_arguments(get_model_deployment(deployment)) is None


def _has_price(deployment: str) -> bool:
    if deployment.startswith(REHEARSAL_PREFIX) or stated_price(deployment) is not None:
        return True
    arguments = litellm_arguments(get_model_deployment(deployment)) or {}
    return own_price(arguments) is not None or known_price(str(arguments["litellm_model"])) is not None
