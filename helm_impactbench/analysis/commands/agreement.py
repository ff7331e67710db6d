"""`agreement`: how well judges agree, and repeated samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from helm_impactbench.analysis.agreement import by_measure, panel_agreement
from helm_impactbench.analysis.agreement_rows import (
    JudgePairRow,
    PanelRow,
    SampleRow,
    pair_rows,
    panel_row,
    sample_row,
)
from helm_impactbench.analysis.latent import ClassShare, LatentAgreement, latent_agreement
from helm_impactbench.analysis.latent_rows import (
    LatentJudgeRow,
    SharedRow,
    WeighedRow,
    judge_rows,
    shared_rows,
    shared_sentence,
    weighed_rows,
)
from helm_impactbench.analysis.rates import by_benchmark
from helm_impactbench.analysis.sample_agreement import sample_agreement
from helm_impactbench.analysis.validation import ValidationRow, validation_rows
from helm_impactbench.errors import ImpactBenchError, counted
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.reading import Reading
from helm_impactbench.tables import Result, Table

ALL = "all"
"""The scope that is the whole suite."""
VALIDATED = "Held-out judge, whose answers enter no rate"
NOTHING = (
    "Nothing to compare: the suite has one judge and one sample per variant. Run with judge=a+b, validate=b or "
    "samples=3."
)
TWO_JUDGES = (
    "Two votes do not show which judge errs, nor whether both err together. Ask three judges, or check them against "
    "known verdicts."
)


def agreement(reading: Reading) -> Result:
    """Return how well judges agree and repeated samples: of the suite for people, of each benchmark for files.

    Raises ImpactBenchError where there is one judge and one sample.
    """
    reading.check_verdicts()
    outcomes = reading.outcomes
    panels, pairs, samples = _rows(outcomes)
    validated = [row for scope, own in _scopes(outcomes) for row in validation_rows(scope, own)]
    if not panels and not samples and not validated:
        raise ImpactBenchError(" ".join([*_cascades(outcomes), NOTHING]))
    latent = latent_agreement(outcomes)
    tables = (
        *_both(Table.of("panel", PanelRow, panels, "Judges")),
        *_both(Table.of("pairs", JudgePairRow, pairs, "Two judges")),
        *_both(Table.of("samples", SampleRow, samples, "Repeated samples")),
        *_both(Table.of("validation", ValidationRow, validated, VALIDATED)),
        *_latent_tables(latent),
    )
    whole = [row for row in samples if row["scope"] == ALL]
    notes = [*_cascades(outcomes), *_on_judges(outcomes, latent, has_panels=bool(panels)), *_on_samples(whole)]
    return Result(tables, (*notes, INTERVALS), DETAILS)


INTERVALS = (
    "95% CI over scenarios. Judges that agree may be wrong together: impactbench annotate compares them with people."
)
DETAILS = (
    "Krippendorff's alpha of a panel allows for missing votes. Some silent: conversations on which some judges answer "
    "and others say not applicable or unclear.",
    "Samples: unanimous variants, Fleiss' kappa, how often one sample says what the majority does (from 3 samples on), "
    "and pass^k, the probability that k fresh samples would all pass. If missing: pass^k over all variants, if every "
    "missing verdict were a fail, and if it were a pass.",
)


def _rows(outcomes: Sequence[Outcome]) -> tuple[list[PanelRow], list[JudgePairRow], list[SampleRow]]:
    panels: list[PanelRow] = []
    pairs: list[JudgePairRow] = []
    samples: list[SampleRow] = []
    for scope, found in _scopes(outcomes):
        for measure, own in by_measure(found).items():
            if panel := panel_agreement(own):
                panels.append(panel_row(scope, measure, panel))
                pairs += pair_rows(scope, measure, panel)
            samples += [sample_row(scope, measure, repeated) for repeated in sample_agreement(own)]
    return panels, pairs, samples


def _scopes(outcomes: Sequence[Outcome]) -> Iterable[tuple[str, Sequence[Outcome]]]:
    return {ALL: outcomes, **by_benchmark(outcomes)}.items()


def _both(table: Table) -> Iterator[Table]:
    """Yield the rows of the whole suite for every screen, and all rows for files and wide ones."""
    rows = [row for row in table.rows if row["scope"] == ALL]
    several = len({row["scope"] for row in table.rows}) > 2
    yield replace(table, name=f"{table.name} overall", rows=rows, in_files=False)
    yield replace(table, view="wide" if several else "file", title=f"{table.title}, by benchmark")


def _latent_tables(latent: LatentAgreement | None) -> Iterator[Table]:
    title = "Error rates of judges that the votes on presence imply, if judges err independently"
    yield Table.of("judges", LatentJudgeRow, judge_rows(latent), title)
    yield Table.of("weighed", WeighedRow, weighed_rows(latent), "Votes weighed by these rates", "file")
    yield Table.of("shared", SharedRow, shared_rows(latent), "Judges who err together", "file")


def _cascades(outcomes: Sequence[Outcome]) -> Iterator[str]:
    if passed_on := sum(outcome.cascade is not None for outcome in outcomes):
        yield (
            f"{counted(passed_on, 'conversation')} judged in a cascade: left out of agreement between judges, because "
            "a second judge sees only those of which the first one is unsure."
        )


def _on_judges(outcomes: Sequence[Outcome], latent: LatentAgreement | None, *, has_panels: bool) -> Iterator[str]:
    """Yield what the votes of a panel say of its verdicts and of errors that judges share."""
    if latent is None:
        if has_panels and max(len(outcome.votes) for outcome in outcomes) == 2:
            yield TWO_JUDGES
        return
    yield (
        f"Weighing each vote by these rates changes {_percent(latent.differing)} of "
        f"{latent.differing.conversations:,} verdicts of the panel."
    )
    if latent.majority_pass and latent.latent_pass:
        yield (
            f"Pass rate by the panel's rule {_percent(latent.majority_pass)}, by the weighed one "
            f"{_percent(latent.latent_pass)}."
        )
    if latent.shared is None:
        yield "Whether judges share errors cannot be tested: the model fits any votes of so few judges and groups."
    else:
        yield shared_sentence(latent.shared, [judge for judge, _ in latent.judges])


def _percent(share: ClassShare) -> str:
    low, high = 100 * share.interval.low, 100 * share.interval.high
    return f"{100 * share.value:.1f}%" + (f" ({low:.1f} to {high:.1f}%)" if share.interval.is_known else "")


def _on_samples(rows: Sequence[Any]) -> Iterator[str]:
    """Yield what of the samples the figures do not show; rows: those of the whole suite."""
    if missing := sum(row["missing"] for row in rows):
        yield (
            f"{counted(missing, 'sample')} without a verdict: the figures are of the variants all of whose samples "
            "have one, and say nothing of the others."
        )
    if left_out := sum(row["left_out"] for row in rows):
        yield f"{counted(left_out, 'variant')} left out: a sample was not put, or the metric does not apply to it."
    for row in rows:
        if row["all_pass"] is not None and row["all_pass_variants"] < row["complete"]:
            of = counted(row["all_pass_variants"], "variant")
            yield f"pass^{row['samples']} is of {of}: the others are of metrics that neither pass nor fail."
