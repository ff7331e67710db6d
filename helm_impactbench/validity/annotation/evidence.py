"""People's answers matched with the suite: which conversation each is about, and how many it represents."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from helm_impactbench.errors import ResultsError
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.record import Record
from helm_impactbench.stats.clusters import Clusters, clustered
from helm_impactbench.stats.hard_items import IfShared, if_shared
from helm_impactbench.stats.judge_errors import Labelled, LabelledShare
from helm_impactbench.stats.labellers import Labels, read_labels
from helm_impactbench.validity.annotation.consensus import Truth
from helm_impactbench.validity.annotation.key import Key, KeyItem
from helm_impactbench.validity.annotation.sampling import (
    ItemName,
    StratumName,
    answer_of,
    is_judged,
    name_of,
    side_of,
    strata_sizes,
    stratum_of,
)
from helm_impactbench.validity.annotation.view import view_of

Choice = Callable[[Outcome], bool]


def everything(outcome: Outcome) -> bool:
    """Choose every conversation."""
    return True


@dataclass(frozen=True)
class AnsweredItem:
    """One item with people's answer."""

    item: KeyItem
    outcome: Outcome
    truth: Truth
    weight: float
    """Conversations of the suite that it stands for."""
    labels: tuple[float | None, ...] = ()
    """The answers of each person in the order of names; None without one."""

    @property
    def judge_says(self) -> str:
        """The judge's answer in a word."""
        return answer_of(self.outcome).replace("_", " ")

    @property
    def people_say(self) -> str:
        """People's answer in a word of the same kind; "tie" where as many say present as absent."""
        if self.truth.value is None:
            return self.truth.status.replace("_", " ")
        if self.truth.tied:
            return "tie"
        if self.outcome.is_binary:
            return "present" if self.truth.value == 1 else "absent"
        return side_of(self.outcome, self.truth.value)

    @property
    def differs(self) -> bool:
        """Whether people's answer is another one than the judge's, or on the other side of its middle."""
        return self.people_say not in ("tie", self.judge_says)


@dataclass(frozen=True)
class BinaryItem:
    """One item to which both the judge and people say present or absent."""

    outcome: Outcome
    truth: bool
    """Whether most people say present."""
    weight: float
    place: int = 0
    """Among all binary items."""

    @property
    def truth_passed(self) -> bool:
        """Whether the conversation passes by people's answer, on a level metric."""
        return self.truth == (self.outcome.metric_type == "positive")


@dataclass(frozen=True)
class AnnotationEvidence:
    """A suite and people's answers on a sample of it."""

    judged: tuple[Outcome, ...]
    """All conversations of the suite about which judges have said something."""
    frame: tuple[Outcome, ...]
    """Those that the sheet was drawn from."""
    items: tuple[AnsweredItem, ...]
    changed: int
    """By how many conversations the frame has grown or shrunk since the sheet was drawn."""

    @cached_property
    def binary(self) -> tuple[BinaryItem, ...]:
        """The items on which people and the judge both say present or absent."""
        return tuple(
            BinaryItem(found.outcome, found.truth.value == 1, found.weight, place)
            for place, found in enumerate(self._binary)
        )

    @cached_property
    def _binary(self) -> tuple[AnsweredItem, ...]:
        return tuple(
            found
            for found in self.items
            if found.outcome.is_binary and found.outcome.value is not None and found.truth.value is not None
        )

    @cached_property
    def labels(self) -> Labels | None:
        """What several people say of the binary items; None where each is answered by one person."""
        rows = [found.labels for found in self._binary]
        if all(sum(label is not None for label in row) < 2 for row in rows):
            return None
        table = np.array([[math.nan if label is None else label for label in row] for row in rows])
        judged = np.array([found.outcome.value == 1 for found in self._binary])
        return read_labels(table, judged, _codes([found.outcome for found in self._binary]))

    @cached_property
    def if_shared(self) -> list[IfShared]:
        """What the binary items come to if people and judge err on the same ones; nothing with too few answers."""
        rows = [found.labels for found in self._binary]
        if not rows:
            return []
        table = np.array([[math.nan if label is None else label for label in row] for row in rows]).reshape(
            len(rows), -1
        )
        judged = np.array([float(found.outcome.value == 1) for found in self._binary])
        return if_shared(table, judged, np.array([found.weight for found in self._binary]))

    def agreeing(self) -> Clusters:
        """Return whether the judge says what most people say, of the binary items on which these are not split."""
        return clustered(
            (found.outcome.cluster, float((found.outcome.value == 1) == (found.truth.value == 1)))
            for found in self._binary
            if not found.truth.tied
        )

    @cached_property
    def present_or_absent(self) -> tuple[Outcome, ...]:
        """The conversations of the frame that the judge calls present or absent."""
        return tuple(outcome for outcome in self.frame if outcome.is_binary and outcome.value is not None)

    def labelled(self, chosen: Choice = everything) -> Labelled:
        """Return the items of the chosen conversations with answers in terms of present."""
        own = [item for item in self.binary if chosen(item.outcome)]
        judged, truth = [item.outcome.value == 1 for item in own], [item.truth for item in own]
        return _labelled(own, judged, truth, self._labels_of(own))

    def labelled_passes(self, chosen: Choice = everything) -> Labelled:
        """Return the items of the chosen conversations on level metrics with answers in terms of passed."""
        own = [item for item in self.binary if item.outcome.is_level and chosen(item.outcome)]
        labels = self._labels_of(own)
        negative = np.array([item.outcome.metric_type == "negative" for item in own], dtype=bool)
        judged, truth = [bool(item.outcome.passed) for item in own], [item.truth_passed for item in own]
        return _labelled(own, judged, truth, labels.turned(negative) if labels else None)

    def _labels_of(self, items: Sequence[BinaryItem]) -> Labels | None:
        if self.labels is None:
            return None
        chosen = np.zeros(len(self.binary), dtype=bool)
        chosen[[item.place for item in items]] = True
        return self.labels.where(chosen)

    def share_present(self, chosen: Choice = everything) -> LabelledShare:
        """Return how often the judge finds the behaviour in the chosen conversations of the frame; nan without any."""
        answers = [outcome.value == 1 for outcome in self.present_or_absent if chosen(outcome)]
        value = sum(answers) / len(answers) if answers else math.nan
        return LabelledShare(value, float(len(answers)), len(answers))


def gather(
    outcomes: Sequence[Outcome],
    records: Mapping[ItemName, Record],
    key: Key,
    truth: Mapping[str, Truth],
    labels: Mapping[str, tuple[float | None, ...]],
) -> AnnotationEvidence:
    """Return the evidence from a suite, the key of a sheet and people's answers by item id: as one, and each."""
    judged = tuple(filter(is_judged, outcomes))
    by_name = {name_of(outcome): outcome for outcome in judged}
    frame = tuple(outcome for outcome in judged if key.covers(outcome))
    items = [(item, by_name[item.name]) for item in key.items if item.item_id in truth]
    weights = item_weights([outcome for _, outcome in items], strata_sizes(frame), _types(frame))
    return AnnotationEvidence(
        judged=judged,
        frame=frame,
        items=tuple(
            AnsweredItem(item, outcome, truth[item.item_id], weight, labels[item.item_id])
            for (item, outcome), weight in zip(items, weights, strict=True)
        ),
        changed=_difference(key, strata_sizes(frame)),
    )


def item_weights(
    answered: Sequence[Outcome], sizes: Mapping[StratumName, int], types: Mapping[str, str]
) -> list[float]:
    """Return how many conversations of the frame each answered one stands for.

    Within a stratum (metric and judge's answer) they share its size, which takes it that those left without an answer
    are like the others. A stratum with no answered item is shared by those of the same metric type and answer, so that
    these keep their total (collapsed strata; Cochran 1977, Sampling Techniques, section 5A.12). `types` is metric ->
    type.
    """
    counts = Counter(map(stratum_of, answered))
    cells: dict[tuple[str, str], list[int]] = {}
    for (metric, answer), size in sizes.items():
        cell = cells.setdefault((types[metric], answer), [0, 0])
        cell[0] += size
        cell[1] += size if counts[metric, answer] else 0
    weights = []
    for outcome in answered:
        stratum = stratum_of(outcome)
        whole, shown = cells[types[stratum[0]], stratum[1]]
        weights.append(sizes[stratum] / counts[stratum] * whole / shown)
    return weights


def check_unchanged(suite: str, key: Key, outcomes: Sequence[Outcome], records: Mapping[ItemName, Record]) -> None:
    """Raise ResultsError when a conversation of the sheet is no longer what the annotators saw."""
    found = {name_of(outcome): outcome for outcome in outcomes}
    other = []
    for item in key.items:
        outcome = found.get(item.name)
        if outcome is None or item.name not in records:
            other.append(f"{item.item_id} ({item.variant} of {item.model}) is not there")
        elif view_of(records[item.name]).digest() != item.digest:
            other.append(f"{item.item_id} ({item.variant} of {item.model}) has other words there")
        elif (outcome.status, outcome.value) != (item.status, item.value):
            other.append(f"{item.item_id} ({item.variant} of {item.model}) has another verdict there")
    if other:
        raise ResultsError(
            f"Suite {suite} is not what the sheet was drawn from (suite {key.suite}): {'; '.join(other[:3])}"
            f"{f'; and {len(other) - 3} more' if len(other) > 3 else ''}. Give the suite of the sheet with --suite and "
            "-o, as it was then; for a suite that was run or judged again, draw a new sheet."
        )


def _types(outcomes: Sequence[Outcome]) -> dict[str, str]:
    return {outcome.metric: outcome.metric_type for outcome in outcomes}


def _labelled(
    items: Sequence[BinaryItem], judged: Sequence[bool], truth: Sequence[bool], labels: Labels | None
) -> Labelled:
    return Labelled(
        judged=np.array(judged, dtype=bool),
        truth=np.array(truth, dtype=bool),
        weights=np.array([item.weight for item in items], dtype=float),
        clusters=np.array(_codes([item.outcome for item in items]), dtype=np.int64),
        labels=labels,
    )


def _codes(outcomes: Sequence[Outcome]) -> list[int]:
    codes = {cluster: code for code, cluster in enumerate(sorted({outcome.cluster for outcome in outcomes}))}
    return [codes[outcome.cluster] for outcome in outcomes]


def _difference(key: Key, sizes: Mapping[StratumName, int]) -> int:
    then = {(stratum.metric, stratum.answer): stratum.size for stratum in key.strata}
    return sum(abs(sizes.get(name, 0) - then.get(name, 0)) for name in {*sizes, *then})
