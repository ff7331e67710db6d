"""An explained conversation on the terminal, in a pipe, and as a file of Markdown or JSON."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helm_impactbench.cli.explain_view import Block, Explained, ExplainEntry, blocks, cut, headline
from helm_impactbench.errors import ImpactBenchError

if TYPE_CHECKING:
    from rich.text import Text

    from helm_impactbench.results.passages import Segment

PIPE_WIDTH = 100
_LABEL = 14
"""Columns of a label."""
_MARKS = re.compile(r"([\\`*_\[\]<>#|!~])")
_STYLES = {"First guess": "bold", "user": "cyan", "fixed message": "cyan"}


def print_explained(found: Explained) -> None:
    """Print a conversation, cut to what one screen can hold; evidence stands between >> and <<, with its number."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    limited = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()
    console = Console(width=None if limited else PIPE_WIDTH, highlight=False)
    console.print(Text(headline(found), style="bold"))
    for block in blocks(found):
        if block.title:
            console.print(Text(block.title, style="bold"))
        grid = Table.grid(padding=(0, 1))
        grid.add_column(width=_LABEL, overflow="fold")
        grid.add_column(overflow="fold")
        for entry in block.entries:
            name = Text(entry.label, style="dim") if len(entry.label) <= _LABEL else Text("")
            grid.add_row(name, _text(entry))
        console.print(grid)


def _text(entry: ExplainEntry) -> Text:
    from rich.text import Text

    found = Text(style=_STYLES.get(entry.label, ""))
    if len(entry.label) > _LABEL:  # a judge's name
        found.append(f"{entry.label}: ", style="dim")
    for segment in cut(entry):
        if segment.quotes:
            found.append(f">>{segment.text}<<", style="bold reverse")
            found.append("".join(f"[{number}]" for number in segment.quotes), style="dim")
        else:
            found.append(segment.text)
    return found


def write_explained(path: Path, found: Explained) -> None:
    """Write a conversation whole, as the file's ending says. Raises ImpactBenchError."""
    text = json.dumps(as_data(found), indent=1, ensure_ascii=False) + "\n" if path.suffix == ".json" else _page(found)
    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise ImpactBenchError(f"--out {path} cannot be written: {error.strerror or error}") from error
    print(f"Wrote {path}", file=sys.stderr)


def as_data(found: Explained) -> dict[str, Any]:
    """Return all that is known as plain data."""
    from helm_impactbench.results.verdict_words import answer, verdict

    def told(outcome: Any) -> dict[str, Any]:
        return {"model": outcome.model, "verdict": verdict(outcome), "answer": answer(outcome)}

    record = found.record
    return {
        "suite": found.suite,
        "conversation": found.address,
        **told(found.outcome),
        "setup": found.outcome.setup,
        "guess": found.guess,
        "doubts": [asdict(doubt) for doubt in found.doubts],
        "case": record.case.model_dump(mode="json", exclude_defaults=True),
        "transcript": record.conversation.model_dump(mode="json", exclude_defaults=True),
        "judged": record.verdict.model_dump(mode="json", exclude_defaults=True),
        "reruns": [
            {
                "suite": rerun.suite,
                "how": rerun.how,
                **told(rerun.outcome),
                "setup": rerun.outcome.setup,
                "same_conversation": rerun.suite in found.same,
            }
            for rerun in found.reruns
        ],
        "other_models": [told(other) for other in found.others],
    }


def _page(found: Explained) -> str:
    """Return a conversation as Markdown in which no model's words are marks."""
    lines = [f"# {_plain(headline(found))}", ""]
    for block in blocks(found):
        lines += [f"## {_plain(block.title)}", ""] if block.title else []
        lines += list(_entries(block))
    return "\n".join(lines)


def _entries(block: Block) -> Iterable[str]:
    for entry in block.entries:
        text = "".join(map(_marked, entry.segments)).strip()
        quoted = text.replace("\n", "\n> ")
        yield from (
            (f"**{_plain(entry.label)}**", "", f"> {quoted}", "")
            if "\n" in text
            else (
                f"**{_plain(entry.label)}** {text}" if entry.label else text,
                "",
            )
        )


def _marked(segment: Segment) -> str:
    if not segment.quotes:
        return _plain(segment.text)
    numbers = "".join(f"\\[{number}\\]" for number in segment.quotes)
    return f"**\\>\\>{_plain(segment.text)}\\<\\<** {numbers}"


def _plain(text: str) -> str:
    """Return text with every mark of Markdown escaped, and nothing invisible."""
    from helm_impactbench.results.passages import visible

    return _MARKS.sub(r"\\\1", visible(text))
