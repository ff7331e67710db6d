"""How a helm-run ends before its time: every answer that was paid for is in the cache, and no process stays behind."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.support import builders, helm
from tests.support.fault_server import Call
from tests.support.killing import PARALLEL, MarkingServer, Running, Setting, mark

SECONDS = 8.0
"""How long a target's answer takes."""
IN_FLIGHT = 6
"""Calls to targets at the same time."""
TWO_WORKERS = {"IMPACTBENCH_WORKERS": "2"}
RUNNERS = {"helm": ((), {}), "two-workers": (PARALLEL, TWO_WORKERS)}


class SlowServer(MarkingServer):
    """A server whose targets take long to answer, and that is busy for one simulated user."""

    seconds = SECONDS

    async def _respond(self, writer: asyncio.StreamWriter, call: Call, fault: str) -> bool:
        if call.role == "target":
            await asyncio.sleep(self.seconds)
        return await super()._respond(writer, call, fault)

    @property
    def of_targets(self) -> int:
        """How many calls have come to targets."""
        return len(self.of("target"))


@pytest.fixture
def slow() -> Iterator[SlowServer]:
    """A server with slow targets."""
    server = SlowServer()
    yield server
    server.close()


def write_limits(folder: Path, **limit: float) -> None:
    """Limit the calls to targets."""
    (folder / "prod_env").mkdir(exist_ok=True)
    rule = {"deployments": ["litellm/openai/target-*"], **limit}
    (folder / "prod_env/limits.yaml").write_text(yaml.safe_dump({"limits": [rule]}))


def started(setting: Setting, server: SlowServer, calls: int) -> Running:
    """Start the command and return when so many calls to targets are in flight and the other threads wait."""
    running = setting.start()
    while server.of_targets < calls and not running.ended():
        time.sleep(0.02)
    time.sleep(0.7)
    assert not running.ended(), running.text[-3000:]
    return running


def interrupted_under_limits(folder: Path, slow: SlowServer, runner: str) -> Setting:
    """Send Ctrl-C while six calls are in flight, three wait for the rate limit and one for its next attempt."""
    scenarios = [builders.scenario("m01", number) for number in range(1, 11)]
    builders.write_benchmark_folder(folder / "benchmarks/mini", scenarios=scenarios)
    write_limits(folder, max_in_flight=IN_FLIGHT)
    slow.script = lambda call: "429-minute" if call.role == "user" and "s010" in call.case else ""
    extra, environment = RUNNERS[runner]
    setting = Setting(folder, slow, ("target-a",), extra, environment, threads=10)
    running = started(setting, slow, IN_FLIGHT)
    calls, began = len(slow.calls), time.monotonic()
    running.process.send_signal(signal.SIGINT)
    assert running.wait() == 130, running.text[-3000:]
    taken = time.monotonic() - began
    assert slow.seconds - 3 < taken < slow.seconds + 5, "it waited for the calls, and for nothing else"
    assert (
        f"impactbench: stopping. Waiting up to 600 s for {IN_FLIGHT} calls in flight, already paid for" in running.text
    )
    assert "The same command continues from here." in running.text
    assert running.text.count("impactbench: ") == 1
    assert "Traceback" not in running.text
    assert len(slow.calls) == calls, "no new call began"
    assert set(map(mark, slow.of("target"))) <= setting.kept()
    assert not list((folder / "benchmark_output/runs/s").glob("*/stats.json")), "nothing has failed"
    return setting


@pytest.mark.parametrize("runner", RUNNERS)
def test_ctrl_c_under_limits_keeps_every_call_that_is_paid_for(runner: str, tmp_path: Path, slow: SlowServer) -> None:
    """All six answers are in the cache, exit code 130; what waited is not asked, and scored by the next run."""
    setting = interrupted_under_limits(tmp_path, slow, runner)
    if runner == "two-workers":
        slow.seconds, slow.script = 0.0, lambda call: ""
        kept, calls = setting.kept(), len(slow.calls)
        setting.finish()
        assert kept.isdisjoint(slow.marks[calls:])
        assert helm.total(helm.run_folder(tmp_path, "s", "target-a"), "unscored") == (0, 10)


@pytest.mark.long
@pytest.mark.parametrize("runner", RUNNERS)
def test_calls_of_eighty_seconds_come_home(runner: str, tmp_path: Path, slow: SlowServer) -> None:
    """Longer than any limit that a lower layer might have."""
    slow.seconds = 80.0
    interrupted_under_limits(tmp_path, slow, runner)


def test_a_second_signal_drops_the_calls_of_workers_too(tmp_path: Path, slow: SlowServer) -> None:
    """Only the parent gets it, and all processes end at once."""
    setting = Setting(tmp_path, slow, ("target-a",), PARALLEL, TWO_WORKERS)
    running = started(setting, slow, 4)
    running.process.send_signal(signal.SIGTERM)
    while "impactbench: stopping." not in running.text:
        time.sleep(0.02)
    time.sleep(0.3)
    running.process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    assert running.wait() in (143, -signal.SIGTERM)
    assert time.monotonic() - began < 3
    assert not set(map(mark, slow.of("target"))) & setting.kept()


def test_workers_of_a_killed_parent_bring_their_calls_home_and_end(tmp_path: Path, slow: SlowServer) -> None:
    """What is on the wire is paid for: it is kept, no call begins, and then no process is left."""
    setting = Setting(tmp_path, slow, ("target-a",), PARALLEL, TWO_WORKERS)
    running = started(setting, slow, 4)
    calls = len(slow.calls)
    running.process.kill()
    began = time.monotonic()
    running.wait()
    assert time.monotonic() - began < slow.seconds + 3
    assert len(slow.calls) == calls
    assert set(slow.marks) <= setting.kept()


def test_workers_without_a_call_on_the_wire_end_with_their_parent(tmp_path: Path, slow: SlowServer) -> None:
    """Those that wait for a rate limit, for money of the budget or for the next attempt have nothing to bring home."""
    write_limits(tmp_path, requests_per_minute=1)
    slow.seconds = 0.0
    slow.script = lambda call: "429-minute" if call.role == "user" and "s001_v01" in call.case else ""
    setting = Setting(tmp_path, slow, ("target-a",), PARALLEL, TWO_WORKERS, budget=100.0)
    running = started(setting, slow, 1)
    time.sleep(1.5)
    os.kill(running.process.pid, signal.SIGKILL)
    began = time.monotonic()
    running.wait()
    assert time.monotonic() - began < 10
