"""Read the runs of a suite back from the files that helm-run has written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from helm_impactbench.errors import ResultsError, did_you_mean
from helm_impactbench.results.consistency import check_outcomes
from helm_impactbench.results.outcome import Outcome, outcome_of
from helm_impactbench.results.record import Record, record_of

OWN_CLASSES = "helm_impactbench."
"""How the class names of our HELM scenarios begin: a run with one of these is ours to read."""
STATE_FILE = "scenario_state.json"


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
        """Deployments of the panel; none in a run that was generated with judge=none."""
        return [judge for spec in self.spec.get("annotators") or [] for judge in spec["args"].get("judges", [])]

    @property
    def benchmark(self) -> str:
        """Slug of the benchmark: the run's first group, under which HELM lists it."""
        return str(self.spec["groups"][0])

    @property
    def user(self) -> str:
        """Deployment of the simulated user; empty where nobody is simulated."""
        return str(self.spec["scenario_spec"]["args"].get("user", ""))

    def records(self) -> Iterator[Record]:
        """Yield the run's conversations in order, one at a time. Raises ResultsError when the file is no such thing."""
        states = _read(self.path / STATE_FILE)
        try:
            yield from map(record_of, states["request_states"])
        except (KeyError, TypeError, IndexError, ValueError) as error:
            raise ResultsError(
                f"{self.path / STATE_FILE} does not hold conversations of impactbench as this version writes them "
                f"({_short(error)}); delete the run's folder and repeat helm-run: finished calls cost nothing."
            ) from error

    def outcomes(self, records: Iterable[Record] | None = None) -> list[Outcome]:
        """Return what the run's conversations came to, checked; `records` are its own if they have been read already.

        Raises ResultsError.
        """
        found = [
            outcome_of(record, model=self.model, setup=self.setup)
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
    own = [run for run in finished if run.spec["scenario_spec"]["class_name"].startswith(OWN_CLASSES)]
    if not own:
        raise ResultsError(f"Suite {folder.name} has no finished run of impactbench in {folder}.")
    return own


def read_outcomes(folder: Path, benchmarks: Sequence[str] = (), models: Sequence[str] = ()) -> list[Outcome]:
    """Return the outcomes of a suite, of the given benchmarks and models only where any are given.

    Raises ResultsError, also for a benchmark or model that the suite does not have.
    """
    runs = run_folders(folder)
    _check_known("benchmark", benchmarks, {run.benchmark for run in runs}, folder.name)
    _check_known("model", models, {run.model for run in runs}, folder.name)
    return [
        outcome
        for run in runs
        if (not benchmarks or run.benchmark in benchmarks) and (not models or run.model in models)
        for outcome in run.outcomes()
    ]


def _check_known(what: str, names: Sequence[str], known: set[str], suite: str) -> None:
    for name in names:
        if name not in known:
            raise ResultsError(
                f"Suite {suite} has no {what} {name!r}; it has: {', '.join(sorted(known))}.{did_you_mean(name, known)}"
            )


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:120]}"


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ResultsError(f"{path} is missing: the run is not finished; repeat helm-run to finish it.") from error
    except (OSError, ValueError) as error:
        raise ResultsError(f"{path} cannot be read ({error}); delete the run's folder and repeat helm-run.") from error
