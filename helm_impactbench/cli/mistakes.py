"""Mistakes on the command line, each told in one line: what was got, the nearest names, and where help is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import click

from helm_impactbench.errors import did_you_mean


class OneLineError(click.ClickException):
    """Wrong use, told in one line. Exit code 1 is for commands that judge something: check, gate, gen-metrics."""

    exit_code = 2


def one_line(error: click.UsageError) -> OneLineError:
    """Return wrong use of click's as one line."""
    text = re.sub(
        r"^Invalid value for ([^:]+): ", lambda of: of[1].replace("'", "") + ": ", error.format_message().rstrip()
    )
    if isinstance(error, click.NoSuchOption):
        text = f"No such option {error.option_name}.{did_you_mean(error.option_name, _option_names(error.ctx))}"
    elif isinstance(error, click.BadOptionUsage) and (option := _option(error.ctx, error.option_name)):
        text = _needs(option)
    where = error.ctx.command_path if error.ctx else "impactbench"
    return OneLineError(f"{text} Help: {where} --help")


class CommandGroup(click.Group):
    """Names the commands that are nearest to a mistyped one."""

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the name of the command, the command, and its own words."""
        if args[0] not in self.commands and not context.resilient_parsing:
            raise click.UsageError(f"No such command {args[0]}.{did_you_mean(args[0], self.commands)}", context)
        name, command, words = super().resolve_command(context, args)
        if command is not None and not context.resilient_parsing:
            _check_values(command, context, name, words)
        return name, command, words


def _check_values(command: click.Command, context: click.Context, name: str | None, words: Sequence[str]) -> None:
    """Raise UsageError for an option that is given twice and takes one value: click would drop the first in silence.

    Likewise for an empty value, as of a shell's variable that is not set: it would be taken for no option at all.
    """
    own = click.Context(command, info_name=name, parent=context)
    try:
        values, _, order = command.make_parser(own).parse_args([*words])
    except click.BadOptionUsage as error:  # an option without its value, which click says of no command
        error.ctx = error.ctx or own
        raise
    except click.UsageError:
        return  # which the command itself says
    single = [one for one in order if isinstance(one, click.Option) and not (one.multiple or one.is_flag or one.count)]
    for option, times in Counter(single).items():
        if times > 1:
            raise click.UsageError(f"{option.opts[0]} is given {times} times, and takes one value here.", own)
    for option in (one for one in order if isinstance(one, click.Option)):
        given = values.get(str(option.name))
        words_of = given if isinstance(given, list | tuple) else (given,)
        if "" in words_of:
            raise click.UsageError(f"{option.opts[0]} is empty.", own)
        if option.nargs > 1 and (next_one := next((word for word in words_of if str(word).startswith("--")), None)):
            raise click.UsageError(f"{_needs(option)} {next_one} is another option.", own)


def _option(context: click.Context | None, name: str) -> click.Option | None:
    options = (one for one in (context.command.params if context else ()) if isinstance(one, click.Option))
    return next((one for one in options if name in (*one.opts, *one.secondary_opts)), None)


def _needs(option: click.Option) -> str:
    """Return what an option is to be given, for one that was given too little."""
    if option.is_flag:
        return f"{option.opts[0]} takes no value."
    values = "a value" if option.nargs == 1 else f"{option.nargs} values"
    return f"{option.opts[0]} needs {values}{f': {option.metavar}' if option.metavar else ''}."


class Choice(click.Choice):  # type: ignore[type-arg] # has none in click 8.1
    """Names the words that are nearest to a mistyped one, beside all that are allowed."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the word that `value` is."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            near = did_you_mean(str(value), map(str, self.choices))
            raise click.BadParameter(f"{error.message.rstrip()}{near}", ctx, param) from None


def _option_names(context: click.Context | None) -> Iterator[str]:
    for parameter in context.command.params if context else ():
        if isinstance(parameter, click.Option):
            yield from (*parameter.opts, *parameter.secondary_opts)
