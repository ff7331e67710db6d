"""What decisions of the gate say nothing of: what a model lacks, other judges, losses within chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from helm_impactbench.analysis.comparison import Comparison
from helm_impactbench.analysis.coverage import lacking
from helm_impactbench.analysis.gate import RATES, GateCheck
from helm_impactbench.analysis.gate_baseline import drop_words
from helm_impactbench.analysis.panels import voters
from helm_impactbench.analysis.rates import by_area, model_scores, models_of
from helm_impactbench.errors import counted, listed
from helm_impactbench.results.outcome import Outcome


def lacked_by_models(checks: Iterable[GateCheck], outcomes: Iterable[Outcome]) -> Iterator[str]:
    """Yield what a model lacks of an area whose pass rate is held against a bar, and another model has."""
    held = {(check.model, check.scope) for check in checks if not check.part and check.condition.split()[0] in RATES}
    for area, own in by_area(outcome for outcome in outcomes if outcome.is_level).items():
        whole = Comparison(model_scores(own), [], lacking(own))
        for score in sorted(whole.scores, key=lambda score: score.model):
            if (score.model, area) in held and score.groups and (parts := whole.lacks(score)):
                lacked = f"{score.model} lacks {listed(parts)}, which other models have"
                yield f"{lacked}: its pass rate is over other cases."


def left_out(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """Yield, of each model, how many conversations are left out without a verdict, and of which benchmarks all."""
    levels = [outcome for outcome in outcomes if outcome.is_level]
    for model in models_of(levels):
        own = [outcome for outcome in levels if outcome.model == model]
        missing = sum(outcome.is_missing for outcome in own)
        silent = sorted({o.benchmark for o in own if o.is_missing} - {o.benchmark for o in own if o.is_scored})
        if missing:
            whole = f", among them all of {listed(silent)}" if silent else ""
            yield f"{model}: {missing:,} of {counted(len(own), 'conversation')} left out, without a verdict{whole}."


def not_compared(outcomes: Sequence[Outcome], baseline: Sequence[Outcome], name: str) -> Iterator[str]:
    """Yield, of each model that shares cases with its baseline, which cases of the baseline its suite lacks.

    name: the baseline's.
    """
    for model in models_of(outcomes):
        now = {outcome.case for outcome in outcomes if outcome.model == model}
        before = [outcome for outcome in baseline if outcome.model == model and outcome.is_level]
        lacking = Counter(outcome.benchmark for outcome in before if outcome.case not in now)
        if not lacking or all(outcome.case not in now for outcome in before):
            continue
        own = Counter(outcome.benchmark for outcome in before)
        parts = listed([f"{number:,} of {own[slug]:,} of {slug}" for slug, number in sorted(lacking.items())])
        yield (
            f"{model}: {counted(lacking.total(), 'conversation')} of the baseline {name} not compared, as this suite "
            f"lacks their cases or has changed them: {parts}."
        )


def judged_otherwise(outcomes: Sequence[Outcome], baseline: Sequence[Outcome]) -> list[str]:
    """Return the models that other judges judged in the baseline: a difference, or none, may be the judges' doing."""
    now, before = voters(outcomes), voters(baseline)
    both = [(now[slug], before[slug]) for slug in now.keys() & before.keys()]
    return sorted({model for one, other in both for model in one.keys() & other.keys() if one[model] != other[model]})


def losses_left_open(checks: Iterable[GateCheck]) -> Iterator[str]:
    """Yield the greatest loss that a pass without a limit does not rule out."""
    passed = [check for check in checks if check.condition == drop_words(0.0) and check.decision == "pass"]
    least = min(passed, key=lambda check: check.interval.low, default=None)
    if least is not None and least.interval.is_known and least.interval.low < 0:
        of = f" of {least.model}" if len(passed) > 1 else ""
        yield (
            f"Not worse: no loss is significant. One of up to {-least.interval.low:.3f}{of} is not ruled out; "
            "--max-drop sets a limit."
        )
