"""A process that has imported what every command imports, and forks itself for each command that is asked for.

HELM, its summarizer, litellm and our own rooms take seconds to import, and tests start them hundreds of times. A fork
has them at once. It is otherwise a process like any other, with its own arguments, environment, folder, output and exit
code. What acts when it is imported, the plug-in above all, is still to be imported. tests.support.commands starts it:

    python fork_server.py SOCKET PARENT      serves until the process PARENT is gone
"""

from __future__ import annotations

import array
import atexit
import gc
import importlib
import json
import os
import runpy
import select
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import resources
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

PRELOADED = (
    "helm.benchmark.run", "helm.benchmark.presentation.summarize", "litellm", "scipy.stats", "rich.console",
    "rich.live", "rich.progress", "krippendorff", "matplotlib.figure", "statsmodels.stats.inter_rater",
    "sklearn.feature_extraction.text",
)  # fmt: skip
ACTING = {
    "helm_impactbench.__main__", "helm_impactbench.plugin", "helm_impactbench.llm.endpoint",
    "helm_impactbench.helm.litellm_client", "helm_impactbench.helm.scenario", "helm_impactbench.helm.panels.scenario",
}  # fmt: skip
"""Modules of ours that do something when they are imported."""
MOST_BYTES = 1 << 20
Command = dict[str, Any]
"""`arguments` with the script in front, `folder` and `environment`."""


@dataclass
class Server:
    """Forks for commands, and tells each client its process id at once and its exit code in the end."""

    listening: socket.socket
    running: dict[int, tuple[int, socket.socket]] = field(default_factory=dict)
    """File descriptor of a child -> its process id, and the connection of the client that waits for it."""

    def serve(self, parent: int) -> Command | None:
        """Serve until `parent` is gone, then return None. In a child, return the command that it is to run."""
        while Path(f"/proc/{parent}").exists():
            ready, _, _ = select.select([self.listening, *self.running], [], [], 1.0)
            for one in ready:
                if one is not self.listening:
                    self._tell_end(one)
                elif command := self._fork(self.listening.accept()[0]):
                    return command
        return None

    def _fork(self, client: socket.socket) -> Command | None:
        command, descriptors = _received(client)
        child = os.fork()
        if child:
            client.sendall(f"{child}\n".encode())
            self.running[os.pidfd_open(child)] = child, client
        else:
            for number, descriptor in enumerate(descriptors, 1):
                os.dup2(descriptor, number)
            for each in (client, self.listening, *(waiting for _, waiting in self.running.values())):
                each.close()
            descriptors += self.running
        for descriptor in descriptors:
            os.close(descriptor)
        return None if child else command

    def _tell_end(self, descriptor: int) -> None:
        child, client = self.running.pop(descriptor)
        os.close(descriptor)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with client:
            client.sendall(f"{code}\n".encode())


def _received(client: socket.socket) -> tuple[Command, list[int]]:
    """Return a client's command and the file descriptors of its output and of its errors."""
    text, ancillary, _, _ = client.recvmsg(MOST_BYTES, socket.CMSG_LEN(2 * array.array("i").itemsize))
    while not text.endswith(b"\n"):
        text += client.recv(MOST_BYTES)
    descriptors = array.array("i")
    for _, _, sent in ancillary:
        descriptors.frombytes(sent)
    command: Command = json.loads(text)
    return command, list(descriptors)


class WithoutActing(MetaPathFinder):
    """Refuses to import what acts when it is imported, and with it whatever imports that."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        """Leave every other module to the next finder."""
        if fullname in ACTING:
            raise ImportError(fullname)


def import_ours() -> None:
    """Import every module of helm_impactbench that only defines."""
    package = Path(str(resources.files("helm_impactbench")))
    found = [path.relative_to(package.parent).with_suffix("") for path in sorted(package.rglob("*.py"))]
    sys.meta_path.insert(0, refusing := WithoutActing())
    for path in found:
        with suppress(ImportError):
            importlib.import_module(".".join(path.parts).removesuffix(".__init__"))
    sys.meta_path.remove(refusing)


def remember_helms_lists() -> None:
    """Parse HELM's lists of models once: every helm-run reads them, and a fork then has them at once."""
    import yaml

    parsed = {}
    for path in Path(str(resources.files("helm.config"))).glob("*.yaml"):
        with path.open(encoding="utf-8") as file:
            parsed[str(path)] = yaml.safe_load(file)
    parse = yaml.load

    def load(stream: Any, Loader: Any) -> Any:  # noqa: N803  # PyYAML's name; safe_load calls it too
        known = parsed.get(str(getattr(stream, "name", "")))
        return parse(stream, Loader) if known is None else known

    yaml.load = load


def own_shared_state() -> None:
    """Give this fork memory of its own for what the processes of one run share, which is made when it is imported."""
    from helm_impactbench.process import shared_state

    for value in vars(shared_state).values():
        if isinstance(value, shared_state.Stop | shared_state.Tally | shared_state.Oldest | shared_state.NamedTally):
            value.__init__()  # type: ignore[misc]


def become(command: Command) -> None:
    """Run a command's script as Python would."""
    own_shared_state()
    os.chdir(command["folder"])
    os.environ.clear()
    os.environ.update(command["environment"])
    sys.argv = command["arguments"]
    sys.path.insert(0, str(Path(sys.argv[0]).parent))
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
        leaving.code = 0
    except SystemExit as ended:
        leaving.code = _exit_code(ended)
        raise
    except Exception:
        leaving.code = 1
        try:
            sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        except SystemExit as ended:  # Python ends with the code of a hook that gives one
            leaving.code = _exit_code(ended)


def _exit_code(ended: SystemExit) -> int:
    return ended.code if isinstance(ended.code, int) else int(ended.code is not None)


@dataclass
class Leaving:
    """The last function at exit: spares a child taking apart all that was imported, which needs half a second."""

    code: int | None = None
    """Exit code of the command; None in the server and after a Ctrl-C, which end as Python ends."""

    def __call__(self) -> None:
        """Leave, if there is a code."""
        if self.code is not None:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(self.code)


leaving = Leaving()
atexit.register(leaving)  # before anything else is imported: functions at exit are called in reverse


def main() -> Command | None:
    """Import, listen, serve."""
    address, parent = sys.argv[1:]
    os.chdir("/")
    del sys.path[0]  # this folder, in which `helm` is another module
    for name in PRELOADED:
        importlib.import_module(name)
    import_ours()
    remember_helms_lists()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{address}.new")
        listening.listen(64)
        Path(f"{address}.new").rename(address)
        asked = Server(listening).serve(int(parent))
    if asked is None:
        Path(address).unlink()
        with suppress(OSError):  # the other server is still there
            Path(address).parent.rmdir()
    return asked


if __name__ == "__main__" and (asked := main()):
    become(asked)
