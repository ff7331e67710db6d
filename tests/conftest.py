"""What all tests share: a working directory, the real commands as processes, a loopback model server."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from helm_impactbench.process.shared_state import EXPLAINED, STOPPED
from tests.support import without_helm
from tests.support.openai_server import OpenAIServer

if os.environ.get(without_helm.VARIABLE):
    without_helm.block()

# A machine that does other things besides is slow now and then; a clock of the wall tells nothing of the code.
settings.register_profile("without a clock", deadline=None)
settings.load_profile("without a clock")
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # where a test imports litellm itself
BIN = Path(sys.executable).parent
QUICK_START = Path(__file__).parent / "support/quick_start"
Run = Callable[..., "subprocess.CompletedProcess[str]"]
HelmRun = Callable[..., "subprocess.CompletedProcess[str]"]


def command_environment(**extra: str) -> dict[str, str]:
    """Return the environment for a command: offline, without keys of the person who runs the tests, no waiting."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_API_BASE"))}
    kept.pop("HELM_CREDENTIALS", None)
    offline = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "IMPACTBENCH_MAX_WAIT": "0.01", "NO_COLOR": "1"}
    return {**kept, **offline, "PYTHONPATH": str(QUICK_START), **extra}


def run_command(*arguments: object, cwd: Path, ok: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run an installed command in `cwd`; unless `ok` is False, a failure shows its output."""
    name, *rest = map(str, arguments)
    done = subprocess.run(
        [str(BIN / name), *rest],
        cwd=cwd,
        env=command_environment(**environment),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if ok:
        assert done.returncode == 0, (
            f"{name} ended with {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-5000:]}"
        )
    return done


@pytest.fixture(autouse=True)
def _go_on() -> Iterator[None]:
    """A run that one test stops in its own process does not stop the next test's."""
    yield
    STOPPED.clear()
    EXPLAINED.clear()


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
