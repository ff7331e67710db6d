"""Ctrl-C, SIGTERM and SIGHUP: no new call begins, calls in flight are waited for, the exit code is the signal's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys, threading, time
from helm_impactbench.process.helm_run import helm_run_of
from helm_impactbench.process.shutdown import take_over
from helm_impactbench.process.shared_state import STOPPED, on_its_way, waiting

def call():
    with on_its_way():
        print("sent", flush=True)
        time.sleep(1.5)
        print("home", flush=True)
    print("stopped" if STOPPED.is_set() else "goes on", flush=True)
    time.sleep(20)

def rate_limited():
    with on_its_way(), waiting():
        time.sleep(20)

take_over(helm_run_of(tuple(sys.argv[2:])))
threading.Thread(target=rate_limited, daemon=True).start()
threading.Thread(target=call, daemon=True).start()
if sys.argv[1] == "waits":
    time.sleep(20)
STOPPED.wait(20)
raise SystemExit(2)
"""
HELM_RUN = "/somewhere/bin/helm-run"


def ended(
    *signals: signal.Signals, main: str = "waits", arguments: tuple[str, ...] = (HELM_RUN,), **environment: str
) -> tuple[int, str]:
    """Return (exit code, output) of a program that gets signals while its call is in flight."""
    command = [sys.executable, "-c", PROGRAM, main, *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **environment}
    ) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        for number in signals:
            process.send_signal(number)
            while (
                not _is_ignored(process.pid, number) and "stopping" not in said and (line := process.stdout.readline())
            ):
                said += line
        said += process.stdout.read()
    return process.returncode, said


def _is_ignored(process: int, number: signal.Signals) -> bool:
    (line,) = [line for line in Path(f"/proc/{process}/status").read_text().splitlines() if line.startswith("SigIgn")]
    return bool(int(line.split()[1], 16) >> (number - 1) & 1)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
@pytest.mark.parametrize("main", ["waits", "ends"])
def test_the_call_in_flight_comes_home(number: signal.Signals, code: int, main: str) -> None:
    """Also when the main thread is at its end, with a code of its own, before the call is."""
    got, said = ended(number, main=main)
    assert got == code
    assert (
        "impactbench: stopping. Waiting up to 600 s for 1 call in flight, already paid for; press Ctrl-C "
        f"{'twice' if number == signal.SIGHUP else 'again'} to drop it. The same command continues from here." in said
    ), "a call that waits for its turn is not in flight"
    assert "home\nstopped" in said
    assert "Traceback" not in said


def test_the_wait_is_bounded() -> None:
    """The variable gives the bound in seconds; a call that takes longer is dropped."""
    got, said = ended(signal.SIGINT, IMPACTBENCH_SHUTDOWN_SECONDS="0.2")
    assert got == 130
    assert "Waiting up to 0.2 s for 1 call" in said
    assert "home" not in said


def test_the_second_signal_ends_at_once() -> None:
    """The call is dropped."""
    got, said = ended(signal.SIGINT, signal.SIGINT)
    assert got in (130, -signal.SIGINT)  # a shell makes the first of the second
    assert "home\n" not in said


@pytest.mark.parametrize("second", [signal.SIGHUP, signal.SIGTERM])
def test_a_closed_terminal_never_means_at_once(second: signal.Signals) -> None:
    """Shell and system both send SIGHUP, and a service manager SIGTERM besides: the call comes home."""
    got, said = ended(signal.SIGHUP, second)
    assert got in (129, 128 + second)  # 129 too where a busy machine sends the second when the call is home already
    assert "home\nstopped" in said


def test_an_ignored_signal_stays_ignored() -> None:
    """As under nohup: the run goes on when its terminal is closed."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        got, said = ended(signal.SIGHUP, signal.SIGTERM)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert got == 143
    assert said.count("impactbench: stopping.") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("/somewhere/bin/pytest",),
        (HELM_RUN, "--runner-class-name", "helm.benchmark.slurm_runner.SlurmRunner"),
        (HELM_RUN, "--runner-class-name=helm.benchmark.multi_gpu_runner.MultiGPURunner"),
    ],
    ids=["another program", "slurm", "many gpus"],
)
def test_other_programs_and_runners_keep_their_own_end(arguments: tuple[str, ...]) -> None:
    """Python's KeyboardInterrupt: HELM's SlurmRunner cancels its jobs on it."""
    got, said = ended(signal.SIGINT, arguments=arguments)
    assert got == -signal.SIGINT
    assert "KeyboardInterrupt" in said
    assert "impactbench: stopping" not in said


@pytest.mark.parametrize(
    "arguments",
    [
        (HELM_RUN, "--runner-class-name", "helm_impactbench.ParallelRunner"),
        ("/somewhere/helm/benchmark/slurm_runner.py", "--slurm-runner-spec-path", "a.json"),
    ],
    ids=["our runner", "slurm job"],
)
def test_our_runner_and_slurm_jobs_end_our_way(arguments: tuple[str, ...]) -> None:
    """scancel sends SIGTERM to a job."""
    got, said = ended(signal.SIGTERM, arguments=arguments)
    assert (got, "home\nstopped" in said) == (143, True)
