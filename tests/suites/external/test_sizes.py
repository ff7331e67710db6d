"""What HELM's suites are estimated to cost: prompts up to a cap, and every judge of a panel."""

from __future__ import annotations

from typing import Any

import pytest

from helm_impactbench.analysis.costs.forecast import CostEstimate, Expense, add_prompts
from helm_impactbench.files.resources import shipped
from helm_impactbench.suites.external.sizes import HELM_JUDGE, SIZES
from helm_impactbench.suites.external.table import TABLE
from helm_impactbench.suites.planned_prompts import PlannedPrompts
from helm_impactbench.suites.registry import prompts_of
from tests.conftest import Run


@pytest.mark.parametrize(
    ("run_spec", "options", "prompts", "judges"),
    [
        ("panel_harm_bench", {"judge": "a+b"}, 400, {"a", "b"}),
        ("panel_harm_bench", {"judge": "none"}, 400, set()),
        ("harm_bench", {}, 400, {HELM_JUDGE}),
        ("air_bench_2024", {"annotator_model": "x/y"}, 1000, {"x/y"}),
        ("mmlu", {"subject": "econometrics"}, 126, set()),
        ("mmlu", {"subject": "virology"}, 273, set()),
        ("gsm", {}, 1000, set()),
        ("panel_harm_bench_gcg_transfer", {"judge": "a"}, 400, {"a"}),
    ],
)
def test_prompts_and_judges(run_spec: str, options: dict[str, Any], prompts: int, judges: set[str]) -> None:
    """At most the cap; the target answers each prompt, each judge reads prompt, answer and its instructions."""
    result, planned = CostEstimate(), prompts_of(run_spec, options, 1000)
    assert planned is not None
    add_prompts(result, planned, "t")
    assert result.prompts == prompts
    size = SIZES[run_spec.removeprefix("panel_")]
    assert result.expenses["target", "t"] == Expense(
        prompts, prompts * size.prompt_tokens, prompts * size.answer_tokens
    )
    assert {name for role, name in result.expenses if role == "judge"} == judges
    read = size.judge_tokens + size.prompt_tokens + size.answer_tokens
    assert all(result.expenses["judge", name].prompt_tokens == prompts * read for name in judges)


def test_an_option_that_chooses_the_data_chooses_the_size() -> None:
    """Questions with a page beside them are ten times as long as those without."""
    closed, opened, other = (prompts_of("natural_qa", {"mode": mode}, 10) for mode in
                             ("closedbook", "openbook_longans", "openbook_wiki"))  # fmt: skip
    assert closed is not None
    assert opened is not None
    assert opened.prompt_tokens == 10 * closed.prompt_tokens
    assert other == closed
    assert prompts_of("commonsense", {"dataset": "openbookqa"}, 1000) == PlannedPrompts(500, 300, 3)
    assert prompts_of("commonsense", {"dataset": "piqa"}, 10) is None


def test_the_suites_of_the_combined_conf_have_a_size() -> None:
    """Every suite of HELM's that the conf takes is reckoned."""
    conf = shipped("run_entries", "combined.conf").read_text()
    groups = {name for suite in TABLE if f"{(name := suite.group.removesuffix('_closedbook'))}:" in conf}
    assert len(groups) == 9
    assert {name for name in groups if prompts_of(name, {}, 10) is None} == set()


def test_the_command_reckons_the_whole_conf(run: Run) -> None:
    """The combined conf with two targets, in helm-run's words: nothing is left out, the suites' prompts are capped."""
    conf = shipped("run_entries", "combined-rehearsal.conf")
    done = run("impactbench", "estimate", conf, "--models-to-run", "rehearsal/mixed", "rehearsal/harmful", "-m", 100)
    assert "Not in this estimate" not in done.stderr
    assert "Includes 2,600 prompts of HELM's suites" in done.stdout  # 13 runs per target, all of 100 prompts or more
    assert "32 runs" in done.stdout
    odd = run("impactbench", "estimate", "nonsense:a=b", "--models-to-run", "rehearsal/mixed", ok=False)
    assert odd.returncode == 2
    assert "No entry here is one of impactbench" in odd.stderr


def test_sizes_are_plain_numbers() -> None:
    """Every size has prompts and tokens; the judged ones are the six that HELM judges, and ours."""
    assert all(size.prompts > 0 and size.prompt_tokens > 0 and size.answer_tokens > 0 for size in SIZES.values())
    assert {name for name, size in SIZES.items() if size.judge_tokens} == {
        "harm_bench", "harm_bench_gcg_transfer", "air_bench_2024", "xstest", "simple_safety_tests",
        "anthropic_red_team", "panel_gsm",
    }  # fmt: skip
