"""A run of one of HELM's suites as outcomes: the main statistic of every instance, and of nothing else in the run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from operator import itemgetter
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
from helm_impactbench.suites.external.mmlu_groups import GROUP_OF
from helm_impactbench.suites.external.request_factors import request_factors
from helm_impactbench.suites.external.table import ALSO, HelmSuite, suite_of

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
    second: float | None = None
    category: str | None = None


@dataclass(frozen=True)
class _Texts:
    """What an instance is, in HELM's words."""

    label: str = ""
    """Its correct reference."""
    only: str = ""
    """Its only reference."""
    prompt: str = ""


def run_outcomes(run: RunFolder) -> list[Outcome]:
    """Return the outcomes of a run of a suite in the table. Raises ResultsError when a file holds something else."""
    suite = suite_of(run.spec.get("groups", ()))
    assert suite is not None  # the registry hands over no other run
    answers = _answers(run.path / PER_INSTANCE_FILE, suite)
    texts = _references(run.path / STATE_FILE) if suite.labelled or suite.has_categories else {}
    calls = {} if run.deployment.startswith(PREFIX) else _calls(run.path / STATE_FILE)  # a script makes no calls
    found = [
        replace(
            _outcome(run, suite, run.options, instance, trial, answer, texts.get(instance, _Texts())),
            calls=tuple(call for call, _ in calls.get((instance, trial), ())),
            seconds=tuple(seconds for _, seconds in calls.get((instance, trial), ())),
        )
        for (instance, trial), answer in sorted(answers.items())
    ]
    return [*found, *_seconds(suite, found, list(map(itemgetter(1), sorted(answers.items()))))]


def _seconds(suite: HelmSuite, found: Sequence[Outcome], answers: Sequence[_Answer]) -> Iterator[Outcome]:
    """Yield the outcomes of a suite's second statistic, where HELM computed it."""
    if any(answer.second is not None for answer in answers):
        for outcome, answer in zip(found, answers, strict=True):
            yield replace(
                outcome,
                benchmark=f"{suite.group}{ALSO}{suite.also}",
                metric_id=suite.also,
                **_scored(answer.second),
            )


def _outcome(
    run: RunFolder,
    suite: HelmSuite,
    arguments: Mapping[str, Any],
    instance: str,
    trial: int,
    answer: _Answer,
    texts: _Texts,
) -> Outcome:
    """Return one outcome. Instances are numbered anew in every subject of a suite: its arguments make them unique."""
    part = "/".join(map(str, arguments.values()))
    request = _REQUESTS.get(texts.label if suite.labelled else "") or ("harmful" if suite.asks_for_harm else None)
    factors = {
        **{name: str(value) for name, value in arguments.items()},
        **({REQUEST: request} if request else {}),
        **(request_factors(texts.only, texts.prompt) if suite.has_categories and texts.only else {}),
        **_subject_factors(suite, arguments),
    }
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
        **_scored(answer.value),
        votes=(),
        measure="statistic",
        scale="interval",
        factors=tuple(sorted(factors.items())),
        area=suite.area,
    )


def _scored(value: float | None) -> dict[str, Any]:
    """Return the fields of an outcome that say what its value is."""
    lacks = value is None
    return {
        "status": "unscored" if lacks else "scored",
        "value": value,
        "score": value,
        "unscored": NO_SCORE if lacks else None,
    }


def _subject_factors(suite: HelmSuite, arguments: Mapping[str, Any]) -> dict[str, str]:
    group = GROUP_OF.get(str(arguments.get("subject"))) if suite.group == "mmlu" else None
    return {"group": group} if group else {}


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
                elif name == suite.also:
                    answer.second = _share(value, path, row["instance_id"])
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


def _calls(path: Path) -> dict[tuple[str, int], tuple[tuple[str, float], ...]]:
    """Return (instance, train trial) -> which calls gave the target's answers, and the seconds of each, as far as
    HELM's file says it."""
    found: dict[tuple[str, int], tuple[tuple[str, float], ...]] = {}
    for state in read_shaped(path, STATES, deep=True)["request_states"]:
        with suppress(ValidationError):
            answered = _ANSWERED.validate_python(state)
            result = answered["result"]
            time, seconds = result["request_datetime"], result["request_time"]
            call = stored_call(time, seconds, result["completions"][0]["text"]) if result["completions"] else ""
            place = answered["instance"]["id"], answered.get("train_trial_index", 0)
            found[place] = (*found.get(place, ()), *([(call, seconds)] if call else []))
    return found


class _AnsweredInstance(TypedDict):
    id: str


class _HelmCompletion(TypedDict):
    text: str


class _AnsweredResult(TypedDict):
    request_time: float
    request_datetime: int
    completions: list[_HelmCompletion]


class _AnsweredState(TypedDict):
    instance: _AnsweredInstance
    train_trial_index: NotRequired[int]
    result: _AnsweredResult


_ANSWERED = TypeAdapter(_AnsweredState)
"""What of a request state says which call answered it; HELM's clients leave it out where they know it not."""


def _references(path: Path) -> dict[str, _Texts]:
    """Return instance -> the texts of its references, and its prompt."""
    found = {}
    for state in read_shaped(path, REFERENCES, deep=True)["request_states"]:
        references = list(state["instance"].get("references", ()))
        correct = [one["output"]["text"] for one in references if "correct" in one.get("tags", ())]
        only = references[0]["output"]["text"] if len(references) == 1 else ""
        prompt = state["instance"].get("input", {}).get("text", "")
        found[state["instance"]["id"]] = _Texts(correct[-1] if correct else "", only, prompt)
    return found
