"""The cases of a benchmark, metric by metric: a row per case with a mark for each model, those that divide them first.

Cells are made here and not in a template, as in rows: a large benchmark has some ten thousand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import pvariance

from markupsafe import Markup

from helm_impactbench.outputs.report import names
from helm_impactbench.outputs.report.rows import NOTHING, ReportRow, mark, text
from helm_impactbench.results.outcome import Outcome

MOST_ON_A_PAGE = 2_500
"""Conversations whose marks stand on one page, of some 200 bytes each; beyond it every metric has a page of its own."""


@dataclass(frozen=True)
class CaseLine:
    """One case and how the conversation with each model ended."""

    id: str
    rows: Sequence[ReportRow]

    @property
    def first(self) -> ReportRow:
        """Any of them, for what they have in common."""
        return self.rows[0]

    @property
    def spread(self) -> float:
        """Variance of the scores; 0 where all are alike, or fewer than two are known."""
        scores = [row.outcome.score for row in self.rows if row.outcome.score is not None]
        return pvariance(scores) if len(scores) > 1 else 0.0

    @property
    def differs(self) -> bool:
        """Whether two conversations of it have different scores."""
        return self.spread > 0

    @property
    def pair(self) -> tuple[str, str] | None:
        """Two models to read side by side: with the highest and the lowest score, else any two; None with one model."""
        models = list(dict.fromkeys(row.outcome.model for row in self.rows))
        scored = sorted((row.outcome for row in self.rows if row.outcome.score is not None), key=_score)
        if scored and scored[0].model != scored[-1].model:
            return scored[-1].model, scored[0].model
        return (models[0], models[1]) if len(models) > 1 else None

    def cells(self, models: Sequence[str], shown: Mapping[str, str], root: str) -> Markup:
        """Return a cell for each model; shown: model -> short name; root: the way to the report's folder."""
        own = _grouped(self.rows, lambda row: row.outcome.model)
        cells = "".join(_cell(own.get(model, ()), shown[model], root) for model in models)
        return Markup(cells)  # noqa: S704 - every text in it is escaped


@dataclass(frozen=True)
class CaseGroup:
    """The cases of one metric."""

    metric_id: str
    cases: Sequence[CaseLine]
    """The most divided first."""

    @property
    def differing(self) -> int:
        """Cases on which models differ."""
        return sum(case.differs for case in self.cases)


def case_groups(rows: Sequence[ReportRow]) -> list[CaseGroup]:
    """Return the groups in the order of their metrics' ids."""
    found = []
    for metric_id, own in sorted(_grouped(rows, lambda row: row.outcome.metric_id).items()):
        by_case = _grouped(own, lambda row: names.conversation_id(row.outcome))
        cases = [CaseLine(case, of) for case, of in by_case.items()]
        found.append(CaseGroup(metric_id, sorted(cases, key=lambda case: (-case.spread, case.id))))
    return found


def _grouped(rows: Sequence[ReportRow], key: Callable[[ReportRow], str]) -> dict[str, list[ReportRow]]:
    found: dict[str, list[ReportRow]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def _score(outcome: Outcome) -> float:
    return outcome.score or 0.0


def _cell(rows: Sequence[ReportRow], name: str, root: str) -> str:
    return f"<td>{' '.join(_marks(rows, name, root)) or NOTHING}</td>"


def _marks(rows: Sequence[ReportRow], name: str, root: str) -> Iterator[str]:
    for row in rows:
        told = row.verdict if row.outcome.measure == "presence" else f"{row.verdict}, {row.answer}"
        said = text(f"{told.replace('_', ' ')}, {name}")
        shown = f'<span aria-hidden="true">{mark(row.verdict)}</span><span class="sr">{said}</span>'
        link = f' href="{text(root + row.address)}"' if row.address else ""
        yield f'<a{link} class="{text(row.verdict)}" title="{said}">{shown}</a>'
