"""A line for each call in calls.jsonl: from every process, with attempts counted, by level, and never with words."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

from tests.conftest import HelmRun
from tests.support import helm
from tests.support.openai_server import Answer, Body, OpenAIServer, default_answer, text_of

PARALLEL = ("--runner-class-name", "helm_impactbench.ParallelRunner")


def lines(workdir: Path, suite: str = "s") -> list[dict[str, Any]]:
    """Return what is logged; nothing without a file."""
    path = workdir / "benchmark_output/runs" / suite / "calls.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_every_attempt_of_every_process_is_a_line(
    mini: Path, helm_run: HelmRun, server: OpenAIServer, workdir: Path
) -> None:
    """As many as reached the server; the one after a 429 is the second; a resumed run has them from the cache."""
    refused: set[str] = set()

    def busy(body: Body) -> Answer:
        if body["model"] == "target-a" and text_of(body) not in refused:
            refused.add(text_of(body))
            return 429, {"error": {"message": "slow down"}}
        return default_answer(body)

    server.answer = busy
    settings: dict[str, Any] = {"options": ",turns=2", "extra": PARALLEL, "IMPACTBENCH_WORKERS": "2"}
    helm_run("target-a", **settings, IMPACTBENCH_LOG_LEVEL="info")
    found = lines(workdir)
    assert len(found) == len(server.requests) - len(server.probes)
    assert Counter((one["role"], one["attempt"], one["outcome"]) for one in found) == {
        ("target", 1, "transient"): 8, ("target", 2, "answered"): 8, ("user", 1, "answered"): 8,
        ("judge", 1, "answered"): 4,
    }  # fmt: skip
    assert {one["task"] for one in found if one["role"] == "target"} == {
        f"mini/m0{metric}_s001_v0{variant}/0" for metric in (1, 2) for variant in (1, 2)
    }
    assert {tuple(one) for one in found} == {("time", "role", "model", "task", "attempt", "seconds", "outcome")}
    text = (workdir / "benchmark_output/runs/s/calls.jsonl").read_text()
    assert not any(word in text for word in ("sk-test", "spoken line", "replies", "slow down"))
    asked = len(server.requests)
    shutil.rmtree(helm.run_folder(workdir, "s", "target-a"))
    helm_run("target-a", **settings, IMPACTBENCH_LOG_LEVEL="debug")
    assert len(server.requests) - len(server.probes) == asked - len(server.probes)
    assert Counter(one["outcome"] for one in lines(workdir)[len(found) :]) == {"cached": 20}


def test_errors_alone_are_calls_without_an_answer(
    mini: Path, helm_run: HelmRun, server: OpenAIServer, workdir: Path
) -> None:
    """Not an attempt that another one made good; off by default; another word is refused before the first call."""
    refused: set[str] = set()

    def busy(body: Body) -> Answer:
        if body["model"].startswith("judge"):
            return 400, {"error": {"message": "no"}}
        if body["model"] == "target-a" and text_of(body) not in refused:
            refused.add(text_of(body))
            return 429, {"error": {"message": "slow down"}}
        return default_answer(body)

    server.answer = busy
    helm_run("target-a", options=",turns=1", ok=False, IMPACTBENCH_LOG_LEVEL="error")
    assert [(one["role"], one["attempt"], one["outcome"]) for one in lines(workdir)] == [("judge", 1, "permanent")] * 4
    helm_run("target-b", options=",turns=1", suite="off", ok=False)
    assert lines(workdir, "off") == []
    server.forget()
    ended = helm_run("target-c", options=",turns=1", suite="off", ok=False, IMPACTBENCH_LOG_LEVEL="loud")
    assert "IMPACTBENCH_LOG_LEVEL is 'loud', but it must be one of debug, info, warning, error." in ended.stderr
    assert server.requests == []
