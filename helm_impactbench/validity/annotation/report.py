"""Everything that people's answers say, in one value, and as JSON from which every figure can be computed again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from helm_impactbench._version import __version__
from helm_impactbench.analysis.agreement import by_measure
from helm_impactbench.files.plain_json import plain_json
from helm_impactbench.results.files import run_folders
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.record import Record
from helm_impactbench.stats.judge_errors import Rate
from helm_impactbench.validity.annotation.answers import read_answer
from helm_impactbench.validity.annotation.consensus import Asked, Consensus, consensus
from helm_impactbench.validity.annotation.corrected import CorrectedRow, corrected_rows
from helm_impactbench.validity.annotation.distances import DistanceRow, distance_rows
from helm_impactbench.validity.annotation.error_rates import JudgeRow, judge_rows
from helm_impactbench.validity.annotation.errors import AnnotationError
from helm_impactbench.validity.annotation.evidence import Evidence, check_unchanged, gather
from helm_impactbench.validity.annotation.key import Key
from helm_impactbench.validity.annotation.reading import Annotation, read_annotations
from helm_impactbench.validity.annotation.sampling import ItemName, name_of
from helm_impactbench.validity.annotation.view import read_records


@dataclass(frozen=True)
class Report:
    """The score of a sheet."""

    key: Key
    people: Consensus
    evidence: Evidence
    presence: tuple[JudgeRow, ...]
    """The judge on present or absent."""
    distances: tuple[DistanceRow, ...]
    """The judge where answers differ by a distance."""
    corrected: tuple[CorrectedRow, ...]

    @property
    def statuses(self) -> dict[str, int]:
        """ "scored -> not_applicable" and the like: what the judge says, what people say, where either gives no answer.

        People's ties and unclear answers are not in it.
        """
        pairs = [(item.outcome.status, item.truth.status.replace("answered", "scored")) for item in self.evidence.items]
        found = Counter(f"{judge} -> {people}" for judge, people in pairs if (judge, people) != ("scored", "scored"))
        return dict(sorted(found.items()))


def score(folder: Path, outcomes: Sequence[Outcome], key: Key, paths: Sequence[Path]) -> Report:
    """Return the report on files of answers to a sheet that was drawn from the suite in `folder`.

    `outcomes` are the suite's. Raises ResultsError, and AnnotationError when people decided no item.
    """
    records = read_records(run_folders(folder), {item.name for item in key.items})
    check_unchanged(folder.name, key, outcomes, records)
    own = {item.item_id: records[item.name] for item in key.items}
    annotations = read_annotations(paths, {item: partial(_read, record) for item, record in own.items()})
    asked = _asked(key, own, outcomes)
    people = consensus(annotations, asked)
    if not people.truth:
        raise AnnotationError(
            f"People decided no item: {len(people.ties)} ties, {len(people.unrated)} without an answer. "
            "More answers are needed: complete the sheet, or ask a third person."
        )
    return reported(
        key, people, gather(outcomes, records, key, people.truth, _labels(annotations, asked)), annotations, asked
    )


def reported(
    key: Key, people: Consensus, evidence: Evidence, annotations: Sequence[Annotation], asked: Mapping[str, Asked]
) -> Report:
    """Return the report on evidence."""
    return Report(
        key=key,
        people=people,
        evidence=evidence,
        presence=tuple(judge_rows(evidence)),
        distances=tuple(distance_rows(evidence, annotations, asked)),
        corrected=tuple(corrected_rows(evidence)),
    )


def _labels(annotations: Sequence[Annotation], asked: Mapping[str, Asked]) -> dict[str, tuple[float | None, ...]]:
    """Return item id -> each person's answer as a number, in the order of names."""
    given = {(a.person, a.item_id): a.reading.value for a in annotations if a.reading is not None}
    people = sorted({annotation.person for annotation in annotations})
    return {item: tuple(given.get((person, item)) for person in people) for item in asked}


def _read(record: Record, text: str) -> Any:
    return read_answer(text, record.case.metric, record.case.context)


def _asked(key: Key, records: Mapping[str, Record], outcomes: Sequence[Outcome]) -> dict[str, Asked]:
    names = {item.name for item in key.items}
    groups = by_measure([outcome for outcome in outcomes if name_of(outcome) in names])
    group_of: dict[ItemName, str] = {name_of(o): group for group, found in groups.items() for o in found}
    clusters = {name_of(outcome): outcome.cluster for outcome in outcomes}
    return {
        item.item_id: Asked(records[item.item_id].case.metric.measure, group_of[item.name], clusters[item.name])
        for item in key.items
    }


def as_json(report: Report) -> dict[str, Any]:
    """Return the report as JSON-like data; what is unknown is None. It says what each item is: not for annotators."""
    people = asdict(report.people)
    del people["truth"]
    people["agreement"] = [
        {
            "measure": found.measure,
            "pairs": [{"first": a, "second": b, **asdict(kappa)} for a, b, kappa in found.pairs],
            "alpha": found.alpha,
            "alpha_interval": asdict(found.alpha_interval),
        }
        for found in report.people.agreement
    ]
    content = {
        "helm_impactbench": __version__,
        "suite": report.key.suite,
        "sheet": report.key.sheet,
        "seed": report.key.seed,
        "frame": {
            "conversations": len(report.evidence.frame),
            "benchmarks": report.key.benchmarks,
            "models": report.key.models,
            "changed": report.evidence.changed,
        },
        "people": people,
        "labellers": [
            {"person": person.name, **asdict(one)}
            for person, one in zip(
                report.people.people, report.evidence.labels.labellers if report.evidence.labels else (), strict=False
            )
        ],
        "statuses": report.statuses,
        "presence": [_judge_json(row) for row in report.presence],
        "distances": [asdict(row) for row in report.distances],
        "corrected": [asdict(row) for row in report.corrected],
        "items": [
            {
                "item_id": item.item.item_id,
                "model": item.outcome.model,
                "metric": item.outcome.metric,
                "metric_type": item.outcome.metric_type,
                "measure": item.outcome.measure,
                "base_scenario": item.outcome.base_id,
                "judge_status": item.outcome.status,
                "judge_value": item.outcome.value,
                "people_status": item.truth.status,
                "people_value": item.truth.value,
                "labels": item.labels,
                "weight": item.weight,
            }
            for item in report.evidence.items
        ],
    }
    plain: dict[str, Any] = plain_json(content)
    return plain


def _judge_json(row: JudgeRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "type": row.kind,
        "answered": row.kappa.items,
        "agreement": row.kappa.agreement,
        "kappa": row.kappa.value,
        "kappa_interval": asdict(row.kappa.interval) if row.kappa.interval else None,
        "sensitivity": _rate_json(row.rates.sensitivity),
        "specificity": _rate_json(row.rates.specificity),
        "information": row.rates.information,
        "information_interval": asdict(row.rates.information_interval),
    }


def _rate_json(rate: Rate | None) -> dict[str, Any] | None:
    if rate is None:
        return None
    return {**asdict(rate), "unweighted": rate.unweighted, "wilson": asdict(rate.wilson)}
