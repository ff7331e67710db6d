"""A word on the terminal for whoever waits longer than two seconds."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

SECONDS = 2.0
DOING = {
    "summarize": "summarizing the runs",
    "report": "writing the pages",
    "rates": "reading the conversations",
    "compare": "reading the conversations and testing every pair of models",
    "contrasts": "reading the conversations and testing every difference",
    "combined": "reading the runs of all suites",
    "gate": "reading the conversations",
    "costs": "adding up the calls",
    "agreement": "reading the conversations",
    "items": "reading the conversations and testing every metric",
    "components": "reading the conversations and splitting their variance",
    "checks": "reading the conversations",
    "contamination": "reading the conversations",
    "power": "reading the pilot and simulating tests",
    "annotate": "reading the conversations",
    "audit": "reading the conversations",
    "label": "reading the conversations and grading",
    "export": "reading the conversations and writing the files",
    "import": "reading the published files and checking them",
    "estimate": "planning every conversation",
    "check": "checking the benchmarks",
    "list": "reading the benchmarks",
}
"""Command -> what takes its time; others say themselves how far they are."""


@contextmanager
def told_when_slow(command: str | None, seconds: float = SECONDS) -> Iterator[None]:
    """Say what a command does if it is not done after some seconds, where a person is watching."""
    doing = DOING.get(command or "")
    if doing is None or not sys.stderr.isatty():
        yield
        return
    timer = threading.Timer(seconds, _say, (f"impactbench {command}: {doing} ...",))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _say(text: str) -> None:
    with suppress(OSError, ValueError):  # the terminal may be gone
        print(text, file=sys.stderr, flush=True)
