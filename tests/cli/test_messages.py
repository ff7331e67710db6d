"""What messages and helps tell people to type exists: commands, and options of the command that they name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click

import helm_impactbench
from helm_impactbench.cli import main
from helm_impactbench.process.helm_run import run_parser

PACKAGE = Path(helm_impactbench.__file__).parent
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
OTHERS_OPTIONS = {
    *(
        "--log-dir",
        "--schema-path",
        "--summarizer-class-name",
        "--suites",
        "--release",
        "--export-path",
    ),  # tools beside
    *("--auto-generate-schema", "--slurm-runner-spec-path"),
    *re.findall(r'"(--[a-z-]+)"', (PACKAGE / "targets/curl.py").read_text()),  # curl's
}
NOT_COMMANDS = {
    *("and", "as", "command", "data", "folder", "has", "here", "in", "is", "itself", "needs", "or", "package"),
    *("plug-in", "plugin", "reads", "task", "to", "version", "would"),
}
"""Words that follow the name in sentences."""


def texts() -> Iterator[tuple[str, str]]:
    """Yield file name and text of every string of the package, adjacent literals as one."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = (str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
                yield path.name, "".join(parts)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield path.name, node.value


def options_of(command: click.Command) -> set[str]:
    """Return the options of a command, and of those of a group."""
    own = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    inner = command.commands.values() if isinstance(command, click.Group) else ()
    return own.union(*map(options_of, inner), {"--help"})


def test_commands_that_are_named_exist() -> None:
    """Every `impactbench WORD` of a message is a command, with the options that follow up to the sentence's end."""
    for name, text in texts():
        for found in re.finditer(r"(?<![\w/`-])`?impactbench ([a-z][a-z-]+)([^\n`;)]*)", text):
            word, rest = found[1], found[2]
            if word in NOT_COMMANDS:
                continue
            assert word in main.commands, f"{name}: {found[0]}"
            known = options_of(main.commands[word]) | (OTHERS_OPTIONS if word == "summarize" else set())
            told = re.split(r"[,.:](?: |$)|&&", rest)[0]
            assert set(OPTION.findall(told)) <= known, f"{name}: {found[0]}"


def test_options_that_are_named_exist() -> None:
    """Every --option of a message is one of ours, or of a tool beside."""
    known = options_of(main) | OTHERS_OPTIONS | {n for action in run_parser()._actions for n in action.option_strings}
    for name, text in texts():
        unknown = set(OPTION.findall(text)) - known
        assert not unknown, f"{name} names {unknown}: {text[:200]}"
