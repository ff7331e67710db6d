"""How many answers of the models under test a run will find in the cache: planned conversations held without a call.

Each is followed through the cache until an answer is missing. What comes after that is new.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from helm.benchmark.model_deployment_registry import get_model_deployment
from helm.common.cache import SqliteCacheConfig
from helm.common.cache_backend_config import SqliteCacheBackendConfig
from helm.common.request import Request, RequestResult
from helm.proxy.services.service import CACHE_DIR

from helm_impactbench.analysis.costs.forecast import PlannedRun
from helm_impactbench.benchmark.tools import definitions
from helm_impactbench.conversation.loop import Speaker, hold_conversation
from helm_impactbench.conversation.plan import ConversationPlan
from helm_impactbench.helm.caller import helm_request, read_reply
from helm_impactbench.helm.conversation_client import USER_TEMPERATURE, checks_of, user_tokens
from helm_impactbench.helm.deployments import litellm_arguments, release_of
from helm_impactbench.helm.own_names import REHEARSAL_PREFIX
from helm_impactbench.helm.preflight import resolve_deployment
from helm_impactbench.helm.product_conversation import ProductConversations
from helm_impactbench.helm.products import product_of
from helm_impactbench.helm.rehearsal_client import RehearsalClient
from helm_impactbench.helm.request_cache import cache_file
from helm_impactbench.helm.run_specs import TARGET_MAX_TOKENS, TARGET_TEMPERATURE
from helm_impactbench.llm.request import CallFailure, Message, ModelRequest, Reply
from helm_impactbench.llm.retries import Retries, policy_from_environment
from helm_impactbench.targets.description import Product

MOST_FOLLOWED = 200
"""Conversations: of more, this many are followed, spread over all, and the rest is taken to be like them."""
_NOT_STORED = CallFailure("not in the cache")
Find = Callable[[ModelRequest], Reply | CallFailure]
"""Answers a request from the cache, or not at all."""
LookUp = Callable[[Request], RequestResult | None]
"""The same for one deployment, in HELM's terms."""


@dataclass(frozen=True)
class PlannedAnswers:
    """Answers of models under test that a run takes; those of scripted models are left out."""

    new: int = 0
    stored: int = 0
    """In the cache."""
    is_estimate: bool = False
    """Whether only a part of the conversations was looked up."""
    unknown: tuple[str, ...] = ()
    """Deployments whose clients, which are HELM's own, cannot be asked what they have stored."""


def planned_answers(runs: Sequence[PlannedRun], local_path: Path) -> PlannedAnswers:
    """Return how many answers of the targets are new, and how many come from the cache, if all turns are held."""
    tested = [run for run in runs if not run.target.startswith(REHEARSAL_PREFIX)]
    unknown = dict.fromkeys(run.target for run in tested if not _is_ours(run.target))
    pairs = [(run, case.plan) for run in tested if run.target not in unknown for case in run.cases]
    step = -(-len(pairs) // MOST_FOLLOWED) or 1
    find = _stored_replies(local_path)
    followed = [_answers(run, plan, find, local_path) for run, plan in pairs[::step]]
    turns = sum(plan.turns for _, plan in pairs)
    taken = sum(plan.turns for _, plan in pairs[::step]) or 1
    stored = round(sum(followed) * turns / taken)
    return PlannedAnswers(turns - stored, stored, step > 1 and bool(stored), tuple(unknown))


def _is_ours(target: str) -> bool:
    deployment = resolve_deployment(target, "target")
    return litellm_arguments(get_model_deployment(deployment)) is not None or product_of(deployment) is not None


def _answers(run: PlannedRun, plan: ConversationPlan, find: Find, local_path: Path) -> int:
    """Return how many answers of the target are stored."""
    deployment = resolve_deployment(run.target, "target")
    product = product_of(deployment)
    if product is not None:
        return _turns_held(product, plan, local_path)
    release = plan.release or release_of(deployment)
    asked = _speaker(
        find,
        deployment,
        TARGET_TEMPERATURE if run.temperature is None else run.temperature,
        run.target_tokens or TARGET_MAX_TOKENS,
        plan.seed,
        release,
        definitions(plan.tools),
    )
    user = _speaker(find, plan.user, USER_TEMPERATURE, user_tokens(plan), plan.seed)
    conversation = hold_conversation(plan, user, asked, checks_of(plan))
    return len(conversation.exchanges)


def _turns_held(product: Product, plan: ConversationPlan, local_path: Path) -> int:
    """Return how many turns of a conversation were held with this release of a product before."""
    host = product.name.partition("/")[0]
    config = SqliteCacheBackendConfig(str(local_path / CACHE_DIR)).get_cache_config(host)
    assert isinstance(config, SqliteCacheConfig)
    if not cache_file(config.path).is_file():
        return 0
    held = ProductConversations(product, config, Retries(policy_from_environment())).stored(plan)
    return len(held.exchanges) if held else 0


def _speaker(
    find: Find,
    deployment: str,
    temperature: float,
    max_tokens: int,
    seed: str,
    release: str = "",
    tools: tuple[Mapping[str, Any], ...] = (),
) -> Speaker:
    def speak(messages: list[Message]) -> Reply | CallFailure:
        said = tuple(messages)
        return find(ModelRequest(deployment, said, temperature, max_tokens, seed, release=release, tools=tools))

    return speak


def _stored_replies(local_path: Path) -> Find:
    """Return what answers requests from the cache that helm-run --local-path uses. It makes no call; scripts answer."""
    storage = local_path / CACHE_DIR
    backend = SqliteCacheBackendConfig(str(storage))

    @cache
    def look_up_of(name: str) -> LookUp | None:
        deployment = get_model_deployment(name)
        config, lock = backend.get_cache_config(deployment.host_organization), f"{deployment.host_organization}.lock"
        assert isinstance(config, SqliteCacheConfig)
        if not cache_file(config.path).is_file():
            return None
        if name.startswith(REHEARSAL_PREFIX):
            return RehearsalClient(config, str(storage / lock), name).make_request
        arguments = litellm_arguments(deployment)
        if arguments is None:
            return None
        from helm_impactbench.helm.litellm_client import LiteLLMClient  # litellm takes two seconds

        return LiteLLMClient(config, str(storage / lock), **arguments).stored

    def find(request: ModelRequest) -> Reply | CallFailure:
        look_up = look_up_of(request.deployment)
        result = look_up(helm_request(request)) if look_up else None
        return read_reply(result) if result else _NOT_STORED

    return find
