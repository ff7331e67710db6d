"""The blocks of code that the pages show, and the commands that bash makes of those in sh.

A block that cannot be executed says so in the line above it, in the page's source: <!-- not run: reason -->.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.docs.pages import PAGES, Page

_BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<why>.+?) -->\n)?```(?P<language>\w*)\n(?P<code>[\s\S]*?)^```$", re.MULTILINE
)
RECORDED = ("impactbench", "helm-run", "helm-summarize", "helm-server", "make", "pip", "sbatch", "docker", "uv")
"""Programs that a block calls and that are recorded instead; bash itself carries out everything else."""
_STUB = """#!{python} -I
import json, os, sys
arguments = [os.path.basename(sys.argv[0]), *sys.argv[1:]]
if arguments[:3] == ["impactbench", "list", "--path"]:
    os.execv({impactbench!r}, arguments)
with open(os.environ["SNIPPET_LOG"], "a") as log:
    log.write(json.dumps([arguments, os.getcwd(), os.environ["SNIPPET_LINE"]]) + "\\n")
"""


@dataclass(frozen=True)
class Snippet:
    """One fenced block of a page."""

    page: Page
    line: int
    """Where it begins."""
    language: str
    """sh, python, yaml, json, or text for what is only read."""
    code: str
    not_run: str
    """Why it is not executed; empty for the others."""

    @property
    def name(self) -> str:
        """Page and line, for messages."""
        return f"{self.page.name}:{self.line}"


def snippets(*languages: str) -> list[Snippet]:
    """Return the blocks of all pages in these languages, in order."""
    found = []
    for page in PAGES:
        for block in _BLOCK.finditer(page.text):
            line = page.text.count("\n", 0, block.start("code")) + 1
            found.append(Snippet(page, line, block["language"], block["code"], block["why"] or ""))
    return [snippet for snippet in found if not languages or snippet.language in languages]


@dataclass(frozen=True)
class Call:
    """One call of a recorded program."""

    arguments: list[str]
    """As bash expanded them, the program's name first."""
    folder: str
    """Where it was called."""
    line: str
    """Where its block begins in the page."""


def calls(page: Page, folder: Path, programs: Path) -> list[Call]:
    """Have one bash carry out the blocks of a page in `folder`; return the calls of recorded programs, in order."""
    log = folder / "calls.jsonl"
    log.write_text("")
    environment = {
        **os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "SNIPPET_LOG": str(log), "EDITOR": "true",
        "SLURM_ARRAY_TASK_ID": "1",
    }  # fmt: skip
    shown = [one for one in snippets("sh") if one.page == page and not one.not_run]
    blocks = [
        f"export SNIPPET_LINE={one.line}\n" + (f"(set +e\n{one.code})" if one.code.startswith("#!") else one.code)
        for one in shown
    ]
    done = subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", "\n".join(blocks)],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{page.name}\n{done.stdout}{done.stderr}"
    return [Call(*json.loads(line)) for line in log.read_text().splitlines()]


def write_stubs(folder: Path) -> None:
    """Write a program for every recorded one, which notes how it was called."""
    folder.mkdir()
    impactbench = str(Path(sys.executable).parent / "impactbench")
    for name in RECORDED:
        (folder / name).write_text(_STUB.format(python=sys.executable, impactbench=impactbench))
        (folder / name).chmod(0o755)
