"""Write docs/cli.md from the commands themselves: `make reference`. `make check` fails when the page is out of date."""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import click

from helm_impactbench.cli import SECTIONS, main

PAGE = Path(__file__).parent.parent / "docs" / "cli.md"
_CODE = re.compile(r"^\s*(?:impactbench|helm-|IMPACTBENCH_|CONF=)")
_INTRO = """# Commands

<!-- Written by `make reference` from the commands; change those, not this page. -->

`impactbench --help` lists the commands; `impactbench COMMAND --help` explains one. `python -m helm_impactbench` does
the same as `impactbench`.

- An option means the same in every command that has it. Those that helm-run has too (`--suite`, `-o`, `-n`, `-m`,
  `-r`, `-c`, `--models-to-run`, `--local-path`, `-d`) mean the same as there.
- `--out FILE` writes what a command prints to a file, in the format that its extension names: `.csv`, `.json` or
  `.md`. `--out-dir DIR` is for commands that write many files.
- Tables and results go to standard output; progress, notes and errors to standard error.
- The exit code is 0; 1 if a command checks something and the answer is no (`check`, `check-judge`, `stress`, `gate`,
  `target check`, `audit cues`, `gen-metrics`, `gen-scenarios`, `fetch --check`), or if every conversation of a `run`
  failed; 2 for wrong use and unreadable files, with one line that says what to do.

## Completion in the shell

| shell | line | file |
|---|---|---|
| bash 4.4 or later | `eval "$(_IMPACTBENCH_COMPLETE=bash_source impactbench)"` | `~/.bashrc` |
| zsh, after `compinit` | `eval "$(_IMPACTBENCH_COMPLETE=zsh_source impactbench)"` | `~/.zshrc` |
| fish | `_IMPACTBENCH_COMPLETE=fish_source impactbench \\| source` | `~/.config/fish/completions/impactbench.fish` |

Tab then completes commands, options, the suites in HELM's output folder and their targets, benchmarks, metrics
(`prosocial/`), models (scripted ones, those of `model_deployments.yaml` and, after `litellm/`, litellm's) and shipped
files.
"""


def reference() -> str:
    """Return the text of the page."""
    parts = [_INTRO]
    for heading, names in SECTIONS.items():
        parts.append(f"## {heading}\n")
        for name in names:
            parts += _command(main.commands[name], f"impactbench {name}")
    return "\n".join(parts)


def _command(command: click.Command, name: str, level: int = 3) -> Iterator[str]:
    arguments = [a.metavar or a.name.upper() for a in command.params if isinstance(a, click.Argument) and a.name]
    yield f"{'#' * level} {name}\n"
    if arguments:
        yield f"`{' '.join([name, *arguments])}`\n"
    yield from _paragraphs(inspect.cleandoc(command.help or ""))
    options = [option for option in command.params if isinstance(option, click.Option)]
    if options:
        rows = [f"| {_names(option)} | {_cell(option.help or '')} | {_usual(option)} |" for option in options]
        yield "\n".join(["| option | meaning | without it |", "|---|---|---|", *rows]) + "\n"
    if isinstance(command, click.Group):
        for inner, more in command.commands.items():
            yield from _command(more, f"{name} {inner}", level + 1)


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text):
        if not paragraph.startswith("\b"):
            yield textwrap.fill(" ".join(paragraph.split()), 120, break_on_hyphens=False) + "\n"
            continue
        lines = inspect.cleandoc(paragraph.removeprefix("\b")).splitlines()
        yield "\n".join([f"```{'sh' if any(map(_CODE.match, lines)) else 'text'}", *lines, "```"]) + "\n"


def _names(option: click.Option) -> str:
    names = sorted((*option.opts, *option.secondary_opts), key=lambda name: (not name.startswith("--"), len(name)))
    return f"`{', '.join(names)}{'' if option.is_flag else f' {_value(option)}'}`".replace("|", r"\|")


def _value(option: click.Option) -> str:
    if option.metavar:
        return option.metavar
    if isinstance(option.type, click.Choice):
        return "|".join(map(str, option.type.choices))
    return {"integer": "N", "float": "X", "number": "X", "path": "PATH"}.get(option.type.name.split()[0], "TEXT")


def _usual(option: click.Option) -> str:
    if option.required:
        return "required"
    if isinstance(option.show_default, str):
        return _cell(option.show_default)
    if option.secondary_opts and option.show_default:
        return f"`{(option.opts if option.default else option.secondary_opts)[0]}`"
    if option.is_flag or option.multiple or not option.show_default:
        return ""
    return f"`{option.default}`"


def _cell(text: str) -> str:
    return re.sub(r"\s*\[default: (.*)\]$", "", text).replace("|", r"\|")


def run(arguments: list[str]) -> int:
    """Write the page, or with --check say whether it is up to date. Returns the exit code."""
    text = reference()
    if arguments != ["--check"]:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    print(f"{PAGE.name} is out of date: make reference", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
