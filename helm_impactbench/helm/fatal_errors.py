"""An error that no further call to a deployment could survive, as people read it: whom it concerns and what to do."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from helm.benchmark.model_deployment_registry import ModelDeployment, get_model_deployment
from helm.clients.client import Client

from helm_impactbench.errors import FatalCallError
from helm_impactbench.helm.deployments import litellm_arguments
from helm_impactbench.helm.lost_target import lost
from helm_impactbench.helm.nearest_models import nearest_model
from helm_impactbench.helm.products import file_of, product_of
from helm_impactbench.llm.deployment_arguments import DEPLOYMENTS_FILE
from helm_impactbench.llm.remedies import CONTINUES, key_place, remedy
from helm_impactbench.process.helm_run import this_run
from helm_impactbench.targets.description import Product

if TYPE_CHECKING:
    from helm_impactbench.llm.endpoint import Endpoint

_OF_THE_SERVER = ("key", "credit", "model", "path", "down")
"""What an error is about for which it matters which server was asked."""
_VERSION_PATH = "/v1"
"""What most servers of OpenAI's protocol have at the end of their address."""


def ended(error: Exception, deployment: str, role: str, client: Client | None = None) -> Exception:
    """Return what a failure of a call ends: nothing, the runs of this target, or all of them with what to do."""
    if not isinstance(error, FatalCallError) or error.complete:
        return error
    if error.about == "down" and (product := product_of(deployment)) is not None:
        return lost(_of_product(error, product, role), deployment, role)
    endpoint: Endpoint | None = getattr(client, "endpoint", None)
    advice = _wrong_address(error, deployment, endpoint) or _advice(error, deployment, client)
    asked = endpoint.asked if endpoint and error.about in _OF_THE_SERVER else ""
    where = f" It was asked at {asked}." if asked else ""
    text = f"The {role} {str(error).rstrip('.')}.{where}{advice}"
    return lost(FatalCallError(text, error.about, complete=True), deployment, role)


def _of_product(error: FatalCallError, product: Product, role: str) -> FatalCallError:
    """Return that a product does not work, with its address and the command that looks further."""
    where = f" It was asked at {product.url}." if product.url else ""
    file = file_of(product.name, this_run().local_path)
    look = f": impactbench target check {shlex.quote(str(file))}" if file else ""
    text = f"The {role} {str(error).rstrip('.')}.{where} Look whether it works{look}. {CONTINUES}"
    return FatalCallError(text, error.about, complete=True)


def _wrong_address(error: FatalCallError, deployment: str, endpoint: Endpoint | None) -> str:
    """Return what to do where an address of somebody's own, and no name of a model, seems to be wrong."""
    if error.about != "path" or endpoint is None or not endpoint.set_by or endpoint.served_models():
        return ""
    name = endpoint.set_by
    place = f"{name} of {deployment} in {DEPLOYMENTS_FILE}" if name == "api_base" else name
    better = f"{endpoint.base}{_VERSION_PATH}"
    if endpoint.base and endpoint.served_models(_VERSION_PATH):
        return f" Nothing is there; {better} has models. Set {place} to {better}."
    return f" Nothing is there. Correct {place}; the address of a server of your own usually ends in {_VERSION_PATH}."


def _advice(error: FatalCallError, deployment: str, client: Client | None) -> str:
    what = remedy(error.about, lambda: _key_place(get_model_deployment(deployment)))
    near = (
        nearest_model(get_model_deployment(deployment), client) if client and error.about in ("model", "path") else ""
    )
    return f"{near} {what}"


def _key_place(deployment: ModelDeployment) -> str:
    arguments = litellm_arguments(deployment) or {}
    model = str(arguments.get("litellm_model") or "")
    host = model.partition("/")[0] if model else deployment.host_organization
    return key_place(deployment.name, host, arguments.get("api_key_env"), this_run().local_path)
