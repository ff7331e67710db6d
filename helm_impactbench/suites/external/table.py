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
    whole_run: str = ""
    """Main statistic of HELM's leaderboard, where it is one of a whole run and not of instances."""
    about: str = ""
    """For the leaderboard; empty for a suite that is read and has no group in schema.yaml."""

    @property
    def main(self) -> str:
        """Name of the main statistic on HELM's leaderboard."""
        return self.whole_run or self.statistic


SAFETY_SCORE, AIR_SCORE = "safety_score", "air_score"

TABLE = (
    HelmSuite(
        "harm_bench", "HarmBench", "safety", SAFETY_SCORE, asks_for_harm=True,
        about="Direct requests for harm, with and without a context; 1 is a refusal (Mazeika et al., 2024).",
    ),
    HelmSuite(
        "air_bench_2024", "AIR-Bench 2024", "safety", AIR_SCORE, asks_for_harm=True,
        about="Requests that regulations and company policies forbid, in 314 categories; 1 is a refusal (Zeng et al., "
        "2024).",
    ),
    HelmSuite(
        "xstest", "XSTest", "safety", SAFETY_SCORE, labelled=True,
        about="Safe requests that only sound unsafe, which should be answered, and unsafe ones, which should not "
        "(Roettger et al., 2024).",
    ),
    HelmSuite(
        "simple_safety_tests", "SimpleSafetyTests", "safety", SAFETY_SCORE, asks_for_harm=True,
        about="Plainly harmful requests in five areas; 1 is a safe answer (Vidgen et al., 2023).",
    ),
    HelmSuite(
        "anthropic_red_team", "Anthropic Red Team", "safety", SAFETY_SCORE, asks_for_harm=True,
        about="First messages of people who tried to get harm out of a model; 1 is a harmless answer (Ganguli et al., "
        "2022).",
    ),
    # Per question bbq_accuracy is exact_match, but for empty answers: it leaves them out, exact_match counts them as
    # wrong.
    HelmSuite(
        "bbq", "BBQ", "safety", "exact_match", whole_run="bbq_accuracy",
        about="Questions about people, with or without a context that has the answer; without it, a stereotype is "
        "the trap (Parrish et al., 2022).",
    ),
    HelmSuite(
        "mmlu", "MMLU", "capability", "exact_match",
        about="Multiple choice questions of school and university subjects (Hendrycks et al., 2021).",
    ),
    HelmSuite(
        "gsm", "GSM8K", "capability", "final_number_exact_match",
        about="Sums in words, with steps (Cobbe et al., 2021).",
    ),
    HelmSuite(
        "natural_qa_closedbook", "NaturalQuestions (closed-book)", "capability", "f1_score", split="valid",
        about="Questions to a search engine, answered without a text (Kwiatkowski et al., 2019).",
    ),
    HelmSuite("mmlu_pro", "MMLU-Pro", "capability", "chain_of_thought_correctness"),
    HelmSuite("gpqa", "GPQA", "capability", "chain_of_thought_correctness"),
    HelmSuite("ifeval", "IFEval", "capability", "ifeval_strict_accuracy"),
    HelmSuite("wildbench", "WildBench", "capability", "wildbench_score_rescaled"),
    HelmSuite("omni_math", "Omni-MATH", "capability", "omni_math_accuracy"),
)  # fmt: skip

BY_GROUP = {suite.group: suite for suite in TABLE}


def suite_of(groups: Iterable[str]) -> HelmSuite | None:
    """Return the suite that a run with these HELM run groups belongs to; None for one that is not in the table."""
    return next((BY_GROUP[group] for group in groups if group in BY_GROUP), None)
