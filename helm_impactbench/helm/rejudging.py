"""Stored conversations of a suite, judged again from beginning to end: who is asked, which runs, what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from helm_impactbench.conversation.run_options import parse_checks, parse_judges
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.helm.asking import Asking
from helm_impactbench.helm.figures import helm_figures
from helm_impactbench.helm.preflight import check_deployments
from helm_impactbench.process.open_runs import forget_unwanted, note_open
from helm_impactbench.process.progress_file import Snapshot, write_snapshot
from helm_impactbench.results.class_names import ANNOTATOR_CLASS
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.unfinished import lacking_runs
from helm_impactbench.suites.registry import suite_run
from helm_impactbench.tables import Result
from helm_impactbench.validity.commands.rejudge import rejudged
from helm_impactbench.validity.families import relatives
from helm_impactbench.validity.rejudge import JudgedAgain
from helm_impactbench.validity.rejudge_plan import NewPanel, RejudgeManner, plan

COMMAND = "impactbench rejudge"


def new_suite(source: Path, name: str) -> Path:
    """Return the folder of the suite that gets the new runs. Raises ImpactBenchError for a name that cannot be."""
    target = source.parent / name
    if Path(name).name != name or name.startswith("."):
        raise ImpactBenchError(f"--to-suite {name} is a path. Give only the name of a suite.")
    if target.resolve() == source.resolve():
        raise ImpactBenchError(f"--to-suite {name} is the suite that is read. Give another name.")
    return target


def new_panel(judge: str, checks: str | None, swap: bool | None, asking: Asking) -> NewPanel:
    """Return the panel that judges anew. Raises ImpactBenchError for a judge that cannot be called, before any call.

    checks: awareness+plausibility+teller, some of them, or none; without it, those of the run.
    """
    questions = None if checks is None else () if checks == "none" else parse_checks(checks, COMMAND)
    deployments = asking.judges(judge, "rejudge")
    check_deployments([("judge", name) for name in deployments])
    return NewPanel(parse_judges(judge, COMMAND), deployments, questions, swap)


def rejudge_runs(
    runs: Sequence[RunFolder], target: Path, panel: NewPanel, asking: Asking, say: Callable[[str], object]
) -> Result:
    """Judge the conversations of runs, write the new runs into a suite, and return which verdicts changed.

    say: is told of judges that are related to what they judge, and of each run. Raises ImpactBenchError.
    """
    source = runs[0].path.parent.name
    for sentence in relatives(panel.deployments, (run.model for run in runs)):
        say(sentence)
    planned = plan(runs, source, target, panel, _manner_of)
    lacking, pending = lacking_runs(runs[0].path.parent), [one.name for one in planned]
    forget_unwanted(target)
    for number, rejudging in enumerate(planned, start=1):
        title = f"[{number}/{len(planned)}] {rejudging.name}"
        say(f"{title}: already done" if rejudging.is_done else title)
        if not rejudging.is_done:
            asking.record(JudgedAgain(rejudging, helm_figures))
        pending.remove(rejudging.name)
        runs_in_all = len(planned) + lacking
        write_snapshot(target, Snapshot(runs=runs_in_all, runs_done=number, pending=tuple(pending), ended=True))
        note_open(target, pending, [rejudging.name])
    return rejudged(planned, source, target.name)


def _manner_of(run: RunFolder) -> RejudgeManner:
    """Return how a run is judged."""
    found = suite_run(run)
    if found is None or found.suite.question is None:
        return RejudgeManner(ANNOTATOR_CLASS)
    return RejudgeManner(ANNOTATOR_CLASS, {"suite": found.suite.name}, found.suite.question)
