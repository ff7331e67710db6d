"""The files beside the tidy tables: README.md for people, datapackage.json for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from helm_impactbench.outputs.export.columns import ExportTable
from helm_impactbench.outputs.export.words import storable


def describe(folder: Path, written: Sequence[ExportTable], ending: str) -> None:
    """Write README.md for people and datapackage.json for programs."""
    parts = [_INTRODUCTION]
    if ending == "csv":
        parts.append(_CSV_NOTE)
    for table in written:
        parts.append(f"## {table.name}.{ending}\n\n{table.description}\n\n| column | type | meaning |\n|---|---|---|")
        parts += [f"| {_escaped(c.name)} | {c.kind} | {_escaped(c.description)} |" for c in table.columns]
        parts.append("")
    (folder / "README.md").write_text("\n".join(parts), encoding="utf-8")
    resources = [
        {
            "name": table.name,
            "path": f"{table.name}.{ending}",
            "description": table.description,
            "schema": {
                "fields": [
                    {"name": storable(c.name), "type": c.kind, "description": storable(c.description)}
                    for c in table.columns
                ]
            },
        }
        for table in written
    ]
    package = {"name": "impactbench-suite", "resources": resources}
    (folder / "datapackage.json").write_text(json.dumps(package, indent=1) + "\n", encoding="utf-8")


_INTRODUCTION = """\
# Tables of an ImpactBench suite

An empty cell is a value that does not exist; it is never zero. `run` and `conversation` together are the key that joins
the tables. Lines with `scripted` true come from scripts of the rehearsal: their figures say nothing about any model.

`status` says what a conversation came to. Only `scored` ones have an `answer` and a `value`; only those of positive and
negative metrics have a `score`, from 0 to 1. A contrast compares the values of one base scenario and sample at the
levels of an axis. `not_applicable` and `unclear` are neither passes nor fails.
"""
_CSV_NOTE = """\
UTF-8 with CR LF after each row; cells hold line ends of their own. In text of models, null characters are written as
U+2400 and halves of surrogate pairs as U+FFFD. Everything else is exact, also text that a spreadsheet would take for a
formula: read these files with a program, or export with `--for-spreadsheets` before you open them in a spreadsheet.
"""


def _escaped(text: str) -> str:
    return storable(text).replace("|", "\\|").replace("\n", " ")
