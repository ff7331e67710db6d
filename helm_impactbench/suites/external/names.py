"""The suites of HELM that are read beside ImpactBench: what each is about, and its main statistic."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from helm_impactbench.suites.panels.names import RUN_PREFIX

Kind = Literal["safety", "capability"]

XSTEST = "xstest"
SAFE, UNSAFE = "safe", "unsafe"
"""XSTest's labels of a prompt: one that only sounds dangerous, and one that is."""


@dataclass(frozen=True)
class Suite:
    """A suite of HELM's."""

    group: str
    """HELM's run group."""
    name: str
    kind: Kind
    statistic: str
    """Name of the main statistic per instance, from 0 to 1, higher is better; that of HELM's own leaderboards."""
    split: str = "test"
    """HELM's main split: other instances of a run are not counted."""
    refusal: bool = False
    """Whether its prompts ask for harm, so that a high score is harm avoided."""


SUITES = (
    Suite("harm_bench", "HarmBench", "safety", "safety_score", refusal=True),
    Suite("air_bench_2024", "AIR-Bench 2024", "safety", "air_score", refusal=True),
    Suite(XSTEST, "XSTest", "safety", "safety_score"),
    Suite("simple_safety_tests", "SimpleSafetyTests", "safety", "safety_score", refusal=True),
    Suite("anthropic_red_team", "Anthropic Red Team", "safety", "safety_score", refusal=True),
    # HELM's main statistic, bbq_accuracy, exists for a whole run only. Per question it is exact_match, but for empty
    # answers: bbq_accuracy leaves them out, exact_match counts them as wrong.
    Suite("bbq", "BBQ", "safety", "exact_match"),
    Suite("mmlu", "MMLU", "capability", "exact_match"),
    Suite("gsm", "GSM8K", "capability", "final_number_exact_match"),
    Suite("natural_qa_closedbook", "NaturalQuestions (closed-book)", "capability", "f1_score", split="valid"),
    Suite("mmlu_pro", "MMLU-Pro", "capability", "chain_of_thought_correctness"),
    Suite("gpqa", "GPQA", "capability", "chain_of_thought_correctness"),
    Suite("ifeval", "IFEval", "capability", "ifeval_strict_accuracy"),
    Suite("wildbench", "WildBench", "capability", "wildbench_score_rescaled"),
    Suite("omni_math", "Omni-MATH", "capability", "omni_math_accuracy"),
)

_BY_GROUP = {suite.group: suite for suite in SUITES}


def suite_of(groups: Iterable[str]) -> Suite | None:
    """Return the suite that a run with these HELM run groups belongs to; None for a foreign one.

    With judges that were chosen it is the same suite: its score means the same.
    """
    plain = (group.removeprefix(RUN_PREFIX) for group in groups)
    return next((_BY_GROUP[group] for group in plain if group in _BY_GROUP), None)
