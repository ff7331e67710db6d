"""A suite's deferred calls: send them in batches, follow these, and put their answers into the cache.

What has to be sent follows from the files alone: what is deferred, not in the cache, and in no open batch. So a call
that failed in a batch goes into the next one, and a kill at any moment costs nothing: a batch is in batches.json before
it is created.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from helm_impactbench.errors import BatchError, ImpactBenchError, ModelError, did_you_mean, dollars
from helm_impactbench.llm.batch.answers import BatchOrigin, has_answers, read_answers
from helm_impactbench.llm.batch.client import BatchClient
from helm_impactbench.llm.batch.deferred_call import (
    BATCH_FOLDER,
    CALLS_VARIABLE,
    REQUESTS_FILE,
    DeferredCall,
    read_deferred,
)
from helm_impactbench.llm.batch.log import Batch, BatchLog, locked, read_batch_log, write_batch_log
from helm_impactbench.llm.batch.plan import MOST_BYTES, MOST_REQUESTS, BatchPart, parts, total_usd
from helm_impactbench.llm.batch.provider import BatchProgress, GoneError
from helm_impactbench.llm.limits.budget import BUDGET_VARIABLE, BudgetError, budget_from_environment
from helm_impactbench.llm.limits.spend_log import SPENDING_FILE, SpendLog


@dataclass(frozen=True)
class QueueStatus:
    """How many of a suite's deferred calls are in which state."""

    deferred: int
    answered: int
    under_way: int
    to_send: int


@dataclass(frozen=True)
class Fetched:
    """What came of a batch."""

    batch: Batch
    good: int


@dataclass(frozen=True)
class Seen:
    """A batch, and what the provider says of it."""

    batch: Batch
    progress: BatchProgress | None = None
    """None for one that is fetched, not yet created, or in trouble."""
    trouble: str = ""
    """Why nothing could be learned of it, and what to do; empty where something was."""


@dataclass(frozen=True)
class Round:
    """What one look at all batches came to."""

    fetched: list[Fetched]
    running: int
    """Batches that have not ended."""
    troubles: list[str]
    """What keeps a batch's answers from being fetched, a line each."""


class BatchQueue:
    """The batches of one suite."""

    def __init__(self, suite: Path, client_of: Callable[[str], BatchClient]) -> None:
        """`suite` is its folder under benchmark_output/runs; `client_of` gives the client of a deployment.

        Raises BatchError when no call was deferred there.
        """
        self._client = cache(client_of)
        self._folder = suite / BATCH_FOLDER
        self._spend_log = SpendLog(suite / SPENDING_FILE)
        self._calls = read_deferred(self._folder / REQUESTS_FILE)
        if not self._calls:
            raise BatchError(
                f"There is no deferred call in {self._folder}. First run the conversations, with "
                f"{CALLS_VARIABLE}=batch in front of helm-run."
            )

    def status(self) -> QueueStatus:
        """Return how many calls are in which state."""
        under_way = read_batch_log(self._folder).under_way & set(self._calls)
        open_ = [call for call in self._calls.values() if self._cached(call) is None]
        to_send = sum(call.id not in under_way for call in open_)
        return QueueStatus(len(self._calls), len(self._calls) - len(open_), len(under_way), to_send)

    def submit(
        self, again: Sequence[str] = (), *, most_requests: int = MOST_REQUESTS, most_bytes: int = MOST_BYTES
    ) -> list[Batch]:
        """Send every call that is in no batch and has no answer. Returns the new batches.

        again: batches that are given up, because the provider has lost them. Raises BudgetError before anything is
        sent, BatchError when the provider refuses.
        """
        with locked(self._folder):
            log = read_batch_log(self._folder)
            self._give_up(log, again)
            adopted = self._finish_started(log)
            sizes = {"most_requests": most_requests, "most_bytes": most_bytes}
            planned = [
                (name, part)
                for name, calls in self._to_send(log).items()
                for part in parts(map(self._client(name).wanted, calls), **sizes)
            ]
            self._check_budget(log, planned)
            return [*adopted, *(self._send(log, name, part) for name, part in planned)]

    def progress(self) -> Iterator[Seen]:
        """Yield every batch with what the provider says of it."""
        for batch in read_batch_log(self._folder).batches:
            if batch.state == "sent" and batch.id:
                try:
                    yield Seen(batch, self._client(batch.deployment).provider.progress(batch.id))
                except (BatchError, ModelError) as error:
                    yield Seen(batch, trouble=_trouble(batch, error))
            else:
                yield Seen(batch)

    def fetch(self) -> Round:
        """Put the answers of ended batches into the cache. A batch in trouble stays as it is, and keeps no other up."""
        with locked(self._folder):
            log = read_batch_log(self._folder)
            found, running = Round([], 0, []), 0
            for batch in [batch for batch in log.live if batch.id]:
                try:
                    progress = self._client(batch.deployment).provider.progress(batch.id)
                    running += not progress.ended
                    if progress.ended:
                        found.fetched.append(Fetched(batch, self._take_in(batch, progress)))
                        write_batch_log(self._folder, log)
                except (BatchError, ModelError) as error:
                    found.troubles.append(_trouble(batch, error))
            return replace(found, running=running)

    def wait(self, seconds: float, tell: Callable[[int], None]) -> Round:
        """Fetch every `seconds` until no batch is running; `tell` gets how many still are."""
        found = self.fetch()
        fetched = found.fetched
        while found.running:
            tell(found.running)
            time.sleep(seconds)
            found = self.fetch()
            fetched = [*fetched, *found.fetched]
        return replace(found, fetched=fetched)

    def _give_up(self, log: BatchLog, names: Sequence[str]) -> None:
        """Close batches without answers, so that their calls are sent again."""
        live = {batch.id: batch for batch in log.live if batch.id}
        unknown = [name for name in names if name not in live]
        if unknown:
            raise BatchError(
                f"No batch {unknown[0]} is under way; there are: {', '.join(live) or 'none'}."
                f"{did_you_mean(unknown[0], live)}"
            )
        for name in names:
            batch = live[name]
            batch.state, batch.status = "fetched", "given up"
            batch.failed = dict.fromkeys(batch.requests, "its batch was given up")
        if names:
            write_batch_log(self._folder, log)

    def _to_send(self, log: BatchLog) -> dict[str, list[DeferredCall]]:
        """Return deployment -> its calls that are to be sent."""
        under_way, found = log.under_way, dict[str, list[DeferredCall]]()
        for call in self._calls.values():
            if call.id not in under_way and self._cached(call) is None:
                found.setdefault(call.deployment, []).append(call)
        return found

    def _check_budget(self, log: BatchLog, planned: list[tuple[str, BatchPart]]) -> None:
        budget = budget_from_environment()
        if budget is None or not planned:
            return
        for name, part in planned:
            if part.most_usd is None:
                raise BudgetError(
                    f"{name}: its price in a batch is unknown, so that the budget of {BUDGET_VARIABLE} "
                    "cannot be kept. Give input_cost_per_token and output_cost_per_token in the args of "
                    "its client_spec in model_deployments.yaml. Nothing was sent."
                )
        paid = self._spend_log.total() + sum(call.most_usd for call in self._spend_log.on_their_way().values())
        under_way = total_usd(batch.most_usd for batch in log.live) or 0.0
        new = total_usd(part.most_usd for _, part in planned) or 0.0
        if paid + under_way + new > budget:
            raise BudgetError(
                f"The batches may cost ${new:,.4f}, ${paid:,.4f} are paid or reserved, and open batches may "
                f"cost ${under_way:,.4f}: together more than the budget of {dollars(budget)} ({BUDGET_VARIABLE}). "
                "Nothing "
                "was sent. Raise the budget and run the same command again."
            )

    def _send(self, log: BatchLog, deployment: str, part: BatchPart) -> Batch:
        client = self._client(deployment)
        batch = Batch(
            deployment=deployment,
            provider=client.provider_name,
            file=client.provider.upload(part.content),
            requests=part.ids,
            most_usd=part.most_usd,
        )
        log.batches.append(batch)
        write_batch_log(self._folder, log)  # before it is created: a kill in between must not lead to a second one
        batch.id = client.provider.create(batch.file)
        write_batch_log(self._folder, log)
        return batch

    def _finish_started(self, log: BatchLog) -> list[Batch]:
        """Complete the batches that a kill or an error left half created: the provider knows whether they exist."""
        started = [batch for batch in log.live if not batch.id]
        for batch in started:
            provider = self._client(batch.deployment).provider
            batch.id = provider.find(batch.file) or provider.create(batch.file)
            write_batch_log(self._folder, log)
        return started

    def _take_in(self, batch: Batch, progress: BatchProgress) -> int:
        """Put a batch's answers into the cache, note what they cost, and what has none. Returns how many are good."""
        provider = self._client(batch.deployment).provider
        contents = [provider.content(file) for file in progress.files]
        if contents and not any(map(has_answers, contents)) and any(content.strip() for content in contents):
            raise BatchError(
                "its files contain no line of a batch's answers. Nothing is lost: the same command tries again"
            )
        answers = read_answers(batch.requests, contents, progress.status, progress.problem)
        failed, costs = dict(answers.failed), []
        for name, body in answers.good.items():
            try:
                costs.append(self._keep(name, body, progress.origin))
            except ValueError as error:
                failed[name] = str(error)
        batch.state, batch.status, batch.failed = "fetched", progress.status, failed
        batch.paid_usd = total_usd(costs)
        return len(costs)

    def _keep(self, name: str, body: Mapping[str, Any], origin: BatchOrigin) -> float | None:
        call = self._calls.get(name)
        if call is None:
            raise ValueError(f"it is no longer in {REQUESTS_FILE}")
        return self._client(call.deployment).keep(call, body, origin, self._spend_log)

    def _cached(self, call: DeferredCall) -> dict[str, Any] | None:
        return self._client(call.deployment).cached(call)


def _trouble(batch: Batch, error: ImpactBenchError) -> str:
    """Return what is wrong with a batch, and what to do, in one line."""
    if not isinstance(error, GoneError):
        return f"{batch.id}: {error}"
    calls = f"its {len(batch.requests):,} calls" if len(batch.requests) > 1 else "its call"
    return (
        f"{batch.id}: {error}. If key and address are right, send {calls} again: impactbench batch --again {batch.id}"
    )
