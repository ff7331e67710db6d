"""The command `impactbench batch`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.finite import FiniteRange
from helm_impactbench.cli.reading import show
from helm_impactbench.cli.suite import quiet_helm
from helm_impactbench.errors import counted

if TYPE_CHECKING:
    from helm_impactbench.llm.batch.queue import BatchQueue, Fetched

_SHOWN_FAILURES = 5


@click.command("batch")
@options.suite()
@options.output_path
@options.local_path
@click.option("--wait", is_flag=True, help="Keep checking until every batch has ended.")
@click.option(
    "--every",
    type=FiniteRange(min=0.1),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="With --wait: seconds between two checks.",
)
@click.option("--fetch-only", is_flag=True, help="Send nothing; only fetch answers.")
@click.option(
    "--again",
    multiple=True,
    metavar="BATCH",
    help="Give up on a batch that the provider has lost, and send its calls again; repeatable.",
)
@options.dry_run
def batch(
    suite: str,
    output_path: str,
    local_path: str,
    wait: bool,
    every: float,
    fetch_only: bool,
    again: tuple[str, ...],
    dry_run: bool,
) -> None:
    """Judge at batch prices, within a day. The command sends deferred calls and fetches the answers that are ready.

    \b
      IMPACTBENCH_JUDGE_CALLS=batch helm-run ... --suite s   defers judges' calls
      impactbench batch --suite s --wait                     fetches the answers
      helm-run ... --suite s                                 again: scored

    Without --wait, repeat the command until every batch has ended; no call is sent twice. A call that failed in a batch
    goes into the next batch. The budget in IMPACTBENCH_MAX_COST_USD is checked before anything is sent. Answers from an
    expired or cancelled batch are kept. --dry-run shows the state of every batch. If a batch cannot be fetched, the
    command prints its name and what to do. The other batches are still fetched; the exit code is then 2.
    """
    queue = _queue(suite, output_path, local_path)
    if dry_run:
        _print_batches(queue)
        return
    if not fetch_only:
        _submit(queue, again)
    _fetch(queue, wait, every)


def _queue(suite: str, output_path: str, local_path: str) -> BatchQueue:
    from helm_impactbench.helm.session import batch_client, open_caller
    from helm_impactbench.llm.batch.queue import BatchQueue
    from helm_impactbench.results.files import suite_folder

    quiet_helm()
    folder = suite_folder(Path(output_path), suite)
    return BatchQueue(folder, partial(batch_client, open_caller(Path(local_path))))


def _submit(queue: BatchQueue, again: tuple[str, ...]) -> None:
    made = queue.submit(again)
    for new in made:
        click.echo(f"{new.id}: {counted(len(new.requests), 'call')} of {new.deployment}, {_at_most(new.most_usd)}")
    if not made:
        click.echo("Nothing to send: every deferred call has its answer or is in a batch.")


def _print_batches(queue: BatchQueue) -> None:
    from helm_impactbench.llm.batch.table import batches

    progress = list(queue.progress())
    show(batches(progress))
    _print_status(queue)
    _end_with([seen.trouble for seen in progress if seen.trouble])


def _fetch(queue: BatchQueue, wait: bool, every: float) -> None:
    if wait:
        found = queue.wait(
            every,
            lambda left: click.echo(
                f"{counted(left, 'batch', 'batches')} not ended yet; checking again in {every:g} s", err=True
            ),
        )
    else:
        found = queue.fetch()
    for one in found.fetched:
        _print_fetched(one)
    if found.running:
        click.echo(f"{counted(found.running, 'batch', 'batches')} not ended yet.")
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
    click.echo(
        f"{one.batch.id}: {one.batch.status}, {counted(one.good, 'answer')} put into the cache ({paid}), "
        f"{len(one.batch.failed):,} failed"
    )
    for name, reason in list(one.batch.failed.items())[:_SHOWN_FAILURES]:
        click.echo(f"  {name}: {reason}")
    more = len(one.batch.failed) - _SHOWN_FAILURES
    if more > 0:
        click.echo(f"  and {more:,} more in judge-batch/batches.json")


def _print_status(queue: BatchQueue) -> None:
    state = queue.status()
    click.echo(
        f"{counted(state.deferred, 'call')} deferred: {state.answered:,} answered, "
        f"{state.under_way:,} in batches, {state.to_send:,} to send."
    )
    if state.to_send:
        click.echo(
            "Next: impactbench batch, or the same helm-run command without IMPACTBENCH_JUDGE_CALLS, which asks "
            "them at once."
        )
    elif not state.under_way:
        click.echo(
            "Next: the same helm-run command again. Unreadable answers are requested again: with "
            "IMPACTBENCH_JUDGE_CALLS=batch in a further batch, without it at once."
        )


def _at_most(usd: float | None) -> str:
    return "price unknown" if usd is None else f"${usd:,.4f} at most"
