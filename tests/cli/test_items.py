"""`impactbench items` says with how few data something cannot be told: from the least to the most of the metrics."""

from __future__ import annotations

import pytest

from helm_impactbench.analysis.commands.items import concluded, items
from helm_impactbench.analysis.item_analysis import item_analysis
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.suites.reading import reading_of
from tests.analysis.builders import FAILED, PASSED, row


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (("model-a", "model-b"), "Too few data, 2 models and 4 base scenarios for each metric, to say whether "),
        (("model-c",), "Too few data, 1 to 2 models and 4 base scenarios for each metric, to say whether "),
    ],
)
def test_the_number_of_models_is_that_of_the_metrics(second: tuple[str, ...], words: str) -> None:
    """One metric has two models, another one those or a third alone: not every metric has one model only."""
    verdicts = [PASSED, FAILED, PASSED, PASSED]
    found = [outcome for model in ("model-a", "model-b") for outcome in row(verdicts, model=model)]
    found += [outcome for model in second for outcome in row(verdicts, model=model, metric_id="m02")]
    assert words in " ".join(concluded(item_analysis(found, None, "metric"), "metric"))


def test_files_have_every_item_and_a_screen_those_with_findings() -> None:
    """A metric that all models fail is flagged; anchors that the suite lacks are refused by name."""
    data = [one for model in ("model-a", "model-b", "model-c") for one in row([FAILED] * 30, model=model)]
    data += [one for model in ("model-a", "model-b", "model-c") for one in row([PASSED, FAILED] * 15, model=model,
                                                                               metric_id="m02")]  # fmt: skip
    result = items(reading_of(data))
    assert [record["metric"] for record in result["items"].records()] == ["mini/m01", "mini/m02"]
    assert [record["metric"] for record in result["flagged"].rows if "saturated" in record["findings"]] == ["mini/m01"]
    assert result.file_tables() == [result["items"]]
    with pytest.raises(ImpactBenchError, match="No model 'good' in this suite; it has: model-a"):
        items(reading_of(data), ("good", "model-a"))
