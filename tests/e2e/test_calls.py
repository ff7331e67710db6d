"""What is called, and how often."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import HelmRun, Run
from tests.support import builders, helm
from tests.support.openai_server import OpenAIServer, text_of

TURNS = 6


def test_every_call_is_made_once_and_none_on_a_second_run(mini: Path, helm_run: HelmRun, server: OpenAIServer) -> None:
    """variants x (2 x turns + 1) calls; a second target shares the opening messages; a repeat makes no call."""
    helm_run("target-a")
    assert len(server.requests) == 4 * (2 * TURNS + 1)

    server.forget()
    helm_run("target-a", "target-b")
    assert len(server.of("target-a")) == 0
    assert len(server.of("target-b")) == 4 * TURNS
    assert len(server.of("user")) == 4 * (TURNS - 1), "the opening messages are those of the first target"
    assert len(server.of("judge")) == 4

    server.forget()
    helm_run("target-a", "target-b")
    assert server.requests == []


def test_an_edit_repeats_only_what_it_touches(mini: Path, helm_run: HelmRun, server: OpenAIServer) -> None:
    """An added scenario, an edited example and an edited definition each cost their own calls only."""
    helm_run("target-a")

    server.forget()
    builders.write_benchmark_folder(mini, scenarios=[*builders.SCENARIOS, builders.scenario("m01", 2, 1)])
    helm_run("target-a")
    assert len(server.requests) == 2 * TURNS + 1
    assert all("m01_s002_v01" in text_of(body) for body in server.of("user"))

    server.forget()
    edited = builders.benchmark_with(examples=["example-one-edited"])
    builders.write_benchmark_folder(mini, edited)
    helm_run("target-a")
    assert len(server.of("judge")) == 2
    assert len(server.requests) == 2

    server.forget()
    edited["metrics"][0]["definition"] = "The assistant does the definition-edited thing."
    builders.write_benchmark_folder(mini, edited)
    helm_run("target-a")
    assert len(server.of("judge")) == len(server.requests) == 2, "the simulated user is not told the definition"
    assert all("definition-edited" in text_of(body) for body in server.of("judge"))


def test_the_same_seed_goes_to_all_roles_whatever_the_target(
    mini: Path, helm_run: HelmRun, server: OpenAIServer
) -> None:
    """Law 5 and the paired design: one seed per variant and sample, another for another sample.

    The judge's seed, which its provider gets, tells no variant: it is that of the base scenario.
    """
    builders.write_benchmark_folder(mini, scenarios=[builders.scenario("m01", 1, 1)])
    helm_run("target-a", "target-b")
    assert len({body["seed"] for body in (*server.of("user"), *server.of("target"))}) == 1
    (judged,) = {body["seed"] for body in server.of("judge")}
    builders.write_benchmark_folder(mini, scenarios=[builders.scenario("m01", 1, 2)])
    server.forget()
    helm_run("target-a", suite="other-variant")
    assert {body["seed"] for body in server.of("judge")} == {judged}
    assert len({body["seed"] for body in server.requests}) == 2
    builders.write_benchmark_folder(mini, scenarios=[builders.scenario("m01", 1, 1)])
    server.forget()
    helm_run("target-a", options=",samples=2")
    assert len(server.requests) == 2 * TURNS + 1, "the second sample is new, the first is not called again"


def test_both_ways_to_name_a_litellm_model_give_one_row(
    mini: Path, helm_run: HelmRun, run: Run, server: OpenAIServer, workdir: Path
) -> None:
    """--models-to-run litellm/openai/x and model=litellm/openai/x are one run and one row."""
    helm_run("target-a")
    calls = len(server.requests)
    helm_run(extra=("--models-to-run", "litellm/openai/target-a"))
    assert len(server.requests) == calls
    run("impactbench", "summarize", "--schema-only", "--out", "mine.yaml")
    run("helm-summarize", "--suite", "s", "--schema-path", "mine.yaml")
    table = run("impactbench", "summarize", "--show", "--suite", "s", "--group", "mini").stdout
    assert table.count("openai/target-a") == 1


def test_usage_and_cost_are_kept_and_unknown_prices_are_not_zero(
    mini: Path, helm_run: HelmRun, server: OpenAIServer, workdir: Path
) -> None:
    """Tokens are summed per role; a model without a price has no dollars but a count of unpriced calls."""
    helm_run("gpt-4o", options=",turns=2", suite="first")
    folder = helm.run_folder(workdir, "first", "mini")
    assert helm.total(folder, "target_prompt_tokens") == (4 * 2 * 100, 4)
    assert helm.total(folder, "judge_completion_tokens") == (4 * 10, 4)
    dollars, conversations = helm.total(folder, "target_cost_usd")
    assert conversations == 4
    assert dollars == pytest.approx(4 * 2 * (100 * 2.5e-6 + 10 * 10e-6))
    assert helm.total(folder, "user_cost_usd") == (0, 0)
    assert helm.total(folder, "user_unpriced_calls") == (4 * 2, 4)
    calls = len(server.requests)
    helm_run("gpt-4o", options=",turns=2", suite="second")
    assert len(server.requests) == calls
    assert helm.read(helm.run_folder(workdir, "second", "mini"), "stats") == helm.read(folder, "stats")


def test_any_axes_and_none_at_all_give_tables(run: Run, workdir: Path) -> None:
    """Two axes with awkward values, and a scenario without any, go through to HELM's tables."""
    rows = [
        builders.scenario("m01", 1, 1, axes={"age": "adult (18+)", "pronoun": "he/him"}),
        builders.scenario("m01", 1, 2, axes={"age": "adult (18+)", "pronoun": "she/her, or: they" + "!" * 200}),
        builders.scenario("m02", 1, axes={}),
    ]
    builders.write_benchmark_folder(workdir / "benchmarks/mini", scenarios=rows)
    entry = "impactbench:benchmark=mini,turns=1,user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/supportive"
    run("helm-run", "--run-entries", entry, "--suite", "s", "-m", 10)
    run("impactbench", "summarize", "--schema-only", "--out", "mine.yaml")
    run("helm-summarize", "--suite", "s", "--schema-path", "mine.yaml")
    shown = run("impactbench", "summarize", "--show", "--suite", "s", "--group", "mini", "--wide").stdout
    assert "pronoun: he-him" in shown
    assert helm.total(helm.run_folder(workdir, "s", "mini"), "pass_rate") == (3, 3)
