"""The time that a run says it has left is the time that it takes, and its stages are told."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

from helm_impactbench.process.progress_file import PROGRESS_FILE, Snapshot
from tests.support.commands import BIN, command_environment
from tests.support.openai_server import Answer, Body, OpenAIServer, default_answer

SECONDS = 0.25
"""That the server takes for every answer."""
COMMAND = ("run", "--references", "0", "--models", "litellm/openai/target", "--user", "litellm/openai/user", "--judge",
           "litellm/openai/judge", "--benchmarks", "mini", "--samples", "12", "--num-threads", "6", "--no-report",
           "--yes")  # fmt: skip


ATTEMPTS = 3
"""Another process may take the cores away in the middle of a run, which no forecast can know; not in all of these."""


def test_the_time_left_comes_true(mini: Path, workdir: Path) -> None:
    """Within 20% at 25, 50 and 75% of a run against a server of fixed latency."""
    off: list[list[float]] = []
    for number in range(ATTEMPTS):
        seen, end = watched_run(workdir, f"attempt-{number}")
        stages = " ".join(state.doing for state in seen.values())
        assert "holding 6 conversations" in stages
        assert "judging" in stages
        off.append([_relative_error(seen, end, share) for share in (0.25, 0.5, 0.75)])
        if max(off[-1]) <= 0.2:
            return
    raise AssertionError(f"wrong by these shares of the time left at 25, 50 and 75%: {off}")


def watched_run(workdir: Path, suite: str) -> tuple[dict[float, Snapshot], float]:
    """Run a suite; return its progress by the time when it was told, and the time of the last answer."""
    answered: list[float] = []

    def answer(body: Body) -> Answer:
        time.sleep(SECONDS)
        answered.append(time.time())
        return default_answer(body)

    server = OpenAIServer(answer=answer)
    keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url}
    seen: dict[float, Snapshot] = {}
    own = workdir / suite
    file = own / "benchmark_output/runs/impact" / PROGRESS_FILE
    shutil.copytree(workdir, own, ignore=shutil.ignore_patterns("attempt-*"))
    try:
        run = subprocess.Popen([str(BIN / "impactbench"), *COMMAND], cwd=own, env=command_environment(**keys),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        while run.poll() is None:
            if file.exists():
                seen[file.stat().st_mtime] = Snapshot(**json.loads(file.read_text()))
            time.sleep(0.02)
    finally:
        server.close()
    assert run.returncode == 0
    return seen, max(answered)


def _relative_error(seen: dict[float, Snapshot], end: float, share: float) -> float:
    at, state = next(
        (at, state) for at, state in seen.items() if state.cases + state.under_way >= share * state.expected > 0
    )
    assert state.seconds_left is not None
    return abs(state.seconds_left - (end - at)) / (end - at)
