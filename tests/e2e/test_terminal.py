"""What a person sees on a terminal of 80 and of 100 columns, and of 24 lines."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.e2e.test_certainty import PANEL, SLUGS, TARGETS
from tests.support.canonical import Canonical
from tests.support.openai_server import OpenAIServer, default_answer
from tests.support.terminal import Seen, on_terminal

MODELS = ("supportive", "mixed", "minors-only", "harmful")
DEMO = ("impactbench", "run", "--references", "0",
        "--models", *(f"rehearsal/{model}" for model in MODELS), "--user", "rehearsal/user",
        "--judge", "rehearsal/judge", "--suite", "demo")  # fmt: skip
TABLES = ("rates", "compare", "contrasts", "costs", "agreement")


@pytest.fixture(scope="module")
def suite(canonical: Canonical, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a suite of pass rates and contrasts."""
    folder = tmp_path_factory.mktemp("terminal")
    canonical.put(folder, ["prosocial"], ["harmful", "mixed"])
    canonical.put(folder, ["user-bias"], ["harmful", "mixed"])
    canonical.put(folder, SLUGS, TARGETS, judge=PANEL, suite="panel")
    return folder


@pytest.mark.parametrize("columns", [80, 100])
@pytest.mark.parametrize("command", TABLES)
def test_no_table_is_wider_than_the_terminal(suite: Path, command: str, columns: int) -> None:
    """Every line fits, and the figures are there."""
    name = "panel" if command == "agreement" else "s"
    seen = on_terminal("impactbench", command, "--suite", name, cwd=suite, columns=columns)
    assert seen.code == 0, seen.kept
    assert seen.too_wide == []
    assert not any("\u2026" in line for line in seen.kept), "a cell was cut"
    assert len(seen.kept) > 8


@pytest.mark.parametrize("columns", [80, pytest.param(100, marks=pytest.mark.long)])
def test_a_run_asks_once_and_ends_with_its_result_on_one_screen(suite: Path, columns: int) -> None:
    """At most 60 lines in all; the last screen holds the result, the pages and the next command."""
    seen = on_terminal(*DEMO, "--benchmarks", "prosocial", "--part", 0.1, cwd=suite, columns=columns, typed=b"\n")
    assert seen.code == 0, seen.kept
    assert seen.too_wide == []
    assert len(seen.kept) <= 60
    assert sum("Run it?" in line for line in seen.kept) == 1
    for words in ("Rank", "supportive", "harmful", "Pages: ", "Next: impactbench rates --suite demo"):
        assert words in seen.last_screen
    assert any("of 32 conversations" in line for line in seen.drawn) or any("Starting" in line for line in seen.drawn)


@pytest.mark.parametrize("columns", [80, pytest.param(100, marks=pytest.mark.long)])
def test_the_live_view_fits_and_shows_the_newest_words(mini: Path, workdir: Path, columns: int) -> None:
    """Of a run in another terminal: the bar, the planned number, a reason for what has no score, the last words."""

    def answer(body: dict[str, object]) -> object:
        time.sleep(0.15)
        return "Not a verdict at all." if str(body["model"]).startswith("judge") else default_answer(body)

    server = OpenAIServer(answer=answer)  # type: ignore[arg-type]
    seen: list[Seen] = []
    command = ("impactbench", "run", "--references", "0",
               "--models", "litellm/openai/target-a", "litellm/openai/target-b", "--user",
               "litellm/openai/user-x", "--judge", "litellm/openai/judge-x", "--benchmarks", "mini", "--no-report",
               "-n", "2", "--samples", "2")  # fmt: skip

    def watch() -> None:
        until = time.monotonic() + 120
        while len(server.requests) < 20 and time.monotonic() < until:
            time.sleep(0.05)
        seen.append(on_terminal("impactbench", "watch", "--suite", "impact", cwd=workdir, columns=columns))

    try:
        keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url}
        run = on_terminal(*command, cwd=workdir, columns=columns, typed=b"y\n", during=watch, **keys)
        drawn = "\n".join(seen[0].drawn)
        assert seen[0].too_wide == run.too_wide == []
        assert "of 16 conversations" in drawn
        assert "user: " in drawn
        assert "judge unparsable" in drawn
        assert seen[0].kept[-1] == "Ended."
        assert any("of 16 conversations" in line for line in run.drawn)
    finally:
        server.close()


def test_a_refused_run_leaves_nothing(mini: Path, workdir: Path, server: OpenAIServer) -> None:
    """Who answers no has paid nothing, and has no folder of a suite that was never run."""
    keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url}
    command = ("impactbench", "run", "--references", "0",
               "--models", "litellm/openai/target-a", "--user", "litellm/openai/user-x",
               "--judge", "litellm/openai/judge-x", "--benchmarks", "mini")  # fmt: skip
    seen = on_terminal(*command, cwd=workdir, columns=80, typed=b"n\n", **keys)
    assert (seen.code, "Aborted!" in seen.kept[-1]) == (1, True)
    assert server.requests == []
    assert not (workdir / "benchmark_output/runs/impact").exists()
