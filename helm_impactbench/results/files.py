"""Read the runs of a suite back from the files that helm-run has written."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from helm_impactbench.benchmark.parts import ID_HELP, is_id
from helm_impactbench.errors import ResultsError, counted, did_you_mean
from helm_impactbench.files.folder_name import FOLDER_NAME_HELP, is_folder_name
from helm_impactbench.process.progress_file import is_alive, read_snapshot
from helm_impactbench.results.consistency import check_outcomes
from helm_impactbench.results.kept_outcomes import kept_outcomes
from helm_impactbench.results.outcome import Outcome, arm_in, outcome_of, release_in
from helm_impactbench.results.record import Record, record_of
from helm_impactbench.results.references import references
from helm_impactbench.results.shapes import (
    CURE,
    RUN_SPEC,
    SCENARIO,
    STATES,
    STATS,
    AdapterSpec,
    AnnotatorArguments,
    RunSpec,
    ScenarioSpec,
    Stat,
    States,
    StoredProvenance,
    StoredScenario,
    read_shaped,
    why,
)
from helm_impactbench.stats.sequential import Goal
from helm_impactbench.tables.names import ARM_SIGN

OWN_CLASSES = "helm_impactbench."
"""How the class names of our HELM scenarios begin: a run with one of these is ours to read."""
SPEC_FILE = "run_spec.json"
SCENARIO_FILE = "scenario.json"
STATE_FILE = "scenario_state.json"
STATS_FILE = "stats.json"
PER_INSTANCE_FILE = "per_instance_stats.json"
RUN_FILES = (SPEC_FILE, SCENARIO_FILE, STATE_FILE, STATS_FILE, PER_INSTANCE_FILE)
"""In HELM's order. HELM takes a run for completed when all are there."""
REGRESSION_GROUP = "impactbench_regression"
"""HELM's group of runs whose cases are kept failures: they are in no rate beside other benchmarks."""
OUTCOME_SOURCES = (SPEC_FILE, STATE_FILE)
"""What the outcomes of a run with conversations are made of."""


@dataclass(frozen=True)
class RunFolder:
    """One finished run: a benchmark with one target."""

    path: Path
    with_release: bool = False
    """Whether its target is called by model and release, `acme/chat@v2`: another release is beside it."""
    called_arm: str = ""
    """What its arm is called where another one is beside it: its target is then `acme/chat#new`."""

    @cached_property
    def spec(self) -> RunSpec:
        """HELM's run spec. Raises ResultsError."""
        return read_shaped(self.path / SPEC_FILE, RUN_SPEC)

    @cached_property
    def scenario(self) -> StoredScenario:
        """The run's scenario.json. Raises ResultsError."""
        return read_shaped(self.path / SCENARIO_FILE, SCENARIO)

    @property
    def provenance(self) -> StoredProvenance:
        """Hashes and versions, and where a rejudged or imported run comes from. Raises ResultsError."""
        return self.scenario.get("provenance") or StoredProvenance()

    @property
    def name(self) -> str:
        """The run's name."""
        return self.spec["name"]

    @property
    def is_private(self) -> bool:
        """Whether its scenarios are the user's own secret."""
        return bool(self.options.get("split") == "private")

    @property
    def is_regression(self) -> bool:
        """Whether its cases are kept failures. Raises ResultsError."""
        return REGRESSION_GROUP in self.spec.get("groups", ())

    @property
    def model(self) -> str:
        """Name of the target: its deployment, with release and arm where others are beside it. Raises ResultsError."""
        release = f"@{self.release}" if self.with_release and self.release else ""
        arm = f"{ARM_SIGN}{self.called_arm}" if self.called_arm else ""
        return f"{self.deployment}{release}{arm}"

    @property
    def names(self) -> set[str]:
        """What the target may be called: its name, or its deployment for all of them. Raises ResultsError."""
        return {self.model, self.deployment}

    @property
    def deployment(self) -> str:
        """Deployment of the target. Raises ResultsError."""
        deployment = self.adapter.get("model_deployment")
        if not deployment:
            raise ResultsError(f"{self.path / SPEC_FILE} names no model_deployment in its adapter_spec; {CURE}")
        return deployment

    @property
    def release(self) -> str:
        """Which release of the target answered; empty where none was named."""
        return release_in(self.setup)

    @property
    def arm(self) -> tuple[str, ...]:
        """Which set-up of the target answered, by all that sets it apart; empty where nothing does."""
        return arm_in(self.setup)

    @property
    def target_model(self) -> str:
        """The target's model as HELM names it; its deployment where HELM names none."""
        return self.adapter.get("model") or self.deployment

    @property
    def adapter(self) -> AdapterSpec:
        """HELM's adapter spec: how the target is called."""
        return self.spec.get("adapter_spec", AdapterSpec())

    @property
    def setup(self) -> str:
        """The run's name without its target."""
        return setup_of(self.name)

    @property
    def judges(self) -> list[str]:
        """Deployments of the panel; none in a run that was generated with judge=none."""
        arguments = [spec.get("args", AnnotatorArguments()) for spec in self.spec.get("annotators") or []]
        return [judge for panel in arguments for judge in panel.get("judges", [])]

    @property
    def scenario_class(self) -> str:
        """Class name of the HELM scenario; empty without one."""
        return self.spec.get("scenario_spec", ScenarioSpec()).get("class_name", "")

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of the HELM scenario: benchmark, user and every option that was set."""
        return self.spec.get("scenario_spec", ScenarioSpec()).get("args", {})

    @property
    def benchmark(self) -> str:
        """Slug of the benchmark: the run's first group, under which HELM lists it. Raises ResultsError."""
        groups = self.spec.get("groups")
        if not groups:
            raise ResultsError(f"{self.path / SPEC_FILE} has no groups; {CURE}")
        if self.scenario_class.startswith(OWN_CLASSES) and not is_id(groups[0]):  # it becomes a folder's name
            raise ResultsError(
                f"{self.path / SPEC_FILE}: the benchmark {groups[0][:80]!r} has no usable name. A name is {ID_HELP}."
            )
        return groups[0]

    def has_stopped_for(self, goal: Goal | None) -> bool:
        """Return whether the run took all that it could, or stopped early for just this goal. Raises ResultsError."""
        stopped_for = self.spec.get("until")
        return stopped_for is None or (goal is not None and stopped_for == goal.stored)

    @property
    def user(self) -> str:
        """Deployment of the simulated user; empty where nobody is simulated."""
        return str(self.options.get("user", ""))

    @property
    def written(self) -> datetime:
        """When its conversations were written, UTC to the second: the only clock of a run's folder."""
        return datetime.fromtimestamp(int((self.path / STATE_FILE).stat().st_mtime), tz=timezone.utc)

    def records(self) -> Iterator[Record]:
        """Yield the run's conversations in order, one at a time. Raises ResultsError when the file is no such thing."""
        for number, state in enumerate(self.states()["request_states"], start=1):
            try:
                yield record_of(state)
            except ValidationError as error:
                raise ResultsError(
                    f"{self.path / STATE_FILE} has no conversations of impactbench as this version writes them "
                    f"(request state {number}: {why(error)}); {CURE}"
                ) from error

    def states(self) -> States:
        """Return scenario_state.json as it stands. Raises ResultsError."""
        return read_shaped(self.path / STATE_FILE, STATES, deep=True)

    def outcomes(self, records: Iterable[Record] | None = None) -> list[Outcome]:
        """Return what the run's conversations came to, checked; `records` are its own if they have been read already.

        Raises ResultsError.
        """
        if records is None:
            return self._named(kept_outcomes(self.path, OUTCOME_SOURCES, lambda: self._outcomes(self.records())))
        return self._named(self._outcomes(records))

    def _outcomes(self, records: Iterable[Record]) -> list[Outcome]:
        found = [outcome_of(record, model=self.deployment, setup=self.setup) for record in records]
        check_outcomes(found, self.name)
        return found

    def _named(self, outcomes: list[Outcome]) -> list[Outcome]:
        """Return outcomes, which are kept with the deployment, under the target's name."""
        return outcomes if self.model == self.deployment else [replace(one, model=self.model) for one in outcomes]

    def read(self) -> tuple[list[Record], list[Outcome]]:
        """Return the run's conversations and what they came to, read once. Raises ResultsError."""
        records: list[Record] = []

        def read() -> list[Outcome]:
            records.extend(self.records())
            return self._outcomes(records)

        outcomes = kept_outcomes(self.path, OUTCOME_SOURCES, read)
        return records or list(self.records()), self._named(outcomes)

    def statistic(self, name: str) -> float | None:
        """Return the mean of a statistic of the run as a whole, None where it has no value. Raises ResultsError."""
        return next(
            (stat.get("mean") for stat in self.stats if stat["name"]["name"] == name and stat.get("count")), None
        )

    @cached_property
    def stats(self) -> list[Stat]:
        """HELM's statistics of the run. Raises ResultsError."""
        return read_shaped(self.path / STATS_FILE, STATS)


def setup_of(run_name: str) -> str:
    """Return a run's name without its target."""
    return re.sub(r"[:,]model(?:_deployment)?=[^,]*", "", run_name)


def folder_name(run_name: str) -> str:
    """Return the name of a run's folder, as helm-run makes it: one part of a path, whatever the run is called."""
    return run_name.replace("/", "_")


def suite_folder(output_path: Path, suite: str) -> Path:
    """Return the folder of a suite. Raises ResultsError when there is none, or the name can be none."""
    folder = output_path / "runs" / suite
    known = sorted(path.name for path in (output_path / "runs").glob("*") if path.is_dir())
    if not is_folder_name(suite):
        meant = re.split(r"[/\\]", suite.rstrip("/\\"))[-1]
        cure = f"Give --suite {shlex.quote(meant)}" if meant in known else FOLDER_NAME_HELP
        raise ResultsError(f"The suite cannot be {suite[:80]!r}: it is the name of one folder. {cure}.")
    if not folder.is_dir():
        there = f"there are: {', '.join(known)}.{did_you_mean(suite, known)}" if known else "there is none yet."
        cure = f"impactbench run --suite {shlex.quote(suite)} makes one."
        raise ResultsError(f"No suite {suite!r} in {output_path / 'runs'}; {there} {cure}")
    return folder


def run_folders(folder: Path, releases: Sequence[str] = ()) -> list[RunFolder]:
    """Return the finished runs of impactbench in a suite's folder, by name. Raises ResultsError when there is none.

    releases: of these only, where any are given.
    """
    finished = [RunFolder(path.parent) for path in sorted(folder.glob(f"*/{STATE_FILE}"))]
    own = [run for run in finished if run.scenario_class.startswith(OWN_CLASSES)]
    if not own:
        raise no_finished_run(folder, " of impactbench")
    return targets_apart(of_releases(folder, own, releases))


def of_releases(folder: Path, runs: Sequence[RunFolder], releases: Sequence[str]) -> list[RunFolder]:
    """Return a suite's runs of some releases, all where none are given; reference bots have no release and stay.

    Raises ResultsError for a release that no run is of.
    """
    if not releases:
        return list(runs)
    named = sorted({*filter(None, (run.release for run in runs))})
    for name in releases:
        if name not in named:
            there = f"it has: {', '.join(named)}.{did_you_mean(name, named)}" if named else "its runs name no release."
            raise ResultsError(
                f"Suite {folder.name} has no release {name!r}; {there} impactbench run --release {shlex.quote(name)} "
                "asks one."
            )
    bots = references(run.model for run in runs)
    return [run for run in runs if run.release in releases or run.model in bots]


def targets_apart(runs: Sequence[RunFolder]) -> list[RunFolder]:
    """Return runs in which a target of several releases or arms is called by model, release and arm.

    An arm is called by its name, else its system prompt; and by all that sets it apart where several have the same.
    HELM's own runs name none and count for none. Raises ResultsError.
    """
    named: dict[str | None, list[RunFolder]] = {}
    for run in runs:
        if run.scenario_class.startswith(OWN_CLASSES):
            named.setdefault(run.adapter.get("model_deployment"), []).append(run)
    releases = {deployment for deployment, own in named.items() if len({run.release for run in own}) > 1}
    arms = {deployment: found for deployment, own in named.items() if len(found := {run.arm for run in own}) > 1}

    def apart(run: RunFolder) -> RunFolder:
        deployment = run.adapter.get("model_deployment")
        if deployment not in releases | {*arms}:
            return run
        alike = [arm for arm in arms.get(deployment, ()) if arm[:1] == run.arm[:1]]
        called = "+".join(run.arm if len(alike) > 1 else run.arm[:1]) if alike else ""
        return replace(run, with_release=deployment in releases, called_arm=called)

    return [apart(run) for run in runs]


def no_finished_run(folder: Path, what: str = "") -> ResultsError:
    """Return the error of a suite without a run that could be read: what became of the newest command, and the cure.

    what: of the run that is missed, for example " with conversations".
    """
    state, name = read_snapshot(folder), shlex.quote(folder.name)
    missed = f"Suite {folder.name} has no finished run{what} in {folder}"
    if state is None or state.finished:
        return ResultsError(f"{missed}.")
    done = f"{state.cases:,} of {counted(state.expected, 'conversation')} are done"
    if is_alive(folder):
        return ResultsError(f"{missed} yet: {done}. impactbench watch --suite {name} shows the progress.")
    return ResultsError(
        f"{missed}: the last one was interrupted or stopped when {done}. Repeat its command: it continues, and "
        "no finished call is made or paid for again."
    )


def is_whole(folder: Path) -> bool:
    """Return whether a run's folder holds all files of a completed run."""
    return all((folder / name).is_file() for name in RUN_FILES)


def check_known(what: str, names: Sequence[str], known: set[str], suite: str) -> None:
    """Raise ResultsError for a name that a suite does not have."""
    for name in names:
        if name not in known:
            raise ResultsError(
                f"Suite {suite} has no {what} {name!r}; it has: {', '.join(sorted(known))}.{did_you_mean(name, known)}"
            )
