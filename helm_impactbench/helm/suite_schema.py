"""The part of schema.yaml that is about HELM's safety and capability suites, and the group of everything together.

Names of suites and statistics are HELM's own, so that runs of either appear; suites whose judge was chosen
(`panel_...`) stand beside HELM's own. A suite's first table holds its main statistic alone: the summarizer makes one
leaderboard of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from helm.benchmark.scenarios.scenario import TEST_SPLIT, VALID_SPLIT

from helm_impactbench.helm.stat_names import COST, StatGroup, StatName
from helm_impactbench.suites.external.names import SUITES, Kind, Suite
from helm_impactbench.suites.panels import names as safety

COMBINED_GROUP = "combined"
KIND_GROUPS: dict[Kind, str] = {"safety": "safety_suites", "capability": "capability_suites"}
"""Kind -> run group of all its suites."""
CATEGORIES = ("All together", "Safety and capability", "Suites of safety and capability")
"""Where helm-server lists these groups."""
SHOWN = ("harm_bench", "air_bench_2024", "xstest", "simple_safety_tests", "anthropic_red_team", "bbq")
SHOWN_CAPABILITY = ("mmlu", "gsm", "natural_qa_closedbook")
"""Suites of run_entries/combined.conf by HELM's run group."""

_WHOLE_RUN_MAIN = {"bbq": "bbq_accuracy"}
"""Suite -> main statistic of HELM's leaderboard, where it is another than per instance."""
_ABOUT = {
    "harm_bench": "Direct requests for harm, with and without a context; 1 is a refusal (Mazeika et al., 2024).",
    "air_bench_2024": "Requests that regulations and company policies forbid, in 314 categories; 1 is a refusal (Zeng "
    "et al., 2024).",
    "xstest": "Safe requests that only sound unsafe, which should be answered, and unsafe ones, which should not "
    "(Roettger et al., 2024).",
    "simple_safety_tests": "Plainly harmful requests in five areas; 1 is a safe answer (Vidgen et al., 2023).",
    "anthropic_red_team": "First messages of people who tried to get harm out of a model; 1 is a harmless answer "
    "(Ganguli et al., 2022).",
    "bbq": "Questions about people whose context does, or does not, hold the answer; without it, a stereotype is the "
    "trap (Parrish et al., 2022).",
    "mmlu": "Multiple choice questions of school and university subjects (Hendrycks et al., 2021).",
    "gsm": "Sums in words, with steps (Cobbe et al., 2021).",
    "natural_qa_closedbook": "Questions to a search engine, answered without a text (Kwiatkowski et al., 2019).",
}
_ANSWERS = StatGroup("suite_answers", "Answers", "")
_BIAS = StatGroup("suite_bbq_bias", "BBQ: bias", "Share of stereotyped among wrong answers; 0 is no bias.")
_AIR_LEVEL_2 = StatGroup("suite_air_level_2", "AIR-Bench by area", "Refusal rate by area of the AIR 2024 taxonomy.")
_AIR_AREAS = (
    *("Security risks", "Operational misuse", "Violence and extremism", "Hate and toxicity", "Sexual content"),
    *("Child harm", "Self-harm", "Political usage", "Economic harm", "Deception", "Manipulation", "Defamation"),
    *("Fundamental rights", "Discrimination and bias", "Privacy", "Criminal activities"),
)
"""Second level of the taxonomy, in its order: HELM numbers its statistics so."""
_STATS = (
    StatName("exact_match", "Exact match", "EM", "Share of answers that are a right answer, letter by letter.",
             _ANSWERS, False),
    StatName("quasi_exact_match", "Quasi-exact match", "QEM", "Exact match but for case, articles and punctuation.",
             _ANSWERS, False),
    StatName("f1_score", "F1", "F1", "Overlap of the words of answer and right answer.", _ANSWERS, False),
    StatName("final_number_exact_match", "Final number", "Number", "Share of answers whose last number is right.",
             _ANSWERS, False),
    StatName("bbq_accuracy", "BBQ accuracy", "Accuracy", "Share of right answers.", _ANSWERS, False),
    StatName("bbq_metric_ambiguous_bias", "BBQ bias, ambiguous", "Bias, ambiguous",
             "Bias towards the stereotype where the context does not hold the answer.", _BIAS, True),
    StatName("bbq_metric_unambiguous_bias", "BBQ bias, disambiguated", "Bias, disambiguated",
             "Bias towards the stereotype where the context holds the answer.", _BIAS, True),
    *(
        StatName(f"air_category_{number}_score", f"AIR-Bench: {area}", area,
                 f"Refusal rate for requests of area {number}: {area}.", _AIR_LEVEL_2, False)
        for number, area in enumerate(_AIR_AREAS, start=1)
    ),
)  # fmt: skip


def stats() -> tuple[StatName, ...]:
    """Return the statistics that no other part names."""
    return (*safety.OWN, *_STATS)


def metric_groups() -> list[dict[str, Any]]:
    """Return the tables of statistics, the main ones first."""
    mains = dict.fromkeys((_main(suite), suite.split) for suite in _shown())
    own = [_group(group.name, group.display_name, group.description, safety.members(group)) for group in _DETAILS]
    return [
        *(_group(_main_group(*main), "Main figure", "The suite's main figure.", [main[0]], main[1]) for main in mains),
        *own,
        _group(_BIAS.name, _BIAS.display_name, _BIAS.description, [s.name for s in _STATS if s.group == _BIAS]),
        _group(_AIR_LEVEL_2.name, _AIR_LEVEL_2.display_name, _AIR_LEVEL_2.description,
               [stat.name for stat in _STATS if stat.group == _AIR_LEVEL_2]),
    ]  # fmt: skip


def run_groups(top_group: str, sycophancy: str) -> list[dict[str, Any]]:
    """Return the groups of suites, every suite, and the group of everything; ImpactBench's groups come by name."""
    members = {kind: [name for suite in _shown(kind) for name in _run_groups_of(suite)] for kind in KIND_GROUPS}
    return [
        {
            "name": COMBINED_GROUP,
            "display_name": "Human impact, safety and capability",
            "description": "One row per model: how it treats the people who talk to it, whether it resists misuse, "
            "and how capable it is. Figures of different suites are not alike: read columns, not sums. Models named "
            "as scripted are rehearsal stand-ins.",
            "category": CATEGORIES[0],
            "subgroups": [top_group, sycophancy, *KIND_GROUPS.values()],
            "subgroup_metric_groups_hidden": _hidden(),
        },
        _kind_group("safety", "Safety", "HELM's safety suites: harm avoided, help kept, no stereotypes.", members),
        _kind_group("capability", "Capability", "HELM's capability suites.", members),
        *(_suite_group(suite, name) for suite in _shown() for name in _run_groups_of(suite)),
        _details(),
    ]


_DETAILS = (safety.XSTEST, safety.UNCERTAINTY, safety.COVERAGE, safety.AGREEMENT)


def _shown(*kinds: Kind) -> list[Suite]:
    return [s for s in SUITES if s.group in (*SHOWN, *SHOWN_CAPABILITY) and (not kinds or s.kind in kinds)]


def _main(suite: Suite) -> str:
    return _WHOLE_RUN_MAIN.get(suite.group, suite.statistic)


def _main_group(statistic: str, split: str) -> str:
    return f"suite_{statistic}" if split == TEST_SPLIT else f"suite_{statistic}_{VALID_SPLIT}"


def _run_groups_of(suite: Suite) -> list[str]:
    judged = suite.group in safety.MAIN_METRIC
    return [safety.run_group(suite.group), suite.group] if judged else [suite.group]


def _hidden() -> list[str]:
    return [*(group.name for group in _DETAILS), _BIAS.name, _AIR_LEVEL_2.name]


def _kind_group(kind: Kind, shown: str, about: str, members: dict[Kind, list[str]]) -> dict[str, Any]:
    return {
        "name": KIND_GROUPS[kind],
        "display_name": shown,
        "description": about,
        "category": CATEGORIES[1],
        "subgroups": members[kind],
        "subgroup_metric_groups_hidden": _hidden(),
    }


def _suite_group(suite: Suite, name: str) -> dict[str, Any]:
    panel, judged = name.startswith(safety.RUN_PREFIX), suite.group in safety.MAIN_METRIC
    own_judge = f"{suite.name} (HELM's judge)" if judged and not panel else suite.name
    extra = {"bbq": [_BIAS.name], "air_bench_2024": [_AIR_LEVEL_2.name]}.get(suite.group, [])
    ours = [safety.XSTEST.name] * (suite.group == "xstest") + [safety.UNCERTAINTY.name] if panel else []
    return {
        "name": name,
        "display_name": own_judge,
        "short_display_name": own_judge,
        "description": _ABOUT[suite.group] + (" Scored by judges that were chosen." if panel else ""),
        "category": CATEGORIES[2],
        "metric_groups": [_main_group(_main(suite), suite.split), *ours, *extra],
        "environment": {"main_name": _main(suite), "main_split": suite.split},
        "taxonomy": {
            "task": "single prompt" if suite.kind == "safety" else "question",
            "what": suite.kind,
            "who": "unstated",
            "when": "unstated",
            "language": "English",
        },
    }


def _details() -> dict[str, Any]:
    """Return the group that shows what would make a leaderboard's table too wide to read."""
    return {
        "name": safety.DETAILS,
        "display_name": "Safety: certainty, coverage, judges and cost",
        "description": "What stands behind the scores of judged suites: intervals, answers without a score by reason, "
        "agreement of judges, tokens and US dollars. One table per suite.",
        "category": CATEGORIES[1],
        "metric_groups": [*(group.name for group in _DETAILS), COST.name],
        "environment": {"main_name": safety.SAFETY_SCORE, "main_split": TEST_SPLIT},
    }


def _group(name: str, display: str, about: str, members: Sequence[str], split: str = TEST_SPLIT) -> dict[str, Any]:
    return {
        "name": name,
        "display_name": display,
        "description": about,
        "aggregation_strategies": [],
        "metrics": [{"name": member, "split": split} for member in members],
    }
