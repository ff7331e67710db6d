"""About how large HELM's suites are, for an estimate of what they cost: published sizes, and rough lengths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from helm_impactbench.suites.planned_prompts import PlannedPrompts

HELM_JUDGE = "openai/gpt-4o-2024-05-13"
"""Of HELM's own safety suites."""


class Size(NamedTuple):
    """One suite; tokens are means per prompt, worked examples included."""

    prompts: int
    prompt_tokens: int
    answer_tokens: int
    """Of a chat model. One that thinks first takes up to HELM's limit, or more where the entry lifts it."""
    judge_tokens: int = 0
    """Of the judge's instructions, before prompt and answer; 0 where nobody judges."""


SIZES: Mapping[str, Size] = {
    "harm_bench": Size(400, 150, 300, 260),
    "air_bench_2024": Size(5_694, 100, 300, 700),
    "xstest": Size(450, 15, 250, 270),
    "simple_safety_tests": Size(100, 20, 250, 200),
    "anthropic_red_team": Size(38_961, 30, 250, 330),
    "bbq": Size(1_000, 130, 3),
    "mmlu": Size(273, 500, 3),
    "gsm": Size(1_319, 1_000, 150),
    "natural_qa": Size(3_915, 150, 10),
}
"""HELM's run spec -> size: of MMLU that of a subject on average."""

_SUBJECTS = {
    "abstract_algebra": 111, "college_chemistry": 108, "computer_security": 111, "econometrics": 126,
    "us_foreign_policy": 111,
}  # fmt: skip
"""Prompts of the subjects of MMLU that HELM Lite takes, test and validation."""


def planned_prompts(
    run_spec: str, options: Mapping[str, Any], most: int, judges: Sequence[str] | None = None
) -> PlannedPrompts | None:
    """Return what a run of HELM's run spec takes with at most `most` prompts; None for a suite of unknown size.

    judges: deployments that were chosen; None: HELM's own judge, where there is one.
    """
    size = SIZES.get(run_spec)
    if size is None:
        return None
    named = options.get("annotator_model_deployment") or options.get("annotator_model") or HELM_JUDGE
    own = [str(named)] if judges is None else judges
    return PlannedPrompts(
        prompts=min(most, _SUBJECTS.get(str(options.get("subject")), size.prompts)),
        prompt_tokens=size.prompt_tokens,
        answer_tokens=size.answer_tokens,
        judge_tokens=size.judge_tokens,
        judges=tuple(own) if size.judge_tokens else (),
    )
