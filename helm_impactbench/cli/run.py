"""The command `impactbench run`: from a few names to a result."""

from __future__ import annotations

import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.live import Display, columns, without_score
from helm_impactbench.cli.suite import no_verdict, quiet_helm, say_relatives, shown_model, suite_outcomes
from helm_impactbench.cli.tables import figure, print_table
from helm_impactbench.cli.write_missing import write_missing
from helm_impactbench.errors import ImpactBenchError, RunEntryError, counted, dollars

if TYPE_CHECKING:
    from helm_impactbench.process.progress_file import Snapshot
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.study.model import Study

LOG = "run.log"
"""HELM's log, in the folder of the suite."""
_LOOK_SECONDS = 0.3
_LINES_OF_LOG = 5
"""Shown of the log when helm-run says nothing of its own."""


_OPTIONS = ("part", "samples", "until_decided", "until_width")
"""Of the command that are options of run entries."""
_BETWEEN = click.FloatRange(0, 1, min_open=True, max_open=True)


@click.command("run")
@click.argument("more", nargs=-1, metavar="[STUDY.YAML]")
@click.option("--models", multiple=True, metavar="DEPLOYMENT...", shell_complete=completion.models,
              help="Models to test, one or more, for example litellm/openai/gpt-4o.")  # fmt: skip
@options.user
@options.judge()
@click.option(
    "--benchmarks",
    multiple=True,
    metavar="SLUG...",
    shell_complete=completion.benchmarks,
    help="Benchmarks, one or more.",
)
@click.option("--area", "areas", multiple=True, metavar="AREA",
              help="All benchmarks of an area: physical, psychological or societal; repeatable.")  # fmt: skip
@options.author()
@click.option("--quick", is_flag=True, help="A tenth of every benchmark with a simulated user. This is the default.")
@click.option("--all", "everything", is_flag=True, help="Every benchmark in full.")
@click.option("--part", type=click.FloatRange(0, 1, min_open=True), help="This share of the scenarios.")
@click.option("--samples", type=click.IntRange(1), help="Independent conversations per variant.")
@click.option("--until-decided", type=_BETWEEN, metavar="RATE",
              help="Stop each run as soon as its pass rate is certainly above or below this.")  # fmt: skip
@click.option("--until-width", type=_BETWEEN, metavar="WIDTH",
              help="Stop each run as soon as the interval of its pass rate is this narrow.")  # fmt: skip
@options.budget
@options.suite(needed=False, usual="impact")
@click.option("--fresh", is_flag=True,
              help="Repeat a finished run with new answers from every model, in a new suite.")  # fmt: skip
@options.num_threads(None, shown="20")
@options.output_path
@options.local_path
@click.option("--report/--no-report", default=True, show_default=True, help="Write the pages afterwards.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask before the run.")
def run_command(
    more: tuple[str, ...], fresh: bool, output_path: str, local_path: str, report: bool, yes: bool, **given: Any
) -> None:
    """Test models: plan, run, judge and show the result. Continues where an earlier run stopped.

    \b
      impactbench run --models litellm/openai/gpt-4o --quick --budget 25 \\
          --user litellm/anthropic/claude-sonnet-4-6 \\
          --judge litellm/openai/gpt-5.4-mini
      impactbench run study.yaml

    The command prints its plan and the estimated cost, and runs helm-run with the arguments that it prints. On a
    terminal it asks first; a pipe or a CI job is not asked, so set a --budget there. A study.yaml holds the same
    settings, and arms; options given here take precedence (docs/running.md).
    """
    from helm_impactbench.study.entries import CONF, conf_text, helm_run_arguments, run_entries
    from helm_impactbench.study.replicates import fresh_replicate

    study = _study(more, given)
    if fresh:
        study = fresh_replicate(study, Path(output_path) / "runs")
        click.echo(f"Replicate {study.replicate} in the suite {study.suite}: every model is called again.")
    asks = sys.stdin.isatty() and sys.stdout.isatty() and not yes

    def agree(question: str) -> None:
        if asks:
            click.confirm(question, default=True, abort=True)

    folder = Path(output_path) / "runs" / study.suite
    write_missing(study, Path(local_path), folder, agree)
    entries = run_entries(study)
    with _new_folder(folder):
        conf = folder / CONF
        conf.write_text(conf_text(entries), encoding="utf-8")
        arguments = helm_run_arguments(study, conf, Path(output_path), Path(local_path))

        def plan() -> int:
            click.echo("Planning ...", err=True)  # before HELM is imported, which takes seconds
            planned = _announce(study, entries, Path(local_path))
            agree("Run it?")
            return planned

        code = _run(study, arguments, folder, plan)
    if code:
        sys.exit(code)
    _conclude(study, output_path, report)


def _study(words: Sequence[str], given: dict[str, Any]) -> Study:
    """Return what the command line and a study file say, the command line first. Raises ImpactBenchError."""
    from helm_impactbench.study.impactbench_config import is_impactbench_config, study_settings
    from helm_impactbench.study.model import ALL, DEFAULT_SUITE, QUICK
    from helm_impactbench.study.reader import checked_study, read_settings

    files = [word for word in words if word.endswith((".yaml", ".yml"))]
    rest = [word for word in words if word not in files]
    if len(files) > 1:
        raise click.UsageError(f"{len(files)} study files are too many: {', '.join(files)}. Give one.")
    settings = read_settings(Path(files[0])) if files else {}
    if is_impactbench_config(settings):
        settings, notes = study_settings(settings)
        settings["suite"] = DEFAULT_SUITE
        for note in notes:
            click.echo(f"Not from {files[0]}: {note}.", err=True)
    # click takes one value per option; what follows it are models, which have a slash, or benchmarks.
    models = [*given["models"], *(word for word in rest if "/" in word)]
    benchmarks = [*given["benchmarks"], *(word for word in rest if "/" not in word), *given["areas"]]
    benchmarks += [QUICK] * given["quick"] + [ALL] * given["everything"]
    options = {name: given[name] for name in _OPTIONS if given[name] is not None}
    own = {"models": models, **{name: given[name] for name in ("user", "judge", "author", "suite")},
           "benchmarks": benchmarks, "threads": given["num_threads"], "budget_usd": given["budget"]}  # fmt: skip
    settings |= {name: value for name, value in own.items() if value}
    if options and isinstance(settings.get("options", {}), dict):  # anything else is refused below
        settings["options"] = {**settings.get("options", {}), **options}
    if files and "suite" not in settings:
        settings["suite"] = Path(files[0]).stem
    for name, example in (("models", "litellm/openai/gpt-4o"), ("judge", "litellm/openai/gpt-5.4-mini")):
        if not settings.get(name):
            raise RunEntryError(
                f"--{name} is missing; for example --{name} {example}, or --{name} rehearsal/"
                f"{'mixed' if name == 'models' else 'judge'} for a scripted model that costs nothing"
            )
    return checked_study(settings, files[0] if files else "impactbench run")


def _announce(study: Study, entries: Sequence[str], local_path: Path) -> int:
    """Say what is going to be done and what it will cost. Returns the number of conversations."""
    from helm_impactbench.analysis.costs.forecast import Assumptions, PlannedRun, estimate
    from helm_impactbench.helm.planned import planned_runs
    from helm_impactbench.helm.planned import price as price_of
    from helm_impactbench.helm.session import know_deployments
    from helm_impactbench.llm.batch.deferred_call import judges_deferred

    quiet_helm()
    know_deployments(local_path)
    runs = [run for entry in entries for run in planned_runs(entry, study.models, study.most_prompts)]
    result = estimate([run for run in runs if isinstance(run, PlannedRun)], Assumptions())
    costs = [price_of(deployment, expense) for (_, deployment), expense in result.expenses.items()]
    known = sum(cost for cost in costs if cost is not None)
    price = f"about ${known:,.2f}" if known or None not in costs else "of unknown price"
    if known and None in costs:
        price += " and calls of unknown price"
    click.echo(
        f"{counted(len(study.models), 'model')} x {counted(len(entries), 'run entry', 'run entries')}: "
        f"{counted(result.conversations, 'conversation')}, {counted(result.calls, 'call')}, "
        f"{price}. Finished calls are not made again."
    )
    click.echo(f"  tested    {', '.join(map(shown_model, study.models))}")
    click.echo(f"  user      {study.user or 'none: all messages are fixed'}")
    batch = " (its calls wait for a batch: IMPACTBENCH_JUDGE=batch)" if judges_deferred() else ""
    click.echo(f"  judge     {', '.join(study.judge)}{batch}")
    if any("until_" in entry for entry in entries):
        click.echo(f"  at most   all of this: runs may stop early{_taken_whole(entries)}")
    if study.budget_usd is not None:
        click.echo(f"  budget    {dollars(study.budget_usd)} for the whole suite {study.suite}")
    return result.conversations


def _taken_whole(entries: Sequence[str]) -> str:
    """Return which benchmarks are run whole although others may stop early."""
    whole = [entry.partition("benchmark=")[2].partition(",")[0] for entry in entries if "until_" not in entry]
    return f", but not on {', '.join(dict.fromkeys(whole))}, where contrasts are measured" if whole else ""


@contextmanager
def _new_folder(folder: Path) -> Iterator[None]:
    """Make the folder of a suite; remove it again where it is new and nothing was run."""
    was_there = folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except (ImpactBenchError, click.Abort):
        if not was_there:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _run(study: Study, arguments: Sequence[str], folder: Path, plan: Callable[[], int]) -> int:
    """Run helm-run under the eyes of the user. Returns its exit code.

    helm-run gets ready, which takes seconds, while `plan` shows what is planned, asks, and returns the conversations.
    """
    from helm_impactbench.llm.limits.budget import BUDGET_VARIABLE
    from helm_impactbench.process.child import Child
    from helm_impactbench.process.progress_file import PROGRESS_FILE, Snapshot, read_snapshot

    (folder / PROGRESS_FILE).unlink(missing_ok=True)
    budget = {} if study.budget_usd is None else {BUDGET_VARIABLE: str(study.budget_usd)}
    said: list[str] = []

    def say(line: str) -> None:
        said.append(line)
        display.say(line)

    with Child(arguments, folder / LOG, say, **budget) as child:
        planned = plan()
        click.echo(f"Running: {_shown_command(arguments)}\nLog: {folder / LOG}", err=True)
        with Display(f"{study.suite}: {counted(planned, 'conversation')}") as display:
            child.release()
            while not child.wait(_LOOK_SECONDS):
                display.show(read_snapshot(folder) or Snapshot())
    code = child.exit_code or 0
    if code and not said:
        tail = [line for line in (folder / LOG).read_text("utf-8", "replace").splitlines() if line.strip()]
        for line in tail[-_LINES_OF_LOG:]:
            click.echo(line, err=True)
    if code:
        click.echo(f"helm-run ended with exit code {code}; its log is {folder / LOG}. {_kept(read_snapshot(folder))}",
                   err=True)  # fmt: skip
    return code


def _shown_command(arguments: Sequence[str]) -> str:
    """Return the helm-run to be copied: in one line, or in several that a terminal does not break."""
    words = ["helm-run", *map(shlex.quote, arguments)]
    if not sys.stderr.isatty():
        return " ".join(words)
    lines = ["\n "]
    for word in words:
        if len(lines[-1]) + len(word) > columns() - 4 and lines[-1].strip():
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += f" {word}"
    return "\n".join(lines)


def _kept(snapshot: Snapshot | None) -> str:
    if snapshot is None or not snapshot.cases:
        return "Nothing was run."
    done = f"{counted(snapshot.cases, 'conversation')} finished{without_score(snapshot)}"
    return f"{done}. All finished calls are kept, and the same command continues."


def _conclude(study: Study, output_path: str, report: bool) -> None:
    """Show the result in a few lines, and where to go from there."""
    from helm_impactbench.analysis.comparison import compare
    from helm_impactbench.analysis.gap_comparison import compare_gaps
    from helm_impactbench.analysis.rates import by_area
    from helm_impactbench.cli.compare import print_gap_models
    from helm_impactbench.llm.batch.deferred_call import judges_deferred
    from helm_impactbench.stats.population import DEFAULT, WORDS

    outcomes = suite_outcomes(study.suite, output_path)
    if words := no_verdict(outcomes):
        click.echo(f"\n{words}")
        if not judges_deferred() and all(outcome.unscored != "not_judged" for outcome in outcomes):
            click.echo("Repeat the command when the cause is removed: only what failed is asked again.")
            sys.exit(1)
    say_relatives(outcomes)
    for area, own in by_area(outcome for outcome in outcomes if outcome.is_level).items():
        found = compare(own)
        rows = [(shown_model(score.model), figure(score.mean), str(score.interval), _rank(found.ranks.get(score.model)),
                 f"{len(score.total.scored):,} / {score.total.conversations:,}") for score in found.scores]  # fmt: skip
        click.echo(f"\nModels, best first ({area}). The mean score is the mean over benchmarks of their pass rates.")
        print_table(("Model", "Mean score", "95% interval", "Rank", "scored / all"), rows)
    for gaps in compare_gaps(outcomes):
        print_gap_models(gaps, DEFAULT)
    click.echo(f"95% intervals are {WORDS[DEFAULT]}.")
    if line := _missing(outcomes):
        click.echo(line)
    option = f"--suite {study.suite}" + ("" if output_path == "benchmark_output" else f" --output-path {output_path}")
    if report:
        _write_report(study.suite, output_path)
    else:
        click.echo(f"Pages: impactbench report {option}")
    if judges_deferred() and any(outcome.unscored == "judge_error" for outcome in outcomes):
        click.echo(f"Next: impactbench batch {option} --wait, then the same command again")
        return
    contrasts = any(outcome.contrast for outcome in outcomes)
    click.echo(f"Next: impactbench {'contrasts' if contrasts else 'compare'} {option}")


def _rank(ranks: tuple[int, int] | None) -> str:
    return "-" if ranks is None else str(ranks[0]) if ranks[0] == ranks[1] else f"{ranks[0]} to {ranks[1]}"


def _missing(outcomes: Sequence[Outcome]) -> str:
    """Return how many conversations have no score, and why; empty without any."""
    from collections import Counter

    reasons = Counter(outcome.why_missing for outcome in outcomes if outcome.why_missing)
    text = ", ".join(f"{count:,} {str(reason).replace('_', ' ')}" for reason, count in reasons.most_common())
    return f"Without a score: {text}." if text else ""


def _write_report(suite: str, output_path: str) -> None:
    from helm_impactbench.cli.item_analysis import REHEARSAL_ANCHORS
    from helm_impactbench.outputs.report.build import build_report
    from helm_impactbench.results.files import suite_folder

    click.echo("Writing the pages ...", err=True)
    began, place = time.monotonic(), Path(output_path) / "reports" / suite
    build_report(suite_folder(Path(output_path), suite), place, shown_model=shown_model, anchors=REHEARSAL_ANCHORS)
    click.echo(f"Pages: {place / 'index.html'} ({time.monotonic() - began:.0f} s)")
