"""The commands `impactbench audit ...`: is what was measured what was meant?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.mistakes import Group
from helm_impactbench.cli.steps import steps
from helm_impactbench.cli.suite import quiet_helm, shown_model
from helm_impactbench.cli.tables import write_rows
from helm_impactbench.errors import counted

if TYPE_CHECKING:
    from helm_impactbench.llm.request import Caller
    from helm_impactbench.validity.simulator.audit import Affected, ModelRates, Rate, Reviewed
    from helm_impactbench.validity.simulator.review_run import Chosen


@click.group("audit", cls=Group)
def audit() -> None:
    """Test the simulated user and the judges."""


@audit.command("simulator")
@options.suite()
@click.option(
    "--human",
    type=click.Path(path_type=Path),
    metavar="FILE.jsonl|.csv|.tsv|.parquet",
    help="Conversations of people, which the simulated ones are compared with.",
)
@click.option("--reviewer", metavar="DEPLOYMENT", shell_complete=completion.models, help="The model that reviews.")
@options.conversations(shown="all; 2000 without --reviewer")
@options.seed
@options.benchmark
@options.model
@options.output_path
@options.local_path
@options.num_threads()
@options.out()
def simulator(
    suite: str, human: Path | None, reviewer: str | None, conversations: int | None, seed: int,
    benchmarks: tuple[str, ...], models: tuple[str, ...], output_path: str, local_path: str, num_threads: int,
    out: Path | None,
) -> None:  # fmt: skip
    """Compare how simulated users write with people and with their personas, or have a model review them.

    \b
      impactbench audit simulator --suite impact --human chats.jsonl
      impactbench audit simulator --suite impact --conversations 200 \\
          --reviewer litellm/openai/gpt-5.4-mini

    Without a reviewer no model is asked: length, questions, politeness, typing, vocabulary and more are counted in what
    simulated users wrote, by the age of their personas and what these say of writing, and with --human beside
    conversations of people: JSONL with {"messages": [{"role": ..., "content": ...}]} on each line, or a table with
    the columns conversation, role and content. The result is kept in the suite, and its report shows it.

    A reviewer gets the simulated user's instructions and looks for these faults: broke_persona,
    spoke_as_assistant, revealed_test, gave_up_early, invented_facts. A fault counts only if its quote is in the
    user's message. A review that fails is reported as failed, not as free of faults. The pass rates are shown without
    the affected conversations too. A repeated command costs nothing, because the answers are in the cache.
    """
    from helm_impactbench.results.files import suite_folder
    from helm_impactbench.validity.simulator.review_run import choose, findings, review_all

    folder = suite_folder(Path(output_path), suite)
    if human or not reviewer:
        from helm_impactbench.cli.fidelity import audit_and_print, rows
        from helm_impactbench.validity.simulator.fidelity import MOST

        drawn = choose(folder, benchmarks, models, min(conversations or MOST, MOST), seed)
        people = audit_and_print(folder, drawn, human)
        if not reviewer:
            write_rows(out, rows(people), {"suite": suite, "seed": seed, **people.model_dump(mode="json")})
            return
        click.echo()
    chosen = choose(folder, benchmarks, models, conversations, seed)
    caller, deployment = _reviewer(reviewer, local_path)
    with steps(len(chosen.items), "review") as step:
        reviewed = review_all(chosen, caller.call, deployment, num_threads, step)
    _show(reviewed, chosen, suite, deployment)
    found = findings(chosen, reviewed)
    about = {"suite": suite, "reviewer": deployment, "conversations": conversations, "seed": seed}
    write_rows(out, found["faults"], {**about, **found})


def _reviewer(name: str, local_path: str) -> tuple[Caller, str]:
    """Return the caller and the reviewer's deployment. Raises ModelError when it cannot be called."""
    from helm_impactbench.helm.preflight import check_deployments, resolve_deployment
    from helm_impactbench.helm.session import open_caller

    quiet_helm()
    caller = open_caller(Path(local_path))
    deployment = resolve_deployment(name, "reviewer")
    check_deployments([("reviewer", deployment)])
    return caller, deployment


def _show(reviewed: Sequence[Reviewed], chosen: Chosen, suite: str, deployment: str) -> None:
    from helm_impactbench.cli.tables import concluded_of_models, print_table
    from helm_impactbench.validity.simulator.audit import (
        affected,
        fault_counts,
        marks_sentence,
        model_rates,
        order_sentence,
    )

    click.echo(
        f"Suite {suite}, reviewed by {deployment}: {len(reviewed):,} of {chosen.eligible:,} conversations that were "
        f"completed; {chosen.broken_off:,} broke off and are unscored anyway."
    )
    if chosen.fixed:
        click.echo(
            f"{counted(chosen.fixed, 'conversation')} with fixed messages: there is no simulated user to review."
        )
    click.echo("\nFaults of the simulated user (ungrounded: the quote is missing from the turn, so it does not count)")
    counts = fault_counts(reviewed)
    columns = ("major", "minor", "ungrounded")
    print_table(("fault", *columns), [(kind.value, *(str(n[c]) for c in columns)) for kind, n in counts.items()])
    click.echo("Conversations affected")
    print_table(
        ("benchmark", "reviewed", "review failed", "major fault", "any fault", "marked"),
        list(map(_row, affected(reviewed))),
    )
    click.echo(marks_sentence(affected(reviewed)[-1]))
    rates = model_rates(reviewed)
    if any(not one.outcome.is_level for one in reviewed):
        click.echo("Contrast metrics have no pass rate: their conversations are only in the tables above.")
    click.echo("Pass rate over reviewed and scored conversations, with 95% interval")
    print_table(_RATES, list(map(_rates_row, rates)))
    click.echo(f"{order_sentence(rates)} {concluded_of_models(len(rates))}")


_RATES = ("model", "all", "without major faults", "difference", "without any fault", "difference")


def _row(row: Affected) -> tuple[str, ...]:
    return (row.name, str(row.reviewed), str(row.unreviewed), *(
        f"{count} ({count / row.reviewed:.3f})" if row.reviewed else "-" for count in (row.major, row.any, row.marked)
    ))  # fmt: skip


def _rates_row(rates: ModelRates) -> tuple[str, ...]:
    return (
        shown_model(rates.model),
        _rate(rates.everything),
        _rate(rates.without_major),
        _difference(rates.everything, rates.without_major),
        _rate(rates.without_any),
        _difference(rates.everything, rates.without_any),
    )


def _rate(rate: Rate) -> str:
    if rate.value is None:
        return "- (n=0)"
    known = f" ({rate.interval})" if rate.interval.is_known else ""
    return f"{rate.value:.3f}{known} n={rate.n}"


def _difference(before: Rate, after: Rate) -> str:
    return "-" if before.value is None or after.value is None else f"{after.value - before.value:+.3f}"
