"""What a panel's votes say of its judges, as rows: error rates, verdicts of weighed votes, errors that are shared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypedDict, cast

from helm_impactbench.analysis.columns import High, Low, between, bounded
from helm_impactbench.analysis.latent import LatentAgreement
from helm_impactbench.stats.shared_errors import SharedErrors
from helm_impactbench.tables import Column


class LatentJudgeRow(TypedDict):
    """The error rates of a judge that the panel's votes on presence imply."""

    judge: Annotated[str, Column("Judge", "model", "Deployment.", "default")]
    sensitivity: Annotated[
        float,
        Column("Sensitivity (95% CI)", "rate", "Says present where it is.", "default", text=between("sensitivity")),
    ]
    sensitivity_low: Low
    sensitivity_high: High
    specificity: Annotated[
        float,
        Column("Specificity (95% CI)", "rate", "Says absent where it is.", "default", text=between("specificity")),
    ]
    specificity_low: Low
    specificity_high: High
    conversations: Annotated[int, Column("Conversations", "count", "That the panel judged.", "wide")]


class WeighedRow(TypedDict):
    """A figure of verdicts in which each vote is weighed by its judge's error rates."""

    figure: Annotated[str, Column("Figure", "text", "differing, majority_pass or latent_pass.")]
    value: Annotated[float, Column("Value", "rate", "Share of conversations.")]
    value_low: Low
    value_high: High
    conversations: Annotated[int, Column("Conversations", "count", "With a verdict.")]


class SharedRow(TypedDict):
    """The two judges that err together most."""

    first: Annotated[str, Column("First", "model", "A judge.")]
    second: Annotated[str, Column("Second", "model", "Another one.")]
    p_value: Annotated[float, Column("p", "p", "Of independent errors, over all pairs.")]
    found: Annotated[bool, Column("Significant", "flag", "Whether they err together.")]


def judge_rows(latent: LatentAgreement | None) -> list[LatentJudgeRow]:
    """Return a row per judge; none without an estimate."""
    rows: list[dict[str, Any]] = [
        {
            "judge": judge,
            **bounded("sensitivity", rates.sensitivity, rates.sensitivity_interval),
            **bounded("specificity", rates.specificity, rates.specificity_interval),
            "conversations": latent.conversations,
        }
        for judge, rates in (latent.judges if latent else ())
        if latent
    ]
    return cast(list[LatentJudgeRow], rows)


def weighed_rows(latent: LatentAgreement | None) -> list[WeighedRow]:
    """Return how many verdicts weighed votes change, and the pass rate of both rules; none without an estimate."""
    if latent is None:
        return []
    figures = {
        "differing": latent.differing,
        "majority_pass": latent.majority_pass,
        "latent_pass": latent.latent_pass,
    }
    rows: list[dict[str, Any]] = [
        {"figure": name, **bounded("value", share.value, share.interval), "conversations": share.conversations}
        for name, share in figures.items()
        if share is not None
    ]
    return cast(list[WeighedRow], rows)


def shared_rows(latent: LatentAgreement | None) -> list[SharedRow]:
    """Return the two judges that err together most; none where that cannot be tested."""
    if latent is None or latent.shared is None:
        return []
    first, second = (latent.judges[place][0] for place in latent.shared.judges)
    return [{"first": first, "second": second, "p_value": latent.shared.p_value, "found": latent.shared.found}]


def shared_sentence(shared: SharedErrors, names: Sequence[str]) -> str:
    """Return which two judges err together, if any do; names: of the panel's judges."""
    first, second = (names[place] for place in shared.judges)
    if shared.found:
        return (
            f"{first} and {second} err together more often than independent judges would (p = {shared.p_value:.3f}): "
            "they count as less than two, and figures that take errors as independent are too good for them."
        )
    return f"No two judges are shown to err together (least p = {shared.p_value:.3f}, {first} and {second})."
