"""`annotate score`: people's agreement, the judge's errors against them, and pass rates corrected for these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helm_impactbench._version import __version__
from helm_impactbench.analysis.commands.explain import case_address, explain_command
from helm_impactbench.errors import counted
from helm_impactbench.results.outcome import release_in
from helm_impactbench.stats.agreement import Kappa
from helm_impactbench.stats.calibration import Corrected
from helm_impactbench.stats.intervals import UNKNOWN, Interval
from helm_impactbench.stats.judge_errors import ErrorRate
from helm_impactbench.stats.labellers import Labels
from helm_impactbench.stats.strata import stratum_interval
from helm_impactbench.tables import Column, Result, Row, Table, View
from helm_impactbench.validity.annotation.consensus import Consensus, PeopleAgreement
from helm_impactbench.validity.annotation.distances import DistanceRow
from helm_impactbench.validity.annotation.error_rates import JudgeRow
from helm_impactbench.validity.annotation.evidence import AnsweredItem
from helm_impactbench.validity.annotation.report import SheetScore
from helm_impactbench.validity.commands.columns import bounded_fields, figure_columns, presentable, text_columns

LEAST_SHOWN = 10
"""Decided items that a metric needs for a row of its own on a screen; files have them all."""
FEW = 30
"""Answered items below which a judge's error rates say little."""


def rate_columns(key: str, title: str, about: str) -> tuple[Column, ...]:
    """Return the columns of a rate that `_rate` writes."""
    return (
        *figure_columns(key, title, about),
        Column(f"{title}, hits", "number", "Items on which the judge was right; expected ones.", key=f"{key}_hits"),
        Column(f"{title}, unweighted", "rate", "Share over the items as they are.", key=f"{key}_unweighted"),
        Column(f"{title}, Wilson low", "rate", "Of the unweighted share.", key=f"{key}_wilson_low"),
        Column(f"{title}, Wilson high", "rate", "Of the unweighted share.", key=f"{key}_wilson_high"),
    )


AGREES_COLUMNS = (
    *text_columns(
        ("name", "Over", "Present or absent, or a measure.", "default"),
        ("what", "Agrees if", "What counts as agreement.", "default"),
    ),
    Column(
        "Agrees",
        "text",
        "Answers on which judge and people agree.",
        "default",
        key="agrees",
        text=lambda row: f"{row['hits']:,} of {row['items']:,}",
        in_files=False,
    ),
    Column("Agreeing", "count", "Answers on which judge and people agree.", key="hits"),
    Column("Of", "count", "Answers.", key="items"),
    *figure_columns("share", "Share", "On the sheet as it is.")[:3],
)
SHARED_COLUMNS = (
    Column(
        "Errors correlate by",
        "number",
        "Assumed, of any two answers to an item.",
        "default",
        key="correlation",
        text=lambda row: f"{row['correlation']:.1f}",
    ),
    Column("Have the behaviour", "rate", "Share of the conversations.", "default", key="present"),
    Column("Present found", "rate", "The judge's sensitivity.", "default", key="sensitivity"),
    Column("Absent found", "rate", "The judge's specificity.", "default", key="specificity"),
    Column("By a person", "rate", "One person's sensitivity.", "wide", key="people_sensitivity"),
    Column("Absent, by a person", "rate", "One person's specificity.", "wide", key="people_specificity"),
)
PEOPLE_COLUMNS = (
    *text_columns(
        ("name", "Annotator", "As in the file.", "default"), ("words", "Answers", "And how often.", "default")
    ),
    Column("Unanswered", "count", "Items.", "default", key="unanswered"),
)
AGREEMENT_COLUMNS = (
    *text_columns(("measure", "Measure", "Or the question.", "default")),
    *figure_columns("alpha", "Krippendorff's alpha", "Over all people."),
)
PAIR_COLUMNS = (
    *text_columns(
        ("first", "Person", "One of two.", "wide"),
        ("second", "and", "The other.", "wide"),
        ("measure", "Measure", "Or the question.", "wide"),
    ),
    Column("Both rated", "count", "Items.", "wide", key="items"),
    Column("Agreement", "rate", "Share on which both say the same.", "wide", key="agreement"),
    *figure_columns("kappa", "Cohen's kappa", "Of the two.", "wide"),
)
LABELLER_COLUMNS = (
    *text_columns(("person", "Annotator", "As in the file.", "wide")),
    *figure_columns("sensitivity", "Sensitivity", "By a model of people's errors.", "wide"),
    *figure_columns("specificity", "Specificity", "By a model of people's errors.", "wide"),
)
PRESENCE_COLUMNS = (
    *text_columns(
        ("name", "Metrics", "All, of a type, or one.", "default"), ("type", "Type", "Of all of them.", "file")
    ),
    Column("Items", "count", "Decided, with an answer of the judge.", "default", key="answered"),
    Column("Agreement", "rate", "On the sheet as it is.", "wide", key="agreement"),
    *figure_columns("kappa", "Cohen's kappa", "On the sheet as it is."),
    *rate_columns("sensitivity", "Present found", "Sensitivity, weighted to the whole suite."),
    *rate_columns("specificity", "Absent found", "Specificity, weighted to the whole suite."),
    *figure_columns("information", "Information", "Sensitivity plus specificity less 1.", "file"),
)
DISTANCE_COLUMNS = (
    *text_columns(("name", "Measure or metric", "On the sheet as it is.", "default")),
    Column("Items", "count", "On the sheet.", "default", key="items"),
    Column("Answers", "count", "People's.", "wide", key="answers"),
    *figure_columns("same_side", "Same side", "Share of answers on the judge's side of the middle."),
    *figure_columns("distance", "Mean distance", "Of an answer from the judge's.", kind="number"),
    *figure_columns("alpha", "Alpha", "Krippendorff's, people and judge."),
)


def _corrected_columns(key: str, title: str, about: str, view: View) -> tuple[Column, ...]:
    return (
        *figure_columns(key, title, about, view),
        Column(f"{title}, clipped", "flag", "Whether it was outside of 0 to 1.", key=f"{key}_clipped"),
        Column(f"{title}, problem", "text", "Why it cannot be calculated.", key=f"{key}_problem"),
    )


CORRECTED_COLUMNS = (
    *text_columns(
        ("name", "Model or benchmark", "What the rate is of.", "default"),
        ("group", "Group", "model or benchmark.", "file"),
        ("model", "Model", "Deployment.", "file"),
    ),
    Column("Answered", "count", "By people, of these conversations.", "wide", key="answered"),
    Column("Conversations", "count", "Scored ones.", "wide", key="conversations"),
    *figure_columns("raw", "As judged", "Pass rate."),
    *_corrected_columns("rogan_gladen", "Rogan-Gladen", "Corrected for error rates of the judge.", "default"),
    *_corrected_columns(
        "prediction_powered", "Prediction-powered", "Corrected by answers on the same model.", "default"
    ),
    Column("Basis", "text", "What is taken from elsewhere, clipped or missing.", key="basis"),
)
STATUS_COLUMNS = (
    *text_columns(("pair", "Judge and people", "What each says.", "wide")),
    Column("Items", "count", "Left out of the other figures.", "wide", key="items"),
)
ITEM_KEYS = (
    "item_id",
    "model",
    "metric",
    "metric_type",
    "measure",
    "base_scenario",
    "case",
    "judge_status",
    "judge_value",
    "people_status",
    "people_value",
    "labels",
    "weight",
    "command",
)
ITEM_COLUMNS = tuple(Column(key.replace("_", " "), "text", "Of an item of the sheet.", key=key) for key in ITEM_KEYS)
SHEET_COLUMNS = tuple(
    Column(key.replace("_", " "), "text", "Of the sheet.", key=key)
    for key in (
        "helm_impactbench",
        "suite",
        "sheet",
        "seed",
        "conversations",
        "benchmarks",
        "models",
        "changed",
        "items",
        "decided",
        "halves",
        "ties",
        "unrated",
    )
)


def scored(report: SheetScore) -> Result:
    """Return what people's answers to a sheet of conversations say."""
    people, shown = report.people, [_presence(row) for row in report.presence if not _is_folded(row)]
    distances = list(_distances(report))
    shown_distances = [row for row in distances if "/" not in row["name"] or row["items"] >= LEAST_SHOWN]
    of_judge: View = "wide" if _chance(people) else "default"
    tables = (
        Table("agrees", AGREES_COLUMNS, list(_agrees(report)), "How often the judge agrees with people", of_judge),
        Table(
            "corrected",
            CORRECTED_COLUMNS,
            list(_corrected(report)),
            "Pass rates as judged, and corrected for the judge's errors",
            of_judge,
        ),
        Table(
            "shared",
            SHARED_COLUMNS,
            [vars(one) for one in report.evidence.if_shared],
            "If people and judge err on the same items",
            of_judge,
        ),
        Table(
            "presence_shown", PRESENCE_COLUMNS, shown, "The judge against people on presence", of_judge, in_files=False
        ),
        Table("presence", PRESENCE_COLUMNS, [_presence(row) for row in report.presence], view="file"),
        Table(
            "distances_shown",
            DISTANCE_COLUMNS,
            shown_distances,
            "The judge against people by distance",
            of_judge,
            in_files=False,
        ),
        Table("distances", DISTANCE_COLUMNS, distances, view="file"),
        Table("agreement", AGREEMENT_COLUMNS, [agreement_row(one) for one in people.agreement], "How far people agree"),
        Table(
            "people",
            PEOPLE_COLUMNS,
            [{"name": one.name, "words": dict(one.words), "unanswered": one.unanswered} for one in people.people],
        ),
        Table(
            "pairs",
            PAIR_COLUMNS,
            [row for one in people.agreement for row in pair_rows(one)],
            "Two people each",
            "wide",
        ),
        Table("labellers", LABELLER_COLUMNS, list(_labellers(report)), "People, by a model of their errors", "wide"),
        Table(
            "statuses",
            STATUS_COLUMNS,
            [{"pair": pair.replace("_", " "), "items": count} for pair, count in report.statuses.items()],
            "Where judge or people give no answer",
            "wide",
        ),
        Table("items", ITEM_COLUMNS, list(_items(report)), view="file"),
        Table("sheet", SHEET_COLUMNS, [_sheet(report)], view="file"),
    )
    return Result(
        presentable(tables), tuple(_notes(report)), tuple(_details(report)), first=tuple(_chance_sentences(people))
    )


def _chance(people: Consensus) -> bool:
    return any(one.is_chance for one in people.agreement)


def _chance_sentences(people: Consensus) -> Iterator[str]:
    """Yield, of each measure, that people do not agree beyond chance: what there is to say of the judge is nothing."""
    for one in people.agreement:
        if one.is_chance and one.alpha is not None:
            bounds = f", 95% CI {one.alpha_interval}" if one.alpha_interval.is_known else ""
            yield (
                f"These people do not agree beyond chance on {one.measure} (Krippendorff's alpha {one.alpha:.2f}"
                f"{bounds}): nothing below says anything about the judge."
            )


def _agrees(report: SheetScore) -> Iterator[dict[str, Any]]:
    presence = report.evidence.agreeing()
    if presence.size:
        yield {
            "name": "present or absent",
            "what": "most people say the same",
            "hits": round(float(presence.sums.sum())),
            "items": presence.values,
            **bounded_fields("share", presence.mean, stratum_interval(presence)),
        }
    for row in report.distances:
        if "/" not in row.name and row.same_side is not None:
            yield {
                "name": row.name,
                "what": "an answer is on the judge's side of the middle",
                "hits": round(row.same_side * row.answers),
                "items": row.answers,
                **bounded_fields("share", row.same_side, row.same_side_interval),
            }


def agreement_row(one: PeopleAgreement) -> dict[str, Any]:
    """Return how far people agree on one measure."""
    return {"measure": one.measure, **bounded_fields("alpha", one.alpha, one.alpha_interval)}


def pair_rows(one: PeopleAgreement) -> Iterator[dict[str, Any]]:
    """Yield how far every two people agree on one measure."""
    for first, second, kappa in one.pairs:
        yield {
            "first": first,
            "second": second,
            "measure": one.measure,
            "items": kappa.items,
            "agreement": kappa.agreement,
            **_kappa(kappa),
        }


def _kappa(kappa: Kappa) -> dict[str, Any]:
    return bounded_fields("kappa", kappa.value, kappa.interval or UNKNOWN)


def _is_folded(row: JudgeRow | DistanceRow) -> bool:
    return "/" in row.name and (row.kappa.items if isinstance(row, JudgeRow) else row.items) < LEAST_SHOWN


def _presence(row: JudgeRow) -> dict[str, Any]:
    rates = row.rates
    return {
        "name": row.name,
        "type": row.kind,
        "answered": row.kappa.items,
        "agreement": row.kappa.agreement,
        **_kappa(row.kappa),
        **_rate("sensitivity", rates.sensitivity),
        **_rate("specificity", rates.specificity),
        **bounded_fields("information", rates.information, rates.information_interval),
    }


def _rate(key: str, rate: ErrorRate | None) -> dict[str, Any]:
    """Return a rate and of how many items it is: expected numbers, where people's errors are allowed for."""
    if rate is None:
        return {}
    return {
        **bounded_fields(key, rate.value, rate.interval),
        f"{key}_items": rate.items,
        f"{key}_hits": rate.hits,
        f"{key}_unweighted": rate.unweighted,
        f"{key}_wilson_low": rate.wilson.low,
        f"{key}_wilson_high": rate.wilson.high,
    }


def _distances(report: SheetScore) -> Iterator[dict[str, Any]]:
    for row in report.distances:
        yield {
            "name": row.name,
            "items": row.items,
            "answers": row.answers,
            **bounded_fields("same_side", row.same_side, row.same_side_interval),
            **bounded_fields("distance", row.distance, row.distance_interval),
            **bounded_fields("alpha", row.alpha, row.alpha_interval),
        }


def _corrected(report: SheetScore) -> Iterator[dict[str, Any]]:
    for row in report.corrected:
        yield {
            "group": row.group,
            "name": row.name,
            "model": row.model,
            "conversations": row.conversations,
            "answered": row.answered,
            **bounded_fields("raw", row.raw, row.raw_interval),
            **_by("rogan_gladen", row.rogan_gladen),
            **_by("prediction_powered", row.prediction_powered),
            "basis": list(row.basis),
        }


def _by(key: str, one: Corrected) -> dict[str, Any]:
    fields = bounded_fields(key, one.value, one.interval)
    return {**fields, f"{key}_clipped": one.clipped, f"{key}_problem": one.problem}


def _labellers(report: SheetScore) -> Iterator[dict[str, Any]]:
    labels = report.evidence.labels
    for person, one in zip(report.people.people, labels.labellers if labels else (), strict=False):
        yield {
            "person": person.name,
            **bounded_fields("sensitivity", one.sensitivity, one.sensitivity_interval),
            **bounded_fields("specificity", one.specificity, one.specificity_interval),
        }


def _items(report: SheetScore) -> Iterator[Row]:
    for item in report.evidence.items:
        yield {
            "item_id": item.item.item_id,
            "model": item.outcome.model,
            "metric": item.outcome.metric,
            "metric_type": item.outcome.metric_type,
            "measure": item.outcome.measure,
            "base_scenario": item.outcome.base_id,
            "case": case_address(item.outcome),
            "judge_status": item.outcome.status,
            "judge_value": item.outcome.value,
            "people_status": item.truth.status,
            "people_value": item.truth.value,
            "labels": list(item.labels),
            "weight": item.weight,
            "command": _command(report, item),
        }


def _command(report: SheetScore, item: AnsweredItem) -> str:
    """Return the command that shows an item's conversation with its verdict."""
    release = release_in(item.outcome.setup)
    releases = (release,) if release else ()
    return explain_command(report.key.suite, releases, item.outcome.model, case_address(item.outcome))


def _differing(report: SheetScore) -> Iterator[str]:
    """Yield the conversations on which judge and people differ, each with the command that shows it."""
    found = [item for item in report.evidence.items if item.differs]
    if not found:
        return
    more = f", the first {LEAST_SHOWN} of which are" if len(found) > LEAST_SHOWN else ""
    yield f"Judge and people differ on {counted(len(found), 'conversation')}{more}:"
    for item in found[:LEAST_SHOWN]:
        yield f"judge {item.judge_says}, people {item.people_say}: {_command(report, item)}"


def _sheet(report: SheetScore) -> Row:
    key, people = report.key, report.people
    return {
        "helm_impactbench": __version__,
        "suite": key.suite,
        "sheet": key.sheet,
        "seed": key.seed,
        "conversations": len(report.evidence.frame),
        "benchmarks": key.benchmarks,
        "models": key.models,
        "changed": report.evidence.changed,
        "items": len(key.items),
        "decided": len(people.truth),
        "halves": len(people.halves),
        "ties": len(people.ties),
        "unrated": len(people.unrated),
    }


def _notes(report: SheetScore) -> Iterator[str]:
    yield _decided(report.people, len(report.key.items))
    if not report.corrected:
        yield "No pass rates to correct: no item on a positive or negative metric of presence is decided."
    if report.presence and len(report.evidence.binary) < FEW:
        yield f"Fewer than {FEW} items are decided: these figures say little, as their intervals show."
    if report.evidence.if_shared:
        yield (
            "Intervals hold if people and judge err independently. The table says what errors on the same hard items "
            "would change: have people discuss what they disagree on, and rely on what holds in all of its rows."
        )
    every: list[JudgeRow | DistanceRow] = [*report.presence, *report.distances]
    if folded := [row.name for row in every if _is_folded(row)]:
        yield f"Not shown: {counted(len(folded), 'metric')} with fewer than {LEAST_SHOWN} items; --out has them."
    remarks: dict[str, list[str]] = {}
    for row in report.corrected:
        for remark in row.basis:
            remarks.setdefault(remark, []).append(row.name)
    yield from (f"{remark} ({', '.join(names)})." for remark, names in remarks.items())
    yield from _differing(report)
    yield "With --out, the files name the model behind every item, so they are not for annotators."


def _decided(people: Consensus, items: int) -> str:
    return (
        f"{len(people.truth)} of {counted(items, 'item')} decided, {len(people.halves)} by ties between present and "
        f"absent, which are kept; {counted(len(people.ties), 'other tie')} left out; "
        f'{counted(len(people.unrated), "item")} that nobody answered, or only with "unclear".'
    )


def _details(report: SheetScore) -> Iterator[str]:
    labels = report.evidence.labels
    if labels is not None and not labels.labellers:
        yield (
            "Too few items have two answers to tell how often people err: their majority counts as truth, and a tie "
            "for neither side."
        )
    yield from (_errors(row) for row in report.presence if row.kind)
    if report.evidence.changed:
        yield (
            f"The suite has changed by {counted(report.evidence.changed, 'conversation')} since the sheet was drawn; "
            "weights follow its present content."
        )
    yield (
        "Rogan-Gladen assumes that the judge errs alike for all models on metrics of one type; prediction-powered "
        f"rates do not, where people answered about the same model. {of_people(labels)}"
    )


def of_people(labels: Labels | None) -> str:
    """Return what the corrected rates take for granted about people: their errors may be too few to be modelled."""
    if labels and labels.labellers:
        return "Both allow for people's errors, as far as these are independent of each other and of the judge's."
    return "Both assume that people are right."


def _errors(row: JudgeRow) -> str:
    """Return the judge's two kinds of error on metrics of one type, and what each does to a pass rate."""
    missed, found = (
        "an unknown share" if rate is None else f"{1 - rate.value:.3f} ({_flipped(rate.interval)})"
        for rate in (row.rates.sensitivity, row.rates.specificity)
    )
    missed_does, found_does = ("fail", "pass") if row.kind == "positive" else ("pass", "fail")
    return (
        f"On {row.kind} metrics the judge misses the behaviour in {missed} of the conversations that have it, which "
        f"wrongly {missed_does}, and finds it in {found} of those that do not, which wrongly {found_does}."
    )


def _flipped(interval: Interval) -> str:
    return f"{1 - interval.high:.3f} to {1 - interval.low:.3f}"
