"""A suite's noted calls: sent in batches, followed, and their answers put into HELM's cache.

What is to be sent follows from the files alone: noted, not in the cache, in no batch under way. So a call that failed
in a batch goes into the next one, and a kill at any moment costs nothing: a batch is in batches.json before it is made.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from helm_impactbench.helm.caller import ModelCaller
from helm_impactbench.helm.litellm_client import KEPT, LiteLLMClient
from helm_impactbench.llm.batch.answers import Origin, cache_value, read_answers
from helm_impactbench.llm.batch.body import wire_body
from helm_impactbench.llm.batch.deferred_call import (
    BATCH_FOLDER,
    JUDGE_VARIABLE,
    REQUESTS_FILE,
    Noted,
    provider_of,
    read_notes,
)
from helm_impactbench.llm.batch.errors import BatchError
from helm_impactbench.llm.batch.log import Batch, Book, alone, read_book, write_book
from helm_impactbench.llm.batch.plan import MOST_BYTES, MOST_REQUESTS, Part, Wanted, parts, total_usd
from helm_impactbench.llm.batch.prices import batch_price
from helm_impactbench.llm.batch.provider import Progress, Provider
from helm_impactbench.llm.limits.spend_log import (
    BUDGET_VARIABLE,
    SPENDING_FILE,
    BudgetError,
    Ledger,
    budget_from_environment,
)
from helm_impactbench.llm.prices import Price, most


@dataclass(frozen=True)
class Waiting:
    """How a suite's noted calls stand."""

    noted: int
    answered: int
    under_way: int
    to_send: int


@dataclass(frozen=True)
class Fetched:
    """What came of a batch."""

    batch: Batch
    good: int


class _AbsentError(Exception):
    """The cache holds no answer."""


class Desk:
    """The batches of one suite."""

    def __init__(self, suite: Path, caller: ModelCaller) -> None:
        """`suite` is its folder under benchmark_output/runs. Raises BatchError when nothing was noted there."""
        self._suite, self._caller = suite, caller
        self._folder = suite / BATCH_FOLDER
        self._notes = read_notes(self._folder / REQUESTS_FILE)
        if not self._notes:
            raise BatchError(f"No judge's call waits in {self._folder}. First hold the conversations, with "
                             f"{JUDGE_VARIABLE}=batch in front of helm-run.")  # fmt: skip

    def waiting(self) -> Waiting:
        """Return how many calls are where."""
        under_way = read_book(self._folder).under_way & set(self._notes)
        open_ = [noted for noted in self._notes.values() if self._cached(noted) is None]
        to_send = sum(noted.id not in under_way for noted in open_)
        return Waiting(len(self._notes), len(self._notes) - len(open_), len(under_way), to_send)

    def submit(self, most_requests: int = MOST_REQUESTS, most_bytes: int = MOST_BYTES) -> list[Batch]:
        """Send every call that is in no batch and has no answer. Returns the new batches.

        Raises BudgetError before anything is sent, BatchError when the provider refuses.
        """
        with alone(self._folder):
            book = read_book(self._folder)
            adopted = self._finish_started(book)
            sizes = {"most_requests": most_requests, "most_bytes": most_bytes}
            planned = [(name, part) for name, calls in self._to_send(book).items() for part in parts(calls, **sizes)]
            self._check_budget(book, planned)
            return [*adopted, *(self._send(book, name, part) for name, part in planned)]

    def progress(self) -> Iterator[tuple[Batch, Progress | None]]:
        """Yield every batch with what the provider says of it, None for one that is fetched or not yet made."""
        for batch in read_book(self._folder).batches:
            alive = batch.state == "sent" and batch.id
            yield batch, self._provider(batch.deployment).progress(batch.id) if alive else None

    def fetch(self) -> tuple[list[Fetched], int]:
        """Put the answers of ended batches into the cache. Returns them and how many batches still run."""
        with alone(self._folder):
            book = read_book(self._folder)
            fetched = []
            for batch in [batch for batch in book.live if batch.id]:
                progress = self._provider(batch.deployment).progress(batch.id)
                if progress.ended:
                    fetched.append(Fetched(batch, self._take_in(batch, progress)))
                    write_book(self._folder, book)
            return fetched, sum(bool(batch.id) for batch in book.live)

    def wait(self, seconds: float, tell: Callable[[int], None]) -> list[Fetched]:
        """Fetch until no batch runs any more, looking every `seconds`; `tell` gets how many still run."""
        fetched, running = self.fetch()
        while running:
            tell(running)
            time.sleep(seconds)
            more, running = self.fetch()
            fetched += more
        return fetched

    def _to_send(self, book: Book) -> dict[str, Iterator[Wanted]]:
        """Return deployment -> its calls that are to be sent; nothing is read from the cache before it is needed."""
        under_way = book.under_way
        open_ = [n for n in self._notes.values() if n.id not in under_way and self._cached(n) is None]
        names = dict.fromkeys(noted.deployment for noted in open_)
        return {name: self._wanted(name, [n for n in open_ if n.deployment == name]) for name in names}

    def _wanted(self, deployment: str, calls: list[Noted]) -> Iterator[Wanted]:
        _, extra, _ = self._client(deployment).outside()
        for noted in calls:
            price = self._price(noted)
            yield Wanted(noted.id, wire_body({**noted.wire, **extra}), most(price, noted.wire) if price else None)

    def _check_budget(self, book: Book, planned: list[tuple[str, Part]]) -> None:
        budget = budget_from_environment()
        if budget is None or not planned:
            return
        for name, part in planned:
            if part.most_usd is None:
                raise BudgetError(f"{name}: its price in a batch is unknown, so that the budget of {BUDGET_VARIABLE} "
                                  "cannot be kept. Give input_cost_per_token and output_cost_per_token in the args of "
                                  "its client_spec in model_deployments.yaml. Nothing was sent.")  # fmt: skip
        paid = Ledger(self._suite / SPENDING_FILE).total()
        under_way = total_usd(batch.most_usd for batch in book.live) or 0.0
        new = total_usd(part.most_usd for _, part in planned) or 0.0
        if paid + under_way + new > budget:
            raise BudgetError(
                f"The batches may cost ${new:,.4f}, ${paid:,.4f} are paid, and batches under way may cost "
                f"${under_way:,.4f}: together more than the budget of ${budget:,.2f} ({BUDGET_VARIABLE}). Nothing was "
                "sent. Raise the budget and give the same command again."
            )

    def _send(self, book: Book, deployment: str, part: Part) -> Batch:
        provider = self._provider(deployment)
        batch = Batch(
            deployment=deployment,
            provider=self._provider_name(deployment),
            file=provider.upload(part.content),
            requests=part.ids,
            most_usd=part.most_usd,
        )
        book.batches.append(batch)
        write_book(self._folder, book)  # before it is made: a kill in between must not lead to a second one
        batch.id = provider.create(batch.file)
        write_book(self._folder, book)
        return batch

    def _finish_started(self, book: Book) -> list[Batch]:
        """Make sure of the batches that a kill or an error left half made: the provider knows whether they exist."""
        started = [batch for batch in book.live if not batch.id]
        for batch in started:
            provider = self._provider(batch.deployment)
            batch.id = provider.find(batch.file) or provider.create(batch.file)
            write_book(self._folder, book)
        return started

    def _take_in(self, batch: Batch, progress: Progress) -> int:
        """Put a batch's answers into the cache, note what they cost, and what has none. Returns how many are good."""
        provider = self._provider(batch.deployment)
        contents = [provider.content(file) for file in progress.files]
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

    def _keep(self, name: str, body: Mapping[str, Any], origin: Origin) -> float | None:
        """Put an answer into the cache and its cost into the suite's spending, once. Returns the cost.

        What is in the cache already stays: it has been measured with. Raises ValueError for an answer of no use.
        """
        noted = self._notes.get(name)
        if noted is None:
            raise ValueError(f"it stands no longer in {REQUESTS_FILE}")
        value = cache_value(body, self._price(noted), origin)
        kept, was_there = self._client(noted.deployment).cache.get(json.loads(noted.key), lambda: value)
        cost: float | None = value[KEPT]["cost_usd"]
        mine = (kept.get(KEPT) or {}).get("batch") == value[KEPT]["batch"]
        if cost and not (was_there and mine):  # there and ours: a kill came between this line and batches.json
            Ledger(self._suite / SPENDING_FILE).add(noted.deployment, cost)
        return cost

    def _cached(self, noted: Noted) -> dict[str, Any] | None:
        def absent() -> NoReturn:
            raise _AbsentError

        try:
            return self._client(noted.deployment).cache.get(json.loads(noted.key), absent)[0]
        except _AbsentError:
            return None

    def _client(self, deployment: str) -> LiteLLMClient:
        client = self._caller.client_of(deployment, "judge")
        if not isinstance(client, LiteLLMClient):
            raise BatchError(f"{deployment} was reached through litellm when its calls were noted, and is reached by "
                             f"{type(client).__name__} now. Restore it in model_deployments.yaml.")  # fmt: skip
        return client

    def _price(self, noted: Noted) -> Price | None:
        return batch_price(noted.wire["model"], self._client(noted.deployment).outside()[2])

    def _provider_name(self, deployment: str) -> str:
        return provider_of(next(n.wire["model"] for n in self._notes.values() if n.deployment == deployment))

    def _provider(self, deployment: str) -> Provider:
        transport, _, _ = self._client(deployment).outside()
        return Provider(deployment, self._provider_name(deployment), transport)
