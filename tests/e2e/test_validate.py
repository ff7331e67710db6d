"""`validate=` in a run: the plan names it, the held-out part alone is judged twice, and no call is made again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from tests.support import builders, helm
from tests.support.commands import run_command
from tests.support.openai_server import OpenAIServer

JUDGES = {"judge-a": "litellm/openai/judge-a", "judge-b": "litellm/openai/judge-b"}


def _study(workdir: Path, split: str) -> None:
    rows = [{**row, "split": split} if place % 2 else row for place, row in enumerate(builders.SCENARIOS)]
    builders.write_benchmark_folder(workdir / "benchmarks/mini", scenarios=rows)
    study: dict[str, Any] = {
        "models": ["litellm/openai/target-a"], "user": "litellm/openai/user-x", "judge": [JUDGES["judge-a"]],
        "benchmarks": ["mini"], "options": {"validate": JUDGES["judge-b"], "turns": 1}, "references": 0,
        "suite": "impact",
    }  # fmt: skip
    (workdir / "study.yaml").write_text(yaml.safe_dump(study))


def test_the_held_out_part_is_judged_twice(workdir: Path, server: OpenAIServer) -> None:
    """Half of the conversations; rates are those of the first judge; agreement stands at the end and in a command."""
    _study(workdir, "held_out")
    keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url}
    command = ("impactbench", "run", "study.yaml", "--yes", "--no-report")
    planned = run_command(*command, "--dry-run", cwd=workdir, **keys).stdout
    assert f"  validate  {JUDGES['judge-b']}, on 2 held-out conversations\n" in planned
    assert "4 conversations, 14 calls" in planned
    done = run_command(*command, cwd=workdir, **keys).stdout
    assert "of 2 held-out conversations" in done
    asked = Counter(body["model"] for body in server.requests)
    assert (asked["judge-a"], asked["judge-b"]) == (4, 2)
    verdicts = helm.verdicts(helm.run_folder(workdir, "impact", "validate=")).values()
    assert sum("validation" in verdict for verdict in verdicts) == 2
    assert all(len(verdict["votes"]) == 1 for verdict in verdicts)
    run_command(*command, cwd=workdir, **keys)
    assert Counter(body["model"] for body in server.requests) == asked
    shown = run_command("impactbench", "agreement", "--suite", "impact", cwd=workdir).stdout
    assert "Held-out judge, whose answers enter no rate" in shown


def test_a_run_without_held_out_scenarios_is_refused(workdir: Path, server: OpenAIServer) -> None:
    """Before the first call, and with what to do."""
    _study(workdir, "public")
    done = run_command("impactbench", "run", "study.yaml", "--yes", cwd=workdir, ok=False,
                       OPENAI_API_KEY="sk-test", OPENAI_API_BASE=server.url)  # fmt: skip
    assert "judges held-out scenarios, and this run takes none of mini" in done.stderr + done.stdout
    assert server.requests == []
