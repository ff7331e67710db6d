"""A helm-run as a child process: its log in a file, our own messages passed on, Ctrl-C handed down."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType, TracebackType

from helm_impactbench.process.hold import HOLD_VARIABLE
from helm_impactbench.process.shutdown import SIGNALS

OUR_MESSAGES = "impactbench: "
"""How the lines begin with which a helm-run of ours says why it stops."""
HELM_RUN = Path(__file__).parents[1] / "helm/quick_helm_run.py"
"""A path and not a module, because the folder that `python -m` is started in would come first on sys.path."""


class Child:
    """A helm-run that gets ready, and makes its first call after `release`. Use as a context, in the main thread."""

    def __init__(self, arguments: Sequence[str], log: Path, say: Callable[[str], None], **environment: str) -> None:
        """Start it. `say` gets our messages line by line, from another thread; everything goes into `log`.

        Messages from before `release` are kept until then, and dropped where it does not come to it.
        """
        self._say, self._early = say, list[str]()
        self._saying = threading.Lock()
        self._log = log.open("a", encoding="utf-8")
        held, self._release = os.pipe()
        self._process = subprocess.Popen(  # noqa: S603  # our own helm-run
            [sys.executable, str(HELM_RUN), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment, HOLD_VARIABLE: str(held)},
            pass_fds=(held,),
            encoding="utf-8",
            errors="replace",
            start_new_session=True,  # so that Ctrl-C, or the end of a terminal, reaches it once, through us
        )
        os.close(held)
        self._released = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._signals = 0
        self._handlers: dict[int, object] = {}

    def __enter__(self) -> Child:
        return self

    def release(self) -> None:
        """Let it make its calls, hand on what it has said so far, and signals from now on."""
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup; the child ignores it too
                self._handlers[number] = signal.signal(number, self._hand_down)
        with suppress(OSError):  # it has ended already, and said why
            os.write(self._release, b"1")
        with self._saying:
            self._released = True
            for line in self._early:
                self._say(line)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        os.close(self._release)  # ends a released one that still runs; its calls come home
        if error is not None and not self._released and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        self._process.wait()
        self._reader.join()
        if self._process.stderr is not None:
            self._process.stderr.close()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        with suppress(OSError):  # what a full disk did not take is written once more
            self._log.close()

    @property
    def exit_code(self) -> int | None:
        """Return its exit code, as a shell has it; None while it runs."""
        code = self._process.poll()
        return 128 - code if code is not None and code < 0 else code

    def wait(self, seconds: float) -> bool:
        """Wait for its end, `seconds` at most. Returns whether it has ended."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
            return True
        return False

    def _hand_down(self, number: int, _: FrameType | None) -> None:
        with suppress(ProcessLookupError):
            self._process.send_signal(number)

    def _read(self) -> None:
        assert self._process.stderr is not None
        ours = False
        for line in self._process.stderr:
            # On a full disk, too, it is read to its end: the child would wait for a reader for ever, unheard.
            with suppress(OSError):
                self._log.write(line)
                self._log.flush()
            ours = line.startswith(OUR_MESSAGES) or (ours and bool(line.strip()))  # a message may have several lines
            if ours:
                with self._saying:
                    (self._say if self._released else self._early.append)(line.rstrip("\n"))
