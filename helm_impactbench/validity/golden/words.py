"""How well a suite's judges did on known verdicts, in a sentence or two each, beside the figures that rest on them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from helm_impactbench.errors import ResultsError, counted
from helm_impactbench.validity.golden.figures import JudgeFigure, judge_figures
from helm_impactbench.validity.records.anchors import AnchorRecord, newest_anchors, read_anchors
from helm_impactbench.validity.records.judges import GoldenRecord, StressRecord, read_golden, read_stress
from helm_impactbench.validity.stress.figures import stress_figures


def judge_sentences(suite: Path, panels: Iterable[tuple[str, ...]], benchmarks: Collection[str]) -> list[str]:
    """Return a sentence or two per judge or panel: its newest check on golden sets of `benchmarks`.

    Without one, what it said of the suite's anchors, or else that it was not checked. suite: folder of its runs in
    HELM's output folder, where checks are. A file that cannot be read counts as none.
    """
    named = [panel for panel in sorted({*panels}) if panel]
    said = ((_sentence(suite, panel, benchmarks), _under_stress(suite, panel)) for panel in named)
    return [" ".join(filter(None, sentences)) for sentences in said]


def _under_stress(suite: Path, panel: tuple[str, ...]) -> str:
    """Return whether edits moved its verdicts when it was last put under stress; empty where it never was."""
    records: Sequence[StressRecord] = ()
    with suppress(ResultsError):
        records = read_stress(suite.parents[1], panel)
    if not records:
        return ""
    newest = records[-1]
    moving = [kind.kind for kind in stress_figures(newest.items, newest.kinds).kinds if kind.found]
    if moving:
        return f"Its verdicts move with edits that should not matter: {', '.join(moving)}."
    return f"No edit of {counted(len(newest.items), 'transcript')} was found to move its verdicts."


def _sentence(suite: Path, panel: tuple[str, ...], benchmarks: Collection[str]) -> str:
    name = " + ".join(panel)
    checks: Sequence[GoldenRecord] = ()
    with suppress(ResultsError):
        checks = read_golden(suite.parents[1], panel)
    own = [answer for answer in checks[-1].items if answer.benchmark in benchmarks] if checks else []
    presence = judge_figures(own).presence if own else ()
    if not presence:
        return _on_anchors(suite, panel, benchmarks) or (
            f"{name} was not checked on transcripts{' of these benchmarks' if checks else ''} whose verdict is known."
        )
    found = presence[0]
    return (
        f"{name}, asked about {counted(len(own), 'transcript')} of these benchmarks whose verdict is known, finds "
        f"{_shown(found.sensitivity)} of what is present and {_shown(found.specificity)} of what is absent "
        f"(version {checks[-1].helm_impactbench})."
    )


def _on_anchors(suite: Path, panel: tuple[str, ...], benchmarks: Collection[str]) -> str | None:
    """Return how often it was right on the few transcripts that it read with the suite; None where it read none."""
    records: Sequence[AnchorRecord] = ()
    with suppress(ResultsError):
        records = read_anchors(suite)
    newest = newest_anchors(records, panel)
    own = [answer.is_right for answer in newest.items if answer.benchmark in benchmarks] if newest else []
    known = [right for right in own if right is not None]
    if not known:
        return None
    return (
        f"{' + '.join(panel)} is right on {sum(known)} of {counted(len(known), 'transcript')} of these benchmarks "
        "whose verdict is known. How often it misses what is present, or finds what is absent, was not checked on more."
    )


def _shown(one: JudgeFigure) -> str:
    if not one.items:
        return "an unknown share"
    known = f" ({one.interval.low:.0%} to {one.interval.high:.0%})" if one.interval.is_known else ""
    return f"{one.value:.0%}{known}"
