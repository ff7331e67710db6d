"""Whether the judges of a suite can be trusted: checked, not checked, failed their check, or scripts.

Decided once, from what the suite and its output folder know, for every command and page: a judge whose verdicts are no
better than chance makes every figure worthless, so a reader meets this before any of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from helm_impactbench.benchmark.files import benchmark_paths
from helm_impactbench.benchmark.golden_files import GOLDEN_FILE
from helm_impactbench.errors import ResultsError, counted, listed
from helm_impactbench.suites.panels.table import BY_SLUG as PANEL_SUITES
from helm_impactbench.suites.reading import Reading
from helm_impactbench.suites.registry import suite_runs
from helm_impactbench.tables.names import SCRIPTED
from helm_impactbench.validity.golden.figures import (
    CHANCE,
    FEWEST_ITEMS,
    PRESENCE,
    JudgeFigure,
    JudgeFigures,
    judge_figures,
)
from helm_impactbench.validity.records.anchors import AnchorRecord, newest_anchors, read_anchors
from helm_impactbench.validity.records.answers import PLAIN, JudgedItem
from helm_impactbench.validity.records.judges import GoldenRecord, StressRecord, read_golden, read_stress
from helm_impactbench.validity.stress.figures import stress_figures

Panel = tuple[str, ...]
State = Literal["failed", "scripted", "not checked", "checked"]
STATES: tuple[State, ...] = ("failed", "scripted", "not checked", "checked")
"""Worst first: a suite is in the worst state of its panels."""


@dataclass(frozen=True)
class PanelTrust:
    """What is known of one judge or panel."""

    name: str
    state: State
    sentence: str
    """How it did on transcripts whose verdict is known."""
    stressed: str = ""
    """Whether edits that should not matter moved its verdicts; empty where it was never put under stress."""
    right: int = 0
    """Of `known` transcripts whose verdict is known, those that it is right on."""
    known: int = 0
    check: str = ""
    """The command that checks it; empty where it was checked."""

    @property
    def sentences(self) -> str:
        """All of it."""
        said = f"{self.sentence.rstrip('.')}: {self.check}" if self.check else self.sentence
        return " ".join(filter(None, (said, self.stressed)))


@dataclass(frozen=True)
class JudgeTrust:
    """What is known of all judges of a suite."""

    panels: tuple[PanelTrust, ...] = ()

    @property
    def state(self) -> State | None:
        """The worst state of a panel; None where no judge of ours decided anything."""
        return min((panel.state for panel in self.panels), key=STATES.index, default=None)

    @property
    def failed(self) -> bool:
        """Whether a judge failed: then there are no grades, no ranking, and a gate decides nothing."""
        return self.state == "failed"

    @property
    def line(self) -> str:
        """One line for the top of every output; empty where there is no judge of ours."""
        if self.state is None:
            return ""
        worst = [panel for panel in self.panels if panel.state == self.state]
        unasked = list(dict.fromkeys(panel.name for panel in worst if panel.sentence == _unasked([panel.name])))
        said = [panel.sentence for panel in worst if panel.name not in unasked]
        words = " ".join([*([_unasked(unasked)] if unasked else []), *said])
        checks = [panel.check for panel in worst if panel.check]
        told = f"{words.rstrip('.')}: {'; '.join(checks)}" if checks else words
        return f"{_HEADS[self.state]} {told}"

    @property
    def warning(self) -> str:
        """What stands after each table where a judge failed; empty otherwise."""
        names = ", ".join(panel.name for panel in self.panels if panel.state == "failed")
        return f"WARNING: {names} failed its check, so these figures may say nothing." if names else ""

    def __add__(self, other: JudgeTrust) -> JudgeTrust:
        """Return what is known of the judges of both."""
        return JudgeTrust(tuple(dict.fromkeys((*self.panels, *other.panels))))

    @property
    def sentences(self) -> tuple[str, ...]:
        """Everything that is known, a line per judge or panel."""
        return tuple(panel.sentences for panel in self.panels)


NO_JUDGES = JudgeTrust()
_HEADS: dict[State, str] = {
    "failed": "WARNING: the judge failed its check.",
    "scripted": "Rehearsal: the judge is a script.",
    "not checked": "Judge not checked.",
    "checked": "Judge checked.",
}


def trust_of(reading: Reading) -> JudgeTrust:
    """Return what is known of the judges of what is read. Raises ResultsError for a folder that cannot be read."""
    selection = reading.selection
    runs = [one.run for one in suite_runs(reading.folder, selection.releases) if one.run.judges]
    read = {(outcome.benchmark, outcome.setup) for outcome in reading.outcomes}
    panels = {tuple(run.judges) for run in runs if (run.benchmark, run.setup) in read}
    return judge_trust(reading.folder, panels, {outcome.benchmark for outcome in reading.outcomes})


def judge_trust(suite: Path, panels: Iterable[Panel], benchmarks: Collection[str]) -> JudgeTrust:
    """Return what is known of judges and panels, by the newest check on golden sets of each of `benchmarks`.

    Without one, by what they said of the suite's anchors. suite: folder of its runs in HELM's output folder, where
    checks are. A file that cannot be read counts as none.
    """
    return JudgeTrust(tuple(_panel(suite, panel, benchmarks) for panel in sorted({*panels}) if panel))


def _panel(suite: Path, panel: Panel, benchmarks: Collection[str]) -> PanelTrust:
    name = " + ".join(panel)
    scripts = [judge for judge in panel if judge.startswith(SCRIPTED)]
    if scripts:
        return PanelTrust(name, "scripted", f"Verdicts of {', '.join(scripts)} measure nothing.")
    stressed = _under_stress(suite, panel)
    checks: Sequence[GoldenRecord] = ()
    with suppress(ResultsError):
        checks = read_golden(suite.parents[1], panel)
    own = [item for benchmark in sorted({*benchmarks}) for item in _newest(checks, benchmark)]
    figures = judge_figures(own)
    if figures.is_checked:
        state: State = "checked" if figures.may_be_used else "failed"
        said = f"asked about {counted(len(own), 'transcript')} of these benchmarks whose verdict is known"
        right = [one.is_right for one in own if one.is_right is not None]
        return PanelTrust(
            name,
            state,
            f"{name}, {said}{':' if state == 'failed' else ','} {_found(figures)}.",
            stressed,
            sum(right),
            len(right),
        )
    anchors = _anchors(suite, panel, benchmarks)
    return _on_anchors(anchors, benchmarks, name, stressed) or _unchecked(name, benchmarks, own, anchors, stressed)


def _newest(checks: Sequence[GoldenRecord], benchmark: str) -> list[JudgedItem]:
    """Return what the newest check of a benchmark found: a later one of others says nothing of it."""
    about = ([item for item in check.items if item.benchmark == benchmark] for check in reversed(checks))
    return next(filter(None, about), [])


def _unchecked(
    name: str,
    benchmarks: Collection[str],
    checked: Sequence[JudgedItem],
    anchors: Sequence[JudgedItem],
    stressed: str,
) -> PanelTrust:
    """Return why a judge is not checked, and what to do: first a longer golden set where its check was too short."""
    known = [one for one in checked or anchors if one.is_known]
    how = _how_to_check(name, benchmarks)
    if not known:
        return PanelTrust(name, "not checked", _unasked([name]), stressed, check=how)
    right = sum(one.is_right is True for one in known)
    said = (
        f"{name} was asked about {len(known)} {_KNOWN}, and {FEWEST_ITEMS} of a measure are needed (right on {right})."
    )
    more = f"add to the golden set (docs/judges.md), then {how}" if checked else how
    return PanelTrust(name, "not checked", said, stressed, check=more)


_KNOWN = "transcripts of these benchmarks whose verdict is known"


def _unasked(names: Sequence[str]) -> str:
    was = "was" if len(names) == 1 else "were"
    return f"{listed(names)} {was} not asked about {_KNOWN}."


def _how_to_check(name: str, benchmarks: Collection[str]) -> str:
    """Return the command that checks a judge on benchmarks, and which golden sets have to be written first."""
    judge = f"--judge {name.replace(' + ', '+')}"
    own = sorted(slug for slug in benchmarks if slug not in PANEL_SUITES)
    if benchmarks and not own:
        return f"impactbench check-judge {judge} --panel all"
    has_set = {slug: (folder / GOLDEN_FILE).is_file() for slug, folder in benchmark_paths().items()}
    ready = [slug for slug in own if has_set.get(slug)]
    are_all = ready == [slug for slug in has_set if has_set[slug]]
    command = " ".join(("impactbench check-judge", *(() if ready and are_all else ready or own), judge))
    lacking = [f"benchmarks/{slug}/{GOLDEN_FILE}" for slug in own if has_set.get(slug) is False]
    return f"write {' and '.join(lacking)} first (docs/judges.md), then {command}" if lacking and not ready else command


def _found(figures: JudgeFigures) -> str:
    """Return what a judge finds, and why it failed where it did."""
    against = [doubt.text for doubt in figures.doubts if doubt.refuses]
    if against:
        return "; ".join(f"{text[0].lower()}{text[1:].rstrip('.')}" for text in against)
    if not figures.presence:
        return "is right more often than chance"
    found = figures.presence[0]
    return f"finds {_shown(found.sensitivity)} of what is present and {_shown(found.specificity)} of what is absent"


def _under_stress(suite: Path, panel: Panel) -> str:
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


def _anchors(suite: Path, panel: Panel, benchmarks: Collection[str]) -> list[JudgedItem]:
    """Return the transcripts on presence that it read with the suite: of other measures there are too few to decide."""
    records: Sequence[AnchorRecord] = ()
    with suppress(ResultsError):
        records = read_anchors(suite)
    newest = newest_anchors(records, panel)
    return [one for one in newest.items if one.benchmark in benchmarks and one.measure == PRESENCE] if newest else []


def _on_anchors(
    anchors: Sequence[JudgedItem], benchmarks: Collection[str], name: str, stressed: str
) -> PanelTrust | None:
    """Return how it did on the few transcripts that it read with the suite; None where too few of these are known."""
    known = [_by_majority(one) for one in anchors if one.is_right is not None]
    if len(known) < FEWEST_ITEMS:
        return None
    right = sum(one.answer.right is True for one in known)
    balanced = judge_figures(known).presence[0].balanced
    said = (
        f"{name} is right on {right} of {counted(len(known), 'transcript')} of these benchmarks whose verdict is known"
    )
    if balanced.interval.is_known and balanced.interval.low > CHANCE:
        more = f"{said}. About more: {_how_to_check(name, benchmarks)}"
        return PanelTrust(name, "checked", more, stressed, right, len(known))
    coin = f"{said}, which is not distinguishable from a coin."
    return PanelTrust(name, "failed", coin, stressed, right, len(known))


def _by_majority(item: JudgedItem) -> JudgedItem:
    """Return an item with one answer, right if most of its answers are."""
    given = next(answer for answer in item.plain if answer.is_given)
    return item.model_copy(update={"answers": {PLAIN: (given.model_copy(update={"right": item.is_right}),)}})


def _shown(one: JudgeFigure) -> str:
    if not one.items:
        return "an unknown share"
    known = f" ({one.interval.low:.0%} to {one.interval.high:.0%})" if one.interval.is_known else ""
    return f"{one.value:.0%}{known}"
