"""Print what a panel's votes say of its judges where verdicts are known: `impactbench check --judge`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.tables import figure

if TYPE_CHECKING:
    from helm_impactbench.validity.golden.panel import PanelRules


def print_rules(found: PanelRules | None, names: Sequence[str]) -> None:
    """Print the accuracy of the majority and of the latent class rule where verdicts are known, and shared errors."""
    from helm_impactbench.analysis.latent_rows import shared_sentence

    if found is None:
        return
    if found.latent is not None and found.majority is not None and found.gain is not None:
        click.echo(
            f"\nRight on presence, {found.latent.items} transcripts on which both rules have a verdict: the panel's "
            f"rule {figure(found.majority.value)} ({found.majority.interval}), votes weighed by the error rates that "
            f"they imply {figure(found.latent.value)} ({found.latent.interval}); difference "
            f"{found.gain.value:+.3f} ({found.gain.interval})."
        )
    if found.shared is None:
        click.echo("No two judges err together more often than their error rates alone explain.")
    else:
        click.echo(shared_sentence(found.shared, names))
