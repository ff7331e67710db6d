"""helm-run on a mini benchmark with the loopback server behind litellm's openai provider."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.support import builders
from tests.support.browser import chromium
from tests.support.canonical import Canonical
from tests.support.commands import run_command
from tests.support.openai_server import OpenAIServer


def run_mini(
    cwd: Path,
    server: OpenAIServer,
    *targets: str,
    options: str = "",
    suite: str = "s",
    extra: tuple[str, ...] = (),
    ok: bool = True,
    **environment: str,
) -> Any:
    """Run helm-run on ./benchmarks/mini for the targets, or without model= when there are none."""
    entry = f"impactbench:benchmark=mini,user=litellm/openai/user-x,judge=litellm/openai/judge-x{options}"
    entries = [f"{entry},model=litellm/openai/{target}" for target in targets] or [entry]
    arguments = ("helm-run", "--run-entries", *entries, "--suite", suite, "-m", 10000, "-n", 4, *extra)
    keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url}
    return run_command(*arguments, cwd=cwd, ok=ok, **keys, **environment)


@pytest.fixture
def helm_run(workdir: Path, server: OpenAIServer) -> Callable[..., Any]:
    """Runs helm-run on the mini benchmark in the working directory."""
    return lambda *targets, **settings: run_mini(workdir, server, *targets, **settings)


@pytest.fixture
def mini(workdir: Path) -> Path:
    """The mini benchmark as a user's own, in ./benchmarks/mini."""
    return builders.write_benchmark_folder(workdir / "benchmarks/mini")


@pytest.fixture(scope="module")
def mini_suite(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with suite s: two targets on the scenarios ROWS of the test's file, with its `answer`."""
    folder = tmp_path_factory.mktemp("made")
    builders.write_benchmark_folder(folder / "benchmarks/mini", scenarios=request.module.ROWS)
    server = OpenAIServer(request.module.answer)
    run_mini(folder, server, "target-a", "target-b", options=",turns=2")
    server.close()
    return folder


@pytest.fixture
def suite(request: pytest.FixtureRequest, mini_suite: Path, workdir: Path, server: OpenAIServer) -> Path:
    """A copy of that working directory, its cache included."""
    shutil.copytree(mini_suite, workdir, dirs_exist_ok=True)
    server.answer = request.module.answer
    return workdir


@pytest.fixture(scope="session")
def canonical(tmp_path_factory: pytest.TempPathFactory) -> Canonical:
    """Runs of the scripted models that all test files share."""
    return Canonical(tmp_path_factory)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's chromium."""
    with chromium() as running:
        yield running
