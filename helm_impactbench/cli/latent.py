"""Print what a panel's votes say of its judges: `impactbench agreement`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli.tables import figure, print_table

if TYPE_CHECKING:
    from helm_impactbench.analysis.latent import LatentAgreement, Share
    from helm_impactbench.stats.intervals import Interval
    from helm_impactbench.stats.labellers import Labeller
    from helm_impactbench.stats.shared_errors import SharedErrors


def print_latent(found: LatentAgreement | None, judges: int) -> None:
    """Print the error rates of judges, both rules and shared errors, or why nothing can be told."""
    if found is None:
        if judges == 2:
            click.echo(
                "Two votes do not show which judge errs, nor whether both err together. Ask three judges, or check "
                "them against known verdicts: impactbench check-judge."
            )
        return
    click.echo("Error rates that the votes on presence imply, if judges err independently of each other (95%)")
    _print_rates(found.judges)
    click.echo(
        f"Weighing each vote by these rates changes {_percent(found.differing)} of {found.differing.conversations:,} "
        "verdicts of the panel."
    )
    if found.majority_pass and found.latent_pass:
        click.echo(
            f"Pass rate by the panel's rule {_percent(found.majority_pass)}, by the weighed one "
            f"{_percent(found.latent_pass)}."
        )
    names = [judge for judge, _ in found.judges]
    if found.shared is None:
        click.echo("Whether judges share errors cannot be told: the model fits any votes of so few judges and groups.")
    else:
        print_shared(found.shared, names)


def latent_row(found: LatentAgreement) -> dict[str, Any]:
    """Return the figures for --out."""
    names = [judge for judge, _ in found.judges]
    return {
        "judges": [{"judge": judge, **_rates(rates)} for judge, rates in found.judges],
        "conversations": found.conversations,
        "differing": _plain(found.differing),
        "majority_pass": _plain(found.majority_pass),
        "latent_pass": _plain(found.latent_pass),
        "shared": _shared(found.shared, names),
    }


def print_shared(shared: SharedErrors, names: Sequence[str]) -> None:
    """Print which two judges err together, if any do."""
    one, other = (names[place] for place in shared.judges)
    if shared.found:
        click.echo(
            f"{one} and {other} err together more often than independent judges would (p = {shared.p_value:.3f}): they "
            "count as less than two, and figures that take errors as independent are too good for them."
        )
    else:
        click.echo(f"No two judges are shown to err together (least p = {shared.p_value:.3f}, {one} and {other}).")


def _print_rates(judges: Sequence[tuple[str, Labeller]]) -> None:
    print_table(
        ("judge", "present: sensitivity", "absent: specificity"),
        [
            (
                judge,
                _with(rates.sensitivity, rates.sensitivity_interval),
                _with(rates.specificity, rates.specificity_interval),
            )
            for judge, rates in judges
        ],
    )  # fmt: skip


def _with(value: float, interval: Interval) -> str:
    return f"{figure(value)} ({interval})"


def _percent(share: Share) -> str:
    between = (
        f" ({100 * share.interval.low:.1f} to {100 * share.interval.high:.1f}%)" if share.interval.is_known else ""
    )
    return f"{100 * share.value:.1f}%{between}"


def _rates(rates: Labeller) -> dict[str, Any]:
    return {
        "sensitivity": rates.sensitivity,
        "sensitivity_interval": [rates.sensitivity_interval.low, rates.sensitivity_interval.high],
        "specificity": rates.specificity,
        "specificity_interval": [rates.specificity_interval.low, rates.specificity_interval.high],
    }


def _plain(share: Share | None) -> dict[str, Any] | None:
    if share is None:
        return None
    ends = [share.interval.low, share.interval.high] if share.interval.is_known else None
    return {"value": share.value, "interval": ends, "conversations": share.conversations}


def _shared(shared: SharedErrors | None, names: Sequence[str]) -> dict[str, Any] | None:
    if shared is None:
        return None
    pair = [names[place] for place in shared.judges]
    return {"judges": pair, "p_value": shared.p_value, "found": shared.found}
