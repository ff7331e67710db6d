"""The review of a suite's simulated users from beginning to end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from helm_impactbench.helm.asking import Asking
from helm_impactbench.helm.preflight import check_deployments
from helm_impactbench.tables import Result
from helm_impactbench.validity.simulator.review_run import UserReview
from helm_impactbench.validity.simulator.review_sample import choose


def review(
    suite: Path,
    reviewer: str,
    asking: Asking,
    benchmarks: Sequence[str] = (),
    models: Sequence[str] = (),
    conversations: int | None = None,
    seed: int = 0,
    releases: Sequence[str] = (),
) -> Result:
    """Return what a model finds in the user's side of a suite's conversations, `conversations` of them or all.

    suite: folder of its runs. Raises ImpactBenchError.
    """
    chosen = choose(suite, benchmarks, models, conversations, seed, releases)
    instrument = UserReview(chosen, asking.deployment(reviewer, "reviewer"))
    check_deployments([("reviewer", instrument.reviewer)])
    asking.planned(instrument.plan)
    return asking.figures(instrument, lambda record: None)
