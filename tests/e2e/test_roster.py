"""One study file says of each model how it is asked, and how often at once."""

from __future__ import annotations

import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from helm_impactbench import load_suite
from tests.support import builders
from tests.support.openai_server import Answer, Body, OpenAIServer, default_answer


def test_models_are_asked_as_the_roster_says(workdir: Path, run: Any, server: OpenAIServer) -> None:
    """With temperature and tokens of their own; no more calls at once than its limit, which another model has not.

    Two temperatures of one model are two targets that meet the same cases.
    """
    flying, most, lock = Counter[str](), Counter[str](), threading.Lock()

    def slowly(body: Body) -> Answer:
        with lock:
            flying[body["model"]] += 1
            most[body["model"]] = max(most[body["model"]], flying[body["model"]])
        time.sleep(0.3 if body["model"].startswith("target") else 0.0)
        with lock:
            flying[body["model"]] -= 1
        return default_answer(body)

    server.answer = slowly
    builders.write_benchmark_folder(workdir / "benchmarks/mini")
    Path("study.yaml").write_text(yaml.safe_dump({
        "models": [
            {"name": "litellm/openai/target-a", "temperature": 0.2, "max_in_flight": 1},
            {"name": "litellm/openai/target-b", "temperature": 0.9, "target_tokens": 77},
            {"name": "litellm/openai/target-b", "temperature": 0.0, "target_tokens": 77},
        ],
        "user": "litellm/openai/user-x", "judge": "litellm/openai/judge-x", "benchmarks": ["mini"], "suite": "s",
        "references": 0, "threads": 12, "options": {"turns": 1, "samples": 2},
    }))  # fmt: skip
    done = run("impactbench", "run", "study.yaml", "--yes", "--no-report", "--no-anchor-set",
               OPENAI_API_KEY="sk-test", OPENAI_API_BASE=server.url)  # fmt: skip
    assert "litellm/openai/target-b, temperature 0.9, 77 tokens a reply" in done.stdout
    asked = [body for body in server.of("target") if body not in server.probes]
    assert Counter((body["model"], body["temperature"], body["max_tokens"]) for body in asked) == {
        ("target-a", 0.2, 4096): 8, ("target-b", 0.9, 77): 8, ("target-b", 0.0, 77): 8,
    }  # fmt: skip
    assert most["target-a"] == 1
    assert most["target-b"] > 1
    outcomes = load_suite("s").reading.outcomes
    assert {one.model for one in outcomes} == {
        "litellm/openai/target-a", "litellm/openai/target-b#77+0.9", "litellm/openai/target-b#77+0.0"
    }  # fmt: skip
    assert len({one.whole_setup for one in outcomes}) == 1
