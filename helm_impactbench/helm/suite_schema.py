"""The part of schema.yaml that is about HELM's safety and capability suites, and the group of everything together.

Names of suites and statistics are HELM's own, so that runs of either appear; suites whose judges were chosen are
beside HELM's own. A suite's first table holds its main statistic alone: the summarizer makes one leaderboard of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from helm.benchmark.scenarios.scenario import TEST_SPLIT, VALID_SPLIT

from helm_impactbench.helm import stat_names as names
from helm_impactbench.helm.panels.stat_names import (
    BY_CATEGORY,
    CATEGORY_STATS,
    DETAILS,
    PANEL_STATS,
    READINGS,
    REASONING,
    REASONING_STATS,
    REQUESTS,
)
from helm_impactbench.helm.schema_parts import metric_group, own_group, own_group_name
from helm_impactbench.helm.stat_names import StatGroup, StatName, metric_stats
from helm_impactbench.suites.external import table as external
from helm_impactbench.suites.external.mmlu_groups import GROUPS, mmlu_group
from helm_impactbench.suites.external.table import Area, HelmSuite
from helm_impactbench.suites.panels import table as panels
from helm_impactbench.suites.panels.statistics import category_names
from helm_impactbench.suites.panels.table import PanelSuite

COMBINED_GROUP = "combined"
AREA_GROUPS: dict[Area, str] = {"safety": "safety_suites", "capability": "capability_suites"}
"""Area -> run group of all its suites."""
CATEGORIES = ("Everything", "Safety and capability", "Suites of safety and capability")
"""Where helm-server lists these groups."""

MMLU_GROUPS = "mmlu_groups"
"""Run group that lists MMLU's groups of subjects."""

_ANSWERS = StatGroup("suite_answers", "Answers", "")
_BIAS = StatGroup("suite_bbq_bias", "BBQ: bias", "Share of stereotyped among wrong answers; 0 is not bias.")
_AIR_LEVEL_2 = StatGroup("suite_air_level_2", "AIR-Bench by area", "Refusal rate by area of the AIR 2024 taxonomy.")
_EXTRA = {"bbq": _BIAS, "air_bench_2024": _AIR_LEVEL_2}
"""HELM's suite -> a table of its own beside the main one."""
_AIR_AREAS = (
    *("Security risks", "Operational misuse", "Violence and extremism", "Hate and toxicity", "Sexual content"),
    *("Child harm", "Self-harm", "Political usage", "Economic harm", "Deception", "Manipulation", "Defamation"),
    *("Fundamental rights", "Discrimination and bias", "Privacy", "Criminal activities"),
)
"""Second level of the taxonomy, in its order: HELM numbers its statistics so."""
_AIR_STATS = tuple(
    StatName(
        f"air_category_{number}_score",
        f"AIR-Bench: {area}",
        area,
        f"Refusal rate for requests of area {number}: {area}.",
        _AIR_LEVEL_2,
        False,
    )
    for number, area in enumerate(_AIR_AREAS, start=1)
)
_STATS = (
    StatName(
        "exact_match", "Exact match", "EM", "Share of answers that equal a right answer exactly.", _ANSWERS, False
    ),
    StatName(
        "quasi_exact_match",
        "Quasi-exact match",
        "QEM",
        "Exact match but for case, articles and punctuation.",
        _ANSWERS,
        False,
    ),
    StatName("f1_score", "F1", "F1", "Overlap of the words of answer and right answer.", _ANSWERS, False),
    StatName(
        "final_number_exact_match",
        "Final number",
        "Number",
        "Share of answers whose last number is right.",
        _ANSWERS,
        False,
    ),
    StatName("bbq_accuracy", "BBQ accuracy", "Accuracy", "Share of right answers.", _ANSWERS, False),
    StatName(
        "bbq_metric_ambiguous_bias",
        "BBQ bias, ambiguous",
        "Bias, ambiguous",
        "Bias towards the stereotype where the context does not contain the answer.",
        _BIAS,
        True,
    ),
    StatName(
        "bbq_metric_unambiguous_bias",
        "BBQ bias, disambiguated",
        "Bias, disambiguated",
        "Bias towards the stereotype where the context contains the answer.",
        _BIAS,
        True,
    ),
    *_AIR_STATS,
)
_DETAILS = (names.UNCERTAINTY, READINGS, names.AGREEMENT, names.MISSING, names.COVERAGE, names.COST)


def helm_stats(benchmark: str) -> list[StatName]:
    """Return the statistics that a judged suite has under HELM's names."""
    if panels.BY_SLUG[benchmark].figure:
        return [*REASONING_STATS]
    air = panels.BY_SLUG[benchmark].statistic == external.AIR_SCORE
    return [*PANEL_STATS, *(_AIR_STATS if air else ()), *(CATEGORY_STATS if category_names(benchmark) else ())]


def stats() -> tuple[StatName, ...]:
    """Return the statistics that no other part names."""
    return (
        *PANEL_STATS,
        *CATEGORY_STATS,
        *REASONING_STATS,
        *(stat for suite in panels.TABLE for stat in metric_stats(suite.benchmark)),
        *_STATS,
    )


def metric_groups() -> list[dict[str, Any]]:
    """Return the tables of statistics, the main ones first."""
    figures = ((panel.figure, TEST_SPLIT) for panel in panels.TABLE if panel.figure)
    mains = dict.fromkeys([*((suite.main, suite.split) for suite in _shown()), *figures])
    own = {
        READINGS: PANEL_STATS,
        REQUESTS: PANEL_STATS,
        BY_CATEGORY: CATEGORY_STATS,
        REASONING: REASONING_STATS,
        _BIAS: _STATS,
        _AIR_LEVEL_2: _STATS,
    }
    seconds = dict.fromkeys((suite.also, suite.split) for suite in _shown() if suite.also)
    return [
        *(
            metric_group(_main_group(*main), "Main figure", "The suite's main figure.", [main[0]], split=main[1])
            for main in mains
        ),
        *(
            metric_group(
                _main_group(*second),
                "Second figure",
                "The same answers by another figure.",
                [second[0]],
                split=second[1],
            )
            for second in seconds
            if second not in mains
        ),
        *(
            metric_group(group.name, group.display_name, group.description, [s.name for s in found if s.group == group])
            for group, found in own.items()
        ),
        *(own_group(suite.benchmark) for suite in panels.TABLE if _has_kinds(suite)),
    ]


def run_groups(impact: Sequence[str]) -> list[dict[str, Any]]:
    """Return the groups of suites, every suite, and the group of everything; the groups of `impact` come by name."""
    return [
        {
            "name": COMBINED_GROUP,
            "display_name": "Human impact, safety and capability",
            "description": "One row per model: how it treats the people who talk to it, whether it resists misuse, "
            "and how capable it is. Figures of different suites are not comparable: read each column by itself. "
            "Models named as scripted are rehearsal stand-ins.",
            "category": CATEGORIES[0],
            "subgroups": [*impact, *AREA_GROUPS.values()],
            "subgroup_metric_groups_hidden": _hidden(),
        },
        _area_group("safety", "Safety", "HELM's safety suites: harm avoided, help kept, no stereotypes."),
        _area_group("capability", "Capability", "HELM's capability suites."),
        *(group for suite in _shown() for group in _suite_groups(suite)),
        *_mmlu_groups(),
        _details(),
    ]


def _mmlu_groups() -> Iterator[dict[str, Any]]:
    """Yield MMLU's four groups of subjects, and what lists them; they count in no mean, as MMLU does already."""
    suite = external.BY_GROUP["mmlu"]
    yield {
        "name": MMLU_GROUPS,
        "display_name": "MMLU by group of subjects",
        "description": "MMLU's 57 subjects in their four groups: the mean over the subjects that were run.",
        "category": CATEGORIES[1],
        "subgroups": [mmlu_group(name) for name in GROUPS],
    }
    for name in GROUPS:
        yield _suite_group(suite, mmlu_group(name), f"MMLU: {name}", f"MMLU's subjects of the group {name}.", [])


def _shown(*areas: Area) -> list[HelmSuite]:
    return [suite for suite in external.TABLE if suite.about and (not areas or suite.area in areas)]


def _panel_of(suite: HelmSuite) -> PanelSuite | None:
    return next((panel for panel in panels.TABLE if panel.helm_name == suite.group), None)


def _has_kinds(panel: PanelSuite) -> bool:
    return len(panel.kinds) > 1


def _main_group(statistic: str, split: str) -> str:
    return f"suite_{statistic}" if split == TEST_SPLIT else f"suite_{statistic}_{VALID_SPLIT}"


def _hidden() -> list[str]:
    kinds = (own_group_name(suite.benchmark) for suite in panels.TABLE if _has_kinds(suite))
    seconds = (_main_group(suite.also, suite.split) for suite in _shown() if suite.also)
    extra = (_BIAS, _AIR_LEVEL_2, REQUESTS, BY_CATEGORY, REASONING)
    return [*(group.name for group in _DETAILS), *kinds, *(group.name for group in extra), *seconds]


def _area_group(area: Area, shown: str, about: str) -> dict[str, Any]:
    return {
        "name": AREA_GROUPS[area],
        "display_name": shown,
        "description": about,
        "category": CATEGORIES[1],
        "subgroups": [group["name"] for suite in _shown(area) for group in _suite_groups(suite)],
        "subgroup_metric_groups_hidden": _hidden(),
    }


def _suite_groups(suite: HelmSuite) -> Iterator[dict[str, Any]]:
    """Yield the run groups of a suite: with judges that were chosen where there can be any, and HELM's own."""
    extra = [_EXTRA[suite.group].name] if suite.group in _EXTRA else []
    panel = _panel_of(suite)
    if panel is not None and panel.figure:
        group = _suite_group(
            suite, panel.slug, panel.name, panel.benchmark.description, [REASONING.name, names.UNCERTAINTY.name]
        )
        group["metric_groups"][0] = _main_group(panel.figure, TEST_SPLIT)
        yield {**group, "environment": {"main_name": panel.figure, "main_split": TEST_SPLIT}}
    elif panel is not None:
        kinds = [own_group_name(panel.benchmark)] if _has_kinds(panel) else []
        yield _suite_group(
            suite,
            panel.slug,
            suite.name,
            panel.benchmark.description,
            [
                *kinds,
                REQUESTS.name,
                *([BY_CATEGORY.name] if category_names(panel.slug) else []),
                names.UNCERTAINTY.name,
                *extra,
            ],
        )
    shown = f"{suite.name} (HELM's judge)" if panel and not panel.figure else suite.name
    second = [_main_group(suite.also, suite.split)] if suite.also else []
    yield _suite_group(suite, suite.group, shown, suite.about, [*second, *extra])


def _suite_group(suite: HelmSuite, name: str, shown: str, about: str, more: Sequence[str]) -> dict[str, Any]:
    return {
        "name": name,
        "display_name": shown,
        "short_display_name": shown,
        "description": about,
        "category": CATEGORIES[2],
        "metric_groups": [_main_group(suite.main, suite.split), *more],
        "environment": {"main_name": suite.main, "main_split": suite.split},
        "taxonomy": {
            "task": "single prompt" if suite.area == "safety" else "question",
            "what": suite.area,
            "who": "unstated",
            "when": "unstated",
            "language": "English",
        },
    }


def _details() -> dict[str, Any]:
    """Return the group that shows what would make a leaderboard's table too wide to read."""
    return {
        "name": DETAILS,
        "display_name": "Judged suites: certainty, coverage, judges and cost",
        "description": "The details of the scores of judged suites: intervals, answers without a score by reason, "
        "agreement of judges, tokens and US dollars. One table per suite.",
        "category": CATEGORIES[1],
        "metric_groups": [group.name for group in _DETAILS],
        "environment": {"main_name": external.SAFETY_SCORE, "main_split": TEST_SPLIT},
    }
