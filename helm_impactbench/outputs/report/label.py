"""The nutrition label and the benchmark card on the report's pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

from markupsafe import Markup

from helm_impactbench.analysis.people import PeopleGap
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.outputs.label.audiences import AUDIENCES
from helm_impactbench.outputs.label.label import AREA, label_of
from helm_impactbench.outputs.label.render import CSS_FILE, render_card, render_label
from helm_impactbench.outputs.report.names import file_name
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.passages import visible
from helm_impactbench.validity.judge_trust import JudgeTrust


def labels(
    outcomes: Sequence[Outcome],
    benchmarks: Iterable[Benchmark],
    users: Sequence[str],
    dated: date | None,
    judges: JudgeTrust,
    unequal: tuple[PeopleGap, ...],
    bots: Iterable[Outcome],
    unfinished: str,
) -> list[tuple[str, str, Markup]]:
    """Return a model's label for every audience: (key, name, fragment); none without a run on human impact.

    A label without a grade is one fragment: the sentence that says why. Links are those of a model's page;
    `dated` is the day of the last run; `judges` is what is known of the suite's judges; `unequal` are the model's gaps
    between people; `bots` are the outcomes of the suite's reference bots; `unfinished` is what the suite lacks.
    """
    if not any(outcome.area == AREA for outcome in outcomes):
        return []
    installed = list(benchmarks)
    found = label_of(outcomes, installed, users, dated=dated, judges=judges, unequal=unequal, bots=bots)
    found = replace(found, unfinished=unfinished)
    audiences = AUDIENCES if found.has_grades else dict(list(AUDIENCES.items())[:1])
    slugs = {outcome.benchmark for outcome in outcomes}
    # The fragment fills in slugs itself; where one is not a file name, metrics stay without a link there.
    card_href = "../benchmarks/{slug}.html" if all(file_name(slug) == slug for slug in slugs) else None
    return [(key, each.name, _visible(render_label(found, key, card_href))) for key, each in audiences.items()]


def card(benchmark: Benchmark) -> Markup:
    """Return a benchmark's card."""
    return _visible(render_card(benchmark))


def style() -> str:
    """Return the style sheet of labels and cards."""
    return CSS_FILE.read_text(encoding="utf-8")


def _visible(fragment: Markup) -> Markup:
    return Markup(visible(fragment))  # noqa: S704 - escaped before, and nothing that is written out is markup
