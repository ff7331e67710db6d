"""The conversations of a written report, as its script would put them into a page."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

_SCRIPT = re.compile(r'impactbenchRun\("([^"]+)","([^"]*)"\);\n')


def run_of(script: Path) -> list[Any]:
    """Return what a run's script hands over: (end of the address, words, HTML) of each conversation."""
    found = _SCRIPT.fullmatch(script.read_text(encoding="utf-8"))
    assert found, script
    return list(json.loads(gzip.decompress(base64.b64decode(found[2]))))


def conversation_parts(report: Path) -> dict[str, str]:
    """Return address -> HTML of every conversation of a report."""
    root = report / "conversations"
    return {
        f"conversation.html?of={script.relative_to(root).with_suffix('').as_posix()}/{name}": part
        for script in sorted(root.rglob("*.js"))
        for name, _, part in run_of(script)
    }


def conversation_part(report: Path, of: str) -> str:
    """Return the HTML of a conversation; of: benchmark/model/case, with the set-up before the case at need."""
    run, _, name = of.rpartition("/")
    return next(part for own, _, part in run_of(report / f"conversations/{run}.js") if own == name)
