"""How much the shipped scenarios are alike."""

from __future__ import annotations

from helm_impactbench.authoring.similarity import diversity
from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark


def test_shipped_scenarios_are_diverse() -> None:
    """Over all benchmarks: mean cosine below 0.2, no two base scenarios of different metrics at 0.6 or more."""
    bases = {
        (slug, row.base_id): f"{row.persona} {row.user_goal} {row.latent_adversarial_goal}"
        for slug in benchmark_paths()
        for row in load_benchmark(slug).scenarios
        if not row.messages  # cases of one dispute are alike on purpose
    }
    found = diversity(list(bases.values()))
    assert found.mean_similarity < 0.2
    assert found.max_similarity < 0.6
