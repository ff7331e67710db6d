"""Judge the stored conversations of a suite, for the first time or with other judges: no user and no target is called.

A rejudged run is a run like any other: HELM's own files, with the judges in its name. Nothing but verdicts and what is
computed from them differs from the run that it was made from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from helm_impactbench import __version__
from helm_impactbench.benchmark.model import content_digest
from helm_impactbench.errors import ResultsError
from helm_impactbench.judging.judge_conversation import AskedHow, Call, Panel, judge_conversation
from helm_impactbench.judging.question import judge_digest
from helm_impactbench.judging.verdict import NoVote
from helm_impactbench.results.consistency import check_outcomes
from helm_impactbench.results.files import SCENARIO_FILE, STATE_FILE, RunFolder, is_whole, read_json, setup_of
from helm_impactbench.results.outcome import outcome_of
from helm_impactbench.results.publish import Figures, publish
from helm_impactbench.results.record import ANNOTATOR, CASE_KEY, Record, annotation, case_data
from helm_impactbench.validity.threads import in_threads

Data = dict[str, Any]


@dataclass(frozen=True)
class NewPanel:
    """Who judges anew, and what is asked."""

    given: tuple[str, ...]
    """Names as the user gave them; they stand in a run's name, as with helm-run."""
    deployments: tuple[str, ...]
    checks: tuple[str, ...] | None = None
    """None: those that the run was judged with."""
    swap: bool | None = None
    """Whether the two names that only judges see are exchanged, where the measure has such names; None: as before."""


@dataclass(frozen=True)
class Manner:
    """How the runs of one kind are judged."""

    annotator: str
    """Class name of their HELM annotator, for runs that have none yet."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """What that annotator takes besides judges and checks."""
    question: AskedHow | None = None
    """How they ask; None: as the metrics do."""
    seed: str | None = None
    """Sent to the judges in place of each case's own seed."""


@dataclass(frozen=True)
class Rejudging:
    """One run that is to be judged, and what the new one will be."""

    source: RunFolder
    target: Path
    """Folder of the new run."""
    spec: Data
    """HELM's run spec of the new run."""
    scenario: Data
    """Its scenario.json."""
    manner: Manner
    panel: Panel
    swap: bool | None
    """None: as the cases were put before."""

    @property
    def name(self) -> str:
        """The new run's name."""
        return str(self.spec["name"])

    @property
    def is_done(self) -> bool:
        """Whether the new run is there, whole, and no judge of it failed for a reason that may have passed."""
        return is_whole(self.target) and not any(map(_may_be_better, RunFolder(self.target).records()))

    def case_put(self, record: Record) -> Record:
        """Return a record whose case is the one that the judges meet now."""
        if self.swap is None or not record.case.metric.measure.has_names:
            return record
        return Record(record.case.model_copy(update={"swap": self.swap}), record.conversation, record.verdict)


def plan(
    runs: Sequence[RunFolder],
    from_suite: str,
    to_suite: Path,
    panel: NewPanel,
    manner_of: Callable[[RunFolder], Manner],
) -> list[Rejudging]:
    """Return what is to be done. Raises ResultsError when a new run would take the place of one that differs."""
    planned = [_planned(run, from_suite, to_suite, panel, manner_of(run)) for run in runs]
    if panel.swap and not any(one.swap for one in planned):
        raise ResultsError("No run has names that only its judges see, so there is nothing to swap.")
    sources: dict[str, str] = {}
    for one in planned:
        if one.name in sources:
            raise ResultsError(
                f"Suite {from_suite} holds two runs that differ in their judges alone: {sources[one.name]} and "
                f"{one.source.name}. With the same judges they would be one; rejudge a suite with one of them."
            )
        sources[one.name] = one.source.name
        _check_free(one)
    return planned


def rejudge(rejudging: Rejudging, call: Call, figures: Figures, threads: int) -> None:
    """Judge the run's conversations and write the new run in one step.

    `figures` computes HELM's statistics. Raises FatalCallError when no call can succeed any more, ResultsError when the
    run cannot be read; nothing of the new run is written then, and every answer that came is in HELM's cache.
    """
    raw = read_json(rejudging.source.path / STATE_FILE)
    records = list(in_threads(partial(_judged, rejudging, call), list(rejudging.source.records()), threads))
    outcomes = [outcome_of(record, model=rejudging.source.model, setup=setup_of(rejudging.name)) for record in records]
    check_outcomes(outcomes, rejudging.name)
    raw["annotator_specs"] = rejudging.spec["annotators"]
    for state, record in zip(raw["request_states"], records, strict=True):
        _put(state, record)
    publish(rejudging.target, rejudging.spec, rejudging.scenario, raw, figures)


def _judged(rejudging: Rejudging, call: Call, record: Record) -> Record:
    put = rejudging.case_put(record)
    verdict = judge_conversation(put.case, put.conversation, rejudging.panel, call, rejudging.manner.question)
    return Record(put.case, put.conversation, verdict)


def _put(state: Data, record: Record) -> None:
    """Put a record into a request state: the case and the verdict; the conversation stays as it is."""
    extra = state["instance"].get("extra_data") or {}
    own_place = CASE_KEY in extra
    if own_place:
        state["instance"]["extra_data"] = {**extra, **case_data(record.case)}
    state["annotations"] = {**(state.get("annotations") or {}), ANNOTATOR: annotation(record, whole=not own_place)}


def _planned(run: RunFolder, from_suite: str, to_suite: Path, panel: NewPanel, manner: Manner) -> Rejudging:
    records = list(run.records())
    spec, scenario = json.loads(json.dumps(run.spec)), read_json(run.path / SCENARIO_FILE)
    swap = panel.swap if any(record.case.metric.measure.has_names for record in records) else None
    checks = _with_panel(spec, panel, manner)
    spec["name"] = renamed(run.name, panel.given, panel.checks, swap)
    if swap is not None:
        for arguments in (spec["scenario_spec"]["args"], scenario):
            arguments.pop("swap", None)
            arguments.update({"swap": True} if swap else {})
    scenario["provenance"] = {
        **scenario.get("provenance", {}),
        "rejudged_from": {"suite": from_suite, "run": run.name, "conversations_digest": _digest(records)},
        "judged_with": {"prompts_digest": _prompts_digest(records), "helm_impactbench": __version__},
    }
    judges = Panel(panel.deployments, checks, manner.seed)
    return Rejudging(run, to_suite / spec["name"], spec, scenario, manner, judges, swap)


def _with_panel(spec: Data, panel: NewPanel, manner: Manner) -> tuple[str, ...]:
    """Give a run spec's annotator the new judges, or give it one; return the checks that are asked."""
    annotators = spec.setdefault("annotators", []) or []
    own = next((one for one in annotators if "judges" in one["args"]), None)
    if own is None:
        own = {"class_name": manner.annotator, "args": dict(manner.arguments)}
        spec["annotators"] = [*annotators, own]
    checks = tuple(own["args"].get("checks", ())) if panel.checks is None else panel.checks
    kept = {name: value for name, value in own["args"].items() if name not in ("judges", "checks")}
    own["args"] = {"judges": list(panel.deployments), **kept, **({"checks": list(checks)} if checks else {})}
    return checks


def renamed(name: str, judges: Sequence[str], checks: Sequence[str] | None, swap: bool | None = None) -> str:
    """Return a run's name with other judges, checks and names, as helm-run would write it; None keeps what is there."""
    name = re.sub(r"(?<=[:,])judge=[^,]*", "judge=" + "+".join(judges).replace("/", "_"), name, count=1)
    kept = {option: re.search(rf",{option}=([^,]*)", name) for option in ("checks", "swap")}
    values = {
        "checks": kept["checks"] and kept["checks"][1] if checks is None else "+".join(checks),
        "swap": kept["swap"] and kept["swap"][1] if swap is None else "true" if swap else "",
    }
    options = "".join(f",{option}={value}" for option, value in values.items() if value)
    return re.sub(r"(?=,model(?:_deployment)?=)", options, re.sub(r",(?:checks|swap)=[^,]*", "", name), count=1)


def _digest(records: Sequence[Record]) -> str:
    """Return the SHA-256 (hex) of what was said, and of what it was said for."""
    return content_digest(
        [
            [record.case.model_dump(mode="json", exclude={"swap"}), record.conversation.model_dump(mode="json")]
            for record in records
        ]
    )


def _prompts_digest(records: Sequence[Record]) -> str:
    """Return the SHA-256 (hex) of the judge's templates and of what the measures add to them."""
    return content_digest([judge_digest(), *sorted({record.case.metric.measure.instructions() for record in records})])


def _check_free(rejudging: Rejudging) -> None:
    if not is_whole(rejudging.target):
        return
    there = read_json(rejudging.target / SCENARIO_FILE).get("provenance", {})
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


def _may_be_better(record: Record) -> bool:
    verdict = record.verdict
    votes = [*verdict.votes, *(vote for check in verdict.checks.values() for vote in check.votes)]
    return any(vote.no_vote is NoVote.ERROR for vote in votes)
