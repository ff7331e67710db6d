"""HELM client that holds a conversation: to HELM it looks like one request and one completion."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from helm.clients.client import Client
from helm.common.cache import CacheConfig
from helm.common.request import GeneratedOutput, Request, RequestResult, Thinking

from helm_impactbench.benchmark.tools import definitions
from helm_impactbench.conversation.faults import faults_of
from helm_impactbench.conversation.loop import Checks, Speaker, hold_conversation
from helm_impactbench.conversation.message import UserMessage
from helm_impactbench.conversation.plan import ConversationPlan
from helm_impactbench.conversation.record import Conversation, MessageFault, readable_thoughts, readable_transcript
from helm_impactbench.conversation.single_prompt import answered, failed
from helm_impactbench.helm.caller import caller_for
from helm_impactbench.helm.lost_target import check_target
from helm_impactbench.helm.own_names import READS_OUT, REHEARSAL_PREFIX
from helm_impactbench.helm.product_conversation import ProductConversations
from helm_impactbench.helm.products import product_of
from helm_impactbench.llm.limits.probe import in_conversation
from helm_impactbench.llm.release import stored_call
from helm_impactbench.llm.request import CallFailure, Message, ModelRequest, Reply
from helm_impactbench.llm.usage import UNKNOWN_USAGE, Usage
from helm_impactbench.process.shared_state import NEW_ANSWERS, STORED_ANSWERS
from helm_impactbench.process.stop import stop_on_error
from helm_impactbench.results.record import conversation_data

USER_TEMPERATURE = 1.0
USER_MAX_TOKENS = 4096
"""Room for a reasoning model's thoughts; a message itself is short."""


@dataclass
class Clock:
    """The clock fields and cache flag of a request that consists of many."""

    seconds: float = 0.0
    first: int = 0
    replies: int = 0
    cached: int = field(default=0)

    def note(self, reply: Reply) -> None:
        self.seconds += reply.seconds
        self.first = min(self.first or reply.time, reply.time)
        self.replies += 1
        self.cached += reply.cached


class ConversationClient(Client):
    """Holds conversations with one target deployment. Every single call goes through HELM's cache."""

    def __init__(
        self, cache_config: CacheConfig, lock_file_path: str, target: str, single_prompt: bool = False
    ) -> None:
        """HELM injects the cache and the path of a lock file, which shows where the storage is; the rest is ours.

        `single_prompt`: a request is a prompt of HELM's for the target, and no plan of a conversation.
        """
        self._caller = caller_for(lock_file_path, cache_config)
        self._target = target
        self._is_script = target.startswith(REHEARSAL_PREFIX)
        self._single_prompt = single_prompt
        product = product_of(target)
        self._product = ProductConversations(product, cache_config, self._caller.retries) if product else None

    def make_request(self, request: Request) -> RequestResult:
        """Hold the conversation that `request.prompt` stands for; its temperature and max_tokens are the target's.

        A failed conversation is a result with its status. Ends the program when no call can succeed any more.
        """
        plan = None if self._single_prompt else ConversationPlan.model_validate_json(request.prompt)
        with in_conversation(plan.user if plan else "", self._target, self._caller.probe):
            return stop_on_error(self._answer, request) if plan is None else self._hold(plan, request)

    def _answer(self, request: Request) -> RequestResult:
        """Pass a prompt on: same client and same cache entries as in HELM's own runs."""
        if self._product is not None:
            return self._answer_of(self._product, request)
        result = self._caller.pass_on(replace(request, model_deployment=self._target), "target")
        if isinstance(result, CallFailure):
            return no_answer(failed(request.prompt, result.reason, result.usage))
        self._count(result.cached)
        completion, *others = result.completions
        finish, thoughts = completion.finish_reason or {}, completion.thinking
        conversation = answered(
            request.prompt,
            completion.text,
            str(finish.get("reason") or "unknown"),
            Usage.model_validate(finish.get("usage") or UNKNOWN_USAGE),
            (thoughts.text if thoughts else "") or "",
            self._call(result.request_datetime or 0, result.request_time or 0.0, completion.text),
            self._timed(result.request_time or 0.0),
        )
        kept = replace(completion, finish_reason={**conversation_data(conversation), **finish})
        return replace(result, completions=[kept, *others])

    def _answer_of(self, product: ProductConversations, request: Request) -> RequestResult:
        """Put a prompt to a product, in a session of its own."""
        plan = ConversationPlan(seed=request.prompt, user="", turns=1, messages=(request.prompt,))
        clock = Clock()
        conversation = self._held_with(product, plan, clock)
        if not conversation.exchanges:
            return no_answer(failed(request.prompt, conversation.reason, conversation.target_usage))
        (turn,) = conversation.exchanges
        one = answered(
            request.prompt, turn.whole, "stop", conversation.target_usage, call=turn.call, seconds=turn.seconds
        )
        result = conversation_result(one, clock)
        return replace(result, completions=[replace(result.completions[0], text=turn.whole)])

    def _held_with(self, product: ProductConversations, plan: ConversationPlan, clock: Clock) -> Conversation:
        def watch(reply: Reply) -> Reply:
            clock.note(reply)
            self._count(is_stored=False)
            return replace(reply, call=self._call(reply.time, reply.seconds, reply.written))

        conversation, is_stored = product.hold(plan, self._user(plan, clock), watch, checks_of(plan))
        if is_stored:
            STORED_ANSWERS.add(len(conversation.exchanges))
        return conversation

    def _hold(self, plan: ConversationPlan, request: Request) -> RequestResult:
        stop_on_error(check_target, self._target)
        clock = Clock()
        if self._product is not None:
            return conversation_result(stop_on_error(self._held_with, self._product, plan, clock), clock)
        user = self._user(plan, clock)
        target = self._asked(request, plan, clock)
        return conversation_result(stop_on_error(hold_conversation, plan, user, target, checks_of(plan)), clock)

    def _asked(self, request: Request, plan: ConversationPlan, clock: Clock) -> Speaker:
        """Return the target as a speaker, whose answers are told apart by the call that gave them."""

        def speak(messages: list[Message]) -> Reply | CallFailure:
            reply = self._caller.call(
                ModelRequest(
                    self._target,
                    tuple(messages),
                    request.temperature,
                    request.max_tokens,
                    plan.seed,
                    release=plan.release,
                    tools=definitions(plan.tools),
                    role="target",
                )
            )
            if isinstance(reply, CallFailure):
                return reply
            clock.note(reply)
            self._count(reply.cached)
            called = self._call(reply.time, reply.seconds, reply.written)
            return replace(reply, call=called, seconds=self._timed(reply.seconds))

        return speak

    def _user(self, plan: ConversationPlan, clock: Clock) -> Speaker:
        most = user_tokens(plan)

        def speak(messages: list[Message]) -> Reply | CallFailure:
            request = ModelRequest(plan.user, tuple(messages), USER_TEMPERATURE, most, plan.seed, role="user")
            reply = self._caller.call(request)
            if isinstance(reply, Reply):
                clock.note(reply)
            return reply

        return speak

    def _call(self, time: int, seconds: float, words: str) -> str:
        return "" if self._is_script else stored_call(time, seconds, words)

    def _timed(self, seconds: float) -> float:
        """Return how long an answer took; 0 for a script, whose time says nothing."""
        return 0.0 if self._is_script else seconds

    def _count(self, is_stored: bool) -> None:
        """Count an answer of a model under test as a new or a stored one."""
        if not self._is_script:
            (STORED_ANSWERS if is_stored else NEW_ANSWERS).add(1)


def user_tokens(plan: ConversationPlan) -> int:
    """Return how many tokens a message of the simulated user may have."""
    return int(plan.manner.get("user_tokens", USER_MAX_TOKENS))


def checks_of(plan: ConversationPlan) -> Checks:
    """Return what finds faults in the messages of the plan's user."""
    return _no_checks if plan.user == READS_OUT else faults_of


def _no_checks(plan: ConversationPlan, number: int, message: UserMessage) -> tuple[MessageFault, ...]:
    return ()


def conversation_result(conversation: Conversation, clock: Clock) -> RequestResult:
    """Return a conversation as the result of one request with one completion."""
    thoughts = readable_thoughts(conversation)
    return RequestResult(
        success=True,
        cached=clock.cached == clock.replies,
        request_time=clock.seconds,
        request_datetime=clock.first,
        completions=[
            GeneratedOutput(
                text=readable_transcript(conversation),
                logprob=0.0,
                tokens=[],
                finish_reason=conversation_data(conversation),
                thinking=Thinking(text=thoughts) if thoughts else None,
            )
        ],
        embedding=[],
    )


def no_answer(conversation: Conversation) -> RequestResult:
    """Return the result of a single prompt without an answer. One that has failed would end a whole run of HELM's."""
    nothing = GeneratedOutput(text="", logprob=0.0, tokens=[], finish_reason=conversation_data(conversation))
    return RequestResult(success=True, cached=False, completions=[nothing], embedding=[], error=conversation.reason)
