"""What all tests share: a working directory, the real commands as processes, a loopback model server."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from helm_impactbench.llm.limits.circuit import forget_circuits
from helm_impactbench.process.shared_state import EXPLAINED, STOPPED, TARGETS
from tests.support import without_helm
from tests.support.commands import TEST_RUN, run_command
from tests.support.openai_server import OpenAIServer

if os.environ.get(without_helm.VARIABLE):
    without_helm.block()

# A machine that does other things besides is slow now and then; a clock of the wall tells nothing of the code.
settings.register_profile("without a clock", deadline=None)
settings.load_profile("without a clock")
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # where a test imports litellm itself
Run = Callable[..., "subprocess.CompletedProcess[str]"]
HelmRun = Callable[..., "subprocess.CompletedProcess[str]"]


def pytest_configure(config: pytest.Config) -> None:
    """Tell the workers of this test run whose fork servers they share, and let commands know signals of terminals.

    A shell's background job (`nohup ... &`) ignores SIGINT and SIGHUP, and so would all that it starts. A handler of
    Python's that does nothing is not handed down.
    """
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    if not hasattr(config, "workerinput") and not os.environ.get("IMPACTBENCH_TEST_COLD"):
        os.environ[TEST_RUN] = str(os.getpid())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with the files that take minutes, so that no worker is left alone with one at the end."""
    items.sort(key=lambda item: not item.nodeid.startswith("tests/e2e/"))


@pytest.fixture(autouse=True)
def _go_on() -> Iterator[None]:
    """What one test changes for its whole process is undone: a stop, what failed, and HELM's set-up of its logger."""
    yield
    STOPPED.clear()
    EXPLAINED.clear()
    TARGETS.begin(())
    forget_circuits()
    helm = logging.getLogger("helm")  # HELM's commands set it up, ours leave it to errors; `caplog` listens above it
    helm.propagate = True
    helm.setLevel(logging.NOTSET)


@pytest.fixture
def workdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(workdir: Path) -> Run:
    """Runs a command in the working directory."""

    def runner(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
        return run_command(*arguments, cwd=workdir, **options)

    return runner


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A loopback OpenAI-compatible server in all roles."""
    running = OpenAIServer()
    yield running
    running.close()
