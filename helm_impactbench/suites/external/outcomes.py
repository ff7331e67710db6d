"""A run of one of HELM's suites as outcomes: the main statistic of every instance, and of nothing else in the run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from typing_extensions import NotRequired, TypedDict

from helm_impactbench.benchmark.areas import REQUEST
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.errors import ResultsError
from helm_impactbench.llm.release import stored_call
from helm_impactbench.results.files import PER_INSTANCE_FILE, SPEC_FILE, STATE_FILE, RunFolder
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.references import PREFIX
from helm_impactbench.results.shapes import CURE, PER_INSTANCE, REFERENCES, STATES, Stat, read_shaped
from helm_impactbench.suites.external.table import HelmSuite, suite_of

SOURCES = (SPEC_FILE, STATE_FILE, PER_INSTANCE_FILE)
"""What the outcomes of a run are made of."""
NO_SCORE = "no_score"
"""HELM keeps no reason for an instance without its main statistic."""
_CATEGORY = re.compile(r"air_category_(\d+_\d+_\d+)_score")
"""Statistic of an answer in one of AIR-Bench's finest categories, each of which has several versions of one request."""
_REQUESTS = {"safe": "safe", "unsafe": "harmful"}
"""Label of a prompt -> what is asked for."""


@dataclass
class _Answer:
    """What HELM says of one instance in one train trial."""

    value: float | None = None
    category: str | None = None


def run_outcomes(run: RunFolder) -> list[Outcome]:
    """Return the outcomes of a run of a suite in the table. Raises ResultsError when a file holds something else."""
    suite = suite_of(run.spec.get("groups", ()))
    assert suite is not None  # the registry hands over no other run
    answers = _answers(run.path / PER_INSTANCE_FILE, suite)
    labels = _labels(run.path / STATE_FILE) if suite.labelled else {}
    calls = {} if run.deployment.startswith(PREFIX) else _calls(run.path / STATE_FILE)  # a script makes no calls
    return [
        replace(
            _outcome(run, suite, run.options, instance, trial, answer, labels.get(instance)),
            calls=calls.get((instance, trial), ()),
        )
        for (instance, trial), answer in sorted(answers.items())
    ]


def _outcome(
    run: RunFolder, suite: HelmSuite, arguments: Mapping[str, Any], instance: str, trial: int, answer: _Answer,
    label: str | None,
) -> Outcome:  # fmt: skip
    """Return one outcome. Instances are numbered anew in every subject of a suite: its arguments make them unique."""
    part = "/".join(map(str, arguments.values()))
    request = _REQUESTS.get(label or "") or ("harmful" if suite.asks_for_harm else None)
    factors = {**{name: str(value) for name, value in arguments.items()}, **({REQUEST: request} if request else {})}
    return Outcome(
        benchmark=suite.group,
        model=run.model,
        setup=run.setup,
        metric_id=suite.statistic,
        metric_name=suite.name,
        metric_type="positive",
        base_id="/".join(filter(None, (part, answer.category or instance))),
        variant_id="/".join(filter(None, (part, instance))),
        sample=trial,
        content=content_digest([suite.group, dict(arguments), instance])[:16],
        axes=(),
        axes_label=None,
        exchanges=1,
        conversation_status="complete",
        status="unscored" if answer.value is None else "scored",
        value=answer.value,
        score=answer.value,
        unscored=NO_SCORE if answer.value is None else None,
        votes=(),
        measure="statistic",
        scale="interval",
        factors=tuple(sorted(factors.items())),
        area=suite.area,
    )


def _answers(path: Path, suite: HelmSuite) -> dict[tuple[str, int], _Answer]:
    """Return (instance, train trial) -> what HELM says of it, of the main split, without perturbed instances."""
    found: dict[tuple[str, int], _Answer] = {}
    for row in read_shaped(path, PER_INSTANCE, deep=True):
        own = [stat for stat in row["stats"] if stat["name"].get("split") == suite.split and stat["count"]]
        if own and not row.get("perturbation"):
            answer = found.setdefault((row["instance_id"], row.get("train_trial_index", 0)), _Answer())
            for name, value in _means(own):
                if name == suite.statistic:
                    answer.value = _share(value, path, row["instance_id"])
                elif category := _CATEGORY.fullmatch(name):
                    answer.category = category.group(1)
    return found


def _means(stats: list[Stat]) -> Iterator[tuple[str, float | None]]:
    for stat in stats:
        total = stat.get("sum")
        yield stat["name"]["name"], None if total is None else total / stat["count"]


def _share(value: float | None, path: Path, instance: str) -> float:
    if value is None or not 0 <= value <= 1:
        raise ResultsError(
            f"{path}: the main statistic of instance {instance} is {value}, expected is a number from 0 to 1; {CURE}"
        )
    return float(value)


def _calls(path: Path) -> dict[tuple[str, int], tuple[str, ...]]:
    """Return (instance, train trial) -> which calls gave the target's answers, as far as HELM's file says it."""
    found: dict[tuple[str, int], tuple[str, ...]] = {}
    for state in read_shaped(path, STATES, deep=True)["request_states"]:
        with suppress(ValidationError):
            answered = _ANSWERED.validate_python(state)
            result = answered["result"]
            time, seconds = result["request_datetime"], result["request_time"]
            call = stored_call(time, seconds, result["completions"][0]["text"]) if result["completions"] else ""
            place = answered["instance"]["id"], answered.get("train_trial_index", 0)
            found[place] = (*found.get(place, ()), *filter(None, [call]))
    return found


class _AnsweredInstance(TypedDict):
    id: str


class _Completion(TypedDict):
    text: str


class _AnsweredResult(TypedDict):
    request_time: float
    request_datetime: int
    completions: list[_Completion]


class _AnsweredState(TypedDict):
    instance: _AnsweredInstance
    train_trial_index: NotRequired[int]
    result: _AnsweredResult


_ANSWERED = TypeAdapter(_AnsweredState)
"""What of a request state says which call answered it; HELM's clients leave it out where they know it not."""


def _labels(path: Path) -> dict[str, str]:
    """Return instance -> text of its correct reference."""
    return {
        one["instance"]["id"]: reference["output"]["text"]
        for one in read_shaped(path, REFERENCES, deep=True)["request_states"]
        for reference in one["instance"].get("references", ())
        if "correct" in reference.get("tags", ())
    }
