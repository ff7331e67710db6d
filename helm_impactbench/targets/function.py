"""A session with a product that is a Python function, sync or async.

It is given by name what it declares of message, messages, session, turn, system and axes, and returns the reply: a
text, or a mapping of which product.yaml says where the reply stands.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import os
import sys
import threading
import uuid
from collections.abc import Callable, Coroutine, Mapping
from functools import cache
from typing import Any

import httpx

from helm_impactbench.errors import ModelError, did_you_mean, listed
from helm_impactbench.llm.retries import policy_from_environment
from helm_impactbench.targets.answer import ProductAnswer, session_in
from helm_impactbench.targets.description import Product
from helm_impactbench.targets.template import TemplateTurn

ARGUMENTS = ("message", "messages", "session", "turn", "system", "axes")


def function_of(path: str) -> Callable[..., Any]:
    """Return the function under test that `module:function` names. Raises ModelError."""
    found = imported(path)
    arguments_of(found, path)
    return found


@cache
def imported(path: str) -> Callable[..., Any]:
    """Return what `module:function` names; the working directory is searched too. Raises ModelError."""
    module, _, name = path.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except Exception as error:  # importing somebody else's module may raise anything
        raise ModelError(
            f"callable {path} cannot be imported ({type(error).__name__}: {error}). Run the command where {module} is, "
            "or install its package."
        ) from error
    function: Callable[..., Any] = found
    return function


def arguments_of(function: Any, path: str) -> tuple[str, ...]:
    """Return the arguments that a function declares. Raises ModelError for one that cannot be called."""
    if not callable(function):
        raise ModelError(f"callable {path} is a {type(function).__name__}, which cannot be called.")
    parameters = inspect.signature(function).parameters.values()
    stars = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    needed = [one.name for one in parameters if one.default is one.empty and one.kind not in stars]
    unknown = [name for name in needed if name not in ARGUMENTS]
    if unknown:
        raise ModelError(
            f"callable {path} wants {listed(unknown)}, and is given {listed(ARGUMENTS)} by name, as far as it declares "
            f"them.{did_you_mean(unknown[0], ARGUMENTS)}"
        )
    anything = any(one.kind is one.VAR_KEYWORD for one in parameters)
    declared = tuple(name for name in ARGUMENTS if anything or any(one.name == name for one in parameters))
    if not {"messages", "session"} & {*declared}:
        raise ModelError(
            f"callable {path} declares neither messages nor session, so it cannot tell conversations apart. Declare "
            "session where it remembers, or messages where it is given the whole conversation."
        )
    return declared


class FunctionSession:
    """One conversation with a function."""

    def __init__(self, product: Product, axes: Mapping[str, str], seconds: float | None = None) -> None:
        """`seconds`: that a turn may take, those of the retry policy when unset. Raises ModelError where the function
        cannot be called.
        """
        path = product.function or ""
        self._product, self._axes = product, axes
        self._function = function_of(path)
        self._declared = arguments_of(self._function, path)
        self._session = uuid.uuid4().hex
        self._seconds = seconds or policy_from_environment().timeout

    def ask(self, turn: TemplateTurn) -> ProductAnswer:
        """Return what the function returns for a turn. Raises httpx.ReadTimeout when its time is over, and what the
        function raises."""
        given = {
            "message": turn.message,
            "messages": turn.chat,
            "session": self._session,
            "turn": turn.number,
            "system": turn.system,
            "axes": _named(self._axes, self._product.levels),
        }
        returned = _in_time(self._function, {name: given[name] for name in self._declared}, self._seconds)
        answer = ProductAnswer([returned if isinstance(returned, str) or returned is None else _data(returned)])
        if returned is None:
            answer = ProductAnswer([""])
        self._session = session_in(answer, self._product.session) or self._session
        return answer

    def close(self) -> None:
        """Nothing has to be closed."""


def _named(axes: Mapping[str, str], levels: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {axis: levels.get(axis, {}).get(level, level) for axis, level in axes.items()}


def _data(returned: Any) -> Any:
    return dict(returned) if isinstance(returned, Mapping) else returned


def _in_time(function: Callable[..., Any], given: Mapping[str, Any], seconds: float) -> Any:
    """Return what a function returns, in a thread that is left behind when its time is over."""
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004  # an object may be async only in its call
        return _awaited(function(**given), seconds)
    outcome: dict[str, Any] = {}

    def work() -> None:
        try:
            outcome["value"] = function(**given)
        except BaseException as error:  # raised where it is waited for
            outcome["error"] = error

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise _late(seconds)
    if "error" in outcome:
        raise outcome["error"]
    value = outcome["value"]
    return _awaited(value, seconds) if inspect.iscoroutine(value) else value


def _awaited(work: Coroutine[Any, Any, Any], seconds: float) -> Any:
    future = asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, seconds), _loop(os.getpid()))
    try:
        return future.result()
    except asyncio.TimeoutError as error:
        raise _late(seconds) from error


def _late(seconds: float) -> httpx.ReadTimeout:
    return httpx.ReadTimeout(f"The answer was not complete after {seconds:g} seconds")


@cache
def _loop(process: int) -> asyncio.AbstractEventLoop:
    """Return the event loop of a process: one for all calls, as clients of asyncio belong to a loop."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return loop
