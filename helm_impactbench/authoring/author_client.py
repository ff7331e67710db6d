"""Calls to the author model: what they used, what was refused, and the files that record both.

A phase is a pure function of its inputs and the model's replies, and every reply is in HELM's cache. To continue a
phase that was killed, run it again: it makes the missing calls and ends with the same bytes.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, model_validator

from helm_impactbench.authoring.similarity import Diversity
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.files.atomic_write import write_whole
from helm_impactbench.files.safe_read import IntakeError, decoded, parsed_json, read_bytes
from helm_impactbench.llm.request import Caller, CallFailure, Message, ModelRequest
from helm_impactbench.llm.usage import Usage
from helm_impactbench.prompts import Prompt, load_prompt
from helm_impactbench.quoting import neutralise

TEMPERATURE = 1.0
MAX_TOKENS = 8192
"""Room for a batch of eight metrics, and for a reasoning model's thoughts."""

RECORD_FILE = "generation.json"
REJECTED_FILE = "rejected.json"


class Rejected(BaseModel):
    """Something that the author model wrote and that was not used, or a call that gave nothing."""

    model_config = ConfigDict(frozen=True)

    what: str
    """Which item, for example `metric m03, base scenario 2, adult (18+)`."""
    problem: str
    item: dict[str, Any] | None = None


@dataclass
class PhaseResult:
    """How a phase ended."""

    made: int = 0
    """Items that were added."""
    missing: int = 0
    """Items that are missing in the end."""
    rejected: list[Rejected] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    diversity: Diversity | None = None
    gave_up: str = ""
    """Why the phase ended early: nothing that the model wrote could be used."""


ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

Progress = Callable[[int, int, Usage], None]
"""Called with (calls done, calls failed, usage so far) after each call."""


class AuthorClient:
    """One author model at work on one benchmark. Safe to use from several threads."""

    def __init__(self, caller: Caller, model: str, slug: str, seed: int, progress: Progress | None = None) -> None:
        """`model` is a model deployment; `seed` gives other texts for the same inputs."""
        self.model = model
        self.seed = seed
        self._caller = caller
        self._slug = slug
        self._progress = progress or (lambda done, failed, usage: None)
        self._lock = threading.Lock()
        self._done = self._failed = 0
        self._stopped = threading.Event()
        self.usage = Usage()

    def stop(self) -> None:
        """Make every further call raise an error, so that work in other threads ends."""
        self._stopped.set()

    def ask(self, part: str, messages: Sequence[Message]) -> str | CallFailure:
        """Return the model's reply; `part` names the item, so that equal questions for two items are two calls."""
        if self._stopped.is_set():
            raise ImpactBenchError("Stopped; run the same command again to continue")
        request = ModelRequest(
            self.model,
            tuple(messages),
            TEMPERATURE,
            MAX_TOKENS,
            f"author/{self._slug}/{part}/{self.seed}",
            role="author",
        )
        reply = self._caller.call(request)
        with self._lock:
            self._done += 1
            if isinstance(reply, CallFailure):
                self._failed += 1
            else:
                self.usage += reply.usage
            self._progress(self._done, self._failed, self.usage)
        return reply if isinstance(reply, CallFailure) else reply.text


def side_by_side(
    function: Callable[[ItemT], ResultT], items: Iterable[ItemT], author: AuthorClient, concurrency: int
) -> list[ResultT]:
    """Return `function` of every item, in order, several at a time. Interrupted, all end at their next call."""
    with ThreadPoolExecutor(max_workers=concurrency) as pool:
        try:
            return list(pool.map(function, items))
        except BaseException:
            author.stop()
            raise


def author_prompt(name: str, holes: set[str]) -> Prompt:
    """Return one of the author's templates."""
    return load_prompt(f"author_{name}", holes)


def shared_prompts() -> dict[str, Prompt]:
    """Return the templates that every phase uses."""
    return {"system": author_prompt("system", set()), "feedback": author_prompt("feedback", {"problem"})}


def quoted(value: Any) -> Any:
    """Return what an author wrote, fit for a prompt: a text, or landmarks with their instructions."""
    if isinstance(value, str):
        return neutralise(value)
    return [item.model_copy(update={"instruction": neutralise(item.instruction)}) for item in value]


def opening(task: str) -> list[Message]:
    """Return the messages that begin a task."""
    return [Message("system", shared_prompts()["system"].fill()), Message("user", task)]


def with_feedback(messages: list[Message], reply: str, problem: str) -> list[Message]:
    """Return `messages` with the refused reply and the reason."""
    feedback = shared_prompts()["feedback"].fill(problem=problem)
    return [*messages, Message("assistant", reply.strip() or "(nothing)"), Message("user", feedback)]


def record(folder: Path, phase: str, key: str, outcome: PhaseResult, canary: str | None) -> None:
    """Write what a phase used and refused, beside the benchmark. `key` names the run, so a repeat is counted once."""
    costs = {"canary": canary, **_read(folder / RECORD_FILE, _COSTS)}
    runs = costs.setdefault("cost", {}).setdefault(phase, {}).setdefault("runs", {})
    runs[key] = _cost(outcome.usage)
    costs["cost"][phase]["total"] = {
        name: _sum([run[name] for run in runs.values()]) for name in next(iter(runs.values()))
    }
    if outcome.diversity is not None:
        costs["diversity"] = outcome.diversity.model_dump()
    write_whole(folder / RECORD_FILE, json.dumps(costs, indent=2, ensure_ascii=False) + "\n")
    rejected = {"canary": canary, **_read(folder / REJECTED_FILE, _ANY)}
    rejected[phase] = [entry.model_dump(exclude_none=True) for entry in outcome.rejected]
    write_whole(folder / REJECTED_FILE, json.dumps(rejected, indent=2, ensure_ascii=False) + "\n")


def _cost(usage: Usage) -> dict[str, Any]:
    """Return usage in the terms of ImpactBench's cost.json; what is unknown is null, and counted."""
    return {
        "cost": round(usage.cost_usd, 6) if usage.unpriced_calls == 0 else None,
        "input_tokens": usage.prompt_tokens if usage.uncounted_calls == 0 else None,
        "output_tokens": usage.completion_tokens if usage.uncounted_calls == 0 else None,
        "calls": usage.calls,
        "calls_without_price": usage.unpriced_calls,
        "calls_without_token_counts": usage.uncounted_calls,
    }


def _sum(values: list[Any]) -> Any:
    return None if any(value is None for value in values) else round(sum(values), 6)


class _Phase(BaseModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    runs: dict[str, dict[str, float | None]] = {}


class _Costs(BaseModel):
    cost: dict[str, _Phase] = {}

    @model_validator(mode="after")
    def _has_every_figure(self) -> _Costs:
        wanted = set(_cost(Usage()))
        if any(set(run) != wanted for phase in self.cost.values() for run in phase.runs.values()):
            raise ValueError("a run has other figures than this version writes")
        return self


def _read(path: Path, shape: TypeAdapter[Any]) -> dict[str, Any]:
    """Return what an earlier phase wrote. A damaged file is put aside: what was just paid for must be written."""
    try:
        content: dict[str, Any] = parsed_json(decoded(read_bytes(path, pipes=False)))
        shape.validate_python(content)
    except (IntakeError, ValidationError):
        if os.path.lexists(path):
            os.replace(path, path.with_name(f"{path.name}.damaged"))
        return {}
    return content


_COSTS: TypeAdapter[Any] = TypeAdapter(_Costs)
_ANY: TypeAdapter[Any] = TypeAdapter(dict[str, Any])
