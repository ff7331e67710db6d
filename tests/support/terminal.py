"""Commands as a person sees them: on a terminal of so many columns, with everything that it ever drew."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pyte

from tests.support.commands import BIN, command_environment, run_on

ROWS = 24
_ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[()][0-9A-B]|[=>])")


@dataclass
class Seen:
    """What a command did to a terminal."""

    columns: int
    data: bytes
    code: int

    @property
    def drawn(self) -> list[str]:
        """Every line that was ever written, redrawn ones included, without colours."""
        text = _ESCAPE.sub("", self.data.decode("utf-8", "replace"))
        return re.split(r"[\r\n]+", text)

    @property
    def too_wide(self) -> list[str]:
        """The lines that the terminal had to break."""
        return [line for line in self.drawn if len(line) > self.columns]

    @property
    def kept(self) -> list[str]:
        """The lines that stay: those that have scrolled away, and the screen."""
        screen = pyte.HistoryScreen(self.columns, ROWS, history=10_000, ratio=0.01)
        stream = pyte.ByteStream(screen)
        stream.feed(self.data)
        above = ["".join(line[column].data for column in range(self.columns)) for line in screen.history.top]
        lines = [line.rstrip() for line in [*above, *screen.display]]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    @property
    def last_screen(self) -> str:
        """What a person sees in the end, with the prompt below it."""
        return "\n".join(self.kept[-(ROWS - 1) :])


def on_terminal(
    *command: object, cwd: Path, columns: int, typed: bytes = b"", during: Callable[[], object] | None = None,
    **environment: str,
) -> Seen:  # fmt: skip
    """Run a command on a terminal of its own. `typed` is what the person types; `during` runs beside the command.

    A command that neither asks nor is watched runs in a fork of a process that has the slow imports already.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    pieces: list[bytes] = []
    reader = threading.Thread(target=_read, args=(ours, pieces))
    reader.start()
    words = [str(BIN / str(command[0])), *map(str, command[1:])]
    given = {**command_environment(**environment), "TERM": "xterm"}
    given.pop("COLUMNS", None)
    try:
        code = None if typed or during else run_on(theirs, words, cwd, given)
        if code is None:
            process = subprocess.Popen(words, cwd=cwd, env=given, stdin=theirs, stdout=theirs, stderr=theirs)
            os.write(ours, typed)
            if during:
                during()
            code = process.wait(300)
    finally:
        os.close(theirs)
        reader.join()
        os.close(ours)
    return Seen(columns, b"".join(pieces), code)


def _read(descriptor: int, pieces: list[bytes]) -> None:
    with suppress(OSError):  # the last process has closed the terminal
        while piece := os.read(descriptor, 65536):
            pieces.append(piece)
