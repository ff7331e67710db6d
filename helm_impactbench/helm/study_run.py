"""A study from its settings to a finished suite: what is missing is written, the plan is shown, helm-run runs.

`impactbench run` and `helm_impactbench.run` call this one function, each with a watcher of its own.
"""

from __future__ import annotations

import fcntl
import os
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from helm_impactbench.errors import HelmRunError, ImpactBenchError, counted
from helm_impactbench.files.atomic_write import StorageError
from helm_impactbench.helm.missing_verdicts import EXIT_CODE
from helm_impactbench.helm.products import with_products
from helm_impactbench.helm.study_author import write_missing, writing_plan
from helm_impactbench.llm.limits.budget import BUDGET_VARIABLE
from helm_impactbench.llm.limits.probe import PROBE_VARIABLE
from helm_impactbench.llm.limits.settings import stating_limits
from helm_impactbench.llm.prices import stating
from helm_impactbench.process.child import Child
from helm_impactbench.process.folder_checks import check_no_file, takes_files
from helm_impactbench.process.open_runs import LOOKS, LOOKS_VARIABLE, note_open
from helm_impactbench.process.progress_file import Snapshot, read_snapshot, without_score, write_snapshot
from helm_impactbench.study.entries import CONF, conf_text, helm_run_arguments, reference_entries, run_entries
from helm_impactbench.study.model import Study
from helm_impactbench.study.reader import check_arms_differ
from helm_impactbench.study.replicates import fresh_replicate
from helm_impactbench.study.watcher import Watcher

if TYPE_CHECKING:
    from helm_impactbench.analysis.costs.forecast import PlannedRun

LOG = "run.log"
"""HELM's log, in the folder of the suite."""
_LOOK_SECONDS = 0.3
STAGES = (1 / 27, 1 / 9, 1 / 3, 1.0)
"""Shares of the cases at the looks of a study that ends when it is known which model is best: of an odd number of equal
parts the middle ones are a part of the next share, so that a look pays for little that the next one does not take."""
_LINES_OF_LOG = 5
"""Shown of the log when helm-run says nothing of its own."""


class AnchorReader(Protocol):
    """Has a suite's judges read transcripts with known verdicts, beside the run."""

    def say_planned(self, runs: Sequence[PlannedRun], suite: Path) -> None:
        """Tell what will be read and what it costs."""

    def read(self, suite: Path, local_path: Path, threads: int, budget: float | None) -> None:
        """Have it read; the suite's figures do not need it, so nothing is raised where it cannot be."""


@dataclass(frozen=True)
class StudyPlace:
    """Where a study is run."""

    output_path: Path = Path("benchmark_output")
    """HELM's folder of results."""
    local_path: Path = Path("prod_env")
    """HELM's folder of credentials and caches."""

    def suite(self, study: Study) -> Path:
        """Return the folder of a study's suite."""
        return self.output_path / "runs" / study.suite


def run_study(
    study: Study,
    place: StudyPlace,
    watcher: Watcher,
    *,
    fresh: bool = False,
    probe: bool = True,
    anchors: AnchorReader | None = None,
) -> Study:
    """Run a study, and return it as it was run: with fresh=True, as its next replicate.

    It continues where an earlier run stopped. probe: each model is asked one short question before anything else is
    paid. A study with dry_run is planned and not run. Raises ImpactBenchError for a mistake in the study, before the
    first call; HelmRunError when helm-run stops.
    """
    check_no_file(place.output_path, "--output-path")
    check_no_file(place.local_path, "--local-path")
    study = with_products(study, place.local_path, write=not study.dry_run)
    with stating(study.prices), stating_limits(study.limits):
        return _run_priced(study, place, watcher, fresh=fresh, probe=probe, anchors=anchors)


def _run_priced(
    study: Study, place: StudyPlace, watcher: Watcher, *, fresh: bool, probe: bool, anchors: AnchorReader | None
) -> Study:
    """Run a study whose prices are stated."""
    if fresh:
        study = fresh_replicate(study, place.output_path / "runs")
        watcher.say(f"Replicate {study.replicate} in the suite {study.suite}: every model is called again.")
    watcher.note("Planning ...")  # before HELM is imported, which takes seconds
    _check(study, place)
    if study.dry_run:
        _only_plan(study, place, watcher, anchors)
        return study
    check_arms_differ(study)
    folder = place.suite(study)
    write_missing(study, place.local_path, folder, watcher)
    for number, share in enumerate(STAGES if study.until_better else (1.0,), start=1):
        if study.until_better:
            watcher.say(f"Look {number} of {len(STAGES)} at most: {share:.0%} of the cases, on every model.")
        _run_share(study, share, place, watcher, probe=probe and number == 1, anchors=anchors, asks=number == 1)
        if study.until_better and _says_which(folder, watcher):
            break
    if study.until_better:
        note_open(folder, (), [LOOKS])
    if anchors is not None:
        anchors.read(folder, place.local_path, study.threads, study.budget_usd)
    return study


def _run_share(
    study: Study,
    share: float,
    place: StudyPlace,
    watcher: Watcher,
    *,
    probe: bool,
    anchors: AnchorReader | None,
    asks: bool,
) -> None:
    """Run a share of what a study takes; asks: whether to ask first."""
    folder, entries, bots = place.suite(study), run_entries(study, share), reference_entries(study)
    with _new_folder(folder) as keep:
        conf = folder / CONF
        conf.write_text(conf_text(entries, study.models, bots), encoding="utf-8")
        arguments = helm_run_arguments(study, conf, place.output_path, place.local_path, bots)

        def plan() -> int:
            if asks and share < 1:
                watcher.say("All looks together, at most:")
                _announce(study, place, watcher, None)
                watcher.say("This look:")
            planned = _announce(study, place, watcher, anchors, share)
            if asks:
                watcher.agree("Run it?")
            keep()
            return planned

        _run(study, arguments, folder, plan, watcher, probe=probe)


def _says_which(folder: Path, watcher: Watcher) -> bool:
    """Record a look at a suite that grows, and return whether it says which model is best."""
    from helm_impactbench.analysis.which_best import which_is_best
    from helm_impactbench.suites.reading import read
    from helm_impactbench.validity.records.looks import record_look

    reading = read(folder)
    record_look(reading, is_planned=True)
    found = which_is_best(reading)
    watcher.say(found.sentence)
    return found.is_decided


def _check(study: Study, place: StudyPlace) -> None:
    """Raise what keeps a study from being run."""
    from helm_impactbench.helm.study_checks import check_study

    check_study(study, place.local_path)


def _only_plan(study: Study, place: StudyPlace, watcher: Watcher, anchors: AnchorReader | None) -> None:
    """Tell what would be written, or else what would be run; call and write nothing."""
    first = writing_plan(study)
    for line in first:
        watcher.say(line)
    if not first:
        _announce(study, place, watcher, anchors)
    watcher.say("Nothing was run: this was a dry run.")


def _announce(
    study: Study, place: StudyPlace, watcher: Watcher, anchors: AnchorReader | None, share: float = 1.0
) -> int:
    """Tell what is going to be done and what it will cost. Returns the number of conversations."""
    from helm_impactbench.helm.study_plan import plan_lines, planned_study
    from helm_impactbench.validity.judge_trust import judge_trust

    plan = planned_study(study, place.local_path, share)
    for line in plan_lines(plan):
        watcher.say(line)
    for sentence in _of_relatives(study):
        watcher.say(f"WARNING: {sentence}")
    trust = judge_trust(place.suite(study), [study.judge], plan.benchmarks)
    if trust.failed:
        watcher.say(f"{trust.line} Its verdicts would rank nothing.")
    if anchors is not None:
        anchors.say_planned(plan.runs, place.suite(study))
    return plan.whole.conversations


def _of_relatives(study: Study) -> list[str]:
    """Return a sentence for each judge of the family of a model under test, or of another judge."""
    from helm_impactbench.validity.families import relatives

    return relatives(study.judge, [target.name for target in study.targets])


def _run(
    study: Study, arguments: Sequence[str], folder: Path, plan: Callable[[], int], watcher: Watcher, *, probe: bool
) -> None:
    """Run helm-run under the eyes of the watcher. Raises HelmRunError.

    helm-run gets ready, which takes seconds, while `plan` shows what is planned, asks, and returns the conversations.
    """
    before = read_snapshot(folder)  # stays until there is a newer one: it says that an earlier run was interrupted
    environment = {} if study.budget_usd is None else {BUDGET_VARIABLE: str(study.budget_usd)}
    if not probe or PROBE_VARIABLE not in os.environ:
        environment[PROBE_VARIABLE] = "yes" if probe else "no"
    if study.until_better:
        environment[LOOKS_VARIABLE] = "yes"
    messages: list[str] = []
    told = {f"impactbench: {sentence}" for sentence in _of_relatives(study)}

    def say(line: str) -> None:
        if line in told:  # with the plan
            return
        messages.append(line)
        progress.say(line)

    with Child(arguments, folder / LOG, say, **environment) as child:
        planned = plan()
        watcher.running(["helm-run", *arguments], folder / LOG)
        with watcher.progress(f"{study.suite}: {counted(planned, 'conversation')}", planned) as progress:
            child.release()
            while not child.wait(_LOOK_SECONDS):
                progress.show(_now(folder, before, planned))
            progress.show(_now(folder, before, planned))
    if (last := _newer(folder, before)) and not last.ended:  # its budget was used up, or it was killed
        write_snapshot(folder, replace(last, ended=True))
    # After a run in which every call failed, the others have results.
    if child.exit_code and child.exit_code != EXIT_CODE:
        raise _stopped(child.exit_code, folder, before, messages, watcher)
    if words := _answers(_newer(folder, before)):
        watcher.say(words)


def _newer(folder: Path, before: Snapshot | None) -> Snapshot | None:
    """Return the state of a run; None while there is only that of an earlier one."""
    snapshot = read_snapshot(folder)
    return None if snapshot == before else snapshot


def _now(folder: Path, before: Snapshot | None, planned: int) -> Snapshot:
    """Return the state of a run, out of the planned number while it may not know the size of all its runs."""
    snapshot = _newer(folder, before) or Snapshot()
    return replace(snapshot, expected=planned) if snapshot.expected and not snapshot.cases else snapshot


def _answers(snapshot: Snapshot | None) -> str:
    """Return how many answers of the tested models are new; empty where only scripts were tested."""
    if snapshot is None or not snapshot.new_answers + snapshot.stored_answers:
        return ""
    total = snapshot.new_answers + snapshot.stored_answers
    return (
        f"Answers of the tested models: {snapshot.new_answers:,} of {total:,} new, "
        f"{snapshot.stored_answers:,} from the cache."
    )


def _stopped(
    code: int, folder: Path, before: Snapshot | None, messages: Sequence[str], watcher: Watcher
) -> HelmRunError:
    """Return the error of a helm-run that stopped, after the end of its log where it said nothing itself."""
    if not messages:
        log = (folder / LOG).read_text("utf-8", "replace").splitlines()
        messages = [line for line in log if line.strip()][-_LINES_OF_LOG:]
        for line in messages:
            watcher.note(line)
    ending = f"helm-run ended with exit code {code}; its log is {folder / LOG}. {_kept(_newer(folder, before), folder)}"
    return HelmRunError(ending, code, messages)


def _kept(snapshot: Snapshot | None, folder: Path) -> str:
    if not takes_files(folder):
        done = f"at least {counted(snapshot.cases, 'conversation')}" if snapshot and snapshot.cases else "not known"
        return f"Finished: {done}. What could be stored is kept; when there is space, the same command continues."
    if snapshot is None or not snapshot.cases:
        return "Nothing was run."
    done = f"{counted(snapshot.cases, 'conversation')} finished{without_score(snapshot)}"
    return f"{done}. All finished calls are kept, and the same command continues."


@contextmanager
def _new_folder(folder: Path) -> Iterator[Callable[[], None]]:
    """Make the folder of a suite; remove it again where it is new and `keep`, which is yielded, was not called.

    Raises StorageError where it cannot be written, ImpactBenchError where another command of ours is at it.
    """
    is_kept = folder.exists()

    def keep() -> None:
        nonlocal is_kept
        is_kept = True

    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / CONF, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise StorageError(
            f"Results cannot be written to {folder} ({error.strerror}). Give --output-path a folder that can be "
            "written."
        ) from error
    try:
        _be_alone(lock, folder)
        yield keep
    except BaseException:
        if not is_kept:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        os.close(lock)


def _be_alone(file: int, folder: Path) -> None:
    """Lock a suite: two commands would replace each other's entries, state and log. Raises ImpactBenchError.

    The system unlocks it when the process ends, however it ends.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        name = shlex.quote(folder.name)
        raise ImpactBenchError(
            f"Another impactbench run is using the suite {folder.name}; impactbench watch --suite {name} shows how far "
            "it is. Wait until it has ended, or give another --suite."
        ) from None
    except OSError:  # a file system without locks
        return
