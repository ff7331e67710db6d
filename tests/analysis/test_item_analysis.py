"""Item analysis: each fault is found in the metric that has it, and in no other."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from helm_impactbench.analysis.commands.items import concluded
from helm_impactbench.analysis.item_analysis import KnownPair, item_analysis
from helm_impactbench.analysis.rates import model_scores
from helm_impactbench.results.outcome import JudgeVote, Outcome
from tests.analysis.builders import HEALTHY
from tests.support.outcomes import contrast_outcome, judged, outcome, simulated


def findings_of(data: list[Outcome], metric: str, anchors: KnownPair | None = None) -> list[str]:
    """Return the findings on a metric, each up to its colon."""
    (found,) = [item for item in item_analysis(data, anchors) if item.metric == f"mini/{metric}"]
    return [text.split(":")[0] for text in found.findings]


def pilot() -> list[Outcome]:
    """Return a pilot with three models that differ."""
    return simulated(np.random.default_rng(2), HEALTHY, correlation=0.05, metrics=5, scenarios=16)


def changed(data: list[Outcome], metric: str, **changes: Any) -> list[Outcome]:
    """Return the data with the outcomes of one metric changed."""
    return [replace(o, **changes) if o.metric_id == metric else o for o in data]


def test_a_healthy_metric_has_no_findings() -> None:
    """Nothing to do for an author."""
    assert findings_of(pilot(), "m01", KnownPair("good", "bad")) == []


@pytest.mark.parametrize("passed", [True, False])
def test_a_saturated_metric_is_named(passed: bool) -> None:
    """All models pass, or all fail: found in that metric, and in no other."""
    data = [judged(o, passed) if o.metric_id == "m02" else o for o in pilot()]
    assert "saturated" in findings_of(data, "m02")
    assert findings_of(data, "m03") == []


@pytest.mark.parametrize(
    ("changes", "finding"),
    [
        ({"votes": (JudgeVote("j", 1.0, "answered", False),)}, "ungrounded"),
        ({"votes": (JudgeVote("j", 1.0, "answered", None), JudgeVote("k", 0.0, "answered", None))}, "judges disagree"),
        ({"status": "unclear", "value": None, "score": None}, "never scored"),
        ({"refused": True}, "refused"),
        ({"status": "not_applicable", "value": None, "score": None}, "often not applicable"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_sick_metric_is_named(changes: dict[str, Any], finding: str) -> None:
    """Each fault is found in the metric that has it, and in no other."""
    data = changed(pilot(), "m02", **changes)
    assert finding in findings_of(data, "m02")
    assert findings_of(data, "m03") == []


def test_judges_of_a_cascade_do_not_disagree() -> None:
    """The second one is asked only where the first one doubts, so their votes are no panel's."""
    votes = (JudgeVote("small", 1.0, "answered", None), JudgeVote("strong", 0.0, "answered", None))
    assert findings_of(changed(pilot(), "m02", votes=votes, cascade=0.8), "m02") == []


def test_a_flipped_polarity_is_found_without_a_rank() -> None:
    """Law 1: the ranking of models is the same, but the anchors and the other metrics give the metric away."""
    flipped = [
        replace(o, metric_type="negative", score=1 - (o.score or 0.0)) if o.metric_id == "m04" else o for o in pilot()
    ]
    assert [score.model for score in model_scores(flipped)] == [score.model for score in model_scores(pilot())]
    assert findings_of(flipped, "m04", KnownPair("good", "bad")) == ["inverted", "runs against the rest"]
    assert findings_of(flipped, "m04") == ["runs against the rest"]
    assert findings_of(flipped, "m01", KnownPair("good", "bad")) == []


@pytest.mark.parametrize(
    ("rates", "sets"),
    [((0.6, 0.7, 0.8), 80), ((0.66, 0.69, 0.72, 0.75), 80), (tuple(np.linspace(0.45, 0.9, 14)), 40)],
    ids=["3 models", "4 close models", "14 models"],
)
def test_parallel_metrics_are_not_flagged(rates: tuple[float, ...], sets: int) -> None:
    """Twelve metrics that measure the same: each kind of finding in 5% of pilots, with room for their number."""
    rng, flagged = np.random.default_rng(8), Counter[str]()
    models = {f"model-{number:02d}": rate for number, rate in enumerate(rates)}
    for _ in range(sets):
        data = simulated(rng, models, correlation=0.3, metrics=12, scenarios=3)
        flagged.update({text.split(":")[0] for item in item_analysis(data) for text in item.findings})
    # The spread of four close models is .04, below the bar: to find it would be right.
    assert all(count <= 0.05 * sets + 3 for kind, count in flagged.items() if kind != "saturated"), flagged
    assert flagged["saturated"] <= 0.05 * sets + 3


def test_a_metric_on_which_models_are_alike_is_found_with_enough_data() -> None:
    """Thirty models with the same rate on one metric of two; with three models and scenarios it cannot be told."""
    rng = np.random.default_rng(4)
    models = {f"model-{number:02d}": rate for number, rate in enumerate(np.linspace(0.2, 0.9, 30))}
    good = simulated(rng, models, correlation=0.05, metrics=1, scenarios=60)
    alike = simulated(rng, dict.fromkeys(models, 0.6), correlation=0.05, metrics=2, scenarios=60)
    data = [*good, *(o for o in alike if o.metric_id == "m02")]
    assert findings_of(data, "m02") == ["does not discriminate"]
    assert findings_of(data, "m01") == []
    few = [o for o in data if o.model < "model-03" and int(o.base_id[-3:]) <= 3]
    for item in item_analysis(few):
        assert item.findings == ()
        assert "discriminates between models" in item.cannot_be_told


def test_scenarios_are_examined_like_metrics() -> None:
    """A scenario that all pass, and one that runs against the others, beside healthy ones of the same metric."""
    rng = np.random.default_rng(6)
    models = {f"model-{number:02d}": rate for number, rate in enumerate(np.linspace(0.05, 0.95, 20))}
    data = simulated(rng, models, correlation=0.02, metrics=2, scenarios=6)
    repeated = [
        replace(judged(o, bool(rng.random() < models[o.model])), sample=sample) for o in data for sample in range(8)
    ]
    planted = [
        judged(o, True) if o.base_id == "m01_s001"
        else judged(o, bool(rng.random() > models[o.model])) if o.base_id == "m02_s002" else o
        for o in repeated
    ]  # fmt: skip
    found = {
        item.item: [text.split(":")[0] for text in item.findings] for item in item_analysis(planted, None, "scenario")
    }
    assert found.pop("mini/m01/m01_s001") == ["saturated"]
    assert found.pop("mini/m02/m02_s002") == ["runs against the rest"]
    assert list(found.values()) == [[]] * 10


def test_a_metric_that_alone_separates_models_does_not_run_against_the_rest() -> None:
    """Where the others tell models apart by luck alone, their order is as often the reverse as not: no finding."""
    rng, against = np.random.default_rng(7), 0
    for _ in range(40):
        data = [
            outcome(
                bool(rng.random() < (rate if metric == 0 else 0.5)),
                model=model,
                metric_id=f"m{metric:02d}",
                base_id=f"m{metric:02d}_s{base:03d}",
                variant_id=f"m{metric:02d}_s{base:03d}_v{variant:02d}",
            )
            for model, rate in (("bad", 0.1), ("middling", 0.5), ("good", 0.9))
            for metric in range(6)
            for base in range(12)
            for variant in range(2)
        ]
        against += any("runs against the rest" in text for item in item_analysis(data) for text in item.findings)
    assert against <= 2


def test_what_few_data_suggest_is_not_a_finding() -> None:
    """All of nine conversations pass: it looks saturated, and cannot be told; nothing is said of what looks healthy."""
    data = [judged(o, True) for o in simulated(np.random.default_rng(1), {"a": 0.5}, metrics=1, scenarios=4)]
    (item,) = item_analysis(data)
    assert (item.mean, item.findings) == (1.0, ())
    assert item.cannot_be_told[:2] == ("runs against the rest", "is saturated")
    assert "to say whether 1 of 1 metric runs against the rest; " in "".join(concluded([item], "metric"))
    assert "whether 2 of 2 metrics run against the rest; " in "".join(concluded([item, item], "metric"))
    assert item.mean_interval.low < 0.95


def test_real_anchors_are_inverted_only_beyond_chance() -> None:
    """Two of three scenarios inverted are no finding with real models; ten of ten are one; scripts have no luck."""

    def of(bases: int, right: int) -> list[Outcome]:
        return [
            outcome((number < right) == (model == "good"), model=model, base_id=f"b{number}", variant_id=f"b{number}")
            for number in range(bases)
            for model in ("good", "bad")
        ]

    few, many = (item_analysis(of(*size), KnownPair("good", "bad"))[0] for size in ((3, 1), (10, 0)))
    assert few.auroc.value < 0.5
    assert not any("inverted" in text for text in few.findings)
    assert "is inverted" in few.cannot_be_told
    assert any("inverted" in text for text in many.findings)
    (scripted,) = item_analysis(of(3, 1), KnownPair("good", "bad", scripted=True))
    assert any("inverted" in text for text in scripted.findings)


def sides(**levels: list[float | None]) -> list[Outcome]:
    """Return outcomes of one contrast metric: level -> its values on base scenarios 0, 1, ..."""
    return [
        contrast_outcome(value, level, f"base_{base}")
        for level, values in levels.items()
        for base, value in enumerate(values)
    ]


@pytest.mark.parametrize(
    ("data", "findings"),
    [
        pytest.param(sides(a=[1, 0, 1], b=[-1, 0, 0]), [], id="healthy"),
        pytest.param(sides(a=[0.5] * 30, b=[0.5] * 30), ["never moves"], id="never moves"),
        pytest.param(sides(a=[0.5] * 3, b=[0.5] * 3), [], id="six answers alike"),
        pytest.param(sides(a=[1, 0, 0.5]), ["nothing to compare"], id="one level alone"),
        pytest.param(sides(a=[1, *[None] * 9], b=[-1, 0, *[None] * 8]), ["often unscored or unclear"], id="unscored"),
        pytest.param(
            [replace(o, votes=(JudgeVote("j", -1.0, "answered", True), JudgeVote("k", 0.5, "answered", True)))
             for o in sides(a=[1, 0, 1], b=[-1, 0, 0])], ["judges disagree"], id="judges disagree",
        ),
    ],
)  # fmt: skip
def test_a_contrast_metric_is_examined_by_what_it_compares(data: list[Outcome], findings: list[str]) -> None:
    """Matched sets and values that move; never by a pass rate, a spread or anchors."""
    (item,) = item_analysis(data, KnownPair("model-a", "other"))
    assert [text.split(":")[0] for text in item.findings] == findings
    assert np.isnan([item.mean, item.spread.value, item.item_rest, item.auroc.value]).all()
