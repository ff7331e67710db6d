"""What a run entry with until_width= or until_decided= needs, checked before the first call."""

from __future__ import annotations

from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.selection import selected_scenarios
from helm_impactbench.conversation.option import HERE
from helm_impactbench.conversation.run_options import RunOptions
from helm_impactbench.errors import RunEntryError
from helm_impactbench.llm.batch.deferred_call import CALLS_VARIABLE, judges_deferred
from helm_impactbench.process.helm_run import OUR_RUNNERS, HelmRun, Program

_RUNNER = "--runner-class-name helm_impactbench.ParallelRunner"


def check_early_stop(options: RunOptions, benchmark: Benchmark, run: HelmRun) -> None:
    """Raise RunEntryError for a run that is to stop early and cannot: it would take all, and pay for it."""
    if options.until is None:
        return
    name = "until_width" if options.until_width is not None else "until_decided"
    if why := _obstacle(options, benchmark, run):
        raise RunEntryError(f"{HERE}: {name}= {why}, or leave {name}= out")


def _obstacle(options: RunOptions, benchmark: Benchmark, run: HelmRun) -> str:
    """Return what is in the way, and what to do about it."""
    chosen = {scenario.metric_id for scenario in selected_scenarios(benchmark, options.selection)}
    contrasts = [metric.id for metric in benchmark.metrics if metric.id in chosen and metric.type == "contrast"]
    runs_here = run.runner is not None and run.runner.startswith(OUR_RUNNERS)
    if run.program in (Program.HELM_RUN, Program.SLURM_JOB) and not runs_here:
        return f"needs a runner that looks at verdicts while it runs; add {_RUNNER}"
    if not options.judge:
        return "stops by verdicts, and judge=none gives none; name a judge"
    if judges_deferred():
        return f"stops by verdicts, and {CALLS_VARIABLE}=batch brings them later; unset {CALLS_VARIABLE}"
    if contrasts:
        return (
            f"is about a pass rate, and a contrast has none ({benchmark.slug}: {', '.join(contrasts[:3])}); choose a "
            "metric that has one with metric="
        )
    return ""
