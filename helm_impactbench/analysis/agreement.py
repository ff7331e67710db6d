"""How far the judges of a panel agree, and how far repeated samples do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from helm_impactbench.analysis.rates import grouped
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.agreement import (
    Item,
    Kappa,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    krippendorff_alpha_of_numbers,
)
from helm_impactbench.stats.repeats import pass_hat_k, single_sample_agreement, unanimity


@dataclass(frozen=True)
class PanelAgreement:
    """Agreement of the judges on presence. A figure is None where it is undefined."""

    judges: tuple[str, ...]
    conversations: int
    """Conversations that at least two judges have voted on."""
    alpha: float | None
    """Krippendorff's."""
    split: float | None
    """Share of these conversations on which the votes differ."""
    kappas: tuple[tuple[str, str, Kappa], ...]
    """Cohen's, of every pair of judges in the panel's order."""

    @property
    def mean_kappa(self) -> float | None:
        """Mean of the pairs' kappas that are defined."""
        values = [kappa.value for _, _, kappa in self.kappas if kappa.value is not None]
        return fmean(values) if values else None


def panel_agreement(outcomes: Sequence[Outcome]) -> PanelAgreement | None:
    """Return the agreement of the judges in `outcomes`; None when no conversation was put to two judges."""
    judged = [outcome for outcome in outcomes if len(outcome.votes) > 1]
    judges = tuple(dict.fromkeys(vote.judge for outcome in judged for vote in outcome.votes))
    if not judges:
        return None
    numbers = [_item(outcome, judges) for outcome in judged]
    nominal = all(outcome.scale == "nominal" for outcome in judged)
    items: list[Item] = [[None if value is None else value == 1 for value in item] for item in numbers if nominal]
    return PanelAgreement(
        judges=judges,
        conversations=sum(sum(value is not None for value in item) >= 2 for item in numbers),
        alpha=krippendorff_alpha(items) if nominal else krippendorff_alpha_of_numbers(numbers),
        split=_split(numbers),
        kappas=tuple(
            (judges[i], judges[j], cohen_kappa([item[i] for item in items], [item[j] for item in items]))
            for i, j in combinations(range(len(judges)), 2)
            if nominal
        ),
    )


@dataclass(frozen=True)
class SampleAgreement:
    """Agreement of the samples of one variant on the verdict. A figure is None where it is undefined."""

    samples: int
    """Samples per variant, at most."""
    variants: int
    """Variants with two scored samples or more."""
    unanimous: float | None
    fleiss: float | None
    """Fleiss' kappa over variants with all samples scored."""
    single: float | None
    """How often one sample says what the majority says."""
    all_pass: float | None
    """pass^k with k = samples."""


def sample_agreement(outcomes: Sequence[Outcome]) -> SampleAgreement | None:
    """Return the agreement of samples; None when no variant has two."""
    cases = grouped(outcomes, lambda outcome: (outcome.model, outcome.setup, outcome.benchmark, outcome.variant_id))
    samples = max((len(found) for found in cases.values()), default=0)
    if samples < 2:
        return None
    items: list[Item] = [[outcome.passed for outcome in found] for found in cases.values()]
    scored = [[rating for rating in item if rating is not None] for item in items]
    return SampleAgreement(
        samples=samples,
        variants=sum(len(ratings) >= 2 for ratings in scored),
        unanimous=unanimity(scored),
        fleiss=fleiss_kappa([item for item in items if len(item) == samples]),
        single=single_sample_agreement(scored),
        all_pass=pass_hat_k(scored, samples),
    )


def _item(outcome: Outcome, judges: Sequence[str]) -> list[float | None]:
    votes = {vote.judge: vote.value for vote in outcome.votes}
    return [votes.get(judge) for judge in judges]


def _split(items: Sequence[Sequence[float | None]]) -> float | None:
    voted = [votes for item in items if len(votes := [value for value in item if value is not None]) >= 2]
    return sum(len(set(votes)) > 1 for votes in voted) / len(voted) if voted else None
