"""The command `impactbench batch`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli.suite import quiet_helm
from helm_impactbench.cli.tables import print_table

if TYPE_CHECKING:
    from helm_impactbench.llm.batch.queue import BatchQueue, Fetched

_SHOWN_FAILURES = 5
_OPTIONS = (
    click.option("--suite", required=True, help="Name of a suite that helm-run has begun."),
    click.option("--output-path", "-o", default="benchmark_output", show_default=True, help="HELM's output folder."),
    click.option("--local-path", default="prod_env", show_default=True, help="HELM's keys and cache."),
)


@click.group("batch")
def batch() -> None:
    """Judge in batches, at a lower price, within a day.

    \b
      IMPACTBENCH_JUDGE=batch helm-run ... --suite s     holds the conversations and defers the judge's calls
      impactbench batch submit --suite s                 sends what was deferred
      impactbench batch fetch --suite s --wait           puts the answers into the cache
      helm-run ... --suite s                             the same command again: scored from the cache
    """


def _with_queue(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a suite, and call it with its queue."""

    @wraps(command)
    def wrapped(suite: str, output_path: str, local_path: str, **rest: Any) -> None:
        from helm_impactbench.helm.session import batch_client, open_caller
        from helm_impactbench.llm.batch.queue import BatchQueue
        from helm_impactbench.results.files import suite_folder

        quiet_helm()
        folder = suite_folder(Path(output_path), suite)
        caller = open_caller(Path(local_path))
        command(BatchQueue(folder, partial(batch_client, caller)), **rest)

    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


@batch.command()
@click.option("--again", multiple=True, metavar="BATCH",
              help="Give up a batch that the provider has lost, and send its calls again; repeatable.")  # fmt: skip
@_with_queue
def submit(queue: BatchQueue, again: tuple[str, ...]) -> None:
    """Send every deferred call that has no answer and is in no batch.

    Repeated, it sends nothing twice. A call that failed in a batch goes into the next one. The budget of
    IMPACTBENCH_MAX_COST_USD is checked before anything is sent.
    """
    made = queue.submit(again)
    for new in made:
        click.echo(f"{new.id}: {len(new.requests):,} calls of {new.deployment}, {_at_most(new.most_usd)}")
    if not made:
        click.echo("Nothing to send: every deferred call has its answer or is in a batch.")


@batch.command()
@_with_queue
def status(queue: BatchQueue) -> None:
    """Show the progress of every batch. Changes nothing."""
    rows, troubles = [], []
    for seen in queue.progress():
        one, progress = seen.batch, seen.progress
        word = (
            progress.status if progress
            else "unknown" if seen.trouble
            else f"{one.status}, fetched" if one.id
            else "not made: submit again"
        )  # fmt: skip
        done = progress.done if progress else len(one.requests) - len(one.failed) if one.state == "fetched" else 0
        failed = progress.failed if progress else len(one.failed)
        rows.append((one.id or "-", one.deployment, word, f"{len(one.requests):,}", f"{done:,}", f"{failed:,}"))
        troubles += [seen.trouble] if seen.trouble else []
    print_table(("batch", "judge", "status", "calls", "answered", "failed"), rows, exchange=False)
    _print_status(queue)
    _end_with(troubles)


@batch.command()
@click.option("--wait", is_flag=True, help="Keep checking until every batch has ended.")
@click.option("--every", type=click.FloatRange(min=0.1), default=60.0, show_default=True, metavar="SECONDS",
              help="How often --wait checks.")  # fmt: skip
@_with_queue
def fetch(queue: BatchQueue, wait: bool, every: float) -> None:
    """Put the answers of ended batches into the cache. The next helm-run finds them there.

    An expired or cancelled batch yields the answers that it has. Calls without an answer remain to be sent. A batch
    that cannot be fetched is named, with what to do, and does not hold up the others; the exit code is then 2.
    """
    if wait:
        found = queue.wait(
            every, lambda left: click.echo(f"{left} batches are running; checking again in {every:g} s", err=True)
        )
    else:
        found = queue.fetch()
    for one in found.fetched:
        _print_fetched(one)
    if found.running:
        click.echo(f"{found.running} batches are still running.")
    _print_status(queue)
    _end_with(found.troubles)


def _end_with(troubles: Sequence[str]) -> None:
    """Say what is wrong with which batch, in a line each; exit code 2 where something is."""
    for trouble in troubles:
        click.echo(trouble, err=True)
    if troubles:
        sys.exit(2)


def _print_fetched(one: Fetched) -> None:
    paid = "price unknown" if one.batch.paid_usd is None else f"${one.batch.paid_usd:,.4f}"
    click.echo(f"{one.batch.id}: {one.batch.status}, {one.good:,} answers put into the cache ({paid}), "
               f"{len(one.batch.failed):,} failed")  # fmt: skip
    for name, reason in list(one.batch.failed.items())[:_SHOWN_FAILURES]:
        click.echo(f"  {name}: {reason}")
    more = len(one.batch.failed) - _SHOWN_FAILURES
    if more > 0:
        click.echo(f"  and {more:,} more in judge-batch/batches.json")


def _print_status(queue: BatchQueue) -> None:
    state = queue.status()
    click.echo(f"{state.deferred:,} calls deferred: {state.answered:,} answered, {state.under_way:,} in batches, "
               f"{state.to_send:,} to send.")  # fmt: skip
    if state.to_send:
        click.echo("Next: impactbench batch submit, or the same helm-run command without IMPACTBENCH_JUDGE, which asks "
                   "them at once.")  # fmt: skip
    elif not state.under_way:
        click.echo("Next: the same helm-run command again. Unreadable answers are requested again: with "
                   "IMPACTBENCH_JUDGE=batch in a further batch, without it at once.")  # fmt: skip


def _at_most(usd: float | None) -> str:
    return "price unknown" if usd is None else f"${usd:,.4f} at most"
