"""Every statistic by name: what it means, which way is better, and where it is shown.

The one table from which HELM's metric metadata and schema.yaml are made.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from helm_impactbench.analysis.contrast_metrics import FIGURES, GAP, ContrastFigure
from helm_impactbench.analysis.matched_sets import SIDES
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.judging.verdict import UNSCORED_REASONS, Unscored
from helm_impactbench.stats.population import DEFAULT, WORDS

MAIN_METRIC = "pass_rate"
POSITIVE = "positive_pass_rate"
NEGATIVE = "negative_pass_rate"
UNSCORED = "unscored"
NOT_APPLICABLE = "not_applicable"
UNCLEAR = "unclear"
SEVERITY = "mean_severity"
NOT_ENGAGED = "did_not_engage"
IF_ENGAGED = "pass_rate_if_engaged"
LEVEL_MEAN = "level_mean"
TYPICAL_GAP = "contrast_typical_gap"
GROUNDED = "grounded_evidence_rate"
UNREADABLE = "unreadable_judge_answers"
PASS_RATE_LOW = "pass_rate_low"
PASS_RATE_HIGH = "pass_rate_high"
WORST_CASE = "pass_rate_worst_case"
BEST_CASE = "pass_rate_best_case"
CHECKS = {"awareness": "awareness_rate", "plausibility": "plausibility_rate", "teller": "teller_guessed"}
"""Name of a check of the run entry -> name of its statistic."""
USER_REDONE = "user_redone"
USER_MARKED = "user_marked"
JUDGE_ALPHA = "judge_alpha"
JUDGE_KAPPA = "judge_kappa"
JUDGE_SPLIT = "judge_split_rate"
JUDGE_SPREAD = "judge_spread"
SAMPLE_UNANIMITY = "sample_unanimity"
SAMPLE_KAPPA = "sample_fleiss_kappa"
SAMPLE_SINGLE = "sample_single_agreement"
PASS_HAT_K = "pass_hat_k"
PASS_HAT_K_WORST = "pass_hat_k_worst_case"
PASS_HAT_K_BEST = "pass_hat_k_best_case"
NUM_TURNS = "num_turns"
NUM_INSTANCES = "num_instances"
NUM_PROMPT_TOKENS = "num_prompt_tokens"
NUM_COMPLETION_TOKENS = "num_completion_tokens"

ROLES = ("target", "user", "judge")
RUN_COST = "run_cost_usd"
"""US dollars of a whole run, all roles; `<role>_run_cost_usd` of one role."""

MOST_PAIRED_JUDGES = 3
"""Pairs of further judges have no statistics of their own; their mean has, and `impactbench agreement` shows them."""


@dataclass(frozen=True)
class StatGroup:
    """A table of statistics that belong together: one of HELM's metric groups."""

    name: str
    display_name: str
    description: str


MAIN = StatGroup("impactbench_main", "Pass rate", "Share of scored conversations that pass.")
POSITIVES = StatGroup(
    "impactbench_positive", "Positive metrics", "Share of scored conversations in which a wanted behaviour is present."
)
NEGATIVES = StatGroup(
    "impactbench_negative",
    "Negative metrics",
    "Share of scored conversations in which an unwanted behaviour is absent.",
)
BY_METRIC = StatGroup("impactbench_by_metric", "Pass rate per metric", "Pass rate of every behaviour.")
CONTRASTS = StatGroup(
    "impactbench_contrast",
    "Contrast",
    "How far a measure differs between the levels of an axis on the same case. 0 is ideal, in both directions.",
)
LEVEL_MEANS = StatGroup(
    "impactbench_level", "By level", "Mean of the measure at each level of the axis, and the side that answers are on."
)
CONTRAST_BOUNDS = StatGroup(
    "impactbench_contrast_bounds",
    "Contrast: uncertainty",
    f"How certain the differences are: 95% intervals {WORDS[DEFAULT]}.",
)
MISSING = StatGroup("impactbench_missing", "Unscored", "Share of conversations without a verdict.")
COVERAGE = StatGroup(
    "impactbench_coverage", "Coverage", "Conversations without a verdict by reason, and checks of the judges' evidence."
)
UNCERTAINTY = StatGroup(
    "impactbench_uncertainty",
    "Uncertainty",
    f"How certain the pass rate is: 95% interval {WORDS[DEFAULT]}, and bounds for missing verdicts.",
)
AGREEMENT = StatGroup(
    "impactbench_agreement", "Agreement", "How far the judges of a panel agree, and repeated samples of a variant."
)
COST = StatGroup(
    "impactbench_cost", "Length and cost", "Per conversation: turns, tokens and US dollars. A cell's sum is the total."
)
BOOKKEEPING = StatGroup("impactbench_bookkeeping", "Bookkeeping", "Totals that HELM's own overview shows.")


@dataclass(frozen=True)
class StatName:
    """One statistic."""

    name: str
    display_name: str
    short_display_name: str
    description: str
    group: StatGroup
    lower_is_better: bool | None = None


_SHARE = "Share of all conversations (a cell's sum is their number)"


def judge_kappa_name(first: int, second: int) -> str:
    """Return the name of the kappa of two judges by their places in the panel, from 1."""
    return f"{JUDGE_KAPPA}_{first}_{second}"


def unscored_name(reason: Unscored) -> str:
    """Return the name of the statistic that counts one reason."""
    return f"{UNSCORED}_{reason.value}"


def side_name(side: str) -> str:
    """Return the name of the share of answers on one side of the measure's middle."""
    return f"side_{side}_rate"


def bound_names(name: str) -> tuple[str, str]:
    """Return the names of the bounds of a figure's 95% interval."""
    return f"{name}_low", f"{name}_high"


def metric_gap(slug: str, metric_id: str) -> str:
    """Return the name of the gap of one contrast metric of a benchmark; unique across benchmarks."""
    return f"{GAP.name}_{slug}_{metric_id}"


def _figure_stats(figure: ContrastFigure) -> list[StatName]:
    shown = figure.display_name
    low, high = bound_names(figure.name)
    return [
        StatName(figure.name, shown, shown, figure.description, CONTRASTS, figure.lower_is_better),
        StatName(
            low,
            f"{shown}, 95% interval from",
            f"{shown}, 95% from",
            f"Lower bound of the 95% interval of: {shown}, {WORDS[DEFAULT]}.",
            CONTRAST_BOUNDS,
        ),
        StatName(
            high,
            f"{shown}, 95% interval to",
            f"{shown}, 95% to",
            f"Upper bound of the 95% interval of: {shown}, {WORDS[DEFAULT]}.",
            CONTRAST_BOUNDS,
        ),
    ]


_SIDES = {"high": "above", "middle": "near", "low": "below"}


def metric_pass_rate(slug: str, metric_id: str) -> str:
    """Return the name of the pass rate of one metric of a benchmark; unique across benchmarks."""
    return f"{MAIN_METRIC}_{slug}_{metric_id}"


def _kappa_stats() -> list[StatName]:
    return [
        StatName(
            judge_kappa_name(first, second),
            f"Kappa of judges {first} and {second}",
            f"Kappa {first}-{second}",
            f"Cohen's kappa of judges {first} and {second} of the panel, in the order of the run's name.",
            AGREEMENT,
            False,
        )
        for first, second in combinations(range(1, MOST_PAIRED_JUDGES + 1), 2)
    ]


def run_cost_name(role: str) -> str:
    """Return the name of the cost of a run's calls to one role."""
    return f"{role}_{RUN_COST}"


_SHARED_COST = (
    "Opening messages that targets share are in the figure of each of them: `impactbench costs` shows what was paid."
)


def _usage_stats(role: str) -> list[StatName]:
    who = {"target": "model under test", "user": "simulated user", "judge": "judge or panel"}[role]
    return [
        StatName(
            f"{role}_prompt_tokens",
            f"Prompt tokens, {who}",
            f"{role}: prompt tokens",
            f"Tokens sent to the {who} per conversation, where its provider counts them.",
            COST,
        ),
        StatName(
            f"{role}_completion_tokens",
            f"Completion tokens, {who}",
            f"{role}: completion tokens",
            f"Tokens written by the {who} per conversation, where its provider counts them.",
            COST,
        ),
        StatName(
            f"{role}_cost_usd",
            f"US dollars, {who}",
            f"{role}: US$",
            f"US dollars for the {who} per conversation, over conversations whose every call has a known price.",
            COST,
        ),
        StatName(
            f"{role}_unpriced_calls",
            f"Calls without a known price, {who}",
            f"{role}: unpriced calls",
            f"Calls to the {who} per conversation whose price is unknown; their cost is in no sum.",
            COST,
        ),
        StatName(
            run_cost_name(role),
            f"US dollars of the run, {who}",
            f"{role}: US$ of the run",
            f"US dollars for the {who} in the whole run, unknown when a call has no known price. {_SHARED_COST}",
            COST,
        ),
    ]


STATS: tuple[StatName, ...] = (
    StatName(
        MAIN_METRIC,
        "Pass rate",
        "Pass rate",
        "Share of scored conversations that pass: a positive behaviour is present, a negative one absent, and the "
        "assistant engaged with the request. "
        "Conversations without a verdict are not in it; see Unscored.",
        MAIN,
        False,
    ),
    StatName(
        POSITIVE,
        "Pass rate, positive metrics",
        "Positive",
        "Share of scored conversations on positive metrics in which the wanted behaviour is present.",
        POSITIVES,
        False,
    ),
    StatName(
        NEGATIVE,
        "Pass rate, negative metrics",
        "Negative",
        "Share of scored conversations on negative metrics in which the unwanted behaviour is absent.",
        NEGATIVES,
        False,
    ),
    StatName(
        TYPICAL_GAP,
        "Typical gap",
        "Typical gap",
        "How far levels of the axis are typically above or below their mean on the same cases, less what chance adds; "
        "0 is ideal. Metrics in units of their own take no part beside others.",
        CONTRASTS,
        True,
    ),
    *(stat for figure in FIGURES for stat in _figure_stats(figure)),
    StatName(
        LEVEL_MEAN,
        "Mean of the measure",
        "Mean",
        "Mean of the measure; one column per level of the axis. Measures that differ in range or unit have none.",
        LEVEL_MEANS,
    ),
    *(
        StatName(
            side_name(side),
            f"Answers {_SIDES[side]} the middle",
            f"{side.capitalize()} side",
            f"Share of answers that are {_SIDES[side]} the middle of the measure.",
            LEVEL_MEANS,
        )
        for side in SIDES
    ),
    StatName(
        SEVERITY,
        "Severity",
        "Severity",
        "Mean severity of behaviours that are present, from 0 to 1, where the judges were asked for it.",
        COVERAGE,
    ),
    StatName(
        NOT_ENGAGED,
        "Did not engage",
        "Did not engage",
        f"{_SHARE} in which the assistant did not take up the request; of those with an answer. On a positive or "
        "negative metric they fail; in a contrast they have no verdict.",
        COVERAGE,
        True,
    ),
    StatName(
        IF_ENGAGED,
        "Pass rate if engaged",
        "If engaged",
        "Pass rate of the conversations in which the assistant engaged.",
        COVERAGE,
        False,
    ),
    StatName(UNSCORED, "Unscored", "Unscored", f"{_SHARE} that have no verdict.", MISSING, True),
    StatName(
        NOT_APPLICABLE,
        "Not applicable",
        "Not applicable",
        f"{_SHARE} in which the question did not arise. They count neither as a pass nor as a fail.",
        MISSING,
    ),
    StatName(
        UNCLEAR,
        "Unclear",
        "Unclear",
        f"{_SHARE} on which the judges are in real doubt. They count neither as a pass nor as a fail.",
        MISSING,
        True,
    ),
    *(
        StatName(
            unscored_name(reason),
            f"Unscored: {text}",
            f"Unscored: {reason.value.replace('_', ' ')}",
            f"{_SHARE} without a verdict because {text}.",
            COVERAGE,
            True,
        )
        for reason, text in UNSCORED_REASONS.items()
    ),
    StatName(
        GROUNDED,
        "Grounded evidence",
        "Grounded",
        "Share of votes whose quotes are word for word in the assistant's turn they are given for; of the votes that "
        "give or need evidence.",
        COVERAGE,
        False,
    ),
    StatName(
        USER_MARKED,
        "Faulty user",
        "Faulty user",
        "Share of conversations with a simulated user in which one of its messages has a fault (it speaks as the "
        "assistant, leaves the person, reveals the test, says goodbye early, reads its direction out) and was sent "
        "nevertheless. They count in all other figures.",
        COVERAGE,
        True,
    ),
    StatName(
        USER_REDONE,
        "User asked again",
        "User asked again",
        "Share of conversations with a simulated user in which one of its messages had a fault and was asked for once "
        "more.",
        COVERAGE,
        True,
    ),
    StatName(
        CHECKS["awareness"],
        "Thinks it is tested",
        "Thinks it is tested",
        "Share of conversations in which the assistant shows that it takes them for a test; of those decided, in runs "
        "with checks=awareness.",
        COVERAGE,
        True,
    ),
    StatName(
        CHECKS["plausibility"],
        "Plausible user",
        "Plausible user",
        "Share of conversations whose user a real person could plausibly be; of those decided, in runs with "
        "checks=plausibility.",
        COVERAGE,
        False,
    ),
    StatName(
        CHECKS["teller"],
        "Judge can tell who asked",
        "Teller guessed",
        "Share of judges' guesses at who told the story that are right, in runs with checks=teller; a blind "
        "judge is right in half of them.",
        COVERAGE,
    ),
    StatName(
        UNREADABLE,
        "Unreadable judge answers",
        "Unreadable answers",
        "Answers of judges per conversation that had to be requested again.",
        COVERAGE,
        True,
    ),
    StatName(
        PASS_RATE_LOW,
        "Pass rate, 95% interval from",
        "95% from",
        f"Lower bound of the 95% interval of the run's pass rate, {WORDS[DEFAULT]}.",
        UNCERTAINTY,
        False,
    ),
    StatName(
        PASS_RATE_HIGH,
        "Pass rate, 95% interval to",
        "95% to",
        f"Upper bound of the 95% interval of the run's pass rate, {WORDS[DEFAULT]}.",
        UNCERTAINTY,
        False,
    ),
    StatName(
        WORST_CASE,
        "Pass rate if all unscored fail",
        "If unscored fail",
        "Share of all conversations that pass, if every conversation without a verdict failed.",
        UNCERTAINTY,
        False,
    ),
    StatName(
        BEST_CASE,
        "Pass rate if all unscored pass",
        "If unscored pass",
        "Share of all conversations that pass, if every conversation without a verdict passed.",
        UNCERTAINTY,
        False,
    ),
    StatName(
        JUDGE_ALPHA,
        "Krippendorff's alpha of the judges",
        "Alpha",
        "Agreement of the panel's votes beyond chance; missing votes are allowed.",
        AGREEMENT,
        False,
    ),
    StatName(
        JUDGE_KAPPA,
        "Mean kappa of the judges",
        "Mean kappa",
        "Mean of Cohen's kappa over all pairs of judges of the panel.",
        AGREEMENT,
        False,
    ),
    *_kappa_stats(),
    StatName(
        JUDGE_SPLIT,
        "Split votes",
        "Split votes",
        "Share of conversations with two or more votes on which the votes differ.",
        AGREEMENT,
        True,
    ),
    StatName(
        JUDGE_SPREAD,
        "Spread of the votes",
        "Spread",
        "Highest minus lowest vote as a share of the measure's range, mean over conversations with two votes or more.",
        AGREEMENT,
        True,
    ),
    StatName(
        SAMPLE_UNANIMITY,
        "Unanimous variants",
        "Unanimous",
        "Share of variants whose samples all have the same result, of those whose samples all have a verdict.",
        AGREEMENT,
        False,
    ),
    StatName(
        SAMPLE_KAPPA,
        "Fleiss' kappa of the samples",
        "Fleiss' kappa",
        "Agreement of the samples of a variant beyond chance, over variants whose samples all have a verdict.",
        AGREEMENT,
        False,
    ),
    StatName(
        SAMPLE_SINGLE,
        "One sample against the majority",
        "One sample",
        "How often one sample of a variant agrees with the majority of its samples, from three on; a tie is decided by "
        "lot. Over variants whose samples all have a verdict.",
        AGREEMENT,
        False,
    ),
    StatName(
        PASS_HAT_K,
        "pass^k, all samples pass",
        "pass^k",
        "Probability that as many fresh samples of a variant as the run has would all pass, mean over variants whose "
        "samples all have a verdict.",
        AGREEMENT,
        False,
    ),
    StatName(
        PASS_HAT_K_WORST,
        "pass^k, missing verdicts as fails",
        "pass^k worst",
        "pass^k over all variants, if every sample without a verdict had failed.",
        AGREEMENT,
        False,
    ),
    StatName(
        PASS_HAT_K_BEST,
        "pass^k, missing verdicts as passes",
        "pass^k best",
        "pass^k over all variants, if every sample without a verdict had passed.",
        AGREEMENT,
        False,
    ),
    StatName(NUM_TURNS, "Turns", "Turns", "Exchanges per conversation.", COST),
    *(stat for role in ROLES for stat in _usage_stats(role)),
    StatName(
        RUN_COST,
        "US dollars of the run",
        "US$ of the run",
        f"US dollars of the whole run, all roles, unknown when a call has no known price. {_SHARED_COST}",
        COST,
    ),
    StatName(NUM_INSTANCES, "# conversations", "# conversations", "Number of conversations.", BOOKKEEPING),
    StatName(
        NUM_PROMPT_TOKENS,
        "# prompt tokens",
        "# prompt tokens",
        "Tokens sent to the model under test in the whole run, where its provider counts them.",
        BOOKKEEPING,
    ),
    StatName(
        NUM_COMPLETION_TOKENS,
        "# completion tokens",
        "# completion tokens",
        "Tokens written by the model under test in the whole run, where its provider counts them.",
        BOOKKEEPING,
    ),
)
"""The statistics that every benchmark has."""


def metric_stats(benchmark: Benchmark) -> list[StatName]:
    """Return the statistics that one benchmark adds: a pass rate per level metric, a gap per contrast metric."""
    return [
        StatName(
            name=metric_gap(benchmark.slug, metric.id)
            if metric.type == "contrast"
            else metric_pass_rate(benchmark.slug, metric.id),
            display_name=f"{metric.id} {metric.name}",
            short_display_name=f"{metric.id} {metric.name}",
            description=f"{'Gap between levels' if metric.type == 'contrast' else 'Pass rate'} on a {metric.type} "
            f"metric of {benchmark.name}. {metric.definition}",
            group=BY_METRIC,
            lower_is_better=None if metric.type == "contrast" else False,
        )
        for metric in benchmark.metrics
    ]


def main_metric(benchmark: Benchmark) -> str:
    """Return the statistic that ranks models on a benchmark: its pass rate, or the distance from no difference."""
    return MAIN_METRIC if any(metric.type != "contrast" for metric in benchmark.metrics) else TYPICAL_GAP
