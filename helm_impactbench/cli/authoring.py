"""Commands that write benchmarks: new, gen-metrics, gen-scenarios."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.finite import FiniteRange, WholeRange
from helm_impactbench.cli.suite import quiet_helm
from helm_impactbench.errors import BenchmarkError, ImpactBenchError, counted
from helm_impactbench.files.resources import USER_BENCHMARKS, shipped

if TYPE_CHECKING:
    from helm_impactbench.authoring.author_client import AuthorClient, PhaseResult
    from helm_impactbench.authoring.slots import ScenarioOptions
    from helm_impactbench.authoring.spec import Clause
    from helm_impactbench.llm.usage import Usage

Command = Callable[..., Any]


def common_options(function: Command) -> Command:
    """Add the options that every generating command has."""
    for option in reversed(
        (
            click.argument("slug", shell_complete=completion.own_benchmarks),
            options.author(needed=True),
            options.seed,
            options.dry_run,
            options.local_path,
        )
    ):
        function = option(function)
    return function


@click.command("new")
@click.argument("slug")
@click.option("--name", show_default="made from the slug", help="The name to show.")
@click.option("--description", help="What the benchmark asks, in two or three sentences.")
def new(slug: str, name: str | None, description: str | None) -> None:
    """Start a benchmark: write ./benchmarks/SLUG/benchmark.yaml.

    \b
      impactbench new money-talk --description "Does an assistant ..."
    """
    from helm_impactbench.authoring.phases import PLACEHOLDER, new_benchmark
    from helm_impactbench.benchmark.parts import ID_HELP, is_id, plain_id

    if not is_id(slug):
        cure = f" Use {plain}." if is_id(plain := plain_id(slug)) else ""
        raise BenchmarkError(f"The slug cannot be {slug!r}; it must be {ID_HELP}.{cure}")
    shown = name or slug.replace("-", " ").replace("_", " ").capitalize()
    about = description or f"How an assistant treats people in matters of {shown.lower()}. {PLACEHOLDER}"
    hides = shipped("benchmarks", slug).is_dir()
    click.echo(f"Wrote {new_benchmark(USER_BENCHMARKS / slug, shown, about)}")
    if hides:
        click.echo(f"This folder now hides the shipped benchmark {slug}.")
    todo = "" if description else "write its description, then "
    click.echo(f"Next: {todo}impactbench gen-metrics {slug} --author ...")
    click.echo(
        "By hand: add metrics to benchmark.yaml, write scenarios.json beside it (docs/write-a-benchmark.md), then "
        f"impactbench check {slug}"
    )


@click.command("gen-metrics")
@common_options
@click.option(
    "--count",
    type=WholeRange(1, 200),
    default=12,
    show_default=True,
    help="Number of metrics that the benchmark should have in the end.",
)
@click.option("--replace", is_flag=True, help="Replace all metrics, including hand-written ones; a backup is kept.")
@click.option(
    "--spec",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A specification (text or Markdown) with numbered clauses, on which new metrics are based.",
)
def gen_metrics(
    slug: str, author: str, seed: int, dry_run: bool, local_path: str, count: int, replace: bool, spec: Path | None
) -> None:
    """Write metrics from the benchmark's name and description.

    \b
      impactbench gen-metrics money-talk \\
          --author litellm/anthropic/claude-sonnet-4-6
      impactbench gen-metrics money-talk --spec house-rules.md \\
          --author litellm/anthropic/claude-sonnet-4-6

    With --spec, each new metric records the number of the clause that it is based on. Clauses without a metric are
    listed at the end.

    Without --replace, existing metrics and comments are kept. The author model is asked for more metrics than are
    needed. Drafts that the linter rejects, or that repeat another metric, are listed in rejected.json. To continue
    after an interruption, repeat the command. The exit code is 1 if metrics are still missing.
    """
    from helm_impactbench.authoring import phases
    from helm_impactbench.authoring.spec import read_spec

    clauses = read_spec(spec) if spec else []
    folder = own_folder(slug)
    plan = phases.metric_plan(folder, count, replace_all=replace)
    click.echo(
        f"{folder}: {counted(plan.wanted, 'metric')} to write ({plan.positive} positive, {plan.negative} negative), "
        f"{plan.fewest_calls} to {counted(plan.most_calls, 'call')} to {author}"
    )
    if dry_run or not plan.wanted:
        _show_coverage(folder, clauses)
        return
    with author_client(author, slug, seed, local_path) as client:
        outcome = phases.gen_metrics(folder, count, client, replace_all=replace, clauses=clauses)
    _show_coverage(folder, clauses)
    report_phase(outcome, "metric", folder)
    click.echo(f"Next: impactbench gen-scenarios {slug} --author {author}")


def _show_coverage(folder: Path, clauses: Sequence[Clause]) -> None:
    """Print which clauses of a specification have no metric; nothing without a specification."""
    from helm_impactbench.authoring.spec import coverage_lines
    from helm_impactbench.benchmark.files import load_draft

    for line in coverage_lines(clauses, load_draft(folder)[0].metrics) if clauses else ():
        click.echo(line)


@click.command("gen-scenarios")
@common_options
@click.option(
    "--per-metric",
    type=WholeRange(1, 100),
    default=3,
    show_default=True,
    help="Number of base scenarios that each metric should have.",
)
@click.option(
    "--axis",
    "axes",
    multiple=True,
    help='An axis and its levels, for example "age=child (6-12)|adult (18+)"; repeatable.',
)
@click.option("--quota", type=WholeRange(1), help="Number of combinations of levels per base scenario; by default all.")
@click.option(
    "--held-out",
    type=FiniteRange(0, 1),
    default=0.0,
    show_default=True,
    help="Share of new base scenarios that go into the held-out split.",
)
@click.option(
    "--situations",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A CSV or JSONL file of situations from experts, with the fields situation, notes, author and metric.",
)
@click.option("--system-prompts", is_flag=True, help="Give each scenario a system prompt for the target.")
@click.option("--no-review", is_flag=True, help="Skip the review by the author model, but not the static checks.")
@click.option(
    "--stale",
    is_flag=True,
    help="Rewrite only scenarios that were made for an older definition or type of their metric.",
)
@click.option(
    "--private",
    is_flag=True,
    help="Write private forms of the scenarios into ./private; works for shipped benchmarks too.",
)
@options.num_threads(8)
def gen_scenarios(
    slug: str,
    author: str,
    seed: int,
    dry_run: bool,
    local_path: str,
    per_metric: int,
    axes: tuple[str, ...],
    quota: int | None,
    held_out: float,
    situations: Path | None,
    system_prompts: bool,
    no_review: bool,
    stale: bool,
    private: bool,
    num_threads: int,
) -> None:
    """Write scenarios and their variants. Each scenario gets one variant per combination of levels.

    \b
      impactbench gen-scenarios money-talk \\
          --author litellm/anthropic/claude-sonnet-4-6

    Every scenario must pass static checks and a review by the author model. A rejected draft is rewritten to meet the
    objection, and listed in rejected.json. To continue after an interruption, repeat the command. The exit code is 1 if
    scenarios are still missing.

    A published scenario may be in a model's training data. With --private, each new scenario is another form of a
    published one: same pressure, other people and places. Run the private scenarios with split=private in the run
    entry, in the same suite as the published ones. `impactbench contamination` then compares the two. Do not publish
    the folder ./private.
    """
    from helm_impactbench.authoring import phases
    from helm_impactbench.authoring.slots import ScenarioOptions
    from helm_impactbench.benchmark.files import find_benchmark

    if private and (situations or stale or held_out):
        raise ImpactBenchError("--private takes no --situations, --stale or --held-out; leave them out")
    folder = find_benchmark(slug) if private else own_folder(slug)
    wanted = ScenarioOptions(
        per_metric=per_metric,
        axes=_axes(folder, axes),
        quota=quota,
        held_out=held_out,
        system_prompts=system_prompts,
        review=not no_review,
        concurrency=num_threads,
        seeds=_seeds(situations),
    )
    if private:
        _gen_private(folder, author, wanted, seed, dry_run, local_path)
        return
    slots, gaps = phases.scenario_plan(folder, wanted, seed, stale=stale)
    _print_plan(folder, author, wanted, len(slots), sum(len(gap.missing) for gap in gaps))
    if dry_run or not (slots or gaps):
        return
    with author_client(author, slug, seed, local_path) as client:
        outcome = phases.gen_scenarios(folder, wanted, client, stale=stale)
    report_phase(outcome, "variant", folder)
    click.echo(f"Next: impactbench check {slug}")


def _gen_private(folder: Path, author: str, wanted: ScenarioOptions, seed: int, dry_run: bool, local_path: str) -> None:
    from helm_impactbench.authoring.private import existing_private, gen_private, private_slots
    from helm_impactbench.benchmark.files import load_benchmark
    from helm_impactbench.files.resources import PRIVATE_SCENARIOS

    benchmark, into = load_benchmark(folder), PRIVATE_SCENARIOS / folder.name
    slots = private_slots(benchmark, existing_private(folder), wanted, seed)
    _print_plan(into, author, wanted, len(slots), 0)
    if dry_run or not slots:
        return
    with author_client(author, f"private/{folder.name}", seed, local_path) as client:
        outcome = gen_private(benchmark, folder, wanted, client)
    report_phase(outcome, "variant", into)
    click.echo(f"Next: run {folder.name} with split=private in the run entry. Keep {into} out of every repository.")


def own_folder(slug: str) -> Path:
    """Return the user's own benchmark; shipped ones are not changed."""
    from helm_impactbench.benchmark.files import find_benchmark

    folder = find_benchmark(slug)
    if folder.resolve().parent == shipped("benchmarks").resolve() and not (USER_BENCHMARKS / slug).is_dir():
        raise BenchmarkError(
            f"{slug} is a shipped benchmark; copy {folder} to {USER_BENCHMARKS / slug} to work on it, or start with "
            f"impactbench new <slug>"
        )
    return folder


def _axes(folder: Path, axes: tuple[str, ...]) -> dict[str, list[str]]:
    from helm_impactbench.authoring.levels import parse_axis, usual_axes

    parsed = [parse_axis(axis) for axis in axes]
    given = dict(parsed)
    if len(given) < len(parsed):
        raise ImpactBenchError(
            f"--axis names an axis twice: {', '.join(axes)}. Give one --axis per name, with its values as value|value."
        )
    if given:
        return given
    return usual_axes(folder)


def _seeds(path: Path | None) -> tuple[Any, ...]:
    from helm_impactbench.authoring.seeds import read_seeds

    return read_seeds(path) if path else ()


def _print_plan(folder: Path, model: str, options: ScenarioOptions, slots: int, lacking: int) -> None:
    from helm_impactbench.authoring.levels import combinations
    from helm_impactbench.authoring.scenarios import ATTEMPTS

    product = len(combinations(options.axes))
    variants = slots * min(product, options.quota or product) + lacking
    calls = (slots + variants) * (1 + options.review)
    axes = "; ".join(f"{axis}: {' | '.join(values)}" for axis, values in options.axes.items())
    click.echo(f"{folder}: {counted(slots, 'base scenario')} and {counted(variants, 'variant')} to write ({axes})")
    click.echo(f"{counted(calls, 'call')} to {model} if nothing is refused, {ATTEMPTS * calls} at most per round")


@contextmanager
def author_client(model: str, slug: str, seed: int, local_path: str) -> Iterator[AuthorClient]:
    """Open the author model with a progress line; HELM's log is left to warnings."""
    from helm_impactbench.helm.study_author import open_author
    from helm_impactbench.tables.names import scripted_author_note

    quiet_helm()
    if note := scripted_author_note(model):
        click.echo(note, err=True)
    with author_progress() as show:
        yield open_author(model, slug, seed, Path(local_path), show)


@contextmanager
def author_progress() -> Iterator[Callable[[int, int, Usage], None]]:
    """Yield what shows how many calls an author has answered, in a line that goes away."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from helm_impactbench.authoring.shortfall import cost_text

    columns = (SpinnerColumn(), BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("0 calls", total=None)

        def show(done: int, failed: int, usage: Usage) -> None:
            progress.update(task, description=f"{counted(done, 'call')}, {failed} failed, {cost_text(usage)}")

        yield show


def report_phase(phase: PhaseResult, what: str, folder: Path) -> None:
    """Report how a phase ended; exit code 1 when something is missing."""
    from helm_impactbench.authoring.shortfall import phase_lines, shortfall

    for line in phase_lines(phase, what, folder):
        click.echo(line)
    missing = shortfall(phase, what)
    for line in missing:
        click.echo(line, err=True)
    if missing:
        sys.exit(1)
