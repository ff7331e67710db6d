"""`impactbench check --judge --stress`: does an edit of a transcript move verdicts that it must not move?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.check_judge import shown_figure
from helm_impactbench.cli.steps import steps
from helm_impactbench.cli.tables import figure, print_table, write_rows
from helm_impactbench.errors import counted, dollars
from helm_impactbench.files.plain_json import plain_json

if TYPE_CHECKING:
    from helm_impactbench.cli.check_judge import Asking
    from helm_impactbench.results.judge_stress import StressCheck
    from helm_impactbench.stats.simultaneous import FamilyTest
    from helm_impactbench.validity.golden.figures import Figure
    from helm_impactbench.validity.stress.figures import KindFigures, Move, StressFigures
    from helm_impactbench.validity.stress.kinds import Kind
    from helm_impactbench.validity.stress.run import Subject, Versions

SHOWN_MOVES = 5
"""Verdicts that moved which are listed on the terminal for each edit; --out has all of them."""


def stress_and_print(asking: Asking, kinds: str, rewriter: str | None, suite: str | None, size: int) -> bool:
    """Ask a judge or panel about plain and edited transcripts, print and store what came of it.

    Returns whether no edit was found to move verdicts. kinds: names of edits joined by "+", or all. rewriter: the
    deployment that writes the edits that need one. suite: so many of its conversations take the place of golden sets.
    """
    from helm_impactbench.helm.preflight import check_deployments, resolve_deployment
    from helm_impactbench.results.judge_checks import write_stress_check
    from helm_impactbench.validity.stress.figures import stress_figures
    from helm_impactbench.validity.stress.kinds import chosen_kinds
    from helm_impactbench.validity.stress.run import stress_judge, versions, with_rewritten

    chosen = chosen_kinds(kinds, rewriter=rewriter is not None)
    subjects, source = _golden(asking) if suite is None else _stored(asking, suite, size)
    judges, caller = asking.open()
    writer = None if rewriter is None else resolve_deployment(rewriter, "rewriter")
    planned = versions(subjects, chosen)
    _print_plan(planned, chosen, judges, writer, asking.budget)
    if asking.dry_run:
        return True
    asking.begin(judges)
    written = [kind for kind in chosen if kind.edit is None]
    spent = None
    if writer is not None and written:
        check_deployments([("rewriter", writer)])
        with steps(len(planned) * len(written), "rewriting") as step:
            planned, spent = with_rewritten(planned, chosen, writer, caller.call, asking.threads, step)
    with steps(sum(len(one.puts) for one in planned), "question") as step:
        check = stress_judge(planned, chosen, judges, source, caller.call, asking.threads, step)
    figures = stress_figures(check.items, check.kinds)
    check = check.model_copy(
        update={
            "rewriter": writer if written else None,
            "usage": check.usage + spent if spent else check.usage,
            "figures": plain_json(figures),
        }
    )
    path = write_stress_check(asking.output_path, check)
    _print_figures(check, figures)
    click.echo(f"Wrote {path}", err=True)
    _write_moves(asking.out, check, figures, planned)
    return figures.holds


def _golden(asking: Asking) -> tuple[list[Subject], tuple[str, str]]:
    """Return the golden transcripts, what they are called and their digest."""
    from helm_impactbench.benchmark.golden import golden_digest
    from helm_impactbench.validity.stress.run import golden_subjects

    sets = asking.golden_sets()
    return golden_subjects(sets), (counted(len(sets), "golden set"), golden_digest(sets))


def _stored(asking: Asking, suite: str, size: int) -> tuple[list[Subject], tuple[str, str]]:
    """Return conversations of a suite, what they are called and their digest."""
    from helm_impactbench.cli.suite import suite_conversations
    from helm_impactbench.validity.stress.stored import stored_subjects, subjects_digest

    slugs = tuple(folder.name for folder in asking.folders)
    runs = suite_conversations(suite, str(asking.output_path), slugs, ())
    subjects = stored_subjects([(found.run, found.suite.question) for found in runs], size)
    return subjects, (f"suite {suite}", subjects_digest(subjects))


def _print_plan(
    planned: Sequence[Versions], chosen: Sequence[Kind], judges: tuple[str, ...], writer: str | None,
    budget: float | None,
) -> None:  # fmt: skip
    """Say what will be asked, and what it may cost, before the first call."""
    from helm_impactbench.analysis.costs.forecast import Assumptions
    from helm_impactbench.helm.planned import price
    from helm_impactbench.validity.stress.kinds import KINDS
    from helm_impactbench.validity.stress.run import expected

    asked = Counter(name for one in planned for name in one.puts)
    each, writing = expected(planned, chosen, Assumptions())
    costs = [price(judge, each) for judge in judges]
    if writer is not None and writing.calls:
        costs.append(price(writer, writing))
        asked.update({kind.name: writing.calls // sum(one.edit is None for one in chosen) for kind in chosen
                      if kind.edit is None})  # fmt: skip
    elif any(kind not in chosen and kind.edit is None for kind in KINDS.values()) and len(chosen) > 1:
        click.echo("paraphrase and translation are left out: a model has to write them (--rewriter).", err=True)
    calls = each.calls * len(judges) + writing.calls
    worth = "of unknown price" if None in costs else f"about {dollars(sum(cost or 0.0 for cost in costs))}"
    within = "" if budget is None else f", {dollars(budget)} at most"
    click.echo(
        f"{counted(len(planned), 'transcript')} ({', '.join(f'{name} {count}' for name, count in asked.items())}), "
        f"{counted(len(judges), 'judge')}: {counted(calls, 'call')}, {worth}{within}."
        " Answers in the cache are not paid for again.",
        err=True,
    )


def _print_figures(check: StressCheck, figures: StressFigures) -> None:
    from helm_impactbench.validity.stress.figures import conclusions, moves
    from helm_impactbench.validity.stress.kinds import TOWARDS

    used = check.usage
    click.echo(
        f"{' + '.join(check.judges)} on {counted(len(check.items), 'transcript')} of {check.source}, plain and edited"
    )
    known = any(one.known for one in check.items)
    click.echo(f"Asked the same again, another verdict: {shown_figure(figures.repeat)}")
    print_table(
        ("edit", "verdicts that move", "asked again", "more than asked again", "p"),
        [(one.kind, shown_figure(one.moved), figure(one.repeat.value), _difference(one.more.figure),
          _p(one.more.test)) for one in figures.kinds],
    )  # fmt: skip
    print_table(
        ("edit", "towards", "mean shift in points", "p", "detectable", "to present, absent", "to right, wrong"),
        [(one.kind, TOWARDS[one.towards], _difference(one.shift.figure), _p(one.shift.test),
          "-" if math.isnan(one.detectable) else f"{100 * one.detectable:.1f}",
          f"{one.to_present}, {one.to_absent}", f"{one.to_right}, {one.to_wrong}" if known else "-")
         for one in figures.kinds],
    )  # fmt: skip
    _print_by_measure(figures.kinds)
    if figures.believed:
        click.echo("Injected verdicts that are taken over, where the plain verdict is another one")
        rows = [(one.asked_for, one.form, shown_figure(one.taken)) for one in figures.believed]
        print_table(("injected", "as", "taken over"), rows)
    _print_changes(figures.kinds)
    _print_moves(moves(check.items, check.kinds))
    paid = "of unknown price" if used.unpriced_calls else dollars(used.cost_usd)
    click.echo(
        f"{counted(used.calls, 'call')}, {used.prompt_tokens:,} prompt and {used.completion_tokens:,} completion "
        f"tokens, {paid}"
    )
    for sentence in conclusions(figures):
        click.echo(sentence)


def _print_by_measure(kinds: Sequence[KindFigures]) -> None:
    """Print the mean shift of points, sides and numbers, in shares of their range."""
    measures = sorted({measure for one in kinds for measure in one.by_measure} - {"presence"})
    if measures:
        rows = [
            (one.kind, *(_difference(one.by_measure[name]) if name in one.by_measure else "-" for name in measures))
            for one in kinds
        ]
        click.echo("Mean shift upwards of other measures, in points of their range (numbers: more up than down)")
        print_table(("edit", *measures), rows)


def _print_changes(kinds: Sequence[KindFigures]) -> None:
    for one in kinds:
        if one.moved.items and (one.unclear.value or one.failed.value):
            click.echo(f"{one.kind}: unclear verdicts {_points(one.unclear)}, missing ones {_points(one.failed)}")
        for reason, count in one.left_out.items():
            click.echo(f"{one.kind}: {counted(count, 'transcript')} left out, {reason}")


def _print_moves(moved: Sequence[Move]) -> None:
    """Print the first of each edit."""
    if not moved:
        return
    listed = [one for kind in dict.fromkeys(move.kind for move in moved)
              for one in [move for move in moved if move.kind == kind][:SHOWN_MOVES]]  # fmt: skip
    shown = "" if len(listed) == len(moved) else f", the first {SHOWN_MOVES} of each edit (--out has all)"
    click.echo(f"\nVerdicts that moved: {len(moved)}{shown}")
    rows = [(one.kind, one.item.benchmark, one.item.metric, one.item.item, one.before, one.after, one.right or "-")
            for one in listed]  # fmt: skip
    print_table(("edit", "benchmark", "metric", "item", "plain", "edited", "became"), rows)


def _write_moves(out: Path | None, check: StressCheck, figures: StressFigures, planned: Sequence[Versions]) -> None:
    from helm_impactbench.conversation.record import readable_transcript
    from helm_impactbench.validity.stress.figures import conclusions, moves

    puts = {item.key: one.puts for item, one in zip(check.items, planned, strict=True)}
    rows = [
        {
            "edit": one.kind,
            "form": one.item.forms.get(one.kind, ""),
            "benchmark": one.item.benchmark,
            "metric": one.item.metric,
            "item": one.item.item,
            "plain": one.before,
            "edited": one.after,
            "known": one.item.known.shown if one.item.known else "",
            "became": one.right,
            "moves_when_asked_again": one.again,
            "transcript": readable_transcript(puts[one.item.key][one.kind].conversation),
        }
        for one in moves(check.items, check.kinds)
    ]
    about = {"judges": list(check.judges), "conclusions": conclusions(figures)}
    write_rows(out, rows, {**about, "figures": plain_json(figures), "moved": rows})


def _difference(one: Figure) -> str:
    if not one.items:
        return "-"
    known = one.interval
    return _points(one) + (f" ({100 * known.low:+.1f} to {100 * known.high:+.1f})" if known.is_known else "")


def _points(one: Figure) -> str:
    return "-" if math.isnan(one.value) else f"{100 * one.value:+.1f}"


def _p(test: FamilyTest) -> str:
    return f"{test.adjusted:.3f}" if test.can_be_found else "too few"
