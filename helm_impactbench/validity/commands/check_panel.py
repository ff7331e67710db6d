"""`check-judge --panel`: how well a judge, or a panel, scores edge cases of HELM's safety suites by HELM's rubrics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from helm_impactbench.errors import counted
from helm_impactbench.stats.intervals import UNKNOWN, wilson
from helm_impactbench.suites.panels.table import BY_SLUG
from helm_impactbench.tables import Column, Result, Row, Table
from helm_impactbench.tables.column import any_of, varies
from helm_impactbench.validity.commands.check_judge import judge_conclusion
from helm_impactbench.validity.commands.columns import (
    figure_columns,
    figure_fields,
    presentable,
    text_columns,
    used_sentence,
)
from helm_impactbench.validity.golden.edge_cases import EDGES, EdgeCase
from helm_impactbench.validity.golden.figures import JudgeFigure, judge_figures, of_judge
from helm_impactbench.validity.records.answers import JudgedItem
from helm_impactbench.validity.records.judges import GoldenRecord

Cases = Mapping[tuple[str, str], EdgeCase]
"""(benchmark, item) of a record -> the edge case."""
_FIGURES = (
    Column("Answers", "count", "Edge cases.", "default", key="answers"),
    *figure_columns("agreement", "Agreement", "Share whose score is that of HELM's rubric.", kind="share"),
    Column("Too low", "count", "Scored below the rubric's score.", "default", key="too_low"),
    Column("Too high", "count", "Scored above the rubric's score.", "default", key="too_high"),
    Column("No score", "count", "Failed or unreadable.", "default", any_of("no_score"), key="no_score"),
)
PANEL_COLUMNS = (
    Column("Judge", "model", "The judge or panel, or one judge of it alone.", "default", varies("judge"), key="judge"),
    *text_columns(("panel", "Panel", "HELM's name of the suite, or all.", "default")),
    *_FIGURES,
)
EDGE_COLUMNS = (*text_columns(("edge", "The answer", "What it does.", "default")), *_FIGURES)
CASE_COLUMNS = (
    *text_columns(
        ("edge", "The answer", "What it does.", "default"),
        ("panel", "Panel", "HELM's name of the suite.", "default"),
        ("item", "Item", "Kind of answer, and its number within the panel.", "file"),
        ("known", "Rubric", "The score that HELM's rubric gives.", "default"),
        ("answer", "Judge says", "The score, or why there is none.", "default"),
        ("request", "Request", "What was asked of the assistant.", "wide"),
        ("why", "Why", "Which words of the rubric decide.", "default"),
    ),
    Column("Right", "flag", "Whether it is the rubric's score.", key="right"),
)
ALL = "all"


def check_panel(record: GoldenRecord, cases: Cases) -> Result:
    """Return how far a judge or panel agrees with HELM's rubrics, by suite and kind of answer, and what it misses."""
    items = record.items
    figures = judge_figures(items)
    missed = [one for one in items if one.answer.right is not True]
    tables = (
        Table(
            "panels",
            PANEL_COLUMNS,
            list(_panel_rows(record)),
            f"{record.name} on {counted(len(items), 'edge case')} of HELM's safety suites",
        ),
        Table("edges", EDGE_COLUMNS, list(_edge_rows(items, cases)), "By what the answer does"),
        Table(
            "missed", CASE_COLUMNS, _by_edge(missed, cases), f"Missed: {counted(len(missed), 'answer')}", in_files=False
        ),
        Table("answers", CASE_COLUMNS, _by_edge(items, cases), view="file"),
    )
    return Result(
        presentable(tables),
        tuple(doubt.text for doubt in figures.doubts),
        (
            used_sentence(figures.cost.total),
            "95% intervals for other answers of these kinds, which are hard on purpose: most of a run are easier.",
        ),
        verdict=judge_conclusion(record.name, figures),
    )


def _panel_rows(record: GoldenRecord) -> Iterator[Row]:
    names = dict.fromkeys(one.benchmark for one in record.items)
    alone = record.judges if len(record.judges) > 1 else ()
    for judge, items in ((record.name, record.items), *((name, of_judge(record.items, name)) for name in alone)):
        for name in names:
            own = [one for one in items if one.benchmark == name]
            yield {"judge": judge, "panel": BY_SLUG[name].helm_name, **_figures(own)}
        if len(names) > 1:
            yield {"judge": judge, "panel": ALL, **_figures(items)}


def _edge_rows(items: Sequence[JudgedItem], cases: Cases) -> Iterator[Row]:
    for edge in EDGES:
        if own := [one for one in items if _case(one, cases).edge == edge]:
            yield {"edge": _words(edge), **_figures(own)}


def _figures(items: Sequence[JudgedItem]) -> dict[str, Any]:
    scored = [one for one in items if one.answer.right is not None]
    return {
        "answers": len(items),
        **figure_fields("agreement", _share(sum(one.answer.right is True for one in scored), len(scored))),
        "too_low": _count(scored, lambda score, known: score < known),
        "too_high": _count(scored, lambda score, known: score > known),
        "no_score": len(items) - len(scored),
    }


def _share(right: int, scored: int) -> JudgeFigure:
    """Return a share for other answers to the requests of these suites, which are all that there are: no clusters."""
    return JudgeFigure(right / scored if scored else math.nan, wilson(right, scored) if scored else UNKNOWN, scored)


def _count(scored: Sequence[JudgedItem], holds: Callable[[float, float], bool]) -> int:
    return sum(
        one.answer.right is False and one.answer.value is not None and holds(one.answer.value, float(one.known))
        for one in scored
    )


def _by_edge(items: Sequence[JudgedItem], cases: Cases) -> list[Row]:
    ordered = sorted(items, key=lambda one: EDGES.index(_case(one, cases).edge))
    return [
        {
            "edge": _words(case.edge),
            "panel": case.panel,
            "item": one.item,
            "known": one.known,
            "answer": one.answer.words,
            "request": case.request,
            "why": case.why,
            "right": one.answer.right,
        }
        for one, case in ((one, _case(one, cases)) for one in ordered)
    ]


def _case(one: JudgedItem, cases: Cases) -> EdgeCase:
    return cases[one.benchmark, one.item]


def _words(edge: str) -> str:
    return edge.replace("_", " ")
