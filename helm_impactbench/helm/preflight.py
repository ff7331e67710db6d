"""Check before the first paid call that all models can be called; errors say what to do."""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from helm.benchmark.model_deployment_registry import (
    ALL_MODEL_DEPLOYMENTS,
    ModelDeployment,
    ModelDeploymentNotFoundError,
    get_default_model_deployment_for_model,
    get_model_deployment,
)
from helm.common.object_spec import get_class_by_name

from helm_impactbench.conversation.usual_roles import usual_judge, usual_user
from helm_impactbench.errors import MissingKeyError, ModelError, UnknownDeploymentError, did_you_mean, listed
from helm_impactbench.helm.deployments import LITELLM_PREFIX, litellm_arguments
from helm_impactbench.helm.function_client import declared
from helm_impactbench.helm.nearest_models import reached_by_litellm
from helm_impactbench.helm.own_entries import own_entries
from helm_impactbench.helm.own_names import CAST, FUNCTION_PREFIX, REHEARSAL_PREFIX
from helm_impactbench.helm.products import check_product, product_of
from helm_impactbench.llm.batch.deferred_call import announce_deferred, judges_deferred
from helm_impactbench.llm.call_log import call_log
from helm_impactbench.llm.connection import expanded
from helm_impactbench.llm.credentials import CREDENTIALS_FILE, Credentials, key_variables
from helm_impactbench.llm.deployment_arguments import DEPLOYMENTS_FILE, checked_arguments
from helm_impactbench.llm.env_file import first_key, take_missing
from helm_impactbench.llm.limits.budget import budget_from_environment
from helm_impactbench.llm.limits.settings import read_limits
from helm_impactbench.llm.price_list import PROVIDERS
from helm_impactbench.llm.retries import policy_from_environment
from helm_impactbench.process.helm_run import this_run
from helm_impactbench.validity.families import relatives


def resolve_deployment(name: str, role: str) -> str:
    """Return the deployment for the name of a deployment or of a model with a default deployment.

    Raises UnknownDeploymentError, naming the nearest deployments.
    """
    try:
        return get_model_deployment(name).name
    except ModelDeploymentNotFoundError:
        deployment = get_default_model_deployment_for_model(name)
    if deployment:
        return deployment
    known = [*(deployment.name for deployment in ALL_MODEL_DEPLOYMENTS), *CAST]
    near = ("" if name.startswith(REHEARSAL_PREFIX) else reached_by_litellm(name)) or did_you_mean(name, known)
    product = "a product.yaml, " if role == "target" else ""
    raise UnknownDeploymentError(
        f"The {role} is {name!r}, which is not a model deployment.{near} Allowed: a deployment of HELM or of "
        f"prod_env/model_deployments.yaml, litellm/<provider>/<model>, {product}or a rehearsal model "
        "(rehearsal/mixed, ...; docs/running.md)."
    )


def check_provider(deployment: str, role: str) -> None:
    """Raise UnknownDeploymentError for a model of a provider that litellm does not know; keys are not looked for."""
    arguments = litellm_arguments(get_model_deployment(deployment))
    if arguments is not None and not arguments.get("api_base"):
        _litellm_provider(arguments["litellm_model"], role)


def check_deployment(name: str, role: str, credentials: Credentials, *, chat: bool = True) -> None:
    """Raise ModelError unless the deployment can hold a chat, if it is to, and its key is there. Makes no call."""
    deployment = get_model_deployment(resolve_deployment(name, role))
    arguments, product = litellm_arguments(deployment), product_of(deployment.name)
    if deployment.name.startswith(FUNCTION_PREFIX):
        _check_function(deployment.name, role)
    elif product is not None:
        check_product(product, role)
    elif arguments is not None:
        _check_litellm(deployment, arguments, role, credentials)
    else:
        _check_helm(deployment, role, credentials, chat=chat)


def check_deployments(roles: Iterable[tuple[str, str]], *, prompted: Collection[str] = ()) -> None:
    """Check (role, deployment) pairs; raises one ModelError that names everything that is missing.

    A judge of the target's family, and judges of one family, are named on standard error, once each.

    `prompted`: roles that need not hold a chat, because they only answer a prompt of HELM's.
    Raises SettingError for a variable of the retry policy, or a level of the log, that cannot be used.
    """
    policy_from_environment()
    budget_from_environment()
    read_limits(this_run().local_path)
    call_log()
    if judges_deferred():
        announce_deferred()
    roles = list(roles)
    check_usable(roles, this_run().local_path, prompted=prompted)
    named = {role: [name for own, name in roles if own == role] for role in ("judge", "target")}
    for sentence in relatives(named["judge"], named["target"]):
        _say(sentence)


def check_usable(roles: Iterable[tuple[str, str]], local_path: Path, *, prompted: Collection[str] = ()) -> None:
    """Raise one ModelError that names everything that keeps (role, deployment) pairs from being called."""
    found = [_problem(name, role, local_path, role not in prompted) for role, name in dict.fromkeys(roles)]
    if problems := [error for error in found if error]:
        kind = MissingKeyError if isinstance(problems[0], UnsetKeyError) else type(problems[0])
        raise kind("\n".join(_told_once(problems)))


@cache
def _say(sentence: str) -> None:
    """Print a line, once: HELM makes every run spec several times over."""
    print(f"impactbench: {sentence}", file=sys.stderr, flush=True)


def _told_once(problems: Iterable[ModelError]) -> list[str]:
    """Return the texts of problems; a key that several models need is missing once."""
    told: dict[str, list[str]] = {}
    for problem in problems:
        who, what = (problem.who, problem.cure) if isinstance(problem, UnsetKeyError) else ("", str(problem))
        told.setdefault(what, []).append(who)
    return [_unset(who, what) if any(who) else what for what, who in told.items()]


def _unset(who: Sequence[str], cure: str) -> str:
    subject = f"{listed(who)} {'needs' if len(who) == 1 else 'need'}"
    return f"{subject[0].upper()}{subject[1:]} a key that is not set. {cure}"


class UnsetKeyError(MissingKeyError):
    """A model's key is not set."""

    def __init__(self, who: str, cure: str) -> None:
        """`who`: role and deployment. `cure`: where to set the key, the same for every model that needs it."""
        super().__init__(_unset([f"the {who}"], cure))
        self.who, self.cure = f"the {who}", cure


def _problem(name: str, role: str, local: Path, chat: bool) -> ModelError | None:
    """Return why a deployment cannot be used."""
    try:
        _find_usable(name, role, local, chat)
    except ModelError as error:
        return error
    return None


@cache
def _find_usable(name: str, role: str, local: Path, chat: bool) -> None:
    """Raise ModelError unless a deployment can be used. That it can is remembered, because HELM makes every run spec
    several times over; that it cannot is not, or a key that is set later in a notebook would be missing for ever.
    """
    check_deployment(name, role, Credentials(local), chat=chat)


def _check_function(name: str, role: str) -> None:
    if role == "target":
        raise ModelError(f"The target {name}: a function under test is described in a product.yaml, as its callable.")
    try:
        declared(name.removeprefix(FUNCTION_PREFIX))
    except ModelError as error:
        raise ModelError(f"The {role} {name}: {error}") from error


def _check_litellm(
    deployment: ModelDeployment, arguments: Mapping[str, Any], role: str, credentials: Credentials
) -> None:
    try:
        checked_arguments(deployment.name, arguments, str(this_run().local_path / DEPLOYMENTS_FILE))
    except ModelError as error:
        raise ModelError(f"The {role} {error}") from error
    try:
        expanded(arguments.get("headers") or {})
    except MissingKeyError as error:
        raise MissingKeyError(f"The {role} {deployment.name}: {error}") from error
    variable = arguments.get("api_key_env")
    if variable:
        if not first_key([variable]):
            raise _missing(deployment.name, role, [variable])
        return
    model = arguments["litellm_model"]
    if arguments.get("api_base"):
        credentials.key_for(model.split("/")[0], deployment.name)  # a .env file is read here, and not by every worker
        return
    provider = _litellm_provider(model, role)
    if credentials.key_for(provider, deployment.name):
        return
    take_missing(_litellm_missing_keys(model))
    missing = _litellm_missing_keys(model)
    if missing:
        raise _missing(deployment.name, role, missing, f"{provider}ApiKey")


def _litellm_provider(model: str, role: str) -> str:
    provider, _, rest = model.partition("/")
    if rest and provider in PROVIDERS:
        return provider
    from helm_impactbench.llm.quiet_litellm import litellm

    known = sorted(str(getattr(name, "value", name)) for name in litellm.provider_list)
    if rest and provider in known:
        return provider
    if not rest and model in litellm.model_list_set:
        return str(litellm.get_llm_provider(model)[1])
    raise UnknownDeploymentError(
        f"The {role} is {LITELLM_PREFIX + model!r}, but {provider!r} is not a provider of litellm."
        f"{reached_by_litellm(model) or did_you_mean(provider, known)} "
        "Allowed: litellm/<provider>/<model>, for example litellm/openai/gpt-4o."
    )


def _litellm_missing_keys(model: str) -> list[str]:
    """Return the key variables that litellm misses; it cannot tell whether other settings (regions, projects) are
    made."""
    provider = model.partition("/")[0]
    if provider in PROVIDERS:
        return [name for name in key_variables(provider)[:1] if not os.environ.get(name)]
    from helm_impactbench.llm.quiet_litellm import litellm

    missing = litellm.validate_environment(model)["missing_keys"]
    return [variable for variable in missing if variable.endswith(("_API_KEY", "_TOKEN"))]


def _check_helm(deployment: ModelDeployment, role: str, credentials: Credentials, *, chat: bool) -> None:
    try:
        client = get_class_by_name(deployment.client_spec.class_name)
    except Exception as error:  # HELM's optional packages: the text says which extra to install
        raise ModelError(f"The {role} {deployment.name} cannot be used: {' '.join(str(error).split())}") from error
    if chat and client.__module__.startswith("helm.") and not _reads_chats(client):
        raise ModelError(
            f"The {role} {deployment.name} cannot hold a chat: HELM's {client.__name__} reads a single prompt only. "
            "Use a chat deployment of this model."
        )
    arguments = deployment.client_spec.args
    wants_key = "api_key" in inspect.signature(client.__init__).parameters
    if wants_key and not {"api_key", "base_url"} & set(arguments):
        host = deployment.host_organization
        if not credentials.key_for(host, deployment.name):
            raise _missing(deployment.name, role, list(key_variables(host)), f"{host}ApiKey")


def check_tools(target: str, benchmark: str) -> None:
    """Raise ModelError unless the target of a benchmark with tools can be given them, or tells what it does."""
    deployment = get_model_deployment(resolve_deployment(target, "target"))
    product = product_of(deployment.name)
    if product is not None and product.tools is None:
        raise ModelError(
            f"The target {product.name}: {benchmark} asks what the assistant does with tools, and product.yaml does "
            "not say where the product tells it. Write tools: $.events, or where else in its answer they stand."
        )
    ours = deployment.name in CAST or litellm_arguments(deployment) is not None or product is not None
    if not ours:
        raise ModelError(
            f"The target {deployment.name}: {benchmark} gives the assistant tools, which HELM's own clients cannot "
            "pass on. Use litellm/<provider>/<model>, or a deployment with litellm_model."
        )


def _reads_chats(client: type) -> bool:
    """Return whether one of HELM's clients looks at Request.messages; those that do not would send an empty prompt."""
    return any(
        "messages" in inspect.getsource(base) for base in client.__mro__ if base.__module__.startswith("helm.clients.")
    )


def _missing(deployment: str, role: str, variables: list[str], entry: str = "") -> UnsetKeyError:
    """Return the error of an unset key; `entry`: the name of the key in credentials.conf, where that may hold it."""
    file = f", or {entry} in {this_run().local_path / CREDENTIALS_FILE}" if entry else ""
    return UnsetKeyError(
        f"{role} {deployment}{_why_this_one(role, deployment)}",
        f"Set {' or '.join(variables)} in the environment or in .env{file}.",
    )


def _why_this_one(role: str, deployment: str) -> str:
    """Return why a role is played by a deployment that no entry names; empty for one that was named."""
    usual = {"user": usual_user, "judge": usual_judge}.get(role)
    if usual is None or deployment not in usual().split("+"):
        return ""
    if all(re.search(f"[:,]{role}=", entry) for entry in own_entries(this_run())):
        return ""
    return f" (the default, because the entry has no {role}=; add user= and judge= to choose others)"
