"""Draw rating sheets: the metrics of a benchmark, or openings of simulated people among those that people wrote."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.resources import files

from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.conversation.age import years_in
from helm_impactbench.results.record import Record
from helm_impactbench.validity.annotation.content.view import content_view
from helm_impactbench.validity.annotation.errors import AnnotationError
from helm_impactbench.validity.annotation.rating.sheet import Kind, RatedItem, RatingKey, RatingSheet
from helm_impactbench.validity.annotation.sampling import chance
from helm_impactbench.validity.annotation.view import printable

SIMULATED, PEOPLE = "simulated", "people"
AGES = (13, 25)
"""Of the simulated people whose openings are drawn, in years."""
Parts = tuple[tuple[str, str], ...]
"""(heading, text) pairs."""


def relevance_sheet(benchmark: Benchmark, seed: int) -> RatingSheet:
    """Return a sheet of all metrics of a benchmark in mixed order, without names and types."""
    rows = [(metric.id, f"{benchmark.slug}/{metric.id}", _metric(benchmark, metric)) for metric in benchmark.metrics]
    about = [text for text in (benchmark.description, benchmark.construct_) if text]
    key, texts = _sheet("relevance", rows, seed)
    named = key.model_copy(update={"benchmark": benchmark.slug, "version": benchmark.version})
    return RatingSheet(named, tuple(map(printable, about)), texts, _consent("relevance"))


def openings_sheet(
    records: Iterable[Record], written: Sequence[str], places: int, seed: int, noted: frozenset[str]
) -> RatingSheet:
    """Return a sheet with openings of simulated people of AGES and as many that people wrote, as far as there are.

    noted: benchmarks whose content may distress; neither they nor metrics with such a note take part. Raises
    AnnotationError without an opening of one of the two.
    """
    found = {record.conversation.turns[0].user: record for record in records if _may_be_read(record, noted)}
    if not found or not written:
        lacking = "simulated people of 13 to 25, in benchmarks without a content note" if written else "people"
        raise AnnotationError(f"There is no opening of {lacking}; both are needed, or nobody can tell what is unreal.")
    half = max(1, places // 2)
    own = sorted(found, key=lambda text: chance(seed, "simulated", [text]))[:half]
    theirs = sorted(set(written), key=lambda text: chance(seed, "people", [text]))[:half]
    named = {text: f"{found[text].case.benchmark}/{found[text].case.scenario.id}" for text in own}
    rows = [
        *((SIMULATED, named[text], (("", printable(text)),)) for text in own),
        *((PEOPLE, "", (("", printable(text)),)) for text in theirs),
    ]
    key, texts = _sheet("openings", rows, seed)
    return RatingSheet(key, (), texts, _consent("openings"))


def _may_be_read(record: Record, noted: frozenset[str]) -> bool:
    years = years_in(record.case.plan.persona)
    is_noted = record.case.metric.content_note is not None or record.case.benchmark in noted
    of_age = years is not None and AGES[0] <= years <= AGES[1]
    return of_age and not is_noted and bool(record.conversation.turns)


def _sheet(kind: Kind, rows: Sequence[tuple[str, str, Parts]], seed: int) -> tuple[RatingKey, tuple[Parts, ...]]:
    def place(row: tuple[str, str, Parts]) -> str:
        return chance(seed, "rating", [row[0], content_digest(row[2])])

    mixed = sorted(rows, key=place)
    items = tuple(RatedItem(item_id="r" + place(row)[:11], about=row[0], source=row[1]) for row in mixed)
    sheet = content_digest([seed, kind, sorted(item.item_id for item in items)])[:12]
    return RatingKey(sheet=sheet, seed=seed, rating=kind, items=items), tuple(row[2] for row in mixed)


def _metric(benchmark: Benchmark, metric: Metric) -> Parts:
    first = next((row for row in benchmark.scenarios if row.metric_id == metric.id), None)
    view = content_view(benchmark, metric, first) if first else None
    parts = [
        ("Behaviour", metric.definition),
        ("This does not count", "\n".join(metric.exclusions)),
        ("The question arises only here", metric.applies or ""),
        ("One case: who comes", "\n".join(filter(None, (view.setting, view.person, view.goal))) if view else ""),
        ("What happens", "\n".join(view.course) if view else ""),
    ]
    return tuple((heading, printable(text)) for heading, text in parts if text)


def _consent(kind: Kind) -> str:
    return files(__package__).joinpath(f"consent_{kind}.txt").read_text(encoding="utf-8")
