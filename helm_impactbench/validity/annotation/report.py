"""Everything that labels say, in one value, and as JSON from which every figure can be computed again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from helm_impactbench import __version__
from helm_impactbench.stats.judge_errors import Rate
from helm_impactbench.validity.annotation.corrected import CorrectedRow, corrected_rows
from helm_impactbench.validity.annotation.errors import LabellingError
from helm_impactbench.validity.annotation.evidence import Evidence, gather
from helm_impactbench.validity.annotation.judge import JudgeRow, judge_rows
from helm_impactbench.validity.annotation.key import Key
from helm_impactbench.validity.annotation.labels import Label
from helm_impactbench.validity.annotation.people import Consensus, consensus


@dataclass(frozen=True)
class Report:
    """The score of a sheet."""

    key: Key
    people: Consensus
    evidence: Evidence
    judge: tuple[JudgeRow, ...]
    corrected: tuple[CorrectedRow, ...]


def score(folder: Path, key: Key, labels: Sequence[Label]) -> Report:
    """Return the report on the labels of a sheet drawn from the suite in `folder`.

    Raises ResultsError, and LabellingError when people decided no item.
    """
    people = consensus(labels, [item.item_id for item in key.items])
    if not people.truth:
        raise LabellingError(
            f"People decided no item: {len(people.ties)} ties, {len(people.unrated)} without present or absent. "
            "More labels are needed: label the sheet further, or have a third person label it."
        )
    evidence = gather(folder, key, people.truth)
    return Report(key, people, evidence, tuple(judge_rows(evidence)), tuple(corrected_rows(evidence)))


def as_json(report: Report) -> dict[str, Any]:
    """Return the report as JSON-like data; what is unknown is None. It says what each item is: not for labellers."""
    people = asdict(report.people)
    del people["truth"]
    people["pairs"] = [{"first": a, "second": b, **asdict(kappa)} for a, b, kappa in report.people.pairs]
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
        "judge": [_judge_json(row) for row in report.judge],
        "corrected": [asdict(row) for row in report.corrected],
        "items": [
            {
                "item_id": item.item.item_id,
                "model": item.outcome.model,
                "metric": item.outcome.metric,
                "metric_type": item.outcome.metric_type,
                "base_scenario": item.outcome.base_id,
                "judge_present": item.outcome.present,
                "people_present": item.truth,
                "weight": item.weight,
            }
            for item in report.evidence.items
        ],
    }
    plain: dict[str, Any] = _plain(content)
    return plain


def _judge_json(row: JudgeRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "labelled": row.kappa.items,
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


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
