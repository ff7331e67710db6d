"""helm-server with hostile words in it, in a real browser: its pages are HELM's, and what we feed them is text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import run_mini
from tests.support import builders
from tests.support.browser import profile
from tests.support.commands import run_command
from tests.support.helm_server import helm_server
from tests.support.openai_server import Body, OpenAIServer

EVIL = (
    "<script>window.owned=1</script><img src=x onerror='window.owned=2'><svg onload='window.owned=3'>"
    "[click](javascript:window.owned=4) ![x](http://evil.invalid/x.png) <a href='javascript:window.owned=5'>here</a>"
    "<iframe srcdoc='<script>parent.owned=6</script>'></iframe> javascript:window.owned=7 <base href='//evil.invalid'>"
)
RUN = "impactbench:benchmark=mini,user=litellm_openai_user-x,judge=litellm_openai_judge-x,turns=1,model=openai_target-a"
pytestmark = pytest.mark.browser


def _answer(body: Body) -> Any:
    if body["model"].startswith("user"):
        return f"Thought: {EVIL}\nMessage: user says {EVIL}"
    if body["model"].startswith("judge"):
        return json.dumps({"justification": f"because {EVIL}", "evidence": [], "answer": "absent"})
    return f"the answer is {EVIL}"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a helm-server whose every text is hostile."""
    folder = tmp_path_factory.mktemp("viewer")
    content = builders.benchmark_with(definition=f"The assistant does it {EVIL}")
    content.update(name=f"Mini {EVIL}", description=f"About {EVIL} ![reference][r]\n\n[r]: http://evil.invalid/r.png")
    rows = [{**row, "user_goal": f"goal {EVIL}"} for row in builders.SCENARIOS[:1]]
    builders.write_benchmark_folder(folder / "benchmarks/mini", content, rows)
    server = OpenAIServer(answer=_answer)
    run_mini(folder, server, "target-a", options=",turns=1")
    server.close()
    run_command(
        "impactbench", "summarize", "--schema-only", "--out", "schema.yaml", cwd=folder
    )  # with the benchmark of our own
    run_command("impactbench", "summarize", "--suite", "s", "--schema-path", "schema.yaml", cwd=folder)
    with helm_server(folder, "--suite", "s") as url:
        yield url


def test_nothing_that_models_wrote_runs_in_helm_server(base: str, tmp_path: Path) -> None:
    """Conversation, thoughts, annotations and tables: the words are there as text, and no element or link of theirs."""
    with profile(tmp_path / "profile") as context:
        page = context.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{base}/runs/{RUN}")
        expect(page.get_by_text("Instance id: m01_s001_v01")).to_be_visible(timeout=60_000)
        page.get_by_text("View impactbench annotations").first.click()
        expect(page.get_by_text("because <script>").first).to_be_visible()
        assert "the answer is <script>window.owned=1</script>" in page.inner_text("body")
        for place in (f"runs/{RUN}", "groups/mini", "leaderboard", "scenarios", "runs"):
            page.goto(f"{base}/{place}")
            page.wait_for_timeout(1500)
            assert page.evaluate("window.owned") is None, place
            links = page.evaluate("[...document.links].map((link) => link.href)")
            scripts = {link for link in links if link.startswith("javascript:")} - {"javascript:void(0)"}
            assert not scripts, place
            pictures = page.evaluate("[...document.images].map((image) => image.src)")
            assert not [url for url in pictures if "evil.invalid" in url], place
            assert page.evaluate("document.querySelectorAll('iframe, base, img[src=x], svg[onload]').length") == 0, (
                place
            )
        assert not [url for url in asked if "evil.invalid" in url]
