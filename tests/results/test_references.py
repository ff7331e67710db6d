"""Which targets are references: bots beside models, and nobody else."""

from __future__ import annotations

from helm_impactbench.helm.own_names import CAST
from helm_impactbench.results.references import BOTS, DEPLOYMENTS, reference_name, references


def test_who_is_a_reference() -> None:
    """A bot beside anything that is none, a rehearsal's targets included; bots alone are tested like models."""
    assert references([DEPLOYMENTS[0], "org/model"]) == {DEPLOYMENTS[0]}
    assert references([*DEPLOYMENTS, "rehearsal/mixed"]) == {*DEPLOYMENTS}
    assert references(DEPLOYMENTS) == references(["org/model", "rehearsal/mixed"]) == references([]) == frozenset()


def test_every_bot_has_a_name_and_speaks() -> None:
    """In tables it is called a reference; it is one of the scripted models."""
    assert reference_name("rehearsal/refuses-all") == "reference: refuses all"
    assert set(DEPLOYMENTS) <= set(CAST)
    assert all(CAST[f"rehearsal/{name}"] == what for name, what in BOTS.items())
