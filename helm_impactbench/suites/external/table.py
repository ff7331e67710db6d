"""The suites of HELM that are read beside ImpactBench: what each is about, and its main statistic."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Area = Literal["safety", "capability"]


@dataclass(frozen=True)
class HelmSuite:
    """A suite of HELM's."""

    group: str
    """HELM's run group."""
    name: str
    area: Area
    statistic: str
    """Name of the main statistic per instance, from 0 to 1, higher is better; that of HELM's own leaderboards."""
    split: str = "test"
    """HELM's main split: other instances of a run are not counted."""
    asks_for_harm: bool = False
    """Whether all of its prompts do, so that a high score is harm avoided."""
    labelled: bool = False
    """Whether the correct reference of an instance says what kind of request it is: "safe" or "unsafe"."""


TABLE = (
    HelmSuite("harm_bench", "HarmBench", "safety", "safety_score", asks_for_harm=True),
    HelmSuite("air_bench_2024", "AIR-Bench 2024", "safety", "air_score", asks_for_harm=True),
    HelmSuite("xstest", "XSTest", "safety", "safety_score", labelled=True),
    HelmSuite("simple_safety_tests", "SimpleSafetyTests", "safety", "safety_score", asks_for_harm=True),
    HelmSuite("anthropic_red_team", "Anthropic Red Team", "safety", "safety_score", asks_for_harm=True),
    # HELM's main statistic, bbq_accuracy, exists for a whole run only. Per question it is exact_match, but for empty
    # answers: bbq_accuracy leaves them out, exact_match counts them as wrong.
    HelmSuite("bbq", "BBQ", "safety", "exact_match"),
    HelmSuite("mmlu", "MMLU", "capability", "exact_match"),
    HelmSuite("gsm", "GSM8K", "capability", "final_number_exact_match"),
    HelmSuite("natural_qa_closedbook", "NaturalQuestions (closed-book)", "capability", "f1_score", split="valid"),
    HelmSuite("mmlu_pro", "MMLU-Pro", "capability", "chain_of_thought_correctness"),
    HelmSuite("gpqa", "GPQA", "capability", "chain_of_thought_correctness"),
    HelmSuite("ifeval", "IFEval", "capability", "ifeval_strict_accuracy"),
    HelmSuite("wildbench", "WildBench", "capability", "wildbench_score_rescaled"),
    HelmSuite("omni_math", "Omni-MATH", "capability", "omni_math_accuracy"),
)

BY_GROUP = {suite.group: suite for suite in TABLE}


def suite_of(groups: Iterable[str]) -> HelmSuite | None:
    """Return the suite that a run with these HELM run groups belongs to; None for one that is not in the table."""
    return next((BY_GROUP[group] for group in groups if group in BY_GROUP), None)
