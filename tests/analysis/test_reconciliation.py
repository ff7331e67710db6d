"""What was booked stands beside what was billed, for exports in the shapes that providers give."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_impactbench.analysis.costs.reconciliation import (
    Billed,
    Booked,
    ReconciledRow,
    booked_of,
    model_key,
    read_export,
    reconciliation,
)
from helm_impactbench.errors import ExchangeError


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param(
            "start_time,model,num_model_requests,input_tokens,output_tokens\n1,gpt-4o-2024-08-06,3,100,20\n",
            [Billed("gpt-4o-2024-08-06", None, 100, 20, 3)],
            id="OpenAI's usage",
        ),
        pytest.param(
            '{"amount": {"value": "0.06", "currency": "usd"}, "line_item": "gpt-4o, input"}\n'
            '{"amount": {"value": 0.1}, "line_item": "gpt-4o, output"}\n',
            [Billed("gpt-4o, input", 0.06, None, None, None), Billed("gpt-4o, output", 0.1, None, None, None)],
            id="OpenAI's costs",
        ),
        pytest.param(
            'created_at,cost_total,tokens_prompt,tokens_completion,model_permaslug\n1,"$1,000.50",7,2,openai/gpt-4o\n',
            [Billed("openai/gpt-4o", 1000.5, 7, 2, None)],
            id="OpenRouter's activity",
        ),
        pytest.param(
            "Model Version,Usage Input Tokens,Usage Output Tokens\nclaude-x-20250101,5,6\n,1,1\n",
            [Billed("claude-x-20250101", None, 5, 6, None)],
            id="Anthropic's usage, and a line of no model",
        ),
    ],
)
def test_exports_are_read(tmp_path: Path, text: str, lines: list[Billed]) -> None:
    """Whatever the columns are called; what is not said is unknown."""
    file = tmp_path / "export"
    file.write_text(text)
    assert read_export(file) == lines


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", '{"model": "m"}\n', '{"model": \n', "model\ngpt-4o\n"])
def test_a_file_without_models_and_amounts_is_refused(tmp_path: Path, text: str) -> None:
    """With what it has and what is needed."""
    file = tmp_path / "export.csv"
    file.write_text(text)
    with pytest.raises(ExchangeError, match=r"export\.csv (has no line with a model|is neither CSV)"):
        read_export(file)


def test_both_accounts_stand_side_by_side() -> None:
    """Matched without provider and date; what only one of them has stays visible, the largest difference first."""
    lines = [
        {"reserved": "a-1", "deployment": "litellm/openai/gpt-4o", "most_usd": 1.0},
        {"settled": "a-1", "deployment": "litellm/openai/gpt-4o", "cost_usd": 0.5},
        {"deployment": "lab/gpt-4o", "cost_usd": 0.25, "unknown": True},
        {"deployment": "litellm/openai/small", "cost_usd": 0.125},
    ]
    billed = [
        Billed("gpt-4o-2024-08-06, input", 0.5, 100, None, 3),
        Billed("gpt-4o-2024-08-06, output", 0.5, None, 20, None),
        Billed("elsewhere", 2.0, None, None, None),
    ]
    other, both, ours = reconciliation(booked_of(lines), billed)
    assert other == ReconciledRow("elsewhere", (), 0, 0, 0, 2.0, None, None, None)
    assert both == ReconciledRow("gpt-4o", ("lab/gpt-4o", "litellm/openai/gpt-4o"), 0.75, 0.25, 2, 1.0, 3, 100, 20)
    assert both.difference_usd == 0.25
    assert ours == ReconciledRow("small", ("litellm/openai/small",), 0.125, 0, 1, None, None, None, None)
    assert ours.difference_usd is None


def test_no_accounts_are_no_rows() -> None:
    """Nor is there a difference."""
    assert reconciliation([], []) == []
    assert reconciliation([Booked("m", 0.0)], [])[0].difference_usd is None


def test_models_are_matched_by_their_bare_names() -> None:
    """Provider, date, variant and what is billed of it aside."""
    names = [
        "litellm/openai/gpt-4o",
        "gpt-4o-2024-08-06",
        "openai/gpt-4o:free",
        "GPT-4o, cached input",
        "gpt-4o-latest",
    ]
    assert {model_key(name) for name in names} == {"gpt-4o"}
