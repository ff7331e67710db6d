"""What the pages say that runs take and cost is what `impactbench estimate` says, after rounding."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.files.resources import shipped
from helm_impactbench.helm.estimate import EstimateRequest, estimated
from helm_impactbench.helm.planned import entries_in
from helm_impactbench.helm.session import know_deployments
from tests.docs.pages import ROOT, Page

COSTS, HELM, LARGE = (Page(ROOT / f"docs/{name}.md") for name in ("costs", "helm", "decisions/large-runs"))
SONNET, MINI, GPT4O = "litellm/anthropic/claude-sonnet-4-6", "litellm/openai/gpt-5.4-mini", "litellm/openai/gpt-4o"
OTHERS = "litellm/openai/gpt-4o-2024-08-06", "litellm/openai/gpt-4o-2024-11-20"
Rows = Sequence[Mapping[str, Any]]


def entries(conf: str, *, user: str = SONNET, simulated: bool = False) -> tuple[str, ...]:
    """Return the entries of a shipped conf, with another simulated user; those that have one alone."""
    found = entries_in(str(shipped("run_entries", f"{conf}.conf")))
    return tuple(one.replace(f"user={SONNET}", f"user={user}") for one in found if "user=" in one or not simulated)


@cache
def estimate(asked: tuple[str, ...], *models: str) -> tuple[int, int, Rows]:
    """Return runs, conversations, and the rows by role and model."""
    know_deployments(Path("prod_env"))
    (table,) = estimated(EstimateRequest(asked, models)).tables
    runs, conversations = re.findall(r"([\d,]+) (?:run|conversation)s?", table.title)
    return int(runs), int(conversations.replace(",", "")), [*table.rows]


def dollars(rows: Rows, *roles: str) -> float:
    """Return what some roles cost, all without a name."""
    return float(sum(row["cost_usd"] for row in rows if not roles or row["role"] in roles))


def table(page: Page, first: str) -> list[list[str]]:
    """Return the rows of the page's table with that first column."""
    (found,) = (rows for rows in page.tables() if rows[0][0] == first)
    return found[1:]


def same(told: str, true: float) -> bool:
    """Return whether a number as it is written, with its digits, is the true one."""
    written = Decimal(told.strip("*%$ M").replace(",", ""))
    digits = Decimal(1).scaleb(int(written.as_tuple().exponent))
    return Decimal(str(true)).quantize(digits, ROUND_HALF_EVEN) == written


def test_typical_runs_cost_what_is_told() -> None:
    """The first run; `--quick` and `--all`, with either simulated user; two products."""
    first, quick, quick_mini, everything, products = table(COSTS, "run")
    arms = tuple(re.sub(r"part=[\d.]+", "axes=age+operator", one) for one in entries("quick"))
    for row, asked in ((quick, entries("quick")), (quick_mini, entries("quick", user=MINI)), (products, arms)):
        _, conversations, rows = estimate(asked, GPT4O)
        assert same(row[1], conversations), row
        assert abs(float(row[2]) - dollars(rows)) <= 0.5 + 1e-9, row
    small = f"impactbench:benchmark=emotional-dependence,part=0.25,user={GPT4O}-mini,judge={MINI}"
    _, conversations, rows = estimate((small,), f"{GPT4O}-mini", MINI)
    assert same(first[1], conversations)
    assert same(first[2], dollars(rows))
    for user, told in zip((SONNET, MINI), everything[2].split(" or "), strict=True):
        _, conversations, rows = estimate(entries("impactbench", user=user), GPT4O)
        assert same(everything[1], conversations)
        assert same(told, dollars(rows)), told


@pytest.mark.parametrize(("row", "judges"), [*enumerate([(MINI,), (GPT4O,), (GPT4O, *OTHERS)])])
def test_what_batches_save(row: int, judges: tuple[str, ...]) -> None:
    """All, the judge's share, all with half of that share, and the difference."""
    told = table(COSTS, "judge")[row]
    entry = f"impactbench:benchmark=emotional-dependence,user=litellm/openai/gpt-4o-mini,judge={'+'.join(judges)}"
    _, conversations, rows = estimate((entry,), GPT4O)
    whole, judging = dollars(rows), dollars(rows, "judge")
    true = whole, 100 * judging / whole, whole - judging / 2, 50 * judging / whole
    assert all(same(cell, number) for cell, number in zip(told[1:], true, strict=True)), (told, true)
    assert f"(emotional-dependence, {conversations} conversations)" in COSTS.text


def test_the_example_of_a_large_run() -> None:
    """17 benchmarks on 21 models: one model's and what each further one adds; and what follows from it."""
    one, two = (estimate(entries("impactbench", simulated=True), *models) for models in ((GPT4O,), (GPT4O, OTHERS[0])))
    models = int(re.findall(r"simulated user on (\d+) models", LARGE.text)[0])
    assert f"The {one[0]} benchmarks with a simulated user on" in LARGE.text
    assert f"{models * one[1]:,} conversations" in LARGE.text
    assert f"the {models * one[0]} runs would follow" in LARGE.text

    def sums(rows: Rows, role: str) -> tuple[int, float, float]:
        own = [row for row in rows if row["role"] == role]
        tokens = sum(row["prompt_tokens"] + row["completion_tokens"] for row in own)
        return sum(row["calls"] for row in own), tokens / 1e6, sum(row["cost_usd"] for row in own)

    def of_all(role: str) -> tuple[float, float, float]:
        first, second = sums(one[2], role), sums(two[2], role)
        calls, tokens, usd = (a + (models - 1) * (b - a) for a, b in zip(first, second, strict=True))
        return calls, tokens, usd

    user, targets, judge, whole = table(LARGE, "role")
    found = {role: of_all(role) for role in ("user", "target", "judge")}
    total = [sum(values) for values in zip(*found.values(), strict=True)]
    expected = ((user, found["user"]), (judge, found["judge"]), (whole, total))
    for row, (calls, tokens, _) in expected:
        assert same(row[1], calls), row
        assert same(row[2], tokens), row
    assert same(targets[1], sums(one[2], "target")[0])
    assert same(targets[2], sums(one[2], "target")[1])
    for row, (calls, tokens) in (
        (user, found["user"][:2]), (targets, sums(one[2], "target")[:2]), (judge, found["judge"][:2])
    ):  # fmt: skip
        by_calls, by_tokens = (float(one.replace(",", "")) for one in re.findall(r"([\d,.]+) (?:calls|M)", row[3]))
        assert same(row[4], calls / by_calls), row
        assert same(row[5], tokens / by_tokens), row
    (told,) = re.findall(r"about\s+\$([\d,]+), at litellm's prices", LARGE.text)
    assert abs(int(told.replace(",", "")) - total[2]) <= 10


def test_tasks_of_the_job_array_are_the_entries_of_the_conf() -> None:
    """One each."""
    assert f"--array=1-{len(entries('impactbench'))}%6" in COSTS.text


def test_the_estimate_of_the_combined_conf() -> None:
    """In docs/helm.md: runs, conversations, calls; tokens and dollars within 1%, as texts are edited."""
    runs, conversations, rows = estimate(entries("combined"), GPT4O, SONNET, "litellm/mistral/mistral-large-latest")
    assert f"{runs} runs, {conversations:,} conversations, {sum(row['calls'] for row in rows):,} calls" in HELM.text
    for row in rows:
        ((calls, *told),) = re.findall(
            rf"^ {row['role']} +{re.escape(row['model'])} +([\d,]+) +([\d,]+) +([\d,]+) +([\d.]+)$",
            HELM.text,
            re.MULTILINE,
        )
        assert calls == f"{row['calls']:,}"
        true = row["prompt_tokens"], row["completion_tokens"], row["cost_usd"]
        assert [float(cell.replace(",", "")) for cell in told] == pytest.approx(true, rel=0.01), row
