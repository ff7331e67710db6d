"""A command that is forked from a server cannot be told from one that is started afresh, but by its speed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands import SERVER, ask, command_environment
from tests.support.fork_server import ACTING

LOOKS = f"""
import os, sys
print(os.getcwd(), os.environ["PLACE"], "OTHER" in os.environ, sys.argv, sys.path[0], __name__, __file__)
print(sorted({ACTING} & set(sys.modules)), file=sys.stderr)
"""
ENDS = {
    "a number": "raise SystemExit(3)",
    "words": "raise SystemExit('what is wrong')",
    "nothing": "raise SystemExit",
    "functions at exit": "import atexit; atexit.register(print, 'first in'); atexit.register(print, 'first out')",
    "a thread": "import threading; threading.Timer(0.3, print, ['at last']).start(); raise SystemExit(4)",
    "an unflushed end": "print('x' * 100_000, end='')",
    "Ctrl-C": "import os, signal; os.kill(os.getpid(), signal.SIGINT); import time; time.sleep(5)",
    "a signal": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "a file that logs": "import logging; logging.basicConfig(); logging.warning('said')",
    "another process": "import subprocess, sys; print(subprocess.call([sys.executable, '-c', 'print(1, flush=True)']))",
}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The socket of a server of our own."""
    socket = tmp_path_factory.mktemp("server") / "socket"
    command = [sys.executable, SERVER, socket, str(os.getpid())]
    with subprocess.Popen(command, env=command_environment()) as server:
        while not socket.exists():
            assert server.poll() is None
            time.sleep(0.05)
        yield socket
        server.terminate()


def both(address: Path, text: str, folder: Path, **environment: str) -> list[subprocess.CompletedProcess[str]]:
    """Run a script forked and afresh."""
    script = folder / "script.py"
    script.write_text(text)
    given, arguments = command_environment(**environment), [str(script), "--option", "a b"]
    fresh = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=given, capture_output=True, text=True, check=False
    )
    return [ask(address, arguments, folder, given), fresh]


def test_arguments_folder_and_environment_are_its_own(address: Path, tmp_path: Path) -> None:
    """And nothing has been imported before it that acts when it is imported."""
    forked, fresh = both(address, LOOKS, tmp_path, PLACE="here")
    assert (forked.stdout, forked.stderr) == (fresh.stdout, "[]\n")
    os.environ["OTHER"] = "x"
    forked, fresh = both(address, LOOKS, tmp_path, PLACE="there")
    del os.environ["OTHER"]
    assert forked.stdout == fresh.stdout


@pytest.mark.parametrize("end", ENDS)
def test_it_ends_as_it_would(address: Path, tmp_path: Path, end: str) -> None:
    """Exit code, output, what is done at exit and by threads, signals."""
    forked, fresh = both(address, ENDS[end], tmp_path)
    assert (forked.returncode, forked.stdout) == (fresh.returncode, fresh.stdout)
    assert forked.stderr.splitlines()[-1:] == fresh.stderr.splitlines()[-1:]


def test_an_error_is_shown_with_its_place(address: Path, tmp_path: Path) -> None:
    """A traceback of the script, exit code 1."""
    forked, fresh = both(address, "import json\njson.loads('{')", tmp_path)
    assert forked.returncode == fresh.returncode == 1
    assert forked.stderr.splitlines()[-9:] == fresh.stderr.splitlines()[-9:]
    assert f'File "{tmp_path / "script.py"}", line 2' in forked.stderr


def test_what_the_processes_of_one_run_share_is_not_shared_with_others(address: Path, tmp_path: Path) -> None:
    """A command that was told to stop stops no other."""
    stops = "from helm_impactbench.process.shared_state import PAID_USD, STOPPED; STOPPED.set(); PAID_USD.add(1)"
    looks = "from helm_impactbench.process.shared_state import *; print(STOPPED.is_set(), PAID_USD.total())"
    both(address, stops, tmp_path)
    forked, fresh = both(address, looks, tmp_path)
    assert forked.stdout == fresh.stdout == "False 0.0\n"


def test_no_server_no_answer(tmp_path: Path) -> None:
    """The caller starts the command afresh."""
    with pytest.raises(ConnectionError):
        ask(tmp_path / "nothing", ["x"], tmp_path, {})
