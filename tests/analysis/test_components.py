"""Where the variance of a score comes from, what is unknown, and what the next dollar buys."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest

from helm_impactbench.analysis.commands.components import OptionRow, advice, component_rows, option_rows
from helm_impactbench.analysis.commands.components import components as components_of
from helm_impactbench.analysis.components import (
    MORE_LEVELS,
    NO_RANGE,
    Component,
    Components,
    area_components,
    gap_components,
    score_components,
    without_components,
)
from helm_impactbench.analysis.next_dollar import Option, best, options
from helm_impactbench.benchmark.metric import Contrast
from helm_impactbench.results.outcome import JudgeVote, Outcome
from helm_impactbench.suites.reading import reading_of
from helm_impactbench.tables import columns_of
from tests.support.outcomes import contrast_outcome, outcome

POLARITY = ("positive", "negative")


def suite(
    rng: np.random.Generator,
    *,
    scenarios: int = 6,
    samples: int = 2,
    judges: int = 1,
    users: int = 1,
    judge: float = 0.0,
) -> list[Outcome]:
    """Return outcomes of a scale from 0 to 1 with planted spreads: metric .1, scenario .2, variant .1, sample .3."""
    leniency = rng.normal(0, judge, judges)
    data = []
    for metric in range(12):
        m = rng.normal(0, 0.1)
        for base in range(scenarios):
            s = rng.normal(0, 0.2)
            for variant in range(3):
                v = rng.normal(0, 0.1)
                for user in range(users):
                    for sample in range(samples):
                        value = 0.5 + m + s + v + rng.normal(0, 0.3)
                        name = f"m{metric:02d}_s{base:03d}"
                        votes = tuple(
                            JudgeVote(f"j{place}", value + own + rng.normal(0, 0.1), "answered", True)
                            for place, own in enumerate(leniency)
                        )
                        data.append(
                            outcome(
                                True, metric_id=f"m{metric:02d}", base_id=name, variant_id=f"{name}_v{variant}",
                                sample=sample, votes=votes, user=f"u{user}", metric_type=POLARITY[metric % 2],
                                setup=f"impactbench:benchmark=mini,user=u{user},judge=j",
                                content=f"{name}_v{variant}_r{sample}",  # the seed is a part of it
                            )
                        )  # fmt: skip
    return data


def variances(found: Components | None) -> dict[str, float]:
    """Return component -> variance."""
    assert found is not None
    return {component.name: component.variance for component in found.found}


def test_components_of_scores_are_the_planted_ones() -> None:
    """Of single votes, with the judges' own parts; polarity changes nothing."""
    found = [variances(score_components(suite(np.random.default_rng(n), judges=4, judge=0.1))) for n in range(8)]
    medians = {name: float(np.median([one[name] for one in found])) for name in found[0]}
    assert list(medians) == [
        "metric", "scenario", "variant", "sample", "judge", "judge x metric", "judge x conversation"
    ]  # fmt: skip
    assert medians["scenario"] == pytest.approx(0.04, rel=0.2)
    assert medians["sample"] == pytest.approx(0.09, rel=0.1)
    assert medians["judge x conversation"] == pytest.approx(0.01, rel=0.1)
    # A judge that is lenient raises positive scores and lowers negative ones, so that it is a matter of metrics.
    assert medians["judge"] + medians["judge x metric"] == pytest.approx(0.01, rel=0.5)


def test_a_cascade_has_the_vote_that_decided() -> None:
    """A doubtful first vote that was overruled adds no variance between judges."""
    plain = suite(np.random.default_rng(0))
    passed_on = [replace(o, cascade=0.8, votes=(JudgeVote("small", 0.0, "answered", True), *o.votes)) for o in plain]
    assert variances(score_components(passed_on)) == variances(score_components(plain))


def test_what_a_suite_cannot_tell_is_named_and_never_0() -> None:
    """One judge, one simulated user, one sample: each with its reason, and in no row with a variance."""
    rng = np.random.default_rng(2)
    found = score_components(suite(rng, samples=1))
    assert list(variances(found)) == ["metric", "scenario", "variant + sample"]
    assert found is not None
    assert found.unknown == {
        "simulated user": "there is one simulated user, or none",
        "judge": "there is one judge",
        "judge x conversation": "there is one judge; it is a part of the last component",
        "judge repeat": "no judge was asked twice, or each said the same again, as from the cache; it is a part of the "
        "last component",
    }
    rows = component_rows(area_components(suite(rng, samples=1)))
    assert all((row["variance"] is not None) == (not row["unknown_because"]) for row in rows)
    assert sum(row["share"] or 0 for row in rows) == pytest.approx(1)
    assert score_components([outcome()]) is None
    assert component_rows(area_components([])) == []


def test_simulated_users_and_repeated_votes_are_told_where_there_are_some() -> None:
    """Two users on the same cases; and the same judge in two runs that differ in their panels alone."""
    data = suite(np.random.default_rng(3), users=2)
    assert "simulated user" in variances(score_components(data))
    again = [
        replace(o, setup=o.setup.replace("judge=j", "judge=j+k"),
                votes=tuple(replace(vote, value=(vote.value or 0) + 0.1 * (place % 2)) for vote in o.votes))
        for place, o in enumerate(data)
    ]  # fmt: skip
    both = [*data, *[replace(o, votes=(*o.votes, replace(o.votes[0], judge="k"))) for o in again]]
    found = variances(score_components(both))
    assert found["judge repeat"] > 0
    assert found["sample"] == pytest.approx(0.1, rel=0.25)
    copied = score_components([*data, *[replace(o, setup=f"{o.setup}+k,checks=teller") for o in data]])
    assert copied == score_components(data)
    assert copied is not None
    assert "from the cache" in copied.unknown["judge repeat"]


def test_gaps_of_contrast_metrics_have_components() -> None:
    """In shares of the range, which is 2 for stance; metrics, base scenarios, samples."""
    rng, data = np.random.default_rng(4), []
    for metric in range(12):
        for base in range(8):
            own = rng.normal(0, 0.4)
            for sample in (0, 1):
                for level, sign in (("a", 1), ("b", -1)):
                    value = sign * (own + rng.normal(0, 0.2)) / 2
                    data.append(
                        contrast_outcome(value, level, f"r{metric}_{base}", metric_id=f"r{metric}", sample=sample)
                    )
    found = variances(gap_components(data))
    assert found["scenario + variant"] == pytest.approx(0.04, rel=0.4)
    assert found["sample"] == pytest.approx(0.02 / 4, rel=0.4)
    assert score_components(data) is None


@pytest.mark.parametrize(("spread", "share"), [(0.0, 0.0), (1.0, 1.0)])
def test_a_component_of_chance_is_not_told_from_none(spread: float, share: float) -> None:
    """Where metrics do not differ, few suites of twenty say that they do; where they differ much, nearly all."""
    told = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        means = dict(zip([f"m{metric:02d}" for metric in range(12)], rng.normal(0.5, spread, 12), strict=True))
        data = [
            replace(o, votes=(JudgeVote("j", means[o.metric_id] + rng.normal(), "answered", True),))
            for o in suite(rng, samples=1)
        ]
        found = score_components(data)
        assert found is not None
        told.append(found.found[0].is_told)
    assert np.mean(told) == pytest.approx(share, abs=0.2)


def planned(found: Components | None, usd: float | None = None, judge_usd: float | None = None) -> dict[str, Option]:
    """Return what -> option."""
    assert found is not None
    return {option.what: option for option in options(found, usd, judge_usd)}


def test_predicted_standard_errors_are_the_planted_ones() -> None:
    """From one suite: the planted spread of a mean, as it is and with twice the base scenarios; more never hurts."""
    fresh = {n: math.sqrt(0.04 / (12 * n) + 0.01 / (36 * n) + (0.09 + 0.01) / (72 * n)) for n in (6, 12)}
    errors = [planned(score_components(suite(np.random.default_rng(n)))) for n in range(8)]
    assert np.median([one[""].these for one in errors]) == pytest.approx(fresh[6], rel=0.15)
    twice = np.median([one["base scenarios per metric"].these for one in errors])
    assert twice == pytest.approx(fresh[12], rel=0.15)
    for one in errors:
        assert one["base scenarios per metric"].these == pytest.approx(one[""].these / math.sqrt(2))
        assert one["base scenarios per metric"].these < one["variants"].these < one["samples"].these < one[""].these
        assert one[""].like_these >= one[""].these
        assert one["metrics"].like_these <= one["base scenarios per metric"].like_these


def test_the_best_buy_is_what_takes_most_variance_away_per_dollar() -> None:
    """Base scenarios where a judge costs as much as a conversation, judges where they disagree and cost little."""
    rng = np.random.default_rng(6)
    data = [
        replace(o, votes=tuple(replace(vote, value=float(rng.random())) for vote in o.votes))
        for o in suite(rng, judges=3)
    ]
    found = score_components(data)
    assert found is not None
    assert found.conversations == 12 * 6 * 3 * 2
    (cheap,), dear = (best(options(found, 1.0, price)) for price in (0.01, 5.0))
    assert cheap.what == "judges"
    assert "judges" not in {option.what for option in dear}
    unpriced = best(options(found, None, None))
    assert "judges" not in {option.what for option in unpriced}
    assert unpriced[0].usd is None


def part(name: str, estimate: float, error: float = 0.001) -> Component:
    """Return a component of one factor."""
    return Component((name,), estimate, error, levels=9, weight=0.1)


def components(*parts: Component, unknown: Mapping[str, str] = MappingProxyType({})) -> Components:
    """Return components of one model with these."""
    return Components("score", parts, unknown, 1, 100.0, 100.0)


def test_what_does_the_same_at_the_same_price_is_named_together() -> None:
    """Where only samples differ, base scenarios and variants bring no more than samples do."""
    found = components(part("metric", 0.1), part("scenario", 0.0), part("variant", 0.0), part("sample", 0.2))
    same = ["base scenarios per metric", "variants", "samples"]
    assert [option.what for option in best(options(found, 0.5, 0.1))] == same
    said = advice(found, options(found, 0.5, 0.1))
    assert said.startswith(
        "The next dollar buys most with base scenarios per metric, variants or samples, which come to"
    )
    assert "above 0" not in said


def test_an_error_that_lacks_a_component_is_at_least_so_large() -> None:
    """An unknown judge adds to what judges like these would give, not to these; a part of the last component is in."""
    parts = (part("metric", 0.1), part("scenario", 0.05), part("sample", 0.2))
    finest = "there is one judge; it is a part of the last component"
    for unknown, lacks in (({"judge": "there is one judge"}, True), ({"judge repeat": finest}, False), ({}, False)):
        for option in options(components(*parts, unknown=unknown), 0.5, 0.1):
            assert (option.lacks_these, option.lacks_like_these) == (False, lacks)
    planned = [Option("samples", 0.05, math.nan, 10.0, None, lacks_these=True)]
    (row,) = option_rows("impact", components(*parts), planned)
    cells = {column.key: column.text(row) for column in columns_of(OptionRow) if column.text}
    assert cells["error_these"] == "at least 0.0500"
    assert (cells["error_like_these"], cells["more_usd"]) == ("unknown", "unknown")


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ((0.001, 0.001), None),
        ((1.0, 0.001), "Only sample is significantly above 0"),
        ((1.0, 1.0), "No component is significantly above 0"),
    ],
)
def test_advice_says_when_it_rests_on_chance(errors: tuple[float, float], expected: str | None) -> None:
    """With at most one component that is told from none, what comes first is a guess."""
    found = components(part("scenario", 0.05, errors[0]), part("sample", 0.2, errors[1]))
    said = advice(found, options(found, 0.5, 0.1))
    assert (expected in said) if expected else ("above 0" not in said)


def test_what_cannot_be_told_has_no_standard_error() -> None:
    """With one sample per variant, what more samples would do is unknown, and no number."""
    found = planned(score_components(suite(np.random.default_rng(7), samples=1)), 0.5)
    assert not found["samples"].is_told
    assert found["variants"].is_told
    assert found["variants"].usd == 0.5 * found["variants"].conversations
    assert "judges" not in found


def test_no_variance_is_no_certainty() -> None:
    """Where all conversations of a metric end alike, its standard error is unknown and not 0; nothing is advised."""
    alike = [replace(o, value=1.0, votes=tuple(replace(vote, value=1.0) for vote in o.votes))
             for o in suite(np.random.default_rng(8))]  # fmt: skip
    found = planned(score_components(alike), 0.5)
    assert math.isnan(found[""].these)
    assert best(list(found.values())) == []


def test_gaps_without_components_have_a_reason() -> None:
    """A measure without a range, or more than two levels: more conversations would not help."""
    pays = [contrast_outcome(5.0, level, metric_id="pays", bounds=None) for level in "ab"]
    names = Contrast(axis="name")
    three = [contrast_outcome(0.0, level, metric_id="three", contrast=names) for level in "abc"]
    few = [contrast_outcome(0.0, level, metric_id="few") for level in "ab"]
    assert list(without_components([*pays, *three, *few])) == [
        ("impact", NO_RANGE, ["sides/pays"]), ("impact", MORE_LEVELS, ["sides/three"]),
    ]  # fmt: skip


def test_the_command_answers_with_advice_under_tables() -> None:
    """Files have every component and option; a screen has a table of each for the area, the unknown ones in a line."""
    result = components_of(reading_of(suite(np.random.default_rng(9), samples=1)), usd_each=0.5)
    assert [table.name for table in result.file_tables()] == ["components", "options"]
    unknown = {row["component"] for row in result["components"].records() if row["unknown_because"]}
    assert {"judge", "simulated user"} < unknown
    variance, errors = result["variance"], result["errors"]
    assert {row["component"] for row in variance.rows} & unknown == set()
    assert all(name in variance.notes[0] for name in unknown)
    assert errors.notes[0].startswith("The next dollar buys most with")
    assert [row["twice"] for row in errors.rows] == [row["twice"] for row in result["options"].records()]
