"""The command `impactbench combined`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.suite import note, shown_model
from helm_impactbench.cli.tables import figure, intervals_are_for, print_table, write_rows
from helm_impactbench.errors import ResultsError

if TYPE_CHECKING:
    from helm_impactbench.analysis.combined.capability import Against
    from helm_impactbench.analysis.combined.combined import Combined
    from helm_impactbench.analysis.combined.scales import Scale, Score
    from helm_impactbench.stats.population import Population


@click.command("combined")
@options.suite()
@options.output_path
@options.model
@options.by("overall", "benchmark")
@options.population
@options.out()
def combined_command(
    suite: str, output_path: str, models: tuple[str, ...], by: str, out: Path | None, population: Population
) -> None:
    """Show impact beside safety and capability. Do benchmarks measure more than capability?

    \b
      impactbench combined --suite combined
      impactbench combined --suite combined --by benchmark --out combined.csv

    Impact is the mean pass rate over ImpactBench's benchmarks. Safety and capability are means over the HELM suites
    in this folder (harm_bench, xstest, mmlu, gsm, ...; with HELM's judges or a panel). Contrasts are shown as a
    distance from no difference and are in no mean. Every score is compared with capability by rank correlation over
    models; "mostly capability" and "falls with capability" are flags, each with its reason. A star marks a mean
    that lacks a part. See docs/combined.md.
    """
    found = _found(suite, output_path, models)
    shown = [*found.overall.values(), *(found.scales if by == "benchmark" else [])]
    _print_scores("Scores, with 95% intervals", shown, found, population)
    refusal = [scale for scale in (found.harm_avoided, found.helpfulness) if scale is not None]
    if len(refusal) == 2:
        _print_scores("Refusing harm, and still helping", refusal, found, population)
    click.echo(intervals_are_for(population))
    _print_left_out(found.scales)
    _print_against(found.against)
    _print_lacking(found)
    scales = [*found.overall.values(), *found.scales, *refusal]
    rows = [row for scale in scales for row in _score_rows(scale)]
    write_rows(out, rows, {"scores": rows, "against_capability": [_against_row(one) for one in found.against]})


def _found(suite: str, output_path: str, models: tuple[str, ...]) -> Combined:
    from helm_impactbench.analysis.combined.combined import combine
    from helm_impactbench.results.files import suite_folder
    from helm_impactbench.suites.registry import left_out, read_suite, title_of

    folder = suite_folder(Path(output_path), suite)
    found = combine(read_suite(folder, models=models, say=note), title_of)
    if set(found.overall) <= {"impact"}:
        raise ResultsError(
            f"Suite {suite} has no finished run of a safety or capability suite to compare with impact. Run some into "
            f"the same suite: helm-run --suite {suite} --conf-paths "
            '"$(impactbench list --path run_entries/combined.conf)" ...'
        )
    for line in left_out(folder):
        click.echo(line, err=True)
    return found


def _print_scores(title: str, scales: Iterable[Scale], found: Combined, population: Population) -> None:
    scales = list(scales)
    click.echo(f"\n{title}")
    header = ["Model", *(scale.name for scale in scales)]
    rows = [
        [shown_model(model), *(_cell(scale.scores.get(model), population) for scale in scales)]
        for model in found.models
    ]
    print_table(header, rows)


def _cell(score: Score | None, population: Population) -> str:
    from helm_impactbench.stats.population import interval_of

    if score is None:
        return "not run"
    if not score.estimate.units:
        return "none scored"
    star = "*" if score.missing else ""
    return f"{figure(score.estimate.mean)}{star} ({interval_of(score, population)})"


def _print_against(against: list[Against]) -> None:
    if not against:
        click.echo("\nNo run of a capability suite, so benchmarks cannot be compared with capability.")
        return
    click.echo("\nMore than capability? Rank correlation (Spearman) with the capability score, over models")
    rows = []
    for one in against:
        rho = one.correlation
        rows.append([
            f"{one.scale.name}, mean" if one.scale.parts else one.scale.name, str(len(one.models)),
            figure(rho.value if rho else None, 2), f"{rho.interval.low:.2f} to {rho.interval.high:.2f}" if rho else "-",
            figure(one.adjusted_p_value if rho else None, 4), f"{'! ' * one.finding.is_flag}{one.finding.value}",
        ])  # fmt: skip
    print_table(("Score", "Models", "rho", "95% interval", "adjusted p", "Finding"), rows)
    for finding in dict.fromkeys(one.finding for one in against):
        example = next(one for one in against if one.finding is finding)
        click.echo(f"{finding.value}: {example.reason}.")
    click.echo(
        "A flag says how scores rank models, not why. The absence of a flag proves nothing, unless the table says so."
    )


def _print_lacking(found: Combined) -> None:
    for model in found.models:
        if lacking := found.lacks(model):
            click.echo(f"* {shown_model(model)} lacks: {', '.join(lacking)}. Its starred means are not compared.")


def _print_left_out(scales: Iterable[Scale]) -> None:
    for scale in scales:
        if apart := sorted({metric for score in scale.scores.values() for metric in score.left_out}):
            click.echo(f"{scale.name} is without {', '.join(apart)}: their units have no mean with other metrics.")


def _score_rows(scale: Scale) -> Iterator[dict[str, Any]]:
    from helm_impactbench.analysis.columns import bounds_row

    for model, score in scale.scores.items():
        yield {
            "model": model,
            "score": scale.key,
            "kind": scale.kind,
            "is_mean": bool(scale.parts),
            "value": score.estimate.mean,
            **bounds_row(score),
            "scored": score.scored,
            "total": score.total,
            "unscored_by_reason": "; ".join(f"{reason} {count}" for reason, count in sorted(score.unscored.items())),
            "lacks": "; ".join(score.missing),
            "left_out": "; ".join(score.left_out),
        }


def _against_row(one: Against) -> dict[str, Any]:
    rho = one.correlation
    return {
        "score": one.scale.key,
        "kind": one.scale.kind,
        "models": len(one.models),
        "rho": rho.value if rho else None,
        "low": rho.interval.low if rho else None,
        "high": rho.interval.high if rho else None,
        "p": rho.p_value if rho else None,
        "adjusted_p": one.adjusted_p_value if rho else None,
        "flag": one.finding.is_flag,
        "finding": one.finding.value,
        "reason": one.reason,
    }
