"""Score the transcripts of a suite again with other judges: no user and no target is called.

A rejudged run is a run like any other: HELM's own files, with the judges in its name. Nothing but judgements and what
is computed from them differs from the run that it was made from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from helm_impactbench import __version__
from helm_impactbench.benchmark.model import content_digest
from helm_impactbench.errors import ResultsError
from helm_impactbench.helm.state import CASE_KEY, RECORD_KEY
from helm_impactbench.judging.judge import NoVote
from helm_impactbench.judging.judge_conversation import judged
from helm_impactbench.judging.panel import Judgement
from helm_impactbench.judging.prompt import judge_prompts
from helm_impactbench.llm.request import Caller
from helm_impactbench.prompts import prompts_digest
from helm_impactbench.results.consistency import check_outcomes
from helm_impactbench.results.files import ANNOTATOR, STATE_FILE, Record, RunFolder, setup_of
from helm_impactbench.results.outcome import outcome_of
from helm_impactbench.results.publish import FILES, helm_figures, is_whole, json_text, publish, read_json
from helm_impactbench.validity.runs import in_threads

_CLASS = "ImpactBenchAnnotator"


@dataclass(frozen=True)
class Panel:
    """Who judges anew."""

    given: tuple[str, ...]
    """Names as the user gave them; they stand in a run's name, as with helm-run."""
    deployments: tuple[str, ...]
    checks: tuple[str, ...] | None
    """None: those that the run was judged with."""


@dataclass(frozen=True)
class Rejudging:
    """One run that is to be judged anew, and what the new one will be."""

    source: RunFolder
    target: Path
    """Folder of the new run."""
    spec: dict[str, Any]
    """HELM's run spec of the new run."""
    scenario: dict[str, Any]
    """Its scenario.json."""

    @property
    def arguments(self) -> dict[str, Any]:
        """The new annotator's arguments: judges, and checks where there are any."""
        return next(args for name, args in _annotators(self.spec) if name.endswith(_CLASS))

    @property
    def is_done(self) -> bool:
        """Whether the new run is there, whole, and no judge of it failed for a reason that may have passed."""
        return is_whole(self.target) and not any(map(_may_be_better, RunFolder(self.target).records()))


def plan(runs: Sequence[RunFolder], from_suite: str, to_suite: Path, panel: Panel) -> list[Rejudging]:
    """Return what is to be done. Raises ResultsError when a new run would take the place of one that differs."""
    planned = [_planned(run, from_suite, to_suite, panel) for run in runs]
    names: dict[str, str] = {}
    for rejudging in planned:
        name = str(rejudging.spec["name"])
        if name in names:
            raise ResultsError(
                f"Suite {from_suite} holds two runs that differ in their judges alone: {names[name]} and "
                f"{rejudging.source.name}. With the same judges they would be one; rejudge a suite with one of them."
            )
        names[name] = rejudging.source.name
        _check_free(rejudging)
    return planned


def rejudge(rejudging: Rejudging, caller: Caller, threads: int) -> None:
    """Judge the run's conversations anew and write the new run in one step.

    Raises FatalCallError when no call can succeed any more, ResultsError when the run cannot be read; nothing of the
    new run is written then, and every answer that came is in HELM's cache.
    """
    raw = read_json(rejudging.source.path / STATE_FILE)
    records = list(rejudging.source.records())
    ask = partial(_judged_again, rejudging.arguments, caller)
    judgements = list(in_threads(ask, records, threads))
    _check(rejudging, records, judgements)
    _replace_judgements(raw, rejudging.spec, records, judgements)
    stats, per_instance = helm_figures(raw, rejudging.spec)
    contents = (rejudging.spec, rejudging.scenario, raw, stats, per_instance)
    publish(rejudging.target, {name: json_text(value) for name, value in zip(FILES, contents, strict=True)})


def _judged_again(arguments: Mapping[str, Any], caller: Caller, record: Record) -> Judgement:
    return judged(record.case, record.conversation, arguments["judges"], arguments.get("checks", ()), caller)


def _planned(run: RunFolder, from_suite: str, to_suite: Path, panel: Panel) -> Rejudging:
    spec = json.loads(json.dumps(run.spec))
    for name, arguments in _annotators(spec):
        if name.endswith(_CLASS):
            checks = tuple(arguments.get("checks", ())) if panel.checks is None else panel.checks
            arguments.clear()
            arguments.update({"judges": list(panel.deployments), **({"checks": list(checks)} if checks else {})})
    spec["name"] = renamed(run.name, panel.given, panel.checks)
    scenario = read_json(run.path / "scenario.json")
    scenario["provenance"] = {
        **scenario.get("provenance", {}),
        "rejudged_from": {"suite": from_suite, "run": run.name, "conversations_digest": _digest(run)},
        "judged_with": {
            "prompts_digest": prompts_digest(judge_prompts().values()),
            "helm_impactbench": __version__,
        },
    }
    return Rejudging(run, to_suite / spec["name"], spec, scenario)


def renamed(name: str, judges: Sequence[str], checks: Sequence[str] | None) -> str:
    """Return a run's name with other judges, and other checks unless these are None, as helm-run would write it."""
    name = re.sub(r",judge=[^,]*", ",judge=" + "+".join(judges).replace("/", "_"), name, count=1)
    if checks is None:
        return name
    name = re.sub(r",checks=[^,]*", "", name)
    return re.sub(r"(?=,model(?:_deployment)?=)", f",checks={'+'.join(checks)}", name, count=1) if checks else name


def _digest(run: RunFolder) -> str:
    """Return the SHA-256 (hex) of what was said, and of what it was said for."""
    try:
        return content_digest(
            [
                [
                    state["instance"]["extra_data"][CASE_KEY],
                    state["result"]["completions"][0]["finish_reason"][RECORD_KEY],
                ]
                for state in read_json(run.path / STATE_FILE)["request_states"]
            ]
        )
    except (KeyError, TypeError, IndexError) as error:
        raise ResultsError(f"{run.path / STATE_FILE} does not hold conversations of impactbench.") from error


def _check_free(rejudging: Rejudging) -> None:
    if not is_whole(rejudging.target):
        return
    there = read_json(rejudging.target / "scenario.json").get("provenance", {})
    wanted = rejudging.scenario["provenance"]
    same_words = (there.get("judged_with") or {}).get("prompts_digest") == wanted["judged_with"]["prompts_digest"]
    same_source = there.get("rejudged_from") == wanted["rejudged_from"]
    if same_source and same_words and RunFolder(rejudging.target).spec == rejudging.spec:
        return
    difference = (
        "other options" if same_source and same_words else "other judge's prompts" if same_source
        else f"conversations of suite {there['rejudged_from']['suite']} as they were" if there.get("rejudged_from")
        else "conversations of its own (helm-run wrote it)"
    )  # fmt: skip
    raise ResultsError(
        f"{rejudging.target} exists and holds another run: it has {difference}. Name another suite with --to-suite, or "
        "delete that folder: answers that were paid for are in HELM's cache."
    )


def _annotators(spec: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(str(annotator["class_name"]), annotator["args"]) for annotator in spec.get("annotators") or []]


def _may_be_better(record: Record) -> bool:
    opinions = [*record.judgement.opinions, *(o for check in record.judgement.checks.values() for o in check.opinions)]
    return any(opinion.no_vote is NoVote.ERROR for opinion in opinions)


def _check(rejudging: Rejudging, records: Sequence[Record], judgements: Sequence[Judgement]) -> None:
    name, model = str(rejudging.spec["name"]), rejudging.source.model
    outcomes = [
        outcome_of(record.case, record.conversation, judgement, model=model, setup=setup_of(name))
        for record, judgement in zip(records, judgements, strict=True)
    ]
    check_outcomes(outcomes, name)


def _replace_judgements(
    raw: dict[str, Any], spec: Mapping[str, Any], records: Sequence[Record], judgements: Sequence[Judgement]
) -> None:
    from helm_impactbench.helm.judge_annotator import annotation

    raw["annotator_specs"] = spec["annotators"]
    for state, record, judgement in zip(raw["request_states"], records, judgements, strict=True):
        state["annotations"][ANNOTATOR] = annotation(judgement, record.case, record.conversation)
