"""People's stances beside the scorer's: a sheet to fill in, and how far both agree. Pure but for reading the files.

The sheet is as blind as the scorer: facts, the assistant's words in the third person, Party 1 and Party 2, and no
teller, model or stance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from helm_impactbench.benchmark.model import content_digest
from helm_impactbench.errors import ImpactBenchError, did_you_mean
from helm_impactbench.stats.clusters import clustered
from helm_impactbench.stats.intervals import Interval, cluster_interval
from helm_impactbench.sycophancy.cells import with_names
from helm_impactbench.sycophancy.question import party_names, shown_turns
from helm_impactbench.sycophancy.results import TellingRecord
from helm_impactbench.sycophancy.scorer import oriented
from helm_impactbench.sycophancy.verdict import STANCES

ITEM, STANCE, LABELLER = "item", "stance", "labeller"
COLUMNS = (ITEM, "facts", "assistant", STANCE, LABELLER)
MOST_DISTANT = 2.0
"""Between the two ends of the scale."""

Records = Mapping[str, TellingRecord]
"""Name of an item -> the conversation."""


@dataclass(frozen=True)
class LabelReport:
    """How people's stances and the scorer's agree."""

    labels: int
    items: int
    labellers: int
    same_side: float
    """Share of labels on the side that the scorer's stance is on (three bins)."""
    same_side_interval: Interval
    distance: float
    """Mean distance from the scorer's stance, on the scale from -1 to +1."""
    distance_interval: Interval
    alpha: float | None
    """Krippendorff's alpha (interval) of people and scorer together; None where it is undefined."""
    human_alpha: float | None
    """Of people alone, on items that two or more have labelled."""


def item_name(model: str, setup: str, record: TellingRecord) -> str:
    """Return the name of an item, which tells nothing of what it is."""
    return content_digest([model, setup, record.case.id, record.case.benchmark_digest])[:12]


def sheet(records: Records, size: int, seed: int) -> list[dict[str, str]]:
    """Return the rows of a sheet with `size` scored conversations: as many of each dispute and arm as possible.

    The order of a hash over seed and name, so that it is the same on every machine.
    """
    ranks: dict[tuple[str, str], int] = {}
    drawn: list[tuple[int, int, str]] = []
    for name in sorted(records, key=lambda name: content_digest([seed, name])):
        record = records[name]
        if record.judgement.stance is not None:
            stratum = (record.case.dispute, record.case.arm)
            ranks[stratum] = ranks.get(stratum, 0) + 1
            drawn.append((ranks[stratum], len(drawn), name))
    return [_row(name, records[name]) for _, _, name in sorted(sorted(drawn)[:size], key=lambda found: found[1])]


def _row(name: str, record: TellingRecord) -> dict[str, str]:
    names = party_names(record.case)
    shown = shown_turns(record.case, record.conversation.exchanges, names)
    words = "\n\n".join(turn.assistant or "" for turn in shown)
    return {ITEM: name, "facts": with_names(record.case.facts, *names), "assistant": words, STANCE: "", LABELLER: ""}


def read_labels(rows: Sequence[Mapping[str, str]], records: Records) -> dict[str, dict[str, float]]:
    """Return item -> labeller -> stance, from -1 (b) to +1 (a); empty stances are left out.

    Raises ImpactBenchError for an item that the suite does not have, a word that is none of the five, a label twice.
    """
    labels: dict[str, dict[str, float]] = {}
    for line, row in enumerate(rows, start=2):
        name, word, who = (str(row.get(key) or "").strip() for key in (ITEM, STANCE, LABELLER))
        if not word:
            continue
        if name not in records:
            raise ImpactBenchError(f"Line {line}: got the item {name!r}; allowed: an item of this suite's sheet")
        if word not in STANCES:
            near = did_you_mean(word, STANCES)
            raise ImpactBenchError(f"Line {line}: got the stance {word!r}; allowed: {', '.join(STANCES)}.{near}")
        given = labels.setdefault(name, {})
        if who in given:
            raise ImpactBenchError(f"Line {line}: labeller {who!r} has labelled {name} twice; allowed: once")
        given[who] = oriented(word, party_names(records[name].case))
    if not labels:
        raise ImpactBenchError(f'No stance in the sheet; fill in the column "{STANCE}" with: {", ".join(STANCES)}')
    return labels


def report(labels: Mapping[str, Mapping[str, float]], records: Records) -> LabelReport:
    """Return how people's stances and the scorer's agree; intervals are over items."""
    from helm_impactbench.sycophancy.figures import side

    stances = {name: record.judgement.stance for name, record in records.items() if record.judgement.stance is not None}
    pairs = [(name, label, stances[name]) for name in sorted(labels) if name in stances
             for label in labels[name].values()]  # fmt: skip
    same = clustered((name, float(side(label) == side(stance))) for name, label, stance in pairs)
    distance = clustered((name, abs(label - stance)) for name, label, stance in pairs)
    people = sorted({who for given in labels.values() for who in given})
    human = [[labels[name].get(who, math.nan) for who in people] for name in sorted(labels)]
    scorer = [[stances.get(name, math.nan)] for name in sorted(labels)]
    return LabelReport(
        labels=len(pairs),
        items=same.size,
        labellers=len(people),
        same_side=same.mean,
        same_side_interval=cluster_interval(same),
        distance=distance.mean,
        distance_interval=cluster_interval(distance, 0.0, MOST_DISTANT),
        alpha=interval_alpha([a + b for a, b in zip(human, scorer, strict=True)]),
        human_alpha=interval_alpha(human),
    )


def interval_alpha(items: Sequence[Sequence[float]]) -> float | None:
    """Return Krippendorff's alpha for numbers (interval level), nan for a missing one; None where it is undefined.

    Source: Krippendorff (2019), Content Analysis, chapter 12; package krippendorff.
    """
    ratings = np.array(items, dtype=float).T
    paired = (~np.isnan(ratings)).sum(axis=0) >= 2
    if not paired.any() or len(np.unique(ratings[:, paired][~np.isnan(ratings[:, paired])])) < 2:
        return None
    import krippendorff

    return float(krippendorff.alpha(reliability_data=ratings, level_of_measurement="interval"))
