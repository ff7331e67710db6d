"""The time that a run says it has left is the time that it takes, and its stages are told."""

from __future__ import annotations

import json
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


def test_the_time_left_comes_true(mini: Path, workdir: Path) -> None:
    """Within 20% at 25, 50 and 75% of a run against a server of fixed latency."""
    answered: list[float] = []

    def answer(body: Body) -> Answer:
        time.sleep(SECONDS)
        answered.append(time.time())
        return default_answer(body)

    server = OpenAIServer(answer=answer)
    keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url}
    seen: dict[float, Snapshot] = {}
    file = workdir / "benchmark_output/runs/impact" / PROGRESS_FILE
    try:
        run = subprocess.Popen([str(BIN / "impactbench"), *COMMAND], cwd=workdir, env=command_environment(**keys),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        while run.poll() is None:
            if file.exists():
                seen[file.stat().st_mtime] = Snapshot(**json.loads(file.read_text()))
            time.sleep(0.02)
    finally:
        server.close()
    assert run.returncode == 0
    end = max(answered)
    for share in (0.25, 0.5, 0.75):
        at, state = next(
            (at, state) for at, state in seen.items() if state.cases + state.under_way >= share * state.expected > 0
        )
        assert state.seconds_left is not None
        assert abs(state.seconds_left - (end - at)) <= 0.2 * (end - at), (share, state, end - at)
    stages = " ".join(state.doing for state in seen.values())
    assert "holding 6 conversations" in stages
    assert "judging" in stages
