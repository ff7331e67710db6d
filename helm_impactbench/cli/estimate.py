"""The command `impactbench estimate`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.errors import ImpactBenchError, RunEntryError

if TYPE_CHECKING:
    from helm_impactbench.analysis.costs.forecast import Estimate, PlannedRun
    from helm_impactbench.analysis.costs.suite_sizes import PlannedSuite
    from helm_impactbench.helm.run_entry import RunOptions
    from helm_impactbench.sycophancy.run_entry import SycophancyOptions

Printer = Callable[[Sequence[str], Sequence[Sequence[str]]], None]


@click.command("estimate")
@click.argument("entries", nargs=-1, required=True, metavar="RUN_ENTRY_OR_CONF...")
@click.option("--models-to-run", "-m", "models", multiple=True, help="Targets for entries without model=.")
@click.option("--user-message", default=45, show_default=True, help="Assumed tokens of a user's message.")
@click.option("--user-thought", default=30, show_default=True, help="Assumed tokens of the simulator's thought.")
@click.option("--target-reply", default=220, show_default=True, help="Assumed tokens of a target's reply.")
@click.option("--judge-answer", default=140, show_default=True, help="Assumed tokens of a judge's answer.")
@click.option("--max-eval-instances", type=click.IntRange(1), default=1000, show_default=True,
              help="Prompts of a suite of HELM's at most, as in helm-run.")  # fmt: skip
@click.option("--against", metavar="SUITE", help="Compare with what a finished suite really took.")
@click.option("--output-path", "-o", default="benchmark_output", show_default=True, help="HELM's output folder.")
@click.option("--local-path", default="prod_env", show_default=True, help="HELM's model_deployments.yaml.")
def estimate_command(
    entries: tuple[str, ...], models: tuple[str, ...], user_message: int, user_thought: int, target_reply: int,
    judge_answer: int, max_eval_instances: int, against: str | None, output_path: str, local_path: str,
) -> None:  # fmt: skip
    """Say what run entries will take: conversations, calls, tokens and US dollars by role and model. Makes no call.

    Prompts are the real ones; the lengths of answers are assumed and can be changed. What is not in it: answers that
    have to be asked for again, retries, and what a provider's prompt cache saves. HELM's own suites (harm_bench, mmlu,
    panel_xstest, ...) are reckoned by their published sizes and rough lengths: no data is needed.
    """
    from helm_impactbench.analysis.costs.forecast import Assumptions, PlannedRun, actual, estimate
    from helm_impactbench.analysis.costs.suite_sizes import PlannedSuite, add_suite
    from helm_impactbench.cli.tables import print_table

    _register(local_path)
    planned = planned_runs(entries, models)
    runs = [run for run in planned if isinstance(run, PlannedRun)]
    suites = [run for run in planned if isinstance(run, PlannedSuite)]
    assumed = Assumptions(user_message, user_thought, target_reply, judge_answer)
    result = estimate(runs, assumed)
    prompts = sum(add_suite(result, suite, max_eval_instances) for suite in suites)
    calls = sum(expense.calls for expense in result.expenses.values())
    click.echo(f"{len(planned)} runs, {result.conversations:,} conversations, {calls:,} calls")
    if suites:
        click.echo(f"With {prompts:,} prompts of HELM's suites, by published sizes and rough lengths (see --help)")
    click.echo(
        f"Assumed tokens: user {user_message} (thought {user_thought}), target {target_reply}, judge {judge_answer}"
    )
    _print_expenses(result, print_table)
    if against:
        unshared = estimate(runs, assumed, share_openings=False)
        _print_against(unshared, actual(Path(output_path) / "runs" / against), against, print_table)


def planned_runs(entries: Sequence[str], models: Sequence[str]) -> list[PlannedRun | PlannedSuite]:
    """Return the runs that run entries, or conf files of them, stand for. Raises ImpactBenchError."""
    from helm.benchmark.run_expander import RUN_EXPANDERS
    from helm.common.object_spec import parse_object_spec

    from helm_impactbench.analysis.costs.forecast import PlannedRun
    from helm_impactbench.analysis.costs.suite_sizes import SIZES, PlannedSuite, has_size
    from helm_impactbench.helm.run_entry import parse_options
    from helm_impactbench.sycophancy.run_entry import NAME
    from helm_impactbench.sycophancy.run_entry import parse_options as parse_telling_options

    parsers: dict[str, Callable[[dict[str, Any]], RunOptions | SycophancyOptions]]
    parsers = {"impactbench": parse_options, NAME: parse_telling_options}
    runs: list[PlannedRun | PlannedSuite] = []
    for description in _descriptions(entries):
        try:
            spec = parse_object_spec(description)
        except ValueError as error:
            raise RunEntryError(f"Run entry {description!r}: {error}") from error
        parse = parsers.get(spec.class_name)
        if parse is None and not has_size(spec.class_name):
            known = ", ".join(["impactbench", NAME, *SIZES])
            click.echo(f"Not in this estimate, which reckons {known} alone: {description}", err=True)
            continue
        options = dict(spec.args)
        given = str(options.pop("model", ""))
        options = {name: value for name, value in options.items() if name not in RUN_EXPANDERS}
        targets = [given] if "/" in given else list(models)
        if not targets:
            raise RunEntryError(f"Run entry {description!r} names no model; add model=... or --models-to-run ...")
        if parse is None:
            runs += [PlannedSuite(spec.class_name, options, target) for target in targets]
        else:
            runs += [PlannedRun(parse(options), target) for target in targets]
    if not runs:
        raise RunEntryError(f"No entry of impactbench, {NAME} or a known suite of HELM's among those given")
    return runs


def _descriptions(entries: Sequence[str]) -> list[str]:
    from helm.benchmark.presentation.run_entry import read_run_entries

    found = []
    for entry in entries:
        if not entry.endswith(".conf"):
            found.append(entry)
            continue
        if not Path(entry).is_file():
            raise ImpactBenchError(f"No file {entry}; shipped ones: impactbench path run_entries/...")
        try:
            found += [run_entry.description for run_entry in read_run_entries([entry]).entries]
        except Exception as error:  # HOCON's parser and dacite raise kinds of their own
            raise ImpactBenchError(f"{entry} is no file of run entries: {' '.join(str(error).split())}") from error
    return found


def _register(local_path: str) -> None:
    from helm.benchmark.config_registry import (
        register_builtin_configs_from_helm_package,
        register_configs_from_directory,
    )

    from helm_impactbench.helm.registration import install

    logging.getLogger("helm").setLevel(logging.ERROR)
    register_builtin_configs_from_helm_package()
    register_configs_from_directory(local_path)
    install()


def _print_expenses(result: Estimate, print_table: Printer) -> None:
    from helm_impactbench.analysis.costs.forecast import Expense, price

    rows, total, dollars, unknown = [], Expense(), 0.0, False
    for (role, deployment), expense in result.expenses.items():
        cost = price(deployment, expense)
        total.add(expense.calls, expense.prompt_tokens, expense.completion_tokens)
        dollars += cost or 0.0
        unknown |= cost is None
        shown = "unknown" if cost is None else f"{cost:.2f}"
        rows.append((role, deployment, f"{expense.calls:,}", f"{expense.prompt_tokens:,}",
                     f"{expense.completion_tokens:,}", shown))  # fmt: skip
    shown_total = f"{dollars:.2f}" + (" + unknown" if unknown else "")
    rows.append(
        ("all", "", f"{total.calls:,}", f"{total.prompt_tokens:,}", f"{total.completion_tokens:,}", shown_total)
    )
    print_table(("role", "model", "calls", "prompt tokens", "completion tokens", "US$"), rows)


def _print_against(result: Estimate, taken: dict[str, dict[str, float]], suite: str, print_table: Printer) -> None:
    from helm_impactbench.analysis.costs.forecast import price

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
    click.echo(f"\nAgainst suite {suite}, whose figures count shared opening messages for every target:")
    print_table(("role", "what", "estimated", "actual", "estimated / actual"), rows)


def _compared(estimated: float | None, taken: float | None) -> tuple[str, str, str]:
    def shown(value: float | None) -> str:
        return "unknown" if value is None else f"{value:,.4f}" if value < 100 else f"{value:,.0f}"

    ratio = f"{estimated / taken:.2f}" if estimated is not None and taken else "-"
    return shown(estimated), shown(taken), ratio
