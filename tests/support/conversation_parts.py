"""The conversations of a written report, as its script would put them into a page."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from pathlib import Path
from typing import Any

_SCRIPT = re.compile(r'impactbenchRun\("([^"]+)","([^"]*)","([^"]*)"\);\n')


def run_of(script: Path) -> list[tuple[str, Any, str]]:
    """Return what a run's script hands over: (end of the address, words, HTML) of each conversation."""
    found = _SCRIPT.fullmatch(script.read_text(encoding="utf-8"))
    assert found, script
    assert script.as_posix().endswith(found[1])
    words, parts = (json.loads(gzip.decompress(base64.b64decode(packed))) for packed in found.groups()[1:])
    return [(name, said, _whole(part, said)) for (name, said, _), part in zip(words, parts, strict=True)]


def _whole(part: str, said: list[tuple[int, int, str]]) -> str:
    """Return HTML with the words put in where their places stand."""
    words = "\n".join(html.escape(text).replace("&quot;", "&#34;").replace("&#x27;", "&#39;") for _, _, text in said)
    units = words.encode("utf-16-le")

    def put(found: re.Match[str]) -> str:
        start, length = int(found[1]), int(found[2])
        return units[2 * start : 2 * (start + length)].decode("utf-16-le")

    return re.sub(r"\0(\d+)\+(\d+)\0", put, part)


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
