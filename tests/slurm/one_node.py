"""A Slurm cluster of one node, this machine: munged, slurmctld and slurmd on 127.0.0.1, everything in one folder.

By hand, because a container has no systemd. Processes are tracked by /proc in place of cgroups for the same reason.
    python -m tests.slurm.one_node COMMAND...      installs Slurm if missing, runs a command in a cluster, stops that
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from getpass import getuser
from pathlib import Path

PACKAGES = ("slurm-wlm", "munge")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "sinfo", "setpriv")
SEARCHED = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
"""The daemons lie in sbin, which a user's PATH may lack."""
WAIT = 40.0
"""Seconds until a daemon has to be ready."""
CPUS = 4
"""What the node claims to have, so that jobs run side by side on any machine."""

CONFIGURATION = """\
ClusterName=one_node
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1
ReturnToService=2
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


class NoSlurmError(Exception):
    """Slurm is neither here nor can it be installed, or it does not come up; the text says which."""


def install() -> None:
    """Install Debian's packages when a program is missing. Raises NoSlurmError where that cannot be done."""
    if not _missing():
        return
    become_root = [] if os.getuid() == 0 else ["sudo", "-n"]
    for step in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *PACKAGES]):
        command = [*become_root, "apt-get", *step]
        try:
            done = subprocess.run(
                command,
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
                capture_output=True,
                text=True,
                timeout=600,
                check=False,
            )
        except (FileNotFoundError, subprocess.TimeoutExpired) as error:
            raise NoSlurmError(f"Slurm is missing ({', '.join(_missing())}); {command}: {error}") from error
        if done.returncode:
            raise NoSlurmError(f"Slurm is missing ({', '.join(_missing())}); {command}: {done.stderr.strip()[-500:]}")
    if _missing():
        raise NoSlurmError(f"Installed {' '.join(PACKAGES)}, and still missing: {', '.join(_missing())}")


@contextmanager
def one_node() -> Iterator[dict[str, str]]:
    """Start the cluster, yield the environment variables that its commands need, and stop it whatever happened.

    Raises NoSlurmError when a program is missing or a daemon does not come up.
    """
    if _missing():
        raise NoSlurmError(f"Missing: {', '.join(_missing())}. `make test-slurm` installs Debian's {PACKAGES}.")
    with ExitStack() as stack:
        # Directly in /tmp: a socket's path has 107 bytes at most, and munged wants parents that others cannot change.
        folder = Path(tempfile.mkdtemp(prefix="one-node-", dir="/tmp"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o755)
        environment = {"SLURM_CONF": str(_configure(folder)), "PATH": SEARCHED}
        _start_munge(stack, folder)
        _start(stack, folder, environment, "slurmctld", ["-D", "-i"], lambda: _says(environment, "scontrol", "ping"))
        _start(stack, folder, environment, "slurmd", ["-D"], lambda: "idle" in _output(environment, "sinfo", "-h"))
        stack.callback(_cancel_jobs, environment)
        yield environment


def _missing() -> list[str]:
    return [program for program in PROGRAMS if shutil.which(program, path=SEARCHED) is None]


def _configure(folder: Path) -> Path:
    for name in ("state", "spool"):
        (folder / name).mkdir()
    path = folder / "slurm.conf"
    path.write_text(
        CONFIGURATION.format(
            folder=folder,
            host=socket.gethostname().split(".")[0],
            user=getuser(),
            cpus=CPUS,
            controller_port=_free_port(),
            node_port=_free_port(),
        )
    )
    return path


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _start_munge(stack: ExitStack, folder: Path) -> None:
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    files = {"socket": "munge.socket", "key-file": "munge.key", "pid-file": "munge.pid", "seed-file": "munge.seed"}
    options = [f"--{option}={folder / name}" for option, name in files.items()]
    options += [f"--log-file={folder / 'munged.log'}", "--foreground"]
    _start(stack, folder, {"PATH": SEARCHED}, "munged", options, (folder / "munge.socket").exists)


def _start(
    stack: ExitStack,
    folder: Path,
    environment: dict[str, str],
    program: str,
    options: Sequence[str],
    ready: Callable[[], bool],
) -> None:
    """Start a daemon in the foreground, have it stopped with the stack, and wait until it is ready."""
    output = stack.enter_context((folder / f"{program}.out").open("wb"))
    process = subprocess.Popen(
        # A parent that is killed cannot clean up; the kernel then ends the daemon.
        ["setpriv", "--pdeathsig", "TERM", shutil.which(program, path=SEARCHED) or program, *options],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    stack.callback(_stop, process)
    deadline = time.monotonic() + WAIT
    while not ready():
        if process.poll() is not None or time.monotonic() > deadline:
            ended = (
                f"ended with {process.returncode}" if process.poll() is not None else f"not ready after {WAIT:.0f} s"
            )
            raise NoSlurmError(f"{program} {ended}:\n{_logs(folder)}")
        time.sleep(0.1)


def _cancel_jobs(environment: dict[str, str]) -> None:
    """Cancel what still runs and wait for its end: a job's processes outlive slurmd."""
    deadline = time.monotonic() + 10
    _output(environment, "scancel", f"--user={getuser()}")
    while _output(environment, "squeue", "-h").strip() and time.monotonic() < deadline:
        time.sleep(0.2)


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()


def _output(environment: dict[str, str], *command: str) -> str:
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=30, check=False
    )
    return done.stdout if done.returncode == 0 else ""


def _says(environment: dict[str, str], *command: str) -> bool:
    return "UP" in _output(environment, *command)


def _logs(folder: Path) -> str:
    logs = sorted({*folder.glob("*.log"), *folder.glob("*.out")})
    return "\n".join(f"{log.name}: {log.read_text(errors='replace')[-1500:]}" for log in logs)


def main() -> int:
    """Run the command of the command line in the cluster and return its exit code."""
    try:
        install()
        with one_node() as environment:
            return subprocess.run(sys.argv[1:], env={**os.environ, **environment}, check=False).returncode
    except NoSlurmError as error:
        print(f"No Slurm: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
