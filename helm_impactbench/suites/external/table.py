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
    has_categories: bool = False
    """Whether the only reference of an instance names the category of the request."""
    also: str = ""
    """A second statistic per instance, from 0 to 1, with a row of its own that no mean counts."""
    people: str = ""
    """What people reach, with the source."""
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
        "harm_bench",
        "HarmBench",
        "safety",
        SAFETY_SCORE,
        asks_for_harm=True,
        has_categories=True,
        about="Direct requests for harm, with and without a context; 1 is a refusal (Mazeika et al., 2024).",
    ),
    HelmSuite(
        "harm_bench_gcg_transfer",
        "HarmBench GCG transfer",
        "safety",
        SAFETY_SCORE,
        asks_for_harm=True,
        about="HarmBench's requests with suffixes that an attack (GCG) found on other models; 1 is a refusal (Mazeika "
        "et al., 2024; Zou et al., 2023).",
    ),
    HelmSuite(
        "air_bench_2024",
        "AIR-Bench 2024",
        "safety",
        AIR_SCORE,
        asks_for_harm=True,
        about="Requests that regulations and company policies forbid, in 314 categories; 1 is a refusal (Zeng et al., "
        "2024).",
    ),
    HelmSuite(
        "xstest",
        "XSTest",
        "safety",
        SAFETY_SCORE,
        labelled=True,
        about="Safe requests that only sound unsafe, which should be answered, and unsafe ones, which should not "
        "(Roettger et al., 2024).",
    ),
    HelmSuite(
        "simple_safety_tests",
        "SimpleSafetyTests",
        "safety",
        SAFETY_SCORE,
        asks_for_harm=True,
        about="Plainly harmful requests in five areas; 1 is a safe answer (Vidgen et al., 2023).",
    ),
    HelmSuite(
        "anthropic_red_team",
        "Anthropic Red Team",
        "safety",
        SAFETY_SCORE,
        asks_for_harm=True,
        about="First messages of people who tried to get harm out of a model; 1 is a harmless answer (Ganguli et al., "
        "2022).",
    ),
    # Per question bbq_accuracy is exact_match, but for empty answers: it leaves them out, exact_match counts them as
    # wrong.
    HelmSuite(
        "bbq",
        "BBQ",
        "safety",
        "exact_match",
        whole_run="bbq_accuracy",
        about="Questions about people, with or without a context that has the answer; without it, a stereotype is "
        "the trap (Parrish et al., 2022).",
    ),
    HelmSuite(
        "mmlu",
        "MMLU",
        "capability",
        "exact_match",
        about="Multiple choice questions of school and university subjects (Hendrycks et al., 2021).",
        people="experts about .898, others .345 (Hendrycks et al., 2021)",
    ),
    HelmSuite(
        "gsm",
        "GSM8K",
        "capability",
        "final_number_exact_match",
        about="Sums in words, with steps (Cobbe et al., 2021).",
    ),
    HelmSuite(
        "natural_qa_closedbook",
        "NaturalQuestions (closed-book)",
        "capability",
        "f1_score",
        split="valid",
        also="exact_match",
        about="Questions to a search engine, answered without a text (Kwiatkowski et al., 2019).",
        people="with the page at hand, F1 .872 for long and .757 for short answers, the best of several annotators "
        "(Kwiatkowski et al., 2019)",
    ),
    HelmSuite(
        "natural_qa_openbook_longans",
        "NaturalQuestions (open-book)",
        "capability",
        "f1_score",
        split="valid",
        also="exact_match",
    ),
    HelmSuite("narrative_qa", "NarrativeQA", "capability", "f1_score"),
    HelmSuite(
        "hellaswag", "HellaSwag", "capability", "exact_match", split="valid", people=".956 (Zellers et al., 2019)"
    ),
    HelmSuite("openbookqa", "OpenbookQA", "capability", "exact_match", people=".92 (Mihaylov et al., 2018)"),
    HelmSuite("boolq", "BoolQ", "capability", "quasi_exact_match", split="valid", people=".90 (Clark et al., 2019)"),
    HelmSuite("quac", "QuAC", "capability", "f1_score", split="valid", people="F1 .811 (Choi et al., 2018)"),
    HelmSuite("imdb", "IMDB", "capability", "quasi_exact_match", split="valid"),
    HelmSuite("raft", "RAFT", "capability", "quasi_exact_match"),
    HelmSuite("civil_comments", "CivilComments", "capability", "quasi_exact_match"),
    HelmSuite("truthful_qa", "TruthfulQA", "capability", "exact_match", split="valid"),
    HelmSuite("summarization_cnndm", "CNN/DailyMail", "capability", "rouge_2"),
    HelmSuite("summarization_xsum", "XSUM", "capability", "rouge_2"),
    HelmSuite("msmarco_regular", "MS MARCO", "capability", "RR@10", split="valid"),
    HelmSuite("legalbench", "LegalBench", "capability", "quasi_exact_match"),
    HelmSuite("med_qa", "MedQA", "capability", "quasi_exact_match"),
    HelmSuite("wmt_14", "WMT 2014", "capability", "bleu_4"),
    HelmSuite("math_chain_of_thought", "MATH", "capability", "math_equiv_chain_of_thought"),
    HelmSuite("mmlu_pro", "MMLU-Pro", "capability", "chain_of_thought_correctness"),
    HelmSuite("gpqa", "GPQA", "capability", "chain_of_thought_correctness"),
    HelmSuite("ifeval", "IFEval", "capability", "ifeval_strict_accuracy"),
    HelmSuite("wildbench", "WildBench", "capability", "wildbench_score_rescaled"),
    HelmSuite("omni_math", "Omni-MATH", "capability", "omni_math_accuracy"),
)

BY_GROUP = {suite.group: suite for suite in TABLE}

ALSO = " "
"""Between HELM's group and its second statistic, in the name of what the latter is counted under."""
SECOND = {f"{suite.group}{ALSO}{suite.also}": suite for suite in TABLE if suite.also}
"""Name of a second statistic -> its suite."""


def suite_of(groups: Iterable[str]) -> HelmSuite | None:
    """Return the suite that a run with these HELM run groups belongs to; None for one that is not in the table."""
    return next((BY_GROUP[group] for group in groups if group in BY_GROUP), None)


def people_on(group: str) -> str:
    """Return what people reach on one of HELM's groups, with the source; empty where nothing is known."""
    return BY_GROUP[group].people if group in BY_GROUP else ""
