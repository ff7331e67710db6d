"""What the commands that read a finished suite have in common."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.anchors import say_judge_changes
from helm_impactbench.errors import ImpactBenchError, counted, did_you_mean, the_one_meant
from helm_impactbench.tables.names import shown_model as shown_model

if TYPE_CHECKING:
    from helm_impactbench.results.files import RunFolder
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.suites.registry import SuiteRun

Command = Callable[..., Any]


def reads_suite(command: Command) -> Command:
    """Give a command the options of a suite and call it with the suite's `outcomes` and `out`."""
    return _named_suite(_reading(command), needed=True)


def may_read_suite(command: Command) -> Command:
    """Do the same where --suite may be left out, and hand in the suite's `folder`; both are then None."""

    @wraps(command)
    def wrapped(suite: str | None, output_path: str, **rest: Any) -> Any:
        from helm_impactbench.results.files import suite_folder

        folder = None if suite is None else suite_folder(Path(output_path), suite)
        return _reading(command)(suite=suite, output_path=output_path, folder=folder, **rest)

    return _named_suite(wrapped, needed=False)


def _reading(command: Command) -> Command:
    @wraps(command)
    def wrapped(
        suite: str | None,
        output_path: str,
        benchmarks: tuple[str, ...],
        models: tuple[str, ...],
        out: Path | None,
        **rest: Any,
    ) -> Any:
        if suite is None:
            return command(outcomes=None, out=out, **rest)
        outcomes = suite_outcomes(suite, output_path, benchmarks, models)
        say_relatives(outcomes)
        say_judge_changes(Path(output_path) / "runs" / suite)
        say_early_stops(outcomes)
        return command(outcomes=outcomes, out=out, **rest)

    return wrapped


_WITHHELD = "helm_impactbench.withheld."


def _withhold(context: click.Context, option: click.Parameter, value: bool) -> None:
    context.meta[f"{_WITHHELD}{option.name}"] = value


def _named_suite(command: Command, *, needed: bool) -> Command:
    result: Command = options.out()(command)
    withhold: list[Any] = [
        click.option(f"--withhold-{name}", is_flag=True, expose_value=False, callback=_withhold)
        for name in ("marked", "ungrounded")
    ]
    for option in (
        *(*withhold, options.model, options.benchmark, options.output_path),
        options.suite(needed=needed),
    ):
        result = option(result)
    return result


def say_relatives(outcomes: list[Outcome]) -> None:
    """Name the judges that are of the family of a model that they judged, or of one another."""
    from helm_impactbench.validity.families import related_judges

    for sentence in related_judges(outcomes):
        click.echo(sentence)


def say_early_stops(outcomes: list[Outcome]) -> None:
    """Say which figures take into account that runs drew base scenarios until they had seen enough."""
    runs = {outcome.run for outcome in outcomes if outcome.draw is not None}
    if runs:
        click.echo(
            f"{counted(len(runs), 'run')} with until_width or until_decided: intervals of their pass rates hold "
            "whenever they stop; tests, and intervals of other figures, take the number of base scenarios as fixed. "
            "Models whose runs ended at a bar, or at a width where others did not, are not compared.",
            err=True,
        )


def note(line: str) -> None:
    """Say something beside the result."""
    click.echo(line, err=True)


def quiet_helm() -> None:
    """Leave HELM's log to errors, in commands that print lines of their own."""
    logging.getLogger("helm").setLevel(logging.ERROR)


def suite_outcomes(
    suite: str, output_path: str, benchmarks: tuple[str, ...] = (), models: tuple[str, ...] = ()
) -> list[Outcome]:
    """Return the outcomes of a suite, of every kind that it holds; say which runs are left out. Raises ResultsError."""
    from helm_impactbench.results.files import suite_folder
    from helm_impactbench.suites.registry import left_out, read_suite

    folder = suite_folder(Path(output_path), suite)
    found = read_suite(folder, benchmarks, models, note)
    for line in left_out(folder):
        click.echo(line, err=True)
    found = _without_ungrounded(found) if _is_asked("withhold_ungrounded") else found
    return _without_marked(found) if _is_asked("withhold_marked") else found


def _is_asked(option: str) -> bool:
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(f"{_WITHHELD}{option}"))


def _without_marked(outcomes: list[Outcome]) -> list[Outcome]:
    """Return the outcomes without the verdicts of marked conversations, and say how many these are."""
    from helm_impactbench.results.outcome import without_marked

    marked = sum(outcome.marked for outcome in outcomes)
    lost = sum(outcome.marked and outcome.is_scored for outcome in outcomes)
    click.echo(f"Marked conversations are withheld: {marked:,} of {counted(len(outcomes), 'conversation')}, of which "
               f"{lost:,} had a score.")  # fmt: skip
    return without_marked(outcomes)


def suite_references(
    suite: str, output_path: str, benchmarks: tuple[str, ...] = (), models: tuple[str, ...] = ()
) -> list[Outcome]:
    """Return the outcomes of a suite's reference bots, which `suite_outcomes` leaves out. Raises ResultsError."""
    from helm_impactbench.results.files import suite_folder
    from helm_impactbench.suites.registry import read_references

    return read_references(suite_folder(Path(output_path), suite), benchmarks, models)


def _without_ungrounded(outcomes: list[Outcome]) -> list[Outcome]:
    """Return the outcomes without their ungrounded votes, and say what that changes."""
    from helm_impactbench.results.outcome import without_ungrounded

    found = without_ungrounded(outcomes)
    touched = sum(outcome.withheld is not None for outcome in outcomes)
    lost = sum(before.is_scored and not after.is_scored for before, after in zip(outcomes, found, strict=True))
    click.echo(f"Ungrounded votes are withheld: in {touched:,} of {counted(len(outcomes), 'conversation')}; "
               f"without them, {lost:,} of these lack a verdict.")  # fmt: skip
    return found


def suite_conversations(
    suite: str, output_path: str, benchmarks: tuple[str, ...] = (), models: tuple[str, ...] = ()
) -> list[SuiteRun]:
    """Return the runs of a suite whose conversations can be read; say which are left out. Raises ResultsError."""
    from helm_impactbench.results.files import suite_folder
    from helm_impactbench.suites.conversations import conversation_runs

    return conversation_runs(suite_folder(Path(output_path), suite), benchmarks, models, note)


def published(runs: list[RunFolder], with_private: bool) -> list[RunFolder]:
    """Return the runs that may leave the house, and say which may not. Raises ImpactBenchError without any."""
    from helm_impactbench.suites.conversations import public_runs

    return public_runs(runs, click.echo, with_private=with_private)


def no_verdict(outcomes: list[Outcome]) -> str:
    """Return why no conversation has a verdict, in one line; empty when one has."""
    from collections import Counter

    from helm_impactbench.judging.verdict import UNSCORED_REASONS

    if any(outcome.is_scored for outcome in outcomes):
        return ""
    words = {reason.value: text for reason, text in UNSCORED_REASONS.items()}
    reasons = Counter(outcome.why_missing or "" for outcome in outcomes).most_common()
    shown = "; ".join(f"{count:,}: {words.get(reason, reason.replace('_', ' '))}" for reason, count in reasons)
    return f"None of {counted(len(outcomes), 'conversation')} has a verdict, so there is no rank ({shown})."


def check_verdicts(outcomes: list[Outcome]) -> None:
    """Raise ImpactBenchError when no conversation has a verdict."""
    if words := no_verdict(outcomes):
        raise ImpactBenchError(words)


def without_contrasts(outcomes: list[Outcome], why: str) -> list[Outcome]:
    """Return the outcomes of level metrics; say in one line which benchmarks take no part, and why.

    Raises ImpactBenchError when nothing is left.
    """
    left = sorted({outcome.benchmark for outcome in outcomes if not outcome.is_level})
    own = [outcome for outcome in outcomes if outcome.is_level]
    if not own and left:
        raise ImpactBenchError(f"Nothing to show for {', '.join(left)}: {why}.")
    if left:
        click.echo(f"Leaving out the contrast metrics of {', '.join(left)}: {why}.", err=True)
    return own


def shown_reference(model: str) -> str:
    """Return a reference bot's name for people."""
    from helm_impactbench.results.references import reference_name

    return reference_name(model)


def only_known(outcomes: list[Outcome], metrics: tuple[str, ...]) -> list[Outcome]:
    """Return the outcomes of some metrics, named slug/id or id; all without any.

    Raises ImpactBenchError for a name that nothing has.
    """
    known = sorted({outcome.metric for outcome in outcomes})
    for name in metrics:
        if not any(name in (metric, metric.split("/")[1]) for metric in known):
            near = did_you_mean(name, known)
            raise ImpactBenchError(f"This suite has no metric {name!r}. Write slug/id, for example {known[0]}.{near}")
    return [o for o in outcomes if not metrics or o.metric in metrics or o.metric_id in metrics]


def only_at(outcomes: list[Outcome], where: tuple[str, ...]) -> list[Outcome]:
    """Return the outcomes at levels that are named AXIS=LEVEL, or AXIS= and the beginning of a level; all without any.

    Several levels of one axis are alternatives; different axes all have to hold. Raises ImpactBenchError for an axis or
    level that nothing has, or several have.
    """
    wanted: dict[str, set[str]] = {}
    known = sorted({f"{axis}={level}" for outcome in outcomes for axis, level in outcome.axes})
    for text in where:
        meant = the_one_meant(text, known) if "=" in text else None
        if meant is None:
            if not known:
                raise ImpactBenchError(f"--where {text!r} selects nothing: no conversation of this suite has an axis.")
            raise ImpactBenchError(
                f"--where {text!r} names no level of this suite, or more than one. Write one of these, or as much of "
                f"it as tells it from the others: {', '.join(known)}.{did_you_mean(text, known)}"
            )
        axis, _, level = meant.partition("=")
        wanted.setdefault(axis, set()).add(level)
    return [o for o in outcomes if all(dict(o.axes).get(axis) in levels for axis, levels in wanted.items())]
