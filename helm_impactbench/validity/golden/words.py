"""How well a suite's judges did on golden sets, in a sentence each: it stands beside the figures that rest on them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from helm_impactbench.errors import ResultsError, counted
from helm_impactbench.results.judge_checks import read_judge_checks
from helm_impactbench.validity.golden.figures import Figure, judge_figures


def judge_sentences(output_path: Path, panels: Iterable[tuple[str, ...]], benchmarks: Collection[str]) -> list[str]:
    """Return a sentence per judge or panel: its newest check on golden sets of `benchmarks`, or that it has none.

    output_path: HELM's output folder, where checks are. A file of checks that cannot be read counts as none.
    """
    return [_sentence(output_path, panel, benchmarks) for panel in sorted({*panels}) if panel]


def _sentence(output_path: Path, panel: tuple[str, ...], benchmarks: Collection[str]) -> str:
    name = " + ".join(panel)
    try:
        checks = read_judge_checks(output_path, panel)
    except ResultsError:
        checks = ()
    own = [answer for answer in checks[-1].answers if answer.benchmark in benchmarks] if checks else []
    presence = judge_figures(own).presence if own else ()
    if not presence:
        where = " of these benchmarks" if checks else ""
        return (
            f"{name} was not checked on transcripts{where} whose verdict is known: "
            f"impactbench check --judge {'+'.join(panel)}."
        )
    found = presence[0]
    return (
        f"{name}, asked about {counted(len(own), 'transcript')} of these benchmarks whose verdict is known, finds "
        f"{_shown(found.sensitivity)} of what is present and {_shown(found.specificity)} of what is absent "
        f"(version {checks[-1].helm_impactbench})."
    )


def _shown(one: Figure) -> str:
    if not one.items:
        return "an unknown share"
    known = f" ({one.interval.low:.0%} to {one.interval.high:.0%})" if one.interval.is_known else ""
    return f"{one.value:.0%}{known}"
