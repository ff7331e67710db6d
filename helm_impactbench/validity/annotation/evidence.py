"""Labels brought together with the suite that they are about: which conversation each stands for, and for how many."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from helm_impactbench.errors import ResultsError
from helm_impactbench.results.files import read_outcomes, run_folders
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.judge_errors import Labelled, Share
from helm_impactbench.validity.annotation.key import Key, KeyItem
from helm_impactbench.validity.annotation.sampling import StratumName, name_of, strata_sizes, stratum_of
from helm_impactbench.validity.annotation.view import read_views

Choice = Callable[[Outcome], bool]


def everything(outcome: Outcome) -> bool:
    """Choose every conversation."""
    return True


@dataclass(frozen=True)
class LabelledItem:
    """One item with people's answer."""

    item: KeyItem
    outcome: Outcome
    truth: bool
    """Whether people say present."""
    weight: float
    """Conversations of the suite that it stands for."""

    @property
    def truth_passed(self) -> bool:
        """Whether the conversation passes by people's answer."""
        return self.truth == (self.outcome.metric_type == "positive")


@dataclass(frozen=True)
class Evidence:
    """A suite and the labels on a sample of it."""

    scored: tuple[Outcome, ...]
    """All scored conversations of the suite."""
    frame: tuple[Outcome, ...]
    """Those that the sheet was drawn from."""
    items: tuple[LabelledItem, ...]
    changed: int
    """By how many conversations the frame has grown or shrunk since the sheet was drawn."""

    def labelled(self, chosen: Choice = everything) -> Labelled:
        """Return the items of the chosen conversations with answers in terms of present."""
        own = [item for item in self.items if chosen(item.outcome)]
        return _labelled(own, [bool(i.outcome.present) for i in own], [i.truth for i in own])

    def labelled_passes(self, chosen: Choice = everything) -> Labelled:
        """Return the items of the chosen conversations with answers in terms of passed."""
        own = [item for item in self.items if chosen(item.outcome)]
        return _labelled(own, [bool(i.outcome.passed) for i in own], [i.truth_passed for i in own])

    def share_present(self, chosen: Choice = everything) -> Share:
        """Return how often the judge finds the behaviour in the chosen conversations of the frame; nan without any."""
        answers = [bool(outcome.present) for outcome in self.frame if chosen(outcome)]
        value = sum(answers) / len(answers) if answers else math.nan
        return Share(value, float(len(answers)), len(answers))


def gather(folder: Path, key: Key, truth: Mapping[str, bool]) -> Evidence:
    """Return the evidence from a suite's folder, the key of a sheet and people's answers by item id.

    Raises ResultsError when a labelled conversation is no longer what the labellers saw.
    """
    scored = tuple(outcome for outcome in read_outcomes(folder) if outcome.present is not None)
    outcomes = {name_of(outcome): outcome for outcome in scored}
    _check_unchanged(folder, key, outcomes)
    frame = tuple(outcome for outcome in scored if key.covers(outcome))
    items = [(item, outcomes[item.name]) for item in key.items if item.item_id in truth]
    weights = item_weights([outcome for _, outcome in items], strata_sizes(frame), _types(frame))
    return Evidence(
        scored=scored,
        frame=frame,
        items=tuple(
            LabelledItem(item, outcome, truth[item.item_id], weight)
            for (item, outcome), weight in zip(items, weights, strict=True)
        ),
        changed=_difference(key, strata_sizes(frame)),
    )


def item_weights(
    labelled: Sequence[Outcome], sizes: Mapping[StratumName, int], types: Mapping[str, str]
) -> list[float]:
    """Return how many conversations of the frame each labelled one stands for.

    Within a stratum (metric and judge's answer) they share its size, which takes it that those left without an answer
    are like the others. A stratum with no labelled item is shared by those of the same metric type and answer, so that
    these keep their total (collapsed strata; Cochran 1977, Sampling Techniques, section 5A.12). `types` is metric ->
    type.
    """
    counts = Counter(map(stratum_of, labelled))
    cells: dict[tuple[str, bool], list[int]] = {}
    for (metric, present), size in sizes.items():
        cell = cells.setdefault((types[metric], present), [0, 0])
        cell[0] += size
        cell[1] += size if counts[metric, present] else 0
    weights = []
    for outcome in labelled:
        stratum = stratum_of(outcome)
        whole, shown = cells[types[stratum[0]], stratum[1]]
        weights.append(sizes[stratum] / counts[stratum] * whole / shown)
    return weights


def _types(outcomes: Sequence[Outcome]) -> dict[str, str]:
    return {outcome.metric: outcome.metric_type for outcome in outcomes}


def _labelled(items: Sequence[LabelledItem], judged: Sequence[bool], truth: Sequence[bool]) -> Labelled:
    names = [item.outcome.cluster for item in items]
    codes = {cluster: code for code, cluster in enumerate(sorted(set(names)))}
    return Labelled(
        judged=np.array(judged, dtype=bool),
        truth=np.array(truth, dtype=bool),
        weights=np.array([item.weight for item in items], dtype=float),
        clusters=np.array([codes[name] for name in names], dtype=np.int64),
    )


def _check_unchanged(folder: Path, key: Key, outcomes: Mapping[tuple[str, str, str, int], Outcome]) -> None:
    views = read_views(run_folders(folder), {item.name for item in key.items})
    other = []
    for item in key.items:
        outcome = outcomes.get(item.name)
        if outcome is None or item.name not in views:
            other.append(f"{item.item_id} ({item.variant} of {item.model}) is not scored there")
        elif views[item.name].digest() != item.digest:
            other.append(f"{item.item_id} ({item.variant} of {item.model}) has other words there")
        elif outcome.present != item.present:
            other.append(f"{item.item_id} ({item.variant} of {item.model}) has another verdict there")
    if other:
        raise ResultsError(
            f"Suite {folder.name} is not what the sheet was drawn from (suite {key.suite}): {'; '.join(other[:3])}"
            f"{f'; and {len(other) - 3} more' if len(other) > 3 else ''}. Give the suite of the sheet with --suite and "
            "-o, as it was then; for a suite that was run or judged again, draw a new sheet."
        )


def _difference(key: Key, sizes: Mapping[StratumName, int]) -> int:
    then = {(stratum.metric, stratum.present): stratum.size for stratum in key.strata}
    return sum(abs(sizes.get(name, 0) - then.get(name, 0)) for name in {*sizes, *then})
