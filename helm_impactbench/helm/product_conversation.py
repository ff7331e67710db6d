"""A conversation with a product, held in one session, or anew in another one; finished ones are kept.

A product's session cannot be entered again, so what is kept is the whole conversation and no single answer: for good
under the release that gave it, and without a release for its suite alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from helm.common.cache import CacheConfig

from helm_impactbench.conversation.loop import Checks, Speaker, hold_conversation
from helm_impactbench.conversation.paraphrase import user_prompts
from helm_impactbench.conversation.plan import ConversationPlan
from helm_impactbench.conversation.record import Conversation, Status
from helm_impactbench.errors import FatalCallError
from helm_impactbench.helm.caller import cache_backend_of
from helm_impactbench.helm.fatal_errors import ended
from helm_impactbench.helm.lost_target import lost
from helm_impactbench.helm.request_cache import HelmCache
from helm_impactbench.llm.cache.request_cache import RequestCache
from helm_impactbench.llm.failures import TransientCallError
from helm_impactbench.llm.request import CallFailure, Message, Reply
from helm_impactbench.llm.retries import Retries, policy_from_environment
from helm_impactbench.llm.usage import Usage
from helm_impactbench.process.helm_run import this_run
from helm_impactbench.process.settings import DAY
from helm_impactbench.process.shared_state import STOPPED
from helm_impactbench.prompts import prompts_digest
from helm_impactbench.targets.description import Product
from helm_impactbench.targets.talk import Talk, takes_system_prompt

MOST_SESSIONS = 3
"""In which one conversation is begun, at most."""
KEPT_FILE = "product_conversations.sqlite"
"""In the suite's folder: finished conversations with products of no named release."""
Watch = Callable[[Reply], Reply]
"""Notes a reply of the product, and returns it with the name of its call."""


class ProductConversations:
    """Holds conversations with one product."""

    def __init__(self, product: Product, cache: CacheConfig, retries: Retries) -> None:
        """`cache` is any of HELM's; `retries` are those of the run."""
        self.product = product
        self._retries = retries
        host = product.name.partition("/")[0]
        self._for_good = HelmCache(cache_backend_of(cache).get_cache_config(host))
        suite = this_run().suite_folder
        self._for_suite = _kept_in(suite / KEPT_FILE) if suite else RequestCache(_Memory)

    def hold(self, plan: ConversationPlan, user: Speaker, watch: Watch, checks: Checks) -> tuple[Conversation, bool]:
        """Return a conversation, and whether it was held before. Raises FatalCallError, StoppedError."""
        stored = self.stored(plan)
        if stored is not None:
            return stored, True
        if plan.target_system_prompt and not takes_system_prompt(self.product):
            return Conversation(status=Status.NO_SYSTEM_PROMPT, reason=_NO_PLACE), False
        conversation = self._held(plan, user, watch, checks)
        if conversation.status.can_be_judged:
            kept = {"conversation": conversation.model_dump(mode="json", exclude_defaults=True)}
            self._cache(plan).get(self._key(plan), lambda: kept)
        return conversation, False

    def stored(self, plan: ConversationPlan) -> Conversation | None:
        """Return the conversation where it was held before."""
        kept = self._cache(plan).stored(self._key(plan))
        return Conversation.model_validate(kept["conversation"]) if kept else None

    def _release(self, plan: ConversationPlan) -> str:
        return plan.release or self.product.release or ""

    def _cache(self, plan: ConversationPlan) -> HelmCache | RequestCache:
        return self._for_good if self._release(plan) else self._for_suite

    def _key(self, plan: ConversationPlan) -> dict[str, Any]:
        return {
            "product": self.product.name,
            "description": self.product.digest,
            "release": self._release(plan),
            "prompts": prompts_digest(user_prompts(paraphrased=plan.is_paraphrased)),
            "plan": plan.model_dump(mode="json", exclude_defaults=True, exclude={"release"}),
        }

    def _held(self, plan: ConversationPlan, user: Speaker, watch: Watch, checks: Checks) -> Conversation:
        """Hold a conversation, in another session where one breaks off. What was used counts for all of them."""
        policy = policy_from_environment()
        policy = replace(policy, attempts=min(policy.attempts, MOST_SESSIONS), max_seconds=7 * DAY)
        held: list[Conversation] = []

        def once() -> None:
            task = "" if plan.seed in plan.messages else plan.seed  # a single prompt of HELM's is its own seed
            talk = Talk(self.product, plan.axes, self._retries, self._ended, task)

            def speak(messages: list[Message]) -> Reply | CallFailure:
                reply = talk.speak(messages)
                return watch(reply) if isinstance(reply, Reply) else reply

            try:
                held.append(hold_conversation(plan, user, speak, checks))
            finally:
                talk.close()
            if talk.broken_off is not None:
                raise talk.broken_off

        with suppress(TransientCallError):  # the conversation says why it ended
            Retries(policy, STOPPED).run(once)
        return _together(held)

    def _ended(self, error: FatalCallError) -> Exception:
        name = self.product.name
        return lost(error, name, "target") if error.complete else ended(error, name, "target")


_NO_PLACE = (
    "This case has a system prompt, and the product's file has no place for it. If the product takes one, write "
    "{system} or {messages} into send."
)


def _together(held: list[Conversation]) -> Conversation:
    """Return the last of several attempts at a conversation, with what all of them used."""
    *broken_off, last = held
    if not broken_off:
        return last
    target = sum((one.target_usage for one in broken_off), Usage()) + last.target_usage
    user = sum((one.user_usage for one in broken_off), Usage()) + last.user_usage
    return last.model_copy(update={"target_usage": target, "user_usage": user, "restarts": len(broken_off)})


_FILES: dict[Path, RequestCache] = {}
_LOCK = threading.Lock()


def _kept_in(path: Path) -> RequestCache:
    with _LOCK:
        if path not in _FILES:
            _FILES[path] = RequestCache.in_file(path)
        return _FILES[path]


class _Memory:
    """Keeps answers for this process, where a command belongs to no suite."""

    def __init__(self) -> None:
        self._answers: dict[str, Any] = {}

    def get(self, key: str) -> Any:
        return self._answers.get(key)

    def put(self, key: str, answer: Any) -> None:
        self._answers[key] = answer

    def check_room(self) -> None:
        """Memory is enough."""
