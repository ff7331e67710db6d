"""Which metrics are asked for, and their ids."""

from __future__ import annotations

import pytest

from helm_impactbench.authoring.metrics import plan_metrics, with_ids
from tests.authoring.builders import metric


def test_ids_are_never_used_again() -> None:
    """New ids lie behind the highest number there ever was, also of metrics that only scenarios remember."""
    assert [made.id for made in with_ids([metric(), metric()], ["m01", "m07_old", "x", "m03"])] == ["m08", "m09"]


@pytest.mark.parametrize(
    ("existing", "count", "plan"), [(0, 12, (6, 6)), (3, 12, (3, 6)), (3, 4, (0, 1)), (3, 2, (0, 0)), (0, 1, (1, 0))]
)
def test_the_plan_brings_both_types_to_half(existing: int, count: int, plan: tuple[int, int]) -> None:
    """Three positive metrics are there; what is missing is filled up, negative ones first."""
    planned = plan_metrics([metric()] * existing, count)
    assert (planned.positive, planned.negative) == plan
