"""One conversation with a product: who speaks to it, what is sent again, and what ends it.

A product that remembers may have received a turn even where no answer came. Such a turn is never sent again: the talk
is broken off, and whoever holds the conversation begins anew in a new session. Only what never left this machine, as
no connection was made, is sent once more. A product that is given the whole conversation each time is asked again as a
model is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Protocol

import httpx

from helm_impactbench.errors import FatalCallError, ModelError, StoppedError
from helm_impactbench.llm.call_log import LoggedCall, call_log
from helm_impactbench.llm.failures import PermanentCallError, TransientCallError, classified
from helm_impactbench.llm.limits.admission import admission
from helm_impactbench.llm.limits.circuit import circuit
from helm_impactbench.llm.prices import Price, stated_price
from helm_impactbench.llm.request import CallFailure, Message, Reply
from helm_impactbench.llm.retries import Retries
from helm_impactbench.llm.secrets import without_secrets
from helm_impactbench.llm.tool_call import plain
from helm_impactbench.llm.usage import Usage
from helm_impactbench.process.shared_state import on_its_way
from helm_impactbench.targets.answer import ProductAnswer, actions_in, reply_in, tokens_in
from helm_impactbench.targets.description import Product
from helm_impactbench.targets.function import FunctionSession, arguments_of, function_of
from helm_impactbench.targets.http import HttpSession
from helm_impactbench.targets.template import TemplateTurn

MOST_ANSWER_TOKENS = 4096
"""That a reply is taken to have at most, where a product is paid by the token."""
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_ADDRESS, _KEY = "address", "key"


Ended = Callable[[FatalCallError], Exception]


class Session(Protocol):
    """A session of a product, for one conversation."""

    def ask(self, turn: TemplateTurn) -> ProductAnswer:
        """Return the answer to a turn. Raises whatever the way there raises."""

    def close(self) -> None:
        """End the session."""


class _BrokenOffError(Exception):
    """A turn that may have been received has no answer."""

    def __init__(self, failure: TransientCallError) -> None:
        super().__init__(str(failure))
        self.failure = failure


def is_stateful(product: Product) -> bool:
    """Return whether a product remembers what it was told. Raises ModelError for a function that cannot be called."""
    if product.function is not None:
        return "messages" not in arguments_of(function_of(product.function), product.function)
    return "messages" not in product.places


def takes_system_prompt(product: Product) -> bool:
    """Return whether a product can be given the system prompt of a case. Raises ModelError, as `is_stateful`."""
    if product.function is not None:
        return bool({"messages", "system"} & {*arguments_of(function_of(product.function), product.function)})
    return bool({"messages", "system"} & product.places)


def session_with(product: Product, axes: Mapping[str, str], seconds: float | None = None) -> Session:
    """Return a new session with a product; nothing is sent yet. Raises ModelError where it cannot be used.

    seconds: that a turn may take, those of the retry policy when unset.
    """
    kind = HttpSession if product.function is None else FunctionSession
    return kind(product, axes, seconds)


def price_of(product: Product) -> Price | None:
    """Return what a turn costs: as `--price` or `--free` says, else as the description does; None when unknown."""
    return stated_price(product.name) or product.own_price


_ANSWERED: set[str] = set()
"""Products that have answered this process: what one of them refuses from then on concerns one conversation."""


class Talk:
    """One conversation with a product, in a session of its own."""

    def __init__(
        self,
        product: Product,
        axes: Mapping[str, str],
        retries: Retries,
        ended: Ended = lambda error: error,
        task: str = "",
    ) -> None:
        """`task` is what its log calls the conversation. `ended` returns what a fatal error ends: all runs, or those of
        this product. Raises what that says where the product cannot be used.
        """
        self._product, self._retries, self._ended = product, retries, ended
        try:
            self._session = session_with(product, axes)
        except ModelError as error:
            raise self._meant(error) from error
        self._stateful = is_stateful(product)
        self._price = price_of(product)
        self._log, self._task = call_log(), task
        self.broken_off: TransientCallError | None = None
        """Why the conversation has to begin anew; None as long as it has not."""

    def speak(self, messages: list[Message]) -> Reply | CallFailure:
        """Return the reply to a turn, or why there is none. Raises FatalCallError, StoppedError."""
        try:
            with self._log.call("target", self._product.name, self._task) as noted:
                return self._retries.run(self._reply, TemplateTurn(messages), noted)
        except _BrokenOffError as error:
            self.broken_off = error.failure
            return CallFailure(str(error.failure), self._usage(None))
        except TransientCallError as error:
            circuit(self._product.name).note_unanswered(error)
            return CallFailure(str(error), self._usage(None))
        except PermanentCallError as error:
            return CallFailure(str(error), self._usage(None))

    def close(self) -> None:
        """End the session."""
        self._session.close()

    def _reply(self, turn: TemplateTurn, noted: LoggedCall) -> Reply:
        product, begun = self._product, time.time()
        noted.begin()
        wire = {"messages": turn.chat, "max_tokens": MOST_ANSWER_TOKENS}
        try:
            with on_its_way(), admission().call(product.name, wire, self._price) as call:
                answer = self._session.ask(turn)
                tokens = tokens_in(answer, product)
                call.answered(sum(tokens or ()), self._cost(tokens))
            text = without_secrets(reply_in(answer, product)).strip()
            actions = actions_in(answer, product)
        except Exception as error:
            noted.failed(classified(error, product.name))
            raise self._meant(error) from error
        _ANSWERED.add(product.name)
        seconds = time.time() - begun
        noted.answered(seconds, cached=False)
        usage = self._usage(tokens)
        text = plain(text) if product.tools else text
        return Reply(
            text, finish_reason="stop", usage=usage, seconds=seconds, time=int(begun), written=text, actions=actions
        )

    def _cost(self, tokens: tuple[int, int] | None) -> float | None:
        price = self._price
        if price is None or (tokens is None and (price.prompt or price.completion)):
            return None
        return price.of(*(tokens or (0, 0)))

    def _usage(self, tokens: tuple[int, int] | None) -> Usage:
        cost, (prompt, completion) = self._cost(tokens), tokens or (0, 0)
        return Usage(
            calls=1,
            prompt_tokens=prompt,
            completion_tokens=completion,
            cost_usd=cost or 0.0,
            uncounted_calls=0 if tokens else 1,
            unpriced_calls=1 if cost is None else 0,
        )

    def _meant(self, error: Exception) -> Exception:
        """Return what a failed turn means for the conversation, or for the run."""
        name = self._product.name
        failure = classified(error, name)
        if isinstance(failure, FatalCallError) and failure.about in ("model", "path", _ADDRESS, _KEY):
            refused = self._refused(failure, error)
            return self._ended(refused) if isinstance(refused, FatalCallError) else refused
        if isinstance(error, ModelError) and not isinstance(error, (FatalCallError, StoppedError)):
            return self._ended(FatalCallError(f"The target {name}: {error}", _ADDRESS, complete=True))
        if isinstance(failure, FatalCallError):
            return self._ended(failure)
        if isinstance(failure, TransientCallError) and self._stateful and not isinstance(error, _NOT_SENT):
            return _BrokenOffError(failure)
        return failure

    def _refused(self, failure: FatalCallError, error: Exception) -> Exception:
        """Return what a refusal means: of every call, or of this conversation where others were answered."""
        name, status = self._product.name, getattr(getattr(error, "response", None), "status_code", None)
        if name in _ANSWERED and status != 401:
            return PermanentCallError(f"{name}: HTTP {status}" if status else str(failure))
        if failure.about == _KEY:
            cure = "Set the variables that headers in its product.yaml name to a key that is valid there."
            return FatalCallError(f"The target {name}: it refuses the key (HTTP {status}). {cure}", _KEY, complete=True)
        what = f"nothing is at its address (HTTP {status})" if status else str(failure).removeprefix(f"{name}: ")
        return FatalCallError(f"The target {name}: {what}. Correct url in its product.yaml.", _ADDRESS, complete=True)
