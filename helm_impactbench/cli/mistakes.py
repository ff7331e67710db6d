"""Mistakes on the command line, each told in one line: what was got, the nearest names, and where help is."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from helm_impactbench.errors import did_you_mean

_NOT_ONE_OF = re.compile(r"['\"]([^'\"]*)['\"] is not ")


class OneLineError(click.ClickException):
    """Wrong use, told in one line. Exit code 1 is for commands that judge something: check, gate, gen-metrics."""

    exit_code = 2


def one_line(error: click.UsageError) -> OneLineError:
    """Return wrong use of click's as one line."""
    context = error.ctx
    text, near = error.format_message(), ""
    if isinstance(error, click.NoSuchOption):
        text = f"No such option {error.option_name}."
        near = did_you_mean(error.option_name, _option_names(context))
    elif context and text.startswith("No such command"):
        got = text.split("'")[1]
        text = f"No such command {got}."
        near = did_you_mean(got, getattr(context.command, "commands", ()))
    elif isinstance(error, click.BadParameter) and (found := _NOT_ONE_OF.search(text)):
        near = did_you_mean(found[1], getattr(error.param and error.param.type, "choices", ()))
    where = context.command_path if context else "impactbench"
    return OneLineError(f"{text.rstrip()}{near} Help: {where} --help")


def _option_names(context: click.Context | None) -> Iterator[str]:
    for parameter in context.command.params if context else ():
        if isinstance(parameter, click.Option):
            yield from (*parameter.opts, *parameter.secondary_opts)
