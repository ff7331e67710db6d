"""About how large HELM's suites are, for an estimate of what they cost: published sizes, and rough lengths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from helm_impactbench.analysis.costs.forecast import Estimate
from helm_impactbench.suites.panels.names import RUN_PREFIX

HELM_JUDGE = "openai/gpt-4o-2024-05-13"
"""Of HELM's own safety suites."""
JUDGE_ANSWER = 50
"""Tokens: a sentence and a score."""


@dataclass(frozen=True)
class Size:
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


def has_size(run_spec: str) -> bool:
    """Whether the cost of a run spec, HELM's own or with a panel, can be estimated here."""
    return run_spec.removeprefix(RUN_PREFIX) in SIZES


@dataclass(frozen=True)
class PlannedSuite:
    """One suite with one target."""

    run_spec: str
    options: Mapping[str, Any]
    """Of the run entry, `model` excepted."""
    target: str

    @property
    def judges(self) -> list[str]:
        """Deployments that read every answer, if anybody does."""
        if self.run_spec.startswith(RUN_PREFIX):
            return [judge for judge in str(self.options.get("judge", "")).split("+") if judge]
        return [
            str(self.options.get("annotator_model_deployment") or self.options.get("annotator_model") or HELM_JUDGE)
        ]


def add_suite(result: Estimate, suite: PlannedSuite, most: int) -> int:
    """Add what a suite takes with at most `most` prompts; return their number."""
    size = SIZES[suite.run_spec.removeprefix(RUN_PREFIX)]
    prompts = min(most, _SUBJECTS.get(str(suite.options.get("subject")), size.prompts))
    result.of("target", suite.target).add(prompts, prompts * size.prompt_tokens, prompts * size.answer_tokens)
    if size.judge_tokens:
        read = size.judge_tokens + size.prompt_tokens + size.answer_tokens
        for judge in suite.judges:
            result.of("judge", judge).add(prompts, prompts * read, prompts * JUDGE_ANSWER)
    return prompts
