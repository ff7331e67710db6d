"""Read the runs of a suite back from the files that helm-run has written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.record import Conversation
from helm_impactbench.errors import ResultsError, did_you_mean
from helm_impactbench.helm.state import CASE_KEY, RECORD_KEY
from helm_impactbench.judging.panel import Judgement
from helm_impactbench.results.consistency import check_outcomes
from helm_impactbench.results.outcome import Outcome, outcome_of

RUN_PREFIX = "impactbench:"
STATE_FILE = "scenario_state.json"
ANNOTATOR = "impactbench"
JUDGEMENT_KEY = "judgement"


@dataclass(frozen=True)
class Record:
    """One conversation of a run with all that is known of it."""

    case: ConversationCase
    conversation: Conversation
    judgement: Judgement


@dataclass(frozen=True)
class RunFolder:
    """One finished run: a benchmark with one target."""

    path: Path

    @cached_property
    def spec(self) -> dict[str, Any]:
        """HELM's run spec."""
        spec: dict[str, Any] = _read(self.path / "run_spec.json")
        return spec

    @property
    def name(self) -> str:
        """The run's name."""
        return str(self.spec["name"])

    @property
    def model(self) -> str:
        """Deployment of the target."""
        return str(self.spec["adapter_spec"]["model_deployment"])

    @property
    def setup(self) -> str:
        """The run's name without its target."""
        return setup_of(self.name)

    @property
    def judges(self) -> list[str]:
        """Deployments of the panel."""
        return [judge for spec in self.spec.get("annotators") or [] for judge in spec["args"].get("judges", [])]

    @property
    def user(self) -> str:
        """Deployment of the simulated user."""
        return str(self.spec["scenario_spec"]["args"]["user"])

    def records(self) -> Iterator[Record]:
        """Yield the run's conversations in order, one at a time. Raises ResultsError when the file is no such thing."""
        states = _read(self.path / STATE_FILE)
        try:
            yield from map(_record, states["request_states"])
        except (KeyError, TypeError, IndexError, ValueError) as error:
            raise ResultsError(
                f"{self.path / STATE_FILE} does not hold conversations of impactbench as this version writes them "
                f"({type(error).__name__}); delete the run's folder and repeat helm-run: finished calls cost nothing."
            ) from error

    def outcomes(self, records: Iterable[Record] | None = None) -> list[Outcome]:
        """Return what the run's conversations came to, checked; `records` are its own if they have been read already.

        Raises ResultsError.
        """
        found = [
            outcome_of(record.case, record.conversation, record.judgement, model=self.model, setup=self.setup)
            for record in (self.records() if records is None else records)
        ]
        check_outcomes(found, self.name)
        return found


def setup_of(run_name: str) -> str:
    """Return a run's name without its target."""
    return re.sub(r",model(?:_deployment)?=[^,]*", "", run_name)


def suite_folder(output_path: Path, suite: str) -> Path:
    """Return the folder of a suite. Raises ResultsError when there is none."""
    folder = output_path / "runs" / suite
    if not folder.is_dir():
        known = sorted(path.name for path in (output_path / "runs").glob("*") if path.is_dir())
        there = f"there are: {', '.join(known)}.{did_you_mean(suite, known)}" if known else "there is none yet."
        raise ResultsError(f"No suite {suite!r} in {output_path / 'runs'}; {there} helm-run --suite {suite} makes it.")
    return folder


def run_folders(folder: Path) -> list[RunFolder]:
    """Return the finished runs of impactbench in a suite's folder, by name. Raises ResultsError when there is none."""
    finished = [RunFolder(path.parent) for path in sorted(folder.glob(f"*/{STATE_FILE}"))]
    own = [run for run in finished if run.name.startswith(RUN_PREFIX)]
    if not own:
        raise ResultsError(f"Suite {folder.name} has no finished run of impactbench in {folder}.")
    return own


def read_outcomes(folder: Path, benchmarks: Sequence[str] = (), models: Sequence[str] = ()) -> list[Outcome]:
    """Return the outcomes of a suite, of the given benchmarks and models only where any are given.

    Raises ResultsError, also for a benchmark or model that the suite does not have.
    """
    runs = run_folders(folder)
    benchmark_of = {run.name: str(run.spec["scenario_spec"]["args"]["benchmark"]) for run in runs}
    _check_known("benchmark", benchmarks, set(benchmark_of.values()), folder.name)
    _check_known("model", models, {run.model for run in runs}, folder.name)
    return [
        outcome
        for run in runs
        if (not benchmarks or benchmark_of[run.name] in benchmarks) and (not models or run.model in models)
        for outcome in run.outcomes()
    ]


def _check_known(what: str, names: Sequence[str], known: set[str], suite: str) -> None:
    for name in names:
        if name not in known:
            raise ResultsError(
                f"Suite {suite} has no {what} {name!r}; it has: {', '.join(sorted(known))}.{did_you_mean(name, known)}"
            )


def _record(state: Mapping[str, Any]) -> Record:
    return Record(
        case=ConversationCase.model_validate(state["instance"]["extra_data"][CASE_KEY]),
        conversation=Conversation.model_validate(state["result"]["completions"][0]["finish_reason"][RECORD_KEY]),
        judgement=Judgement.model_validate(state["annotations"][ANNOTATOR][JUDGEMENT_KEY]),
    )


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ResultsError(f"{path} is missing: the run is not finished; repeat helm-run to finish it.") from error
    except (OSError, ValueError) as error:
        raise ResultsError(f"{path} cannot be read ({error}); delete the run's folder and repeat helm-run.") from error
