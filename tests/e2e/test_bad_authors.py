"""What an author cannot work with, and an author that cannot do the work: both end after few calls, or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run
from tests.support.openai_server import OpenAIServer

MODEL = "litellm/openai/author-x"
NONSENSE = {"words": "I would rather talk about the weather.", "another shape": '{"colour": "blue"}', "nothing": ""}


def test_the_placeholder_of_a_description_is_refused(run: Run, workdir: Path) -> None:
    """Before any call, of the plan too, and in one line with the file's name; nothing is written."""
    said = run("impactbench", "new", "demo").stdout
    assert "write its description" in said
    assert "By hand: add metrics to benchmark.yaml, write scenarios.json" in said
    folder = workdir / "benchmarks/demo"
    before = (folder / "benchmark.yaml").read_bytes()
    for more in ((), ("--dry-run",)):
        done = run("impactbench", "gen-metrics", "demo", "--author", "rehearsal/author", *more, ok=False)
        assert done.returncode == 2
        assert done.stderr.startswith("Error: benchmarks/demo/benchmark.yaml: the description is still the placeholder")
        assert done.stderr.count("\n") == 1
    assert (folder / "benchmark.yaml").read_bytes() == before
    assert [path.name for path in folder.iterdir()] == ["benchmark.yaml"]


@pytest.mark.parametrize("reply", NONSENSE.values(), ids=NONSENSE.keys())
def test_nonsense_is_given_up_after_few_calls(run: Run, workdir: Path, server: OpenAIServer, reply: str) -> None:
    """At most four calls of the 24 planned for metrics, and three of some hundred for scenarios; exit code 1."""
    run("impactbench", "new", "demo", "--description", "About money and people.")
    server.answer = lambda _: reply
    keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url}
    done = run("impactbench", "gen-metrics", "demo", "--author", MODEL, ok=False, **keys)
    assert done.returncode == 1
    assert "2 to 24 calls" in done.stdout
    assert 2 <= len(server.requests) <= 4
    assert "12 metrics missing: given up, because nothing in 2 batches in a row could be used" in done.stderr
    assert "Another --author may do better" in done.stderr

    run("impactbench", "gen-metrics", "demo", "--author", "rehearsal/author")
    server.forget()
    done = run("impactbench", "gen-scenarios", "demo", "--author", MODEL, "-n", 8, ok=False, **keys)
    assert done.returncode == 1
    assert len(server.requests) <= 3
    assert "72 variants missing: given up, because nothing in 3 replies could be read" in done.stderr
