"""Collect what people read: pages, help texts, messages and prompts, as passages of plain text with their place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "docs/decisions/*.md")
_SAYS = {"echo", "note", "say", "warn", "warning", "hlog", "hwarn"}
_TELLS = {"Column", "Table"}
_COMMANDS = "/commands/"
"""In the path of functions that yield or return what a command notes."""
_FENCE = re.compile(r"^ *```[\s\S]*?^ *```|^ {4,}\S.*$|<!--[\s\S]*?-->", re.MULTILINE)
_BLOCK = re.compile(r"\n(?:[ \t]*\n)+|\n(?=\s*(?:[-*] |\d+\. |#+ |\|))")
_TEMPLATE = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", re.DOTALL)
_TAG = re.compile(r"</?[\w-]+[^<>\n]*>")


@dataclass(frozen=True)
class Passage:
    """A paragraph, an item of a list, a cell of a table, a help text or a message."""

    place: str
    """File and line, or the command that says it."""
    text: str
    """In one line, without marks of Markdown; code and fillings are written as one word: CODE."""


def pages() -> Iterator[Passage]:
    """Yield the passages of the Markdown pages, without code."""
    for path in sorted(path for pattern in PAGES for path in ROOT.glob(pattern)):
        text = _FENCE.sub(lambda found: "\n" * found[0].count("\n"), path.read_text(encoding="utf-8"))
        line = 1
        for block in _BLOCK.split(text):
            number = text.count("\n", 0, text.find(block)) + 1 if block.strip() else line
            line = number
            cells = block.strip().strip("|").split("|") if block.lstrip().startswith("|") else [block]
            for cell in cells:
                yield from _passage(f"{path.relative_to(ROOT)}:{number}", _plain(cell))


def prompts() -> Iterator[Passage]:
    """Yield the lines of the prompts."""
    for path in sorted((ROOT / "prompts").glob("*.txt")):
        text = _TEMPLATE.sub(_filled, path.read_text(encoding="utf-8"))
        for number, line in enumerate(text.splitlines(), start=1):
            yield from _passage(f"prompts/{path.name}:{number}", _plain(_TAG.sub("", line)))


def report_texts() -> Iterator[Passage]:
    """Yield the words of report, label and annotation page: their templates, and the words for each audience."""
    for path in sorted((ROOT / "helm_impactbench").rglob("*.html.jinja")):
        text = _TEMPLATE.sub(_filled, path.read_text(encoding="utf-8"))
        text = re.sub(r"<(script|style)[\s\S]*?</\1>", lambda found: "\n" * found[0].count("\n"), text)
        text = re.sub(r"</?(?:a|b|em|strong|code|data|span|abbr)\b[^>]*>", "", text)
        for piece in re.finditer(r"[^<>]+(?=<|\Z)", re.sub(r"<[^>]*>", "<>", text)):
            yield from _passage(str(path.relative_to(ROOT)), _plain(piece[0]))
    audiences = ROOT / "helm_impactbench/outputs/label/audiences.yaml"
    for line in audiences.read_text(encoding="utf-8").splitlines():
        yield from _passage(str(audiences.relative_to(ROOT)), _plain(line.partition(": ")[2]))


def _filled(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n") or ("CODE" if found[0].startswith("{{") else "")


def help_texts(command: click.Command, name: str = "impactbench") -> Iterator[Passage]:
    """Yield what `--help` says of a command, its options and its own commands."""
    for block in re.split(r"\n\s*\n", command.help or ""):
        if not block.lstrip().startswith("\b"):
            yield from _passage(f"{name} --help", _plain(block))
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield from _passage(f"{name} {parameter.opts[0]}", _plain(parameter.help or ""))
    if isinstance(command, click.Group):
        for inner in command.list_commands(click.Context(command)):
            found = command.get_command(click.Context(command), inner)
            if found:
                yield from help_texts(found, f"{name} {inner}")


def messages() -> Iterator[Passage]:
    """Yield the texts that the code raises as errors or prints, heads of tables and their columns, and notes."""
    for path in sorted((ROOT / "helm_impactbench").rglob("*.py")):
        said = (ast.Raise, *((ast.Yield, ast.Return) if _COMMANDS in path.as_posix() else ()))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, said) or (isinstance(node, ast.Call) and _says(node)):
                for string in _strings(node):
                    for text in ast.literal_eval(repr(_shown(string))).split("\n"):
                        if len(text.split()) > 2:
                            yield from _passage(f"{path.relative_to(ROOT)}:{string.lineno}", _plain(text))


def _says(node: ast.Call) -> bool:
    name = ast.unparse(node.func).rsplit(".", 1)[-1]
    return name in _SAYS | _TELLS or name.endswith(("Error", "Exception"))


def _strings(node: ast.AST) -> Iterator[ast.Constant | ast.JoinedStr]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.JoinedStr) or (isinstance(child, ast.Constant) and isinstance(child.value, str)):
            yield child
        elif not isinstance(child, ast.Raise | ast.Lambda):
            yield from _strings(child)


def _shown(string: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(string, ast.Constant):
        return str(string.value)
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "CODE" for part in string.values)


def _plain(text: str) -> str:
    """Return text in one line, without the marks of Markdown; what is code becomes one word."""
    text = re.sub(r"``[^`]+``|`[^`\n]+`", "CODE", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^[\s>]*(?:[-*] |\d+\. |#+ )", "", text.strip())
    return re.sub(r"\s+", " ", text.replace("**", "").replace("*", "")).strip()


def _passage(place: str, text: str) -> Iterator[Passage]:
    if re.search(r"[A-Za-z]{2}", text):
        yield Passage(place, text)
