"""A short question to each model of a run before anything else is paid: a wrong key, address or name shows at once.

It is asked when the first answer that a conversation needs is in no cache, of all models of that conversation: what is
finished needs no server. `impactbench run` asks for it; a bare helm-run does with IMPACTBENCH_PROBE=yes.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from multiprocessing import RawValue
from typing import Any

from helm_impactbench.errors import FatalCallError, SettingError, StoppedError
from helm_impactbench.process.shared_state import PROBED, STOPPED, counted_in
from helm_impactbench.prompts import Prompt, load_prompt

PROBE_VARIABLE = "IMPACTBENCH_PROBE"
_LOOK_SECONDS = 0.1

Role = tuple[str, str]
"""Of a model in a run (target, user, judge), and its deployment."""
Ask = Callable[[str, str], None]
"""Asks a model, named by role and deployment. Raises what ends the run, or the runs of this target."""


def probes_wanted() -> bool:
    """Return whether models are asked first. Raises SettingError."""
    text = os.environ.get(PROBE_VARIABLE, "").strip()
    if text not in ("", "no", "yes"):
        raise SettingError(f"{PROBE_VARIABLE} is {text!r}, but it must be yes, or no (the default of helm-run).")
    return text == "yes"


def probe_prompt() -> Prompt:
    """Return the template of the question."""
    return load_prompt("probe", ())


class Probes:
    """Which models of a run have answered their question, in any of its processes."""

    def __init__(self, deployments: Iterable[str] = (), judges: Sequence[str] = ()) -> None:
        """`deployments` are those to be asked; `judges` are needed after every conversation."""
        self._done: dict[str, Any] = {name: RawValue("b", 0) for name in deployments}
        self._turns = {name: threading.Lock() for name in self._done}
        self._failed: dict[str, BaseException] = {}
        self._judges = tuple(("judge", judge) for judge in judges)

    def of_conversation(self, user: str, target: str) -> list[Role]:
        """Return the models that a conversation needs."""
        return [*([("user", user)] if user else []), ("target", target), *self._judges]

    def ask(self, roles: Iterable[Role], ask: Ask) -> None:
        """Have those asked that were not, all at once. Raises what `ask` raises, StoppedError."""
        open_roles = {name: role for role, name in reversed([*roles]) if not self._is_done(name)}

        def once(role: str, name: str) -> None:
            with self._turns[name]:
                try:
                    if not self._is_done(name) and not STOPPED.is_set() and name not in self._failed:
                        with counted_in(PROBED):
                            ask(role, name)
                        self._done[name].value = 1
                except BaseException as error:  # raised below, in the threads that wait for it
                    self._failed[name] = error

        threads = [threading.Thread(target=once, args=(role, name), daemon=True) for name, role in open_roles.items()]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            if STOPPED.wait(_LOOK_SECONDS):
                raise StoppedError("The run was stopped.")
        errors = [self._failed[name] for name in open_roles if name in self._failed]
        if errors:
            first = next((error for error in errors if isinstance(error, FatalCallError)), errors[0])
            raise copy(first)  # an exception that is raised twice grows a traceback

    def _is_done(self, name: str) -> bool:
        return name not in self._done or bool(self._done[name].value)


_probes = Probes()
_before_calls: ContextVar[Callable[[], None] | None] = ContextVar("before calls", default=None)


def begin_probes(deployments: Iterable[str], judges: Sequence[str]) -> None:
    """Have these models asked before their first call, from now on and in processes that are forked from now on."""
    global _probes
    _probes = Probes(deployments, judges)


@contextmanager
def in_conversation(user: str, target: str, ask: Ask) -> Iterator[None]:
    """Have the models of a conversation asked before the first call that this thread makes meanwhile."""
    token = _before_calls.set(lambda: _probes.ask(_probes.of_conversation(user, target), ask))
    try:
        yield
    finally:
        _before_calls.reset(token)


@contextmanager
def in_judgement(judges: Iterable[str], ask: Ask) -> Iterator[None]:
    """The same for a panel of judges."""
    token = _before_calls.set(lambda: _probes.ask([("judge", judge) for judge in judges], ask))
    try:
        yield
    finally:
        _before_calls.reset(token)


def ready_for_calls() -> None:
    """Return when the models that this thread's call is for have answered. Raises what they raise."""
    before = _before_calls.get()
    if before is not None:
        before()
