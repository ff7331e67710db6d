"""`impactbench check --judge`: how well a judge reads transcripts whose verdict is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli.cascade import print_cascades
from helm_impactbench.cli.confidence import print_confidence
from helm_impactbench.cli.latent import print_rules
from helm_impactbench.cli.steps import steps
from helm_impactbench.cli.suite import quiet_helm
from helm_impactbench.cli.tables import figure, print_table, write_rows
from helm_impactbench.errors import ImpactBenchError, counted, dollars
from helm_impactbench.files.plain_json import plain_json

if TYPE_CHECKING:
    from helm_impactbench.benchmark.golden import GoldenSet
    from helm_impactbench.llm.request import Caller
    from helm_impactbench.results.judge_checks import GoldenAnswer, JudgeCheck
    from helm_impactbench.validity.golden.cascade import Cascade
    from helm_impactbench.validity.golden.confidence import JudgeConfidence
    from helm_impactbench.validity.golden.figures import Figure, JudgeFigures, PresenceRates
    from helm_impactbench.validity.golden.panel import PanelRules

SHOWN_WRONG = 10
"""Wrong answers that are listed on the terminal; --out has all of them."""


@dataclass(frozen=True)
class Asking:
    """What a judge is asked with."""

    judge: str
    """As the user names it: a deployment, or several joined by "+"."""
    folders: tuple[Path, ...]
    """Of the benchmarks; all that have a golden set if there are none."""
    output_path: Path
    local_path: Path
    threads: int
    budget: float | None
    """US dollars."""
    dry_run: bool
    """Whether only the plan is shown."""
    out: Path | None

    def golden_sets(self) -> list[GoldenSet]:
        """Return the golden sets. Raises BenchmarkError."""
        from helm_impactbench.benchmark.golden_files import golden_folders, load_golden

        return [load_golden(folder) for folder in golden_folders(self.folders)]

    def open(self) -> tuple[tuple[str, ...], Caller]:
        """Return the judges' deployments and who calls them. Raises ImpactBenchError."""
        from helm_impactbench.conversation.run_options import parse_judges
        from helm_impactbench.helm.preflight import resolve_deployment
        from helm_impactbench.helm.session import open_caller

        given = parse_judges(self.judge, "impactbench check")
        if not given:
            raise ImpactBenchError("--judge none asks nobody. Name the judge that is to be checked.")
        quiet_helm()
        caller = open_caller(self.local_path)
        return tuple(resolve_deployment(name, "judge") for name in given), caller

    def begin(self, judges: tuple[str, ...]) -> None:
        """Count what is paid from now on, and make sure that all judges can be called. Raises ImpactBenchError."""
        from helm_impactbench.helm.preflight import check_deployments
        from helm_impactbench.llm.limits.admission import count_for
        from helm_impactbench.results.judge_checks import judge_folder, judge_name

        count_for(judge_folder(self.output_path) / judge_name(judges), self.budget)
        check_deployments([("judge", name) for name in judges])


def check_and_print(asking: Asking) -> bool:
    """Ask a judge or panel about golden sets, print and store what came of it; return whether it may be used."""
    from helm_impactbench.results.judge_checks import write_judge_check
    from helm_impactbench.validity.golden.cascade import cascades
    from helm_impactbench.validity.golden.confidence import judge_confidence
    from helm_impactbench.validity.golden.figures import judge_figures
    from helm_impactbench.validity.golden.panel import panel_rules
    from helm_impactbench.validity.golden.run import check_judge

    sets = asking.golden_sets()
    judges, caller = asking.open()
    _print_plan(sets, judges, asking.budget)
    if asking.dry_run:
        return True
    asking.begin(judges)
    with steps(sum(len(one.items) for one in sets), "transcript") as step:
        check = check_judge(sets, judges, caller.call, asking.threads, step)
    figures = judge_figures(check.answers)
    sure = judge_confidence(check.answers)
    rules = panel_rules(check.answers, judges)
    saving = cascades(check.answers, judges)
    panel = {"panel": rules, "cascades": saving} if rules else {}
    found = {**plain_json(figures), **plain_json({**panel, "confidence": sure})}
    path = write_judge_check(asking.output_path, check.model_copy(update={"figures": found}))
    _print_figures(check, figures, sure, rules, saving)
    click.echo(f"Wrote {path}", err=True)
    rows = [_row(one) for one in check.answers]
    about = {"judges": list(judges), "golden_digest": check.golden_digest}
    write_rows(asking.out, rows, {**about, "figures": found, "answers": rows})
    return figures.may_be_used


def _print_plan(sets: Sequence[GoldenSet], judges: tuple[str, ...], budget: float | None) -> None:
    """Say what will be asked, and what it may cost, before the first call."""
    from helm_impactbench.analysis.costs.forecast import Assumptions
    from helm_impactbench.helm.planned import price
    from helm_impactbench.validity.golden.run import expected, golden_cases

    cases = golden_cases(sets)
    each = expected(cases, Assumptions())
    costs = [price(judge, each) for judge in judges]
    known = sum(cost for cost in costs if cost is not None)
    worth = "of unknown price" if None in costs else f"about {dollars(known)}"
    within = "" if budget is None else f", {dollars(budget)} at most"
    click.echo(
        f"{counted(len(sets), 'golden set')}, {counted(len(cases), 'transcript')}, {counted(len(judges), 'judge')}: "
        f"{counted(len(cases) * len(judges), 'call')}, {worth}{within}. Answers in the cache are not paid for again.",
        err=True,
    )


def _print_figures(
    check: JudgeCheck,
    figures: JudgeFigures,
    sure: Sequence[JudgeConfidence],
    rules: PanelRules | None,
    saving: Sequence[Cascade],
) -> None:
    name = " + ".join(check.judges)
    click.echo(f"{name} on {counted(len(check.answers), 'transcript')} with known verdicts")
    _print_presence(check, figures.presence)
    if figures.accuracy:
        click.echo("Other measures: share of known answers that it names")
        rows = [(one.measure, shown_figure(one.right), figure(one.commonest)) for one in figures.accuracy]
        print_table(("measure", "right (95% interval)", "the commonest answer alone"), rows)
    _print_cost(figures)
    _print_borderline(figures)
    print_rules(rules, check.judges)
    print_cascades(saving, check.judges)
    print_confidence(sure)
    _print_wrong(check.answers)
    for doubt in figures.doubts:
        click.echo(doubt.text)
    if not figures.may_be_used:
        click.echo(f"Do not use {name}.")
    else:
        click.echo(
            f"{name} is better than chance. Whether it is good enough is for you to say: every share below 1 makes "
            "pass rates wrong."
        )


def _print_presence(check: JudgeCheck, presence: Sequence[PresenceRates]) -> None:
    if not presence:
        return
    from helm_impactbench.validity.golden.figures import judge_figures, of_judge

    rows = [_rates(one.scope, one) for one in presence]
    for judge in check.judges if len(check.judges) > 1 else ():
        alone = judge_figures(of_judge(check.answers, judge)).presence
        rows += [_rates(f"{judge} alone", one) for one in alone[:1]]
    click.echo("Presence: share of known verdicts that it finds (95% interval)")
    print_table(("items", "present: sensitivity", "absent: specificity", "not applicable", "balanced"), rows)


def _rates(scope: str, one: PresenceRates) -> tuple[str, ...]:
    return (scope, *map(shown_figure, (one.sensitivity, one.specificity, one.not_applicable, one.balanced)))


def shown_figure(one: Figure) -> str:
    """Return a share with its interval and its items."""
    if not one.items:
        return "-"
    known = f" ({one.interval})" if one.interval.is_known else ""
    return f"{figure(one.value)}{known} n={one.items}"


def _print_cost(figures: JudgeFigures) -> None:
    cost, missing = figures.cost, figures.unanswered
    used = cost.total
    click.echo(f"Unclear: {shown_figure(missing.unclear)}. No verdict: {shown_figure(missing.failed)}.")
    paid = "of unknown price" if used.unpriced_calls else dollars(used.cost_usd)
    each = "" if math.isnan(cost.usd.value) else f"; {dollars(cost.usd.value)} per transcript{_between(cost.usd)}"
    click.echo(
        f"{counted(used.calls, 'call')}, {used.prompt_tokens:,} prompt and {used.completion_tokens:,} completion "
        f"tokens, {paid}{each}"
    )


def _between(one: Figure) -> str:
    known = one.interval.is_known
    return f" ({dollars(one.interval.low)} to {dollars(one.interval.high)})" if known else ""


def _print_borderline(figures: JudgeFigures) -> None:
    said = figures.borderline.answers
    if said:
        listed = ", ".join(f"{answer} {count}" for answer, count in said.items())
        alike = figures.borderline.unanimous
        panel = "" if alike is None else f"; the judges agree on {alike}"
        click.echo(f"Borderline, not scored ({sum(said.values())}): {listed}{panel}")


def _print_wrong(answers: Sequence[GoldenAnswer]) -> None:
    wrong = [one for one in answers if one.given.right is False]
    if wrong:
        shown = "" if len(wrong) <= SHOWN_WRONG else f", the first {SHOWN_WRONG} (--out has all)"
        click.echo(f"\nWrong: {counted(len(wrong), 'transcript')}{shown}")
        rows = [(one.benchmark, one.metric, str(one.item), one.wanted, one.given.answer or one.given.status)
                for one in wrong[:SHOWN_WRONG]]  # fmt: skip
        print_table(("benchmark", "metric", "item", "known", "judge"), rows)


def _row(one: GoldenAnswer) -> dict[str, Any]:
    return {
        "benchmark": one.benchmark,
        "metric": one.metric,
        "item": one.item,
        "known": one.wanted,
        "status": one.given.status,
        "answer": one.given.answer,
        "right": one.given.right,
        **_votes(one),
    }


def _votes(one: GoldenAnswer) -> dict[str, Any]:
    """Return how sure a single judge is; what each judge of a panel says, and how sure it is."""
    if len(one.votes) == 1:
        (alone,) = one.votes.values()
        return {"confidence": alone.confidence}
    said: dict[str, Any] = {judge: vote.answer or vote.status for judge, vote in one.votes.items()}
    return said | {f"{judge} confidence": vote.confidence for judge, vote in one.votes.items()}
