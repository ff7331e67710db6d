"""One law for all commands: an option's name has one meaning, one type and one short form, whichever command has it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from helm_impactbench.cli import SECTIONS, main
from helm_impactbench.cli.finite import FiniteRange
from helm_impactbench.process.helm_run import run_parser
from tests.support.looped import looped


def commands(command: click.Command = main, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield every command that does something, by its whole name."""
    if not isinstance(command, click.Group):
        yield path, command
        return
    for name, inner in command.commands.items():
        yield from commands(inner, f"{path} {name}".strip())


def declared() -> dict[str, list[tuple[str, click.Option]]]:
    """Return every option string with the commands that have it."""
    found = defaultdict(list)
    for path, command in commands():
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                for name in (*parameter.opts, *parameter.secondary_opts):
                    found[name].append((path, parameter))
    return dict(found)


DECLARED = declared()


def meaning(option: click.Option) -> tuple[object, ...]:
    """Return what has to be the same wherever an option is: help, kind of value, all its names."""
    names = (tuple(sorted(option.opts)), tuple(sorted(option.secondary_opts)))
    return option.help, type(option.type).__name__, option.is_flag, option.nargs, names


@looped("name", sorted(name for name, where in DECLARED.items() if len(where) > 1))
def test_an_option_means_the_same_in_every_command(name: str) -> None:
    """The same help, type and names; what is usual without it may differ. helm-summarize has a --release of its own."""
    meanings = defaultdict(list)
    for path, option in DECLARED[name]:
        if (path, name) != ("summarize", "--release"):
            meanings[meaning(option)].append(path)
    assert len(meanings) == 1, f"{name} has several meanings: {dict(meanings)}"


def test_whatever_reads_the_runs_of_a_suite_can_read_one_release() -> None:
    """Of a command that takes --suite and narrows it, or shows a suite's money or pages."""
    names = {path: {name for option in command.params for name in option.opts} for path, command in commands()}
    reading = {path for path, has in names.items() if "--suite" in has and has & {"--model", "--benchmark"}}
    reading |= {"costs", "report", "summarize"}
    assert {path for path in reading if "--release" not in names[path]} == set()


def test_no_two_names_for_one_thing() -> None:
    """Two options with the same help are one option, unless one command has both."""
    by_help = defaultdict(set)
    for where in DECLARED.values():
        for _, option in where:
            by_help[option.help].add(tuple(sorted((*option.opts, *option.secondary_opts))))
    assert {text: names for text, names in by_help.items() if len(names) > 1} == {}


def test_helm_runs_words_mean_what_they_mean_there() -> None:
    """Whoever knows a name from helm-run finds all of its names here, on the same option."""
    shared = {name: action for action in run_parser()._actions for name in action.option_strings if name in DECLARED}
    assert {"--suite", "-o", "-n", "-m", "-c", "-r", "--models-to-run", "--local-path"} <= shared.keys()
    for name, action in shared.items():
        for path, option in DECLARED[name]:
            assert set(option.opts) == set(action.option_strings), f"impactbench {path} {name}"


def test_every_command_stands_in_one_of_six_sections() -> None:
    """The help shows each of them once."""
    listed = [name for names in SECTIONS.values() for name in names]
    assert sorted(listed) == sorted(main.commands)
    assert len(SECTIONS) == 6


@looped(("path", "command"), list(commands()), ids=[path for path, _ in commands()])
def test_every_command_and_option_explains_itself(path: str, command: click.Command) -> None:
    """One line says what a command is for, an example shows it, and every option has a sentence."""
    text = command.help or ""
    assert text.split("\n")[0].endswith((".", "?")), path
    assert f"impactbench {path}" in text, f"impactbench {path} --help has no example of itself"
    with click.Context(command, info_name=f"impactbench {path}", terminal_width=80) as context:
        wide = [line for line in command.get_help(context).splitlines() if len(line) > 80]
    assert not wide, f"wider than 80 columns: {wide}"
    for option in command.params:
        assert not isinstance(option, click.Option) or (option.help or "").endswith((".", ")")), option.name


FLOATS = sorted(
    (path, name)
    for name, where in DECLARED.items()
    for path, option in where
    if isinstance(option.type, click.types.FloatParamType)
)


@looped("value", ["nan", "inf", "-inf", "1e999"])
@looped(("path", "name"), FLOATS)
def test_a_number_is_finite(path: str, name: str, value: str) -> None:
    """Python reads nan and inf as numbers, and nan lies within every range."""
    done = CliRunner().invoke(main, [*path.split(), f"{name}={value}"])
    assert done.exit_code == 2
    assert f"Error: {name}" in done.output
    assert f"'{value}' is not a finite number." in done.output


def test_a_number_in_a_range_is_taken_and_no_other() -> None:
    """In plain words, with the number that was nearly written."""
    share = FiniteRange(0, 1, min_open=True)
    assert share.convert("0.25", None, None) == 0.25
    for wrong, words in (
        ("0", "0 must be above 0 and at most 1"),
        ("2", "2% is 0.02"),
        ("25%", "'25%' is not a number; 25% is 0.25"),
        ("$5", "write 5"),
        ("1,5", r"write 1\.5"),
        ("much", "'much' is not a number."),
    ):
        with pytest.raises(click.BadParameter, match=words):
            share.convert(wrong, None, None)
