"""The command `impactbench estimate`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.suite import quiet_helm
from helm_impactbench.cli.tables import print_table, write_rows
from helm_impactbench.errors import RunEntryError, counted

if TYPE_CHECKING:
    from helm_impactbench.analysis.costs.forecast import Estimate
    from helm_impactbench.helm.planned import Planned


@click.command("estimate")
@click.argument("more", nargs=-1, metavar="[RUN_ENTRY|CONF]...")
@click.option("--run-entries", "-r", multiple=True, metavar="RUN_ENTRY...", help="Run entries, one or more.")
@click.option("--conf-paths", "-c", multiple=True, metavar="CONF...", help="Files of run entries, one or more.")
@click.option("--models-to-run", "models", multiple=True, metavar="DEPLOYMENT...", shell_complete=completion.models,
              help="Targets for entries without model=, one or more.")  # fmt: skip
@click.option("--user-message", default=45, show_default=True, help="Assumed tokens of a user's message.")
@click.option("--user-thought", default=30, show_default=True, help="Assumed tokens of the simulator's thought.")
@click.option("--target-reply", default=220, show_default=True, help="Assumed tokens of a target's reply.")
@click.option("--judge-answer", default=140, show_default=True, help="Assumed tokens of a judge's answer.")
@click.option("--max-eval-instances", "-m", type=click.IntRange(1), default=1000, show_default=True,
              help="Most prompts of a HELM suite.")  # fmt: skip
@click.option(
    "--against", metavar="SUITE", shell_complete=completion.suites, help="Compare with what a finished suite used."
)
@options.output_path
@options.local_path
@options.out()
def estimate_command(
    more: tuple[str, ...], run_entries: tuple[str, ...], conf_paths: tuple[str, ...], models: tuple[str, ...],
    user_message: int, user_thought: int, target_reply: int, judge_answer: int, max_eval_instances: int,
    against: str | None, output_path: str, local_path: str, out: Path | None,
) -> None:  # fmt: skip
    """Estimate what run entries will cost, without any call. Shows calls, tokens and US dollars by role and model.

    \b
      CONF=$(impactbench list --path run_entries/quick.conf)
      impactbench estimate -c $CONF --models-to-run litellm/openai/gpt-4o

    --run-entries, --conf-paths, --models-to-run and -m mean the same as in helm-run, so a helm-run command can be
    estimated as it is. Run entries, files of them and models may also be given without an option. Prompts are the
    real ones. The lengths of answers are assumptions, which options change. Not included are repeated requests for
    unreadable answers, retries, and savings by a provider's prompt cache. HELM's own suites (harm_bench, mmlu,
    panel_xstest, ...) are estimated from their published sizes and rough lengths, without their data.
    """
    from helm_impactbench.analysis.costs.forecast import Assumptions, PlannedRun, actual, add_prompts, estimate
    from helm_impactbench.helm.session import know_deployments
    from helm_impactbench.results.files import suite_folder

    quiet_helm()
    know_deployments(Path(local_path))
    entries = [*run_entries, *conf_paths, *more]
    if not entries:
        raise click.UsageError("Nothing to estimate: name run entries, or --conf-paths with files of them.")
    planned = _planned(entries, models, max_eval_instances)
    runs = [run for run in planned if isinstance(run, PlannedRun)]
    assumed = Assumptions(user_message, user_thought, target_reply, judge_answer)
    result = estimate(runs, assumed)
    for run in planned:
        if not isinstance(run, PlannedRun):
            add_prompts(result, *run)
    click.echo(
        f"{counted(len(planned), 'run')}, {counted(result.conversations, 'conversation')}, "
        f"{counted(result.calls, 'call')}"
    )
    if any("until_" in entry for entry in entries):
        click.echo("Runs with until_decided= or until_width= may stop early: this is the most that they can use.")
    if result.prompts:
        click.echo(
            f"Includes {counted(result.prompts, 'prompt')} of HELM's suites, from published sizes and rough lengths"
        )
    click.echo(
        f"Assumed tokens: user {user_message} (thought {user_thought}), target {target_reply}, judge {judge_answer}"
    )
    write_rows(out, _print_expenses(result))
    if against:
        unshared = estimate(runs, assumed, share_openings=False)
        _print_against(unshared, actual(suite_folder(Path(output_path), against)), against)


def _planned(words: Sequence[str], models: Sequence[str], most: int) -> list[Planned]:
    """Return the runs that run entries, or conf files of them, stand for. Raises ImpactBenchError."""
    from helm_impactbench.helm.planned import entries_in, planned_runs

    targets = [*models, *filter(_is_model, words)]
    runs: list[Planned] = []
    for word in words:
        for entry in entries_in(word) if word.endswith(".conf") else [word] if not _is_model(word) else []:
            found = planned_runs(entry, targets, most)
            if not found:
                click.echo(f"Not in this estimate, because its size is unknown: {entry}", err=True)
            runs += found
    if not runs:
        raise RunEntryError("None of these run entries is one of impactbench, or of a HELM suite whose size is known")
    return runs


def _is_model(word: str) -> bool:
    """Return whether an argument is one more model after --models-to-run, of which click takes the first alone."""
    return "/" in word and ":" not in word and not word.endswith(".conf")


def _print_expenses(result: Estimate) -> list[dict[str, Any]]:
    from helm_impactbench.analysis.costs.forecast import Expense
    from helm_impactbench.helm.planned import price

    rows, told, total, dollars, unknown = [], [], Expense(), 0.0, False
    for (role, deployment), expense in result.expenses.items():
        cost = price(deployment, expense)
        total.add(expense.calls, expense.prompt_tokens, expense.completion_tokens)
        dollars += cost or 0.0
        unknown |= cost is None
        told.append({"role": role, "model": deployment, **vars(expense), "cost_usd": cost})
        shown = "unknown" if cost is None else f"{cost:.2f}"
        rows.append((role, deployment, f"{expense.calls:,}", f"{expense.prompt_tokens:,}",
                     f"{expense.completion_tokens:,}", shown))  # fmt: skip
    shown_total = f"{dollars:.2f}" + (" + unknown" if unknown else "")
    rows.append(
        ("all", "", f"{total.calls:,}", f"{total.prompt_tokens:,}", f"{total.completion_tokens:,}", shown_total)
    )
    print_table(("role", "model", "calls", "prompt tokens", "completion tokens", "US$"), rows)
    if result.conversations and not result.prompts and not unknown:
        click.echo(f"US$ per conversation: {dollars / result.conversations:.4f} (impactbench power --usd-each)")
    return told


def _print_against(result: Estimate, taken: dict[str, dict[str, float]], suite: str) -> None:
    from helm_impactbench.helm.planned import price

    rows = []
    for role, sums in taken.items():
        expenses = {name: expense for (of, name), expense in result.expenses.items() if of == role}
        costs = [price(name, expense) for name, expense in expenses.items()]
        estimated = {
            "prompt_tokens": float(sum(expense.prompt_tokens for expense in expenses.values())),
            "completion_tokens": float(sum(expense.completion_tokens for expense in expenses.values())),
            "cost_usd": None if None in costs else sum(cost or 0.0 for cost in costs),
        }
        rows += [(role, what, *_compared(estimated[what], sums.get(what))) for what in estimated]
    click.echo(f"\nCompared with suite {suite}, whose figures count shared opening messages for every target:")
    print_table(("role", "what", "estimated", "actual", "estimated / actual"), rows)


def _compared(estimated: float | None, taken: float | None) -> tuple[str, str, str]:
    def shown(value: float | None) -> str:
        return "unknown" if value is None else f"{value:,.4f}" if value < 100 else f"{value:,.0f}"

    ratio = f"{estimated / taken:.2f}" if estimated is not None and taken else "-"
    return shown(estimated), shown(taken), ratio
