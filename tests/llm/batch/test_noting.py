"""Which calls wait, and how they are noted."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from helm.common.cache import BlackHoleCacheConfig, CacheConfig, MongoCacheConfig, SqliteCacheConfig

from helm_impactbench.errors import FatalCallError, SettingError
from helm_impactbench.llm.batch.deferred_call import (
    Noted,
    Notes,
    WaitingCallError,
    judges_wait,
    playing,
    read_notes,
    wait_for_batch,
)

CONFIG = SqliteCacheConfig("cache.sqlite")
WIRE = {"model": "openai/gpt-4o", "messages": []}


@pytest.fixture
def batch_mode(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """helm-run --suite s under IMPACTBENCH_JUDGE=batch; the file of its notes."""
    monkeypatch.setenv("IMPACTBENCH_JUDGE", "batch")
    monkeypatch.setattr(sys, "argv", ["helm-run", "--suite", "s", "-o", str(workdir / "out")])
    return workdir / "out/runs/s/judge-batch/requests.jsonl"


def test_the_judge_waits_and_nobody_else(batch_mode: Path) -> None:
    """A user's and a target's call are made; a judge's is noted once, however often it is tried."""
    for role in ("user", "target", "model"):
        with playing(role):
            wait_for_batch("d", {"k": 1}, WIRE, CONFIG)
    assert not batch_mode.exists()
    for key in ({"k": 1}, {"k": 1}, {"k": 2}):
        with playing("judge"), pytest.raises(WaitingCallError, match="waits for the batch"):
            wait_for_batch("d", key, WIRE, CONFIG)
    assert [json.loads(noted.key) for noted in read_notes(batch_mode).values()] == [{"k": 1}, {"k": 2}]
    assert batch_mode.read_bytes().count(b"\n") == 2


def test_a_judge_that_no_batch_takes_is_asked_at_once(batch_mode: Path) -> None:
    """litellm makes no batches with Anthropic: the call is not held back."""
    with playing("judge"):
        wait_for_batch("d", {"k": 1}, {"model": "anthropic/claude-sonnet-4-6"}, CONFIG)
    assert not batch_mode.exists()


@pytest.mark.parametrize("config", [BlackHoleCacheConfig(), MongoCacheConfig("mongodb://127.0.0.1/helm", "openai")])
def test_without_cache_files_nothing_can_wait(batch_mode: Path, config: CacheConfig) -> None:
    """An answer that nobody would find is not asked for: the run ends with the reason."""
    with playing("judge"), pytest.raises(FatalCallError, match="Leave --disable-cache and --mongo-uri out"):
        wait_for_batch("d", {"k": 1}, WIRE, config)
    assert not batch_mode.exists()


def test_a_torn_line_is_noted_again(workdir: Path) -> None:
    """A kill in the middle of a line costs that line alone, and two processes' notes are one list."""
    path = workdir / "requests.jsonl"
    first, second = Noted("d", '{"k": 1}', WIRE), Noted("d", '{"k": 2}', WIRE)
    Notes(path).add(first)
    path.write_bytes(path.read_bytes() + b'{"deployment": "d", "ke')
    other = Notes(path)
    for notes in (other, other, Notes(path)):
        notes.add(second)
    assert list(read_notes(path).values()) == [first, second]


def test_an_unknown_word_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A typing error does not quietly cost the full price."""
    monkeypatch.setenv("IMPACTBENCH_JUDGE", "Batch")
    with pytest.raises(SettingError, match="IMPACTBENCH_JUDGE is 'Batch'; allowed: batch, or now"):
        judges_wait()
