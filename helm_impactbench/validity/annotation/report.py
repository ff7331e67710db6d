"""Everything that people's answers say, in one value, and as JSON from which every figure can be computed again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from helm_impactbench.validity.annotation.consensus import Consensus, RatedQuestion
from helm_impactbench.validity.annotation.corrected import CorrectedRow, corrected_rows
from helm_impactbench.validity.annotation.distances import DistanceRow, distance_rows
from helm_impactbench.validity.annotation.error_rates import JudgeRow, judge_rows
from helm_impactbench.validity.annotation.evidence import AnnotationEvidence
from helm_impactbench.validity.annotation.key import Key
from helm_impactbench.validity.annotation.reading import Annotation


@dataclass(frozen=True)
class SheetScore:
    """The score of a sheet."""

    key: Key
    people: Consensus
    evidence: AnnotationEvidence
    presence: tuple[JudgeRow, ...]
    """The judge on present or absent."""
    distances: tuple[DistanceRow, ...]
    """The judge where answers differ by a distance."""
    corrected: tuple[CorrectedRow, ...]

    @property
    def statuses(self) -> dict[str, int]:
        """ "scored -> not_applicable" and the like: what the judge says, what people say, where either gives no answer.

        People's ties and unclear answers are not in it.
        """
        pairs = [(item.outcome.status, item.truth.status.replace("answered", "scored")) for item in self.evidence.items]
        found = Counter(f"{judge} -> {people}" for judge, people in pairs if (judge, people) != ("scored", "scored"))
        return dict(sorted(found.items()))


def reported(
    key: Key,
    people: Consensus,
    evidence: AnnotationEvidence,
    annotations: Sequence[Annotation],
    asked: Mapping[str, RatedQuestion],
) -> SheetScore:
    """Return the report on evidence."""
    return SheetScore(
        key=key,
        people=people,
        evidence=evidence,
        presence=tuple(judge_rows(evidence)),
        distances=tuple(distance_rows(evidence, annotations, asked)),
        corrected=tuple(corrected_rows(evidence)),
    )
