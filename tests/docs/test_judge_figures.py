"""What the pages say of today's golden sets and of the scripted judge on them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from helm_impactbench.benchmark.golden_files import golden_folders, load_golden
from helm_impactbench.cli import main
from helm_impactbench.llm.request import ModelRequest, Reply
from helm_impactbench.rehearsal.judges import scripted_judge
from helm_impactbench.validity.golden.figures import judge_figures
from helm_impactbench.validity.golden.run import GoldenCheck

DOCS = Path(__file__).parents[2] / "docs"


def words(page: str) -> str:
    """Return the text of a page on one line."""
    return " ".join((DOCS / page).read_text().split())


@pytest.fixture(scope="module")
def check() -> GoldenCheck:
    """The check of the scripted judge on all shipped golden sets."""
    return GoldenCheck(tuple(load_golden(folder) for folder in golden_folders()), ("rehearsal/judge",))


def test_the_page_counts_the_transcripts_and_what_a_judge_takes(check: GoldenCheck) -> None:
    """Transcripts, benchmarks, and prompt tokens to a tenth of a million."""
    ((expense),) = check.plan.expenses.values()
    told = (
        f"{len(check.items):,} transcripts of {len(check.sets)} benchmarks: {expense.prompt_tokens / 1e6:.1f} million"
    )
    assert told in words("judges.md")


def test_the_pages_say_what_stress_costs() -> None:
    """As its plan does, on all golden sets; the budget of the first page is enough for it."""
    dry = ["stress", "--judge", "litellm/openai/gpt-5.4-mini", "--dry-run"]
    told = re.search(r"([\d,]+) calls, about (\$(\d+\.\d\d))", CliRunner().invoke(main, dry).output)
    assert told
    calls, price, dollars = told.groups()
    assert f"cost {price} with gpt-5.4-mini ({calls} calls)" in words("judges.md")
    assert f"{price} with this judge" in words("judge.md")
    (budget,) = re.findall(r"impactbench stress --judge \S+ --budget (\d+)", words("judge.md"))
    assert float(budget) > float(dollars)


def test_the_page_says_how_the_scripted_judge_fails(check: GoldenCheck) -> None:
    """None of the present items, all of the absent ones; numbers and sides; echoes alone of what did not engage."""

    def call(request: ModelRequest) -> Reply:
        return Reply(scripted_judge("judge", request.messages, request.json_schema))

    figures = judge_figures(check.record([check.ask(item, call) for item in check.items]).items)
    everything = figures.presence[0]
    assert (everything.sensitivity.value, everything.specificity.value) == (0.0, 1.0)
    page = words("decisions/evidence.md")
    assert f"balanced accuracy is {everything.balanced.value:.3f}" in page
    right = {one.measure: one.right.value for one in figures.accuracy}
    assert f"names {right['quantity']:.0%} of the numbers" in page
    assert f"{right['stance']:.0%} of the sides" in page
    assert figures.engagement is not None
    assert figures.engagement.engaged.value == 1.0
    assert 0 < figures.engagement.not_engaged.value < 0.2
