"""What rejudging is going to do: which runs, how the new ones are called, and that none takes another's place."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helm_impactbench._version import __version__
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.errors import ResultsError
from helm_impactbench.judging.judge_conversation import AskedHow, Panel
from helm_impactbench.judging.verdict import NoVote
from helm_impactbench.results.files import RunFolder, folder_name, is_whole
from helm_impactbench.results.record import Record
from helm_impactbench.validity.instrument import judge_prompts_digest

Data = dict[str, Any]


@dataclass(frozen=True)
class NewPanel:
    """Who judges anew, and what is asked."""

    given: tuple[str, ...]
    """Names as the user gave them; they are part of a run's name, as with helm-run."""
    deployments: tuple[str, ...]
    checks: tuple[str, ...] | None = None
    """None: those that the run was judged with."""
    swap: bool | None = None
    """Whether the two names that only judges see are exchanged, where the measure has such names; None: as before."""


@dataclass(frozen=True)
class RejudgeManner:
    """How the runs of one kind are judged."""

    annotator: str
    """Class name of their HELM annotator, for runs that have none yet."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """What that annotator takes besides judges and checks."""
    question: AskedHow | None = None
    """How they ask; None: as the metrics do."""


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
    manner: RejudgeManner
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
        if self.swap is None or not record.case.metric.measure.presentation.has_names:
            return record
        return Record(record.case.model_copy(update={"swap": self.swap}), record.conversation, record.verdict)


def plan(
    runs: Sequence[RunFolder],
    from_suite: str,
    to_suite: Path,
    panel: NewPanel,
    manner_of: Callable[[RunFolder], RejudgeManner],
) -> list[Rejudging]:
    """Return what is to be done. Raises ResultsError when a new run would take the place of one that differs."""
    planned = [_planned(run, from_suite, to_suite, panel, manner_of(run)) for run in runs]
    if panel.swap and not any(one.swap for one in planned):
        raise ResultsError("No run has names that only its judges see, so there is nothing to swap.")
    sources: dict[str, str] = {}
    for one in planned:
        if one.name in sources:
            raise ResultsError(
                f"Suite {from_suite} has two runs that differ only in their judges: {sources[one.name]} and "
                f"{one.source.name}. With the same judges they would be the same run; "
                "rejudge a suite with only one of them."
            )
        sources[one.name] = one.source.name
        _check_free(one)
    return planned


def _planned(run: RunFolder, from_suite: str, to_suite: Path, panel: NewPanel, manner: RejudgeManner) -> Rejudging:
    records = list(run.records())
    spec: Data = {**copy.deepcopy(run.spec)}
    scenario: Data = {**copy.deepcopy(run.scenario)}
    swap = panel.swap if any(record.case.metric.measure.presentation.has_names for record in records) else None
    checks = _with_panel(spec, panel, manner)
    spec["name"] = renamed(run.name, panel.given, panel.checks, swap)
    if swap is not None:
        for arguments in (spec.setdefault("scenario_spec", {}).setdefault("args", {}), scenario):
            arguments.pop("swap", None)
            arguments.update({"swap": True} if swap else {})
    scenario["provenance"] = {
        **run.provenance,
        "rejudged_from": {"suite": from_suite, "run": run.name, "conversations_digest": _digest(records)},
        "judged_with": {
            "prompts_digest": judge_prompts_digest(record.case.metric for record in records),
            "helm_impactbench": __version__,
        },
    }
    judges = Panel(panel.deployments, checks)
    return Rejudging(run, to_suite / folder_name(spec["name"]), spec, scenario, manner, judges, swap)


def _with_panel(spec: Data, panel: NewPanel, manner: RejudgeManner) -> tuple[str, ...]:
    """Give a run spec's annotator the new judges, or give it one; return the checks that are asked."""
    annotators = spec.setdefault("annotators", []) or []
    own = next((one for one in annotators if "judges" in one.get("args", {})), None)
    if own is None:
        own = {"class_name": manner.annotator, "args": dict(manner.arguments)}
        spec["annotators"] = [*annotators, own]
    checks = tuple(own["args"].get("checks", ())) if panel.checks is None else panel.checks
    kept = {
        name: value for name, value in own["args"].items() if name not in ("judges", "checks", "cascade", "validate")
    }
    own["args"] = {"judges": list(panel.deployments), **kept, **({"checks": list(checks)} if checks else {})}
    return checks


def renamed(name: str, judges: Sequence[str], checks: Sequence[str] | None, swap: bool | None = None) -> str:
    """Return a run's name with other judges, checks and names, as helm-run would write it; None keeps what is there.

    A cascade is dropped, because all new judges are asked, and so is the held-out judge.
    """
    name = re.sub(r"(?<=[:,])judge=[^,]*", "judge=" + "+".join(judges).replace("/", "_"), name, count=1)
    kept = {option: re.search(rf",{option}=([^,]*)", name) for option in ("checks", "swap")}
    values = {
        "checks": kept["checks"] and kept["checks"][1] if checks is None else "+".join(checks),
        "swap": kept["swap"] and kept["swap"][1] if swap is None else "true" if swap else "",
    }
    options = "".join(f",{option}={value}" for option, value in values.items() if value)
    return re.sub(
        r"(?=,model(?:_deployment)?=)", options, re.sub(r",(?:checks|swap|cascade|validate)=[^,]*", "", name), count=1
    )


def _digest(records: Sequence[Record]) -> str:
    """Return the SHA-256 (hex) of what was said, and of what it was said for."""
    return content_digest(
        [
            [record.case.model_dump(mode="json", exclude={"swap"}), record.conversation.model_dump(mode="json")]
            for record in records
        ]
    )


def _check_free(rejudging: Rejudging) -> None:
    if not is_whole(rejudging.target):
        return
    there = RunFolder(rejudging.target).provenance
    wanted = rejudging.scenario["provenance"]
    same_words = (there.get("judged_with") or {}).get("prompts_digest") == wanted["judged_with"]["prompts_digest"]
    source = there.get("rejudged_from")
    same_source = source == wanted["rejudged_from"]
    if same_source and same_words and RunFolder(rejudging.target).spec == rejudging.spec:
        return
    difference = (
        "other options"
        if same_source and same_words
        else "other judge's prompts"
        if same_source
        else f"conversations of suite {source['suite']} as they were"
        if source
        else "conversations of its own (helm-run wrote it)"
    )
    raise ResultsError(
        f"{rejudging.target} exists and is a different run: it has {difference}. Give another suite with --to-suite, "
        "or delete that folder: answers that were paid for stay in the cache."
    )


def _may_be_better(record: Record) -> bool:
    return any(vote.no_vote is NoVote.ERROR for vote in record.verdict.every_vote)
