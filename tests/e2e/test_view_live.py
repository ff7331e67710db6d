"""A run watched in the browser: how far it is, conversations as they finish, a pause, hostile words, and its end."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support import builders
from tests.support.browser import strict_page
from tests.support.commands import BIN, command_environment
from tests.support.openai_server import PROBE, Answer, Body, OpenAIServer, default_answer, text_of
from tests.support.viewing import viewed

HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
SECONDS = 0.4
"""What each answer of the target takes, so that there is something to watch."""

pytestmark = pytest.mark.browser


def answer(body: Body) -> Answer:
    """Answer as usual, but the target slowly, and in words that would run if anything did."""
    if body["model"] == "target-a" and text_of(body) != PROBE:
        time.sleep(SECONDS)
        return f"Here you are. {HOSTILE}"
    return default_answer(body)


@contextmanager
def running(folder: Path, server: OpenAIServer, threads: int = 2) -> Iterator[subprocess.Popen[str]]:
    """Run helm-run on the mini benchmark."""
    entry = (
        "impactbench:benchmark=mini,user=litellm/openai/user-x,judge=litellm/openai/judge-x,turns=2,"
        "model=litellm/openai/target-a"
    )
    command = [str(BIN / "helm-run"), "--run-entries", entry, "--suite", "s", "-m", "10000", "-n", str(threads),
               "--runner-class-name", "helm_impactbench.ParallelRunner"]  # fmt: skip
    keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url}
    with (folder / "run.log").open("w") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=command_environment(**keys), stdout=log, stderr=log, text=True
        )
        yield process
        if process.poll() is None:
            process.kill()
        process.wait()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working directory with a benchmark and the folder of a suite that has no run yet."""
    rows = [builders.scenario("m01", base) for base in range(1, 21)]
    builders.write_benchmark_folder(tmp_path / "benchmarks/mini", scenarios=rows)
    (tmp_path / "benchmark_output/runs/s").mkdir(parents=True)
    return tmp_path


def watch_to_the_end(folder: Path, browser: Browser, server: OpenAIServer, count: int, threads: int) -> None:
    """Watch a run: a conversation is read while it goes, it is paused and continued, and its report follows."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    suite = folder / "benchmark_output/runs/s"
    with viewed(folder) as view, running(folder, server, threads) as run, strict_page(context) as page:
        page.goto(view.url("live.html"))
        link = page.locator("ul.live a").first
        link.click(timeout=300_000)
        assert run.poll() is None
        expect(page.get_by_role("heading", name="What the judges said")).to_be_visible()
        expect(page.locator(".message.assistant .text").first).to_contain_text("<img src=x onerror=")
        assert "owned" not in page.title()
        assert page.locator("main img").count() == 0
        page.goto(view.url("live.html"))
        expect(page.locator("#done")).to_contain_text(f"of {count} conversations")
        page.get_by_role("button", name="Pause").click()
        expect(page.get_by_text("Paused: no call begins.")).to_be_visible()
        page.get_by_role("button", name="Continue").click()
        expect(page.get_by_text("Under way.")).to_be_visible()
        assert page.locator("#part script, #part img").count() == 0
        expect(page.get_by_text("Finished.")).to_be_visible(timeout=600_000)
        expect(page.locator("#done")).to_have_text(f"{count} of {count} conversations")
        assert run.wait(300) == 0, (folder / "run.log").read_text(encoding="utf-8")
        assert list(suite.glob("live-*.jsonl")) == []
        assert view.ask("live/pause", method="POST", body="true", X_ImpactBench_Token=view.token).status == 400
        view.ready()
        page.goto(view.url("conversations/mini/litellm~openai~target-a/index.html"))
        expect(page.locator("table a[href]").first).to_be_visible(timeout=300_000)
    context.close()


def test_a_run_is_watched_to_its_end(folder: Path, browser: Browser) -> None:
    """Twenty conversations."""
    server = OpenAIServer(answer)
    watch_to_the_end(folder, browser, server, 20, 2)
    server.close()


@pytest.mark.long
def test_a_run_of_200_conversations_is_watched_to_its_end(folder: Path, browser: Browser) -> None:
    """Two hundred."""
    rows = [builders.scenario("m01", base) for base in range(1, 201)]
    builders.write_benchmark_folder(folder / "benchmarks/mini", scenarios=rows)
    server = OpenAIServer(answer)
    watch_to_the_end(folder, browser, server, 200, 8)
    server.close()
