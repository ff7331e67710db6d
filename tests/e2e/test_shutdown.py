"""Ctrl-C in the middle of a helm-run: every answer that was paid for is in the cache when the process ends."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.support.fault_server import Call
from tests.support.killing import PARALLEL, MarkingServer, Running, Setting

SECONDS = float(os.environ.get("IMPACTBENCH_SLOW_CALL", "6"))
"""How long a target's answer takes. 120 s, by hand, is longer than any limit that a lower layer might have."""


class SlowServer(MarkingServer):
    """A server whose targets take long to answer."""

    async def _respond(self, writer: asyncio.StreamWriter, call: Call, fault: str) -> bool:
        if call.role == "target":
            await asyncio.sleep(SECONDS)
        return await super()._respond(writer, call, fault)

    @property
    def of_targets(self) -> int:
        """How many calls have come to targets."""
        return sum(call.role == "target" for call in self.calls)


@pytest.fixture
def slow() -> Iterator[SlowServer]:
    """A server with slow targets."""
    server = SlowServer()
    yield server
    server.close()


def interrupted(setting: Setting, server: SlowServer, calls: int) -> Running:
    """Start the command and send Ctrl-C while so many slow calls are in flight; returns when it has ended."""
    running = setting.start()
    while server.of_targets < calls and not running.ended():
        time.sleep(0.02)
    time.sleep(0.5)  # another thread is at the rate limit by then
    running.process.send_signal(signal.SIGINT)
    began = time.monotonic()
    assert running.wait() == 130, running.text[-3000:]
    assert time.monotonic() - began > SECONDS - 3, "it waited"
    assert "Traceback" not in running.text
    return running


@pytest.mark.parametrize("extra", [(), PARALLEL], ids=["helm", "parallel"])
@pytest.mark.parametrize("limit", [None, 1], ids=["free", "rate limit"])
def test_a_call_that_is_paid_for_is_kept(
    tmp_path: Path, slow: SlowServer, extra: tuple[str, ...], limit: int | None
) -> None:
    """With HELM's Runner and ours, and while other threads wait for a rate limit; none of the calls is made again."""
    setting = Setting(tmp_path, slow, ("target-a",), extra, {"IMPACTBENCH_TIMEOUT": "300"})
    if limit:
        (tmp_path / "prod_env").mkdir()
        rule = {"deployments": ["litellm/openai/target-*"], "max_in_flight": limit}
        (tmp_path / "prod_env/limits.yaml").write_text(yaml.safe_dump({"limits": [rule]}))
    in_flight = limit or 4
    running = interrupted(setting, slow, in_flight)
    number = "1 call" if in_flight == 1 else f"{in_flight} calls"
    assert f"impactbench: stopping. Waiting up to 600 s for {number} in flight, already paid for" in running.text
    assert running.text.count("impactbench: ") == 1
    assert slow.of_targets == in_flight, "no new call began"
    assert set(slow.marks) <= setting.kept()
