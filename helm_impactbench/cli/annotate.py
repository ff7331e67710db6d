"""The commands `impactbench annotate export` and `impactbench annotate score`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.annotate_content import draw_and_print
from helm_impactbench.cli.annotate_rating import openings_sheet_of, relevance_sheet_of
from helm_impactbench.cli.mistakes import CommandGroup
from helm_impactbench.cli.reading import show
from helm_impactbench.errors import ImpactBenchError, counted

if TYPE_CHECKING:
    from helm_impactbench.validity.annotation.folder import AnnotationSheet


@click.group("annotate", cls=CommandGroup)
def annotate() -> None:
    """Have people check judges' verdicts and benchmark content.

    \b
      1. Sample conversations for blind annotation:
         impactbench annotate export --suite S --out-dir sheet
      2. Two people, each alone, open sheet/sheet.html, answer and press
         "Export CSV"; key.json stays with you.
      3. Agreement, error rates or distances, corrected rates:
         impactbench annotate score sheet annotations-*.csv

    People choose among the same answers as the judge: present or absent, a point, a side, a number. Useful error rates
    need at least a hundred answers. The sheet works offline; spreadsheet programs can open sheet.csv.

    `impactbench annotate export --content` draws cases with sample replies, before any model is run.
    """


@annotate.command("export")
@options.suite(needed=False)
@click.option("--content", is_flag=True, help="Draw cases and sample replies from benchmarks, not from a suite.")
@click.option("--relevance", is_flag=True, help="Make a sheet for experts to rate the metrics of one benchmark.")
@click.option(
    "--openings",
    "written",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Make a sheet of first messages by simulated people aged 13 to 25, mixed with messages from this file.",
)
@options.output_path
@options.out_dir(usual="a folder in ./annotations")
@options.conversations(120)
@options.seed
@options.benchmark
@options.model
@options.release()
def export(
    suite: str | None,
    content: bool,
    relevance: bool,
    written: Path | None,
    output_path: str,
    out_dir: Path | None,
    conversations: int,
    seed: int,
    benchmarks: tuple[str, ...],
    models: tuple[str, ...],
    releases: tuple[str, ...],
) -> None:
    """Draw conversations to annotate blind, or cases for experts.

    \b
      impactbench annotate export --suite impact --out-dir sheet
      impactbench annotate export --content --benchmark prosocial --out-dir read

    Items are in random order. The sample is balanced over metrics, as far as the conversations allow. Within a metric,
    it is balanced over the judge's verdicts: present and absent, or low, middle and high. Within each verdict, levels
    of axes, factors and models are balanced. The command writes sheet.html, sheet.csv, key.json and README.txt. An
    existing sheet, which may have answers, is never overwritten.

    With --content, each item is a case: a metric's definition, one variant's person and plan, and a sample reply.
    Experts rate relevance, clarity and realism, and give a verdict on the sample reply. Cases are spread over
    benchmarks, then metrics; each base scenario occurs at most once. Without --benchmark, all benchmarks are used.
    cases.html shows the cases in a browser.

    With --relevance, experts rate each metric's relevance to one benchmark from 1 to 4, for the content validity index.
    With --openings FILE, young people say of each message whether somebody of their age could have written it. FILE has
    one message per line. --relevance and --openings each write a page and a consent form.
    """
    if sum((content, relevance, written is not None)) > 1:
        raise ImpactBenchError("--content, --relevance and --openings are different sheets; give one of them.")
    if relevance:
        if suite or models:
            raise ImpactBenchError(f"--relevance is about metrics; leave out {'--suite' if suite else '--model'}.")
        relevance_sheet_of(benchmarks, seed, out_dir)
        return
    if content:
        given = {"--suite": suite, "--model": models, "--release": releases}
        for option in (name for name, value in given.items() if value):
            raise ImpactBenchError(f"--content draws from benchmarks; leave out {option}.")
        draw_and_print(benchmarks, conversations, seed, out_dir)
        return
    if not suite:
        raise ImpactBenchError("Name a suite with --suite SUITE; or give --content, for the cases of benchmarks.")
    from helm_impactbench.api import load_suite
    from helm_impactbench.results.files import run_folders, suite_folder
    from helm_impactbench.results.outcome import release_in
    from helm_impactbench.validity.annotation.folder import draw_sheet, write_sheet

    source = suite_folder(Path(output_path), suite)
    run_folders(source, releases)  # says which releases there are
    # Models are called as in the whole suite, which annotate score reads.
    outcomes = load_suite(suite, output_path, benchmarks=benchmarks, models=models).reading.outcomes
    chosen = [outcome for outcome in outcomes if not releases or release_in(outcome.setup) in releases]
    if written:
        openings_sheet_of(source, chosen, written, conversations, seed, out_dir)
        return
    sheet = draw_sheet(source, chosen, conversations, seed)
    folder = out_dir or Path("annotations") / suite
    write_sheet(sheet, folder)
    _print_sheet(sheet, folder, conversations)


def _print_sheet(sheet: AnnotationSheet, folder: Path, places: int) -> None:
    sample, drawn = sheet.sample, len(sheet.items)
    said = Counter(item.stratum.rpartition(" ")[2].replace("_", " ") for item in sheet.key.items)
    click.echo(
        f"Drew {drawn} of {sample.judged:,} judged conversations (metrics: {sample.metrics}, benchmarks: "
        f"{len(sheet.key.benchmarks)}, models: {len(sheet.key.models)}); the judge's answers: "
        f"{', '.join(f'{count} {answer}' for answer, count in sorted(said.items()))}."
    )
    if drawn < places:
        click.echo(f"There are no more: all {drawn} are on the sheet (--conversations {places} at most).")
    elif sample.empty_strata:
        click.echo(
            f"{sample.empty_strata} of {len(sample.sizes)} pairs of metric and answer have no item on the sheet, so "
            f"figures for single metrics will be uncertain. --conversations {len(sample.sizes)} draws one for each; "
            "--benchmark narrows the choice."
        )
    lacking = {"present", "absent"} - {*said}
    if len(lacking) == 1:
        click.echo(f"No item is judged {lacking.pop()}, so the sheet cannot show how often such a verdict is right.")
    if sheet.too_long:
        click.echo(f"A spreadsheet would cut off {counted(sheet.too_long, 'transcript')}; use the page.")
    click.echo(
        f"Wrote {folder}: give annotators sheet.html (or sheet.csv) and nothing else; never give them key.json.\n"
        "Conversations may be about crises; tell annotators before they begin.\n"
        f"Then: impactbench annotate score {folder} annotations-*.csv"
    )


@annotate.command("score")
@click.argument("key", type=click.Path(exists=True, path_type=Path), metavar="KEY_JSON_OR_FOLDER")
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="ANNOTATIONS.csv...",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@options.suite(needed=False, usual="that of the sheet")
@options.output_path
@options.out()
@options.wide
def score_command(
    key: Path, files: tuple[Path, ...], suite: str | None, output_path: str, out: Path | None, wide: bool
) -> None:
    """Score people's answers, and check the judge against them.

    The output depends on the sheet.

    \b
    conversations  how far people and judge agree; pass rates corrected for the
                   judge's errors
    content        relevance, clarity, realism, verdicts as intended, agreement,
                   what to correct
    metrics        the content validity index of each
    openings       how real they sound, and which to rewrite

    \b
      impactbench annotate score sheet annotations-*.csv --out calibration.json

    Give one file per person, or one file whose column annotator names each row's person. "unclear" does not count as an
    answer. The majority's answer is taken as the truth of an item; for points and numbers, the median. If several
    people answered, their errors are modelled, and ties between present and absent are kept. Sensitivity and
    specificity are about presence and are weighted back to the whole suite. Where answers are points on a scale, the
    judge's answer is compared with each person's. Figures are the share on the same side of the middle, mean distance
    and Krippendorff's alpha.
    """
    from helm_impactbench.api import load_suite
    from helm_impactbench.validity.annotation.content.key import load_content_key
    from helm_impactbench.validity.annotation.content.summary import score_content
    from helm_impactbench.validity.annotation.key import load_key
    from helm_impactbench.validity.annotation.people_asked import score
    from helm_impactbench.validity.annotation.rating.scoring import score_ratings
    from helm_impactbench.validity.annotation.rating.sheet import load_rating_key
    from helm_impactbench.validity.commands.annotate import scored
    from helm_impactbench.validity.commands.annotate_content import content_scored
    from helm_impactbench.validity.commands.annotate_rating import rating_scored

    if (ratings := load_rating_key(key)) is not None:
        if suite:
            raise ImpactBenchError(f"{key} is a rating sheet, whose answers belong to no suite; leave out --suite.")
        show(rating_scored(score_ratings(ratings, files)), out, wide=wide)
        return
    of_content = load_content_key(key)
    if of_content is not None:
        if suite:
            raise ImpactBenchError(f"{key} is a sheet of content, which belongs to no suite; leave out --suite.")
        show(content_scored(score_content(of_content, files)), out, wide=wide)
        return
    loaded = load_key(key)
    name = suite or loaded.suite
    opened = load_suite(name, output_path)
    report = score(opened.folder, list(opened.reading.outcomes), loaded, files)
    trust = opened.judges
    show(scored(report).judged(trust.line, trust.warning), out, wide=wide)
