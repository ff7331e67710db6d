"""By how much a judge beats judges that never read a definition. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from helm_impactbench.validity.golden.figures import DoubtedItem, JudgeFigures, Margin, over_metrics
from helm_impactbench.validity.records.answers import JudgedItem


def above_floors(
    figures: JudgeFigures, answers: Sequence[JudgedItem], shallow: Mapping[str, Sequence[JudgedItem]]
) -> JudgeFigures:
    """Return a judge's figures with its lead over each shallow judge, and a doubt for each that it does not beat.

    shallow: name -> its answers, from `shallow.shallow_answers` of the same golden sets.
    """
    found = margins(answers, shallow)
    return replace(figures, margins=tuple(found), doubts=(*figures.doubts, *_doubts(found)))


def margins(answers: Sequence[JudgedItem], shallow: Mapping[str, Sequence[JudgedItem]]) -> list[Margin]:
    """Return a judge's lead over each shallow judge, on the items that both know; an item without answer is wrong."""
    given = {(one.benchmark, one.item): one for one in answers}
    return [_margin(name, given, rival) for name, rival in shallow.items()]


def _margin(name: str, given: Mapping[tuple[str, str], JudgedItem], rival: Sequence[JudgedItem]) -> Margin:
    pairs = [(one, given[one.benchmark, one.item]) for one in rival if (one.benchmark, one.item) in given]
    metrics = [one.cluster for one, _ in pairs]
    reached = [float(one.answer.right is True) for one, _ in pairs]
    gains = [float(judge.answer.right is True) - right for (_, judge), right in zip(pairs, reached, strict=True)]
    return Margin(
        name,
        over_metrics(zip(metrics, reached, strict=True)),
        over_metrics(zip(metrics, gains, strict=True), -1.0),
    )


def _doubts(found: Sequence[Margin]) -> Iterator[DoubtedItem]:
    for margin in found:
        if not margin.gain.interval.is_known:
            yield DoubtedItem(f"Too few metrics to compare it with a judge that goes by {margin.shallow} alone.", False)
        elif not margin.is_beaten:
            yield DoubtedItem(
                f"It does not beat a judge that goes by {margin.shallow} alone, which is right on "
                f"{margin.reached.value:.3f}: difference {margin.gain.value:+.3f} ({margin.gain.interval}).",
                True,
            )
