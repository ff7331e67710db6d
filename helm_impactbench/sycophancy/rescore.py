"""Score the stored conversations of a suite, now or anew: no target is called. In the manner of instrument.rejudge.

The new run is a run like any other: HELM's own files, with the scorers in its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from helm_impactbench import __version__
from helm_impactbench.benchmark.model import content_digest
from helm_impactbench.errors import ResultsError
from helm_impactbench.helm.caller import ModelCaller
from helm_impactbench.judging.judge import NoVote
from helm_impactbench.prompts import prompts_digest
from helm_impactbench.results.files import STATE_FILE, RunFolder
from helm_impactbench.results.publish import FILES, helm_figures, is_whole, publish, read_json
from helm_impactbench.sycophancy.helm_state import ANNOTATOR
from helm_impactbench.sycophancy.question import stance_prompts
from helm_impactbench.sycophancy.results import TellingRecord, telling_records
from helm_impactbench.sycophancy.scorer import StanceJudgement, scored
from helm_impactbench.validity.runs import in_threads


@dataclass(frozen=True)
class Scorers:
    """Who scores, and how."""

    given: tuple[str, ...]
    """Names as the user gave them; they stand in a run's name, as with helm-run."""
    deployments: tuple[str, ...]
    swap: bool = False
    guess: bool = False


@dataclass(frozen=True)
class Rescoring:
    """One run that is to be scored, and what the new one will be."""

    source: RunFolder
    target: Path
    """Folder of the new run."""
    spec: dict[str, Any]
    """HELM's run spec of the new run."""
    scenario: dict[str, Any]
    """Its scenario.json."""
    scorers: Scorers

    @property
    def is_done(self) -> bool:
        """Whether the new run is there, whole, and no scorer of it failed for a reason that may have passed."""
        return is_whole(self.target) and not any(map(_may_be_better, telling_records(RunFolder(self.target))))


def plan(runs: Sequence[RunFolder], from_suite: str, to_suite: Path, scorers: Scorers) -> list[Rescoring]:
    """Return what is to be done. Raises ResultsError when a new run would take the place of one that differs."""
    planned = [_planned(run, from_suite, to_suite, scorers) for run in runs]
    names = [str(one.spec["name"]) for one in planned]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise ResultsError(
            f"Suite {from_suite} holds two runs that differ in their scorers alone and would both become {twice}; "
            "score a suite with one of them."
        )
    for one in planned:
        _check_free(one)
    return planned


def rescore(rescoring: Rescoring, caller: ModelCaller, threads: int) -> None:
    """Score the run's conversations and write the new run in one step.

    Raises FatalCallError when no call can succeed any more; nothing of the new run is written then, and every answer
    that came is in HELM's cache.
    """
    raw = read_json(rescoring.source.path / STATE_FILE)
    records = list(telling_records(rescoring.source))
    judgements = list(in_threads(partial(_judged, rescoring.scorers, caller), records, threads))
    _put(raw, rescoring.spec, records, judgements)
    stats, per_instance = helm_figures(raw, rescoring.spec)
    contents = (rescoring.spec, rescoring.scenario, raw, stats, per_instance)
    publish(rescoring.target, {name: json.dumps(value, indent=2) for name, value in zip(FILES, contents, strict=True)})


def renamed(name: str, scorers: Scorers) -> str:
    """Return a run's name with other scorers, as helm-run would write it."""
    judge = "+".join(scorers.given).replace("/", "_")
    name = re.sub(r",(?:swap|guess)=true", "", re.sub(r"(?<=[:,])judge=[^,]*", f"judge={judge}", name, count=1))
    options = "".join(f",{option}=true" for option in ("swap", "guess") if getattr(scorers, option))
    return re.sub(r"(?=,model(?:_deployment)?=)", options, name, count=1)


def _judged(scorers: Scorers, caller: ModelCaller, record: TellingRecord) -> StanceJudgement:
    return scored(record.case, record.conversation, scorers.deployments, caller, swap=scorers.swap, guess=scorers.guess)


def _planned(run: RunFolder, from_suite: str, to_suite: Path, scorers: Scorers) -> Rescoring:
    from helm.common.general import asdict_without_nones

    from helm_impactbench.sycophancy.run_specs import annotators

    spec = json.loads(json.dumps(run.spec))
    spec["name"] = renamed(run.name, scorers)
    wanted = annotators(list(scorers.deployments), scorers.swap, scorers.guess)
    spec["annotators"] = [asdict_without_nones(one) for one in wanted]
    scenario = read_json(run.path / "scenario.json")
    records = [[record.case.model_dump(mode="json"), record.conversation.model_dump(mode="json")]
               for record in telling_records(run)]  # fmt: skip
    scenario["provenance"] = {
        **scenario.get("provenance", {}),
        "scored_from": {"suite": from_suite, "run": run.name, "conversations_digest": content_digest(records)},
        "scored_with": {
            "prompts_digest": prompts_digest(stance_prompts().values()),
            "helm_impactbench": __version__,
        },
    }
    return Rescoring(run, to_suite / spec["name"], spec, scenario, scorers)


def _check_free(rescoring: Rescoring) -> None:
    if not is_whole(rescoring.target):
        return
    there = read_json(rescoring.target / "scenario.json").get("provenance", {})
    wanted = rescoring.scenario["provenance"]
    same = all(there.get(key) == wanted[key] for key in ("scored_from", "scored_with"))
    if not same or RunFolder(rescoring.target).spec != rescoring.spec:
        raise ResultsError(
            f"{rescoring.target} exists and holds another run (other conversations, options or prompts). Name another "
            "suite with --to-suite, or delete that folder: answers that were paid for are in HELM's cache."
        )


def _may_be_better(record: TellingRecord) -> bool:
    return any(opinion.no_vote is NoVote.ERROR for opinion in record.judgement.opinions)


def _put(
    raw: dict[str, Any], spec: dict[str, Any], records: Sequence[TellingRecord], judgements: Sequence[StanceJudgement]
) -> None:
    from helm_impactbench.sycophancy.helm_annotator import annotation

    raw["annotator_specs"] = spec["annotators"]
    for state, record, judgement in zip(raw["request_states"], records, judgements, strict=True):
        others = state.get("annotations") or {}
        state["annotations"] = {**others, ANNOTATOR: annotation(judgement, record.case, record.conversation)}
