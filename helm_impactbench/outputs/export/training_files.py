"""Judged conversations as training data: good answers (sft), or two answers to one case (preferences), in JSON lines.

The layouts are those of TRL's conversational data sets: `messages`, or `prompt`, `chosen` and `rejected`, which other
trainers read too. Whoever trains on a case can no longer be tested on it: held-out and private cases are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Literal

from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.conversation.loop import target_messages
from helm_impactbench.errors import counted
from helm_impactbench.outputs.export.runs import Run, read_runs
from helm_impactbench.outputs.export.words import json_text
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.record import Record

TrainingFormat = Literal["preferences", "sft"]
Message = dict[str, Any]


@dataclass(frozen=True)
class _Answered:
    """A conversation with a verdict of pass or fail."""

    run: Run
    record: Record
    outcome: Outcome

    @property
    def messages(self) -> list[Message]:
        """The whole conversation, the system prompt first where there is one."""
        record = self.record
        return [message.wire for message in target_messages(record.case.plan, record.conversation.turns)]

    @property
    def case(self) -> tuple[object, ...]:
        """What is equal for the answers of several models to one case."""
        return self.outcome.case

    def about(self) -> dict[str, Any]:
        """Return where it is from and what was judged."""
        outcome = self.outcome
        return {
            "benchmark": outcome.benchmark,
            "metric": outcome.metric_id,
            "metric_type": outcome.metric_type,
            "conversation": outcome.conversation,
            "axes": dict(outcome.axes),
            "judges": [vote.judge for vote in outcome.votes],
            "licence": _licence(outcome.benchmark),
            "canary": self.record.case.scenario.canary,
        }


@cache
def _licence(slug: str) -> str | None:
    """Return the licence of a benchmark's cases; None of one that is not installed, or names none."""
    path = benchmark_paths().get(slug)
    return load_benchmark(path).licence if path else None


def write_training(folder: Path, runs: Sequence[RunFolder], kind: TrainingFormat) -> list[str]:
    """Write KIND.jsonl and return what is to be known of it. Raises ResultsError."""
    held_back = 0
    answered: list[_Answered] = []
    for run in read_runs(runs):
        for one in _answered(run):
            if not one.record.case.scenario.is_held_out:
                answered.append(one)
            else:
                held_back += 1
    rows = list(_ROWS[kind](answered))
    with (folder / f"{kind}.jsonl").open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(json_text(row) + "\n" for row in rows)
    return [*_notes(kind, len(rows), held_back)]


def _answered(run: Run) -> Iterator[_Answered]:
    for record, outcome in zip(run.records, run.outcomes, strict=True):
        if outcome.score in (0.0, 1.0) and record.conversation.turns:
            yield _Answered(run, record, outcome)


def _good(answered: Iterable[_Answered]) -> Iterator[dict[str, Any]]:
    for one in answered:
        if one.outcome.score == 1.0:
            yield {"messages": one.messages, "metadata": {**one.about(), "model": one.run.model}}


def _pairs(answered: Iterable[_Answered]) -> Iterator[dict[str, Any]]:
    """Yield every pass beside every fail on the same case, from where the two conversations part."""
    cases: dict[tuple[object, ...], list[_Answered]] = {}
    for one in answered:
        cases.setdefault(one.case, []).append(one)
    for own in cases.values():
        passes, fails = ([one for one in own if one.outcome.score == score] for score in (1.0, 0.0))
        for chosen, rejected in product(passes, fails):
            shared = _shared(chosen.messages, rejected.messages)
            if shared and shared[-1]["role"] == "user":
                yield {
                    "prompt": shared,
                    "chosen": chosen.messages[len(shared) :],
                    "rejected": rejected.messages[len(shared) :],
                    "metadata": {
                        **chosen.about(),
                        "chosen_model": chosen.run.model,
                        "rejected_model": rejected.run.model,
                    },
                }


def _shared(first: Sequence[Message], second: Sequence[Message]) -> list[Message]:
    """Return the messages at the beginning that are equal."""
    shared: list[Message] = []
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        shared.append(one)
    return shared


_ROWS: dict[TrainingFormat, Callable[[Iterable[_Answered]], Iterator[dict[str, Any]]]] = {
    "sft": _good,
    "preferences": _pairs,
}


def _notes(kind: TrainingFormat, rows: int, held_back: int) -> Iterator[str]:
    if kind == "sft":
        yield f"{counted(rows, 'conversation')} that passed. The verdict is on a whole conversation, not on each reply."
    else:
        yield (
            f"{counted(rows, 'pair')} of a pass and a fail on the same case, by different models or releases, from "
            "the first reply that differs. The verdict is on a whole conversation, not on each reply."
        )
    if held_back:
        yield f"Left out, so that they can still test what is trained: {counted(held_back, 'held-out conversation')}."
    yield (
        "A model trained on these cases can no longer be tested on them. The licence in each line is that of the case; "
        "your provider's terms say what may be done with its model's answers."
    )
