"""What the commands that read a suite have in common: the options of a reading, and how a result is shown."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli import options

if TYPE_CHECKING:
    from helm_impactbench.api import Suite
    from helm_impactbench.tables import Result

Command = Callable[..., Any]
WIDEST = 1000
"""Characters of a line in a pipe or a log, so that no name is cut and no column gives way."""


def reads_suite(
    *, population: bool = False, needed: bool = True, several: bool = False
) -> Callable[[Callable[..., Result]], Command]:
    """Give a command the options of a reading, call it with the `suite` and show the result that it returns.

    population: whether it has intervals that can be for one of two populations. needed: False where the command can do
    without a suite, which is then None. several: whether it takes more suites, as `others`.
    """

    def decorated(command: Callable[..., Result]) -> Command:
        @wraps(command)
        def wrapped(out: Path | None, wide: bool, **given: Any) -> None:
            suite, *others = _opened(given.pop("suites") if several else (given.pop("suite"),), given)
            show(command(suite, **({"others": others} if several else {}), **given), out, wide=wide)

        decorators = [
            options.suite(needed=needed, several=several),
            options.output_path,
            options.benchmark,
            options.metric,
            options.model,
            options.release(),
            options.where,
            options.withhold_ungrounded,
            options.withhold_marked,
            *([options.population] if population else []),
            options.out(),
            options.wide,
        ]
        result: Command = wrapped
        for option in reversed(decorators):
            result = option(result)
        return result

    return decorated


def _opened(suites: Sequence[str | None], given: dict[str, Any]) -> list[Suite | None]:
    """Return the suites that options select from, and take these options out of `given`. Raises ImpactBenchError."""
    names = ("benchmarks", "metrics", "models", "releases", "where")
    chosen: dict[str, Any] = {name: given.pop(name) for name in names}
    chosen["withhold"] = [name for name in ("ungrounded", "marked") if given.pop(f"withhold_{name}")]
    output_path = given.pop("output_path")
    if suites[0] is None:
        for name in (name for name, value in chosen.items() if value):
            raise click.UsageError(f"--{name.rstrip('s')} is for a suite: name it with --suite, or leave this out.")
        return [None]
    from helm_impactbench.api import load_suites

    if "population" in given:
        chosen["population"] = given.pop("population")
    return [*load_suites((name for name in suites if name is not None), output_path, **chosen)]


def show(result: Result, out: Path | None = None, *, wide: bool = False) -> None:
    """Print a result, write it where `out` says so, and leave with its exit code if it has a verdict."""
    from helm_impactbench.outputs.render.terminal import print_result

    print_result(result, console(), wide=wide)
    if out is not None:
        from helm_impactbench.outputs.render.files import write_result

        for path in write_result(result, out):
            click.echo(f"Wrote {path}", err=True)
    if result.verdict and result.verdict.exit_code:
        sys.exit(result.verdict.exit_code)


def console() -> Any:
    """Return the console that tables are printed on: as wide as the terminal, or as COLUMNS says; a pipe is wide."""
    from rich.console import Console

    limited = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()
    return Console(width=None if limited else WIDEST, highlight=False)
