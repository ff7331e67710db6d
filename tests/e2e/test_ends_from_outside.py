"""SIGHUP, SIGTERM and SIGKILL of `impactbench run`, of the helm-run under it and of workers, with 8 calls on the wire.

No answer on the wire is lost or asked for again, but those of a process that holds the connections and is killed.
SIGHUP and SIGTERM share a handler, so each process gets one of them; `make test-kills` (IMPACTBENCH_KILLS=20) sends
each signal to each, so many times.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import subprocess
import termios
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.test_shutdown import SlowServer
from tests.support import builders
from tests.support.commands import BIN, command_environment
from tests.support.killing import PARALLEL, Running, Setting, mark

EACH = int(os.environ.get("IMPACTBENCH_KILLS", "1"))
SECONDS = 4.0
"""How long a target's answer takes."""
CALLS = 8
"""On the wire at the same time."""
SIGNALS = (signal.SIGHUP, signal.SIGTERM, signal.SIGKILL)
ENDED = SIGNALS[:2]


class RunSetting(Setting):
    """The same command by way of `impactbench run`."""

    terminal: int | None = None
    """The descriptor of a terminal that it is to run on."""

    def start(self) -> Running:
        """Start it in a session of its own."""
        deployments = [f"litellm/openai/{target}" for target in self.targets]
        roles = ("--user", "litellm/openai/user-x", "--judge", "litellm/openai/judge-x", "--references", "0")
        command = [BIN / "impactbench", "run", "--models", *deployments, *roles, "--benchmarks", "mini", "--suite", "s",
                   "-n", str(self.threads), "--no-report", "--yes"]  # fmt: skip
        environment = command_environment(OPENAI_API_KEY="sk-test", OPENAI_API_BASE=self.server.url)
        return Running(subprocess.Popen(
            command, cwd=self.folder, env=environment, stdin=self.terminal, stdout=subprocess.PIPE, text=True,
            stderr=subprocess.STDOUT if self.terminal is None else self.terminal, start_new_session=True,
            preexec_fn=None if self.terminal is None else lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        ))  # fmt: skip


def children(process: int) -> list[int]:
    """Return the children of all threads of a process."""
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def family(process: int) -> list[int]:
    """Return a process with all that it has started."""
    return [process, *(member for child in children(process) for member in family(child))]


def is_there(process: int) -> bool:
    """Return whether a process has not ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@dataclass(frozen=True)
class Way:
    """Who gets the signal, and what it may cost."""

    setting: Callable[..., Setting]
    who: Callable[[int], int]
    """From the process id of the command to that of the process which gets the signal."""
    lost_by_kill: int = 0
    """Answers that a SIGKILL may lose, with the connections that the process holds."""
    extra: tuple[str, ...] = ()
    workers: int = 1


WAYS = {
    "impactbench run": Way(RunSetting, lambda command: command),
    "helm-run under it": Way(RunSetting, lambda command: children(command)[0], CALLS),
    "helm-run": Way(Setting, lambda command: command, CALLS),
    "helm-run with workers": Way(Setting, lambda command: command, 0, PARALLEL, 2),
    "a worker": Way(Setting, lambda command: children(command)[0], CALLS // 2, PARALLEL, 2),
}


@pytest.fixture
def slow() -> Iterator[SlowServer]:
    """A server with slow targets."""
    server = SlowServer()
    server.seconds = SECONDS
    yield server
    server.close()


def signalled(way: Way, number: signal.Signals, folder: Path, slow: SlowServer) -> tuple[Setting, set[str]]:
    """Send the signal while all calls are on the wire; return the setting and the marks of lost answers, when every
    process has ended.
    """
    scenarios = [builders.scenario("m01", base) for base in range(1, CALLS + 1)]
    builders.write_benchmark_folder(folder / "benchmarks/mini", scenarios=scenarios)
    environment = {"IMPACTBENCH_WORKERS": str(way.workers)}
    setting = way.setting(folder, slow, ("target-a",), way.extra, environment, threads=CALLS)
    running = setting.start()
    _wait_for_calls(running, slow)
    members = family(running.process.pid)
    os.kill(way.who(running.process.pid), number)
    running.wait()
    while any(map(is_there, members)):
        time.sleep(0.02)
    arrived = {mark(call) for call in slow.of("target")}
    return setting, arrived - setting.kept()


def _wait_for_calls(running: Running, slow: SlowServer) -> None:
    while slow.of_targets < CALLS and not running.ended():
        time.sleep(0.02)
    assert not running.ended(), running.text[-3000:]


def sent() -> list[tuple[str, signal.Signals]]:
    """Return who gets which signal."""
    if EACH > 1:
        return [(who, number) for who in WAYS for number in SIGNALS] * EACH
    return [(who, number) for place, who in enumerate(WAYS) for number in (ENDED[place % 2], signal.SIGKILL)]


@pytest.mark.parametrize(("who", "number"), sent(), ids=lambda part: getattr(part, "name", part))
def test_what_is_on_the_wire_comes_home(who: str, number: signal.Signals, tmp_path: Path, slow: SlowServer) -> None:
    """All answers are kept, no process is left, and the same command asks for none of them again."""
    way = WAYS[who]
    setting, lost = signalled(way, number, tmp_path, slow)
    print(f"{who}, {number.name}: {len(lost)} of {CALLS} answers on the wire lost")
    assert len(lost) <= (way.lost_by_kill if number == signal.SIGKILL else 0)
    slow.seconds = 0.0
    setting.finish()
    again = {mark(call) for call in slow.calls if call.attempt > 1}
    assert again <= lost


def test_a_closed_terminal_loses_nothing(tmp_path: Path, slow: SlowServer) -> None:
    """The usual end of a long run: the system sends SIGHUP, and nothing can be written to the terminal any more."""
    scenarios = [builders.scenario("m01", base) for base in range(1, CALLS + 1)]
    builders.write_benchmark_folder(tmp_path / "benchmarks/mini", scenarios=scenarios)
    setting = RunSetting(tmp_path, slow, ("target-a",), threads=CALLS)
    window, setting.terminal = pty.openpty()
    running = setting.start()
    os.close(setting.terminal)
    while slow.of_targets < CALLS and not running.ended():
        if select.select([window], [], [], 0.02)[0]:
            os.read(window, 65536)
    assert not running.ended(), running.text[-3000:]
    members = family(running.process.pid)
    os.close(window)
    running.wait()
    while any(map(is_there, members)):
        time.sleep(0.02)
    assert {mark(call) for call in slow.of("target")} <= setting.kept()
    assert not [call for call in slow.calls if call.attempt > 1]
