"""The documentation as the tests read it: pages, their code, their tables, and the commands that they show."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "helm_impactbench"
_FENCE = re.compile(r"^ *```[\s\S]*?^ *```|(?<=\n\n)(?: {4,}\S.*\n)+", re.MULTILINE)
_INLINE = re.compile(r"`([^`\n]+)`")
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Page:
    """One Markdown file, or a conf whose comments explain it."""

    path: Path

    @cached_property
    def text(self) -> str:
        """What it says."""
        return self.path.read_text(encoding="utf-8")

    @property
    def name(self) -> str:
        """Its path from the root, for messages."""
        return str(self.path.relative_to(ROOT))

    @cached_property
    def blocks(self) -> list[str]:
        """Its blocks of code; lines that end in a backslash are joined with the next."""
        return [re.sub(r"\\\n", " ", block) for block in _FENCE.findall(self.text)]

    @cached_property
    def spans(self) -> list[str]:
        """What stands between backquotes in a line of text."""
        return _INLINE.findall(_FENCE.sub("", self.text))

    @cached_property
    def code(self) -> list[str]:
        """Lines of code, in blocks and in text."""
        if self.path.suffix == ".conf":
            comments = "".join(f"{line[1:]}\n" for line in self.text.splitlines() if line.startswith("#"))
            return re.sub(r"\\\n", " ", comments).splitlines()
        lines = [line for block in self.blocks for line in block.splitlines()]
        return [*lines, *self.spans]

    @cached_property
    def anchors(self) -> set[str]:
        """What a link may name after #, as GitHub derives it from the headings."""
        return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in _HEADING.findall(self.text)}

    def tables(self) -> Iterator[list[list[str]]]:
        """Yield tables as rows of cells, the header first."""
        for found in re.finditer(r"(?:^\|.*\n)+", self.text, re.MULTILINE):
            rows = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in found[0].splitlines()]
            yield [row for row in rows if set("".join(row)) - set("-: ")]

    def commands(self, program: str) -> Iterator[list[str]]:
        """Yield the arguments of every call of a program that is shown."""
        for line in self.code:
            for part in re.split(r"&&|\|\||[;|]|\$\(|\)\"?", line.split("  #")[0]):
                words = _words(part)
                if program in words:
                    yield words[words.index(program) + 1 :]


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text.replace('"', " "), comments=True)
    except ValueError:
        return text.split()


PAGES = [
    Page(path)
    for path in (
        *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY")),
        *sorted((ROOT / "docs").glob("*.md")),
        *sorted((ROOT / "docs/decisions").glob("*.md")),
    )
]
CONFS = [Page(path) for path in sorted((ROOT / "run_entries").glob("*.conf"))]
