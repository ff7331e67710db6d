"""`impactbench items` says with how few data something cannot be told: from the least to the most of the metrics."""

from __future__ import annotations

import pytest

from helm_impactbench.analysis.item_analysis import item_analysis
from helm_impactbench.cli.item_analysis import _conclusion
from tests.analysis.builders import FAILED, PASSED, row


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (("model-a", "model-b"), "Cannot be told with 2 models and 4 base scenarios for each metric: "),
        (("model-c",), "Cannot be told with 1 to 2 models and 4 base scenarios for each metric: "),
    ],
)
def test_the_number_of_models_is_that_of_the_metrics(second: tuple[str, ...], words: str) -> None:
    """One metric has two models, another one those or a third alone: not every metric has one model only."""
    verdicts = [PASSED, FAILED, PASSED, PASSED]
    found = [outcome for model in ("model-a", "model-b") for outcome in row(verdicts, model=model)]
    found += [outcome for model in second for outcome in row(verdicts, model=model, metric_id="m02")]
    assert words in _conclusion(item_analysis(found, None, "metric"), "metric")
