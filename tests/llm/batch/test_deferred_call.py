"""Which calls are deferred, and how they are written down."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from helm_impactbench.errors import FatalCallError, SettingError
from helm_impactbench.llm.batch.deferred_call import (
    DeferredCall,
    DeferredCallError,
    DeferredCalls,
    defer_judge_call,
    in_role,
    judges_deferred,
    read_deferred,
)

WIRE = {"model": "openai/gpt-4o", "messages": []}


@pytest.fixture
def batch_mode(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """helm-run --suite s under IMPACTBENCH_JUDGE_CALLS=batch; the file of its deferred calls."""
    monkeypatch.setenv("IMPACTBENCH_JUDGE_CALLS", "batch")
    monkeypatch.setattr(sys, "argv", ["helm-run", "--suite", "s", "-o", str(workdir / "out")])
    return workdir / "out/runs/s/judge-batch/requests.jsonl"


def test_the_judge_waits_and_nobody_else(batch_mode: Path) -> None:
    """A user's and a target's call are made; a judge's is deferred once, however often it is tried."""
    for role in ("user", "target", "model"):
        with in_role(role):
            defer_judge_call("d", {"k": 1}, WIRE, in_files=True)
    assert not batch_mode.exists()
    for key in ({"k": 1}, {"k": 1}, {"k": 2}):
        with in_role("judge"), pytest.raises(DeferredCallError, match="waits for the batch"):
            defer_judge_call("d", key, WIRE, in_files=True)
    assert [json.loads(call.key) for call in read_deferred(batch_mode).values()] == [{"k": 1}, {"k": 2}]
    assert batch_mode.read_bytes().count(b"\n") == 2


def test_a_judge_that_no_batch_takes_is_asked_at_once(batch_mode: Path) -> None:
    """litellm makes no batches with Anthropic: the call is not held back."""
    with in_role("judge"):
        defer_judge_call("d", {"k": 1}, {"model": "anthropic/claude-sonnet-4-6"}, in_files=True)
    assert not batch_mode.exists()


def test_without_cache_files_nothing_can_wait(batch_mode: Path) -> None:
    """An answer that nobody would find is not asked for: the run ends with the reason."""
    with in_role("judge"), pytest.raises(FatalCallError, match="Leave --disable-cache and --mongo-uri out"):
        defer_judge_call("d", {"k": 1}, WIRE, in_files=False)
    assert not batch_mode.exists()


def test_a_torn_line_is_written_again(workdir: Path) -> None:
    """A kill in the middle of a line costs that line alone, and two processes' calls are one list."""
    path = workdir / "requests.jsonl"
    first, second = DeferredCall("d", '{"k": 1}', WIRE), DeferredCall("d", '{"k": 2}', WIRE)
    DeferredCalls(path).add(first)
    path.write_bytes(path.read_bytes() + b'{"deployment": "d", "ke')
    other = DeferredCalls(path)
    for calls in (other, other, DeferredCalls(path)):
        calls.add(second)
    assert list(read_deferred(path).values()) == [first, second]


def test_an_unknown_word_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A typing error does not quietly cost the full price."""
    monkeypatch.setenv("IMPACTBENCH_JUDGE_CALLS", "Batch")
    with pytest.raises(SettingError, match="IMPACTBENCH_JUDGE_CALLS is 'Batch', but it must be batch, or now"):
        judges_deferred()
