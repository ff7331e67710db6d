"""Start the real commands as processes: afresh, or as forks of a process that has done the slow imports already.

A test run's first commands start afresh; meanwhile the fork servers come up. IMPACTBENCH_TEST_COLD=1 goes without them.
"""

from __future__ import annotations

import array
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

BIN = Path(sys.executable).parent
QUICK_START = Path(__file__).with_name("quick_start")
SERVER = Path(__file__).with_name("fork_server.py")
TIMEOUT = 1800.0
"""Seconds; only what hangs takes so long, on a busy machine too."""
TEST_RUN = "IMPACTBENCH_TEST_RUN"
"""Names the process id of the test run, which its workers learn by it; without it commands start afresh."""
FORKED = ("helm-run", "helm-summarize", "impactbench")
SERVERS = 2
"""Asked in turn, so that a command that is repeated meets another hash seed, as it does in a fresh process."""
FIRST = 3
"""Commands of a process that start afresh in any case: for fewer no server is worth its start."""
_number = itertools.count()


def command_environment(**extra: str) -> dict[str, str]:
    """Return the environment for a command: offline, without keys of the person who runs the tests, no waiting.

    Models are not asked before a run, so that a test counts the calls that it is about; tests/e2e/test_probe.py asks.
    """
    kept = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_API_BASE"))}
    for name in ("HELM_CREDENTIALS", "COLUMNS", TEST_RUN):
        kept.pop(name, None)
    offline = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "IMPACTBENCH_MAX_WAIT": "0.01", "NO_COLOR": "1",
               "IMPACTBENCH_PROBE": "no"}  # fmt: skip
    return {**kept, **offline, "PYTHONPATH": str(QUICK_START), **extra}


def run_command(
    *arguments: object, cwd: Path, ok: bool = True, cold: bool = False, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run an installed command in `cwd`; unless `ok` is False, a failure shows its output.

    `cold` starts it afresh. So does what a fork would not see, as it acts on imports: another path, and settings of
    litellm.
    """
    name, *rest = map(str, arguments)
    command, given = [str(BIN / name), *rest], command_environment(**environment)
    afresh = cold or name not in FORKED or any(
        variable.startswith(("PYTHON", "LITELLM_")) for variable in environment
    )  # fmt: skip
    done = (None if afresh else _run_forked(command, cwd, given)) or subprocess.run(
        command, cwd=cwd, env=given, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    if ok:
        assert done.returncode == 0, (
            f"{name} ended with {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-5000:]}"
        )
    return done


def _run_forked(
    command: list[str], folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str] | None:
    """Have a fork server run a command; None where there is none."""
    number = next(_number)
    if TEST_RUN not in os.environ or number < FIRST:
        return None
    servers = Path(tempfile.gettempdir()) / f"impactbench-tests-{os.environ[TEST_RUN]}"
    _start_servers(servers)
    try:
        return ask(servers / str(number % SERVERS), command, folder, environment)
    except ConnectionError:  # not up yet
        return None


def run_on(descriptor: int, command: list[str], folder: Path, environment: dict[str, str]) -> int | None:
    """Have a fork server run a command that writes to a descriptor; return its exit code, None without a server."""
    number = next(_number)
    if TEST_RUN not in os.environ:
        return None
    servers = Path(tempfile.gettempdir()) / f"impactbench-tests-{os.environ[TEST_RUN]}"
    _start_servers(servers)
    try:
        return _served(servers / str(number % SERVERS), command, folder, environment, descriptor, descriptor)
    except ConnectionError:  # not up yet
        return None


def ask(
    address: Path, command: list[str], folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Have the fork server at `address` run a script with its arguments. Raises ConnectionError where none listens."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        code = _served(address, command, folder, environment, out.fileno(), err.fileno())
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(command, code, out.read(), err.read())


def _served(
    address: Path, command: list[str], folder: Path, environment: dict[str, str], out: int, err: int
) -> int:  # fmt: skip
    """Have a fork server run a command with these descriptors for its output and errors; return its exit code."""
    asked = {"arguments": command, "folder": str(folder), "environment": environment}
    message = json.dumps(asked).encode() + b"\n"
    with socket.socket(socket.AF_UNIX) as server:
        try:
            server.connect(str(address))
        except FileNotFoundError:
            raise ConnectionError(address) from None
        descriptors = array.array("i", [out, err])
        sent = server.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])
        server.sendall(message[sent:])
        return _code(server, command)


def _code(server: socket.socket, command: list[str]) -> int:
    """Wait for the end of a command and return its exit code."""
    server.settimeout(TIMEOUT)
    with server.makefile() as answers:
        child = int(answers.readline())
        try:
            return int(answers.readline())
        except TimeoutError:
            os.kill(child, signal.SIGKILL)
            raise subprocess.TimeoutExpired(command, TIMEOUT) from None


def _start_servers(folder: Path) -> None:
    """Start the test run's servers, unless one of its workers has; they need seconds until they listen."""
    try:
        folder.mkdir()
    except FileExistsError:
        return
    nothing = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in range(3)]
    for number in range(SERVERS):
        arguments = [sys.executable, str(SERVER), str(folder / str(number)), os.environ[TEST_RUN]]
        os.posix_spawn(sys.executable, arguments, command_environment(), file_actions=nothing, setsid=True)
