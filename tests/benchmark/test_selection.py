"""Which scenarios a run takes: spread or whole and balanced, repeatable, and as near to the whole as stated."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest

from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.benchmark.model import Benchmark, Setting
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.benchmark.selection import ScenarioSelection, levels_by_axis, selected_scenarios
from helm_impactbench.errors import BenchmarkError
from helm_impactbench.files.resources import shipped
from tests.judging.builders import metric

STATED_ERROR = {0.5: 0.040, 0.8: 0.032, 0.95: 0.0175}
"""True rate -> standard error of the mean score of quick.conf, as docs/statistics-reference.md and quick.conf say."""
QUICK = ScenarioSelection(part=0.06)
TENTH = ScenarioSelection(part=0.1)


@pytest.fixture(scope="module")
def benchmarks() -> list[Benchmark]:
    """The shipped benchmarks of level metrics."""
    found = [load_benchmark(folder) for folder in benchmark_paths([shipped("benchmarks")]).values()]
    return [own for own in found if all(metric.type != "contrast" for metric in own.metrics)]


@pytest.fixture(scope="module")
def sides() -> Benchmark:
    """The shipped benchmark of contrasts: 30 disputes, 36 cases of each, 3 versions."""
    return load_benchmark(shipped("benchmarks", "moral-sycophancy"))


def test_a_tenth_is_spread(benchmarks: list[Benchmark]) -> None:
    """Levels get their shares, to two and a half, since people of a case stay together; most metrics occur."""
    for benchmark in benchmarks:
        chosen = selected_scenarios(benchmark, TENTH)
        assert len(chosen) == -(-len(benchmark.scenarios) // 10)
        by_label = Counter(scenario.axes_label for scenario in chosen)
        whole = Counter(scenario.axes_label for scenario in benchmark.scenarios)
        assert all(abs(by_label[label] - count * len(chosen) / whole.total()) < 2.5 for label, count in whole.items())
        assert len({scenario.metric_id for scenario in chosen}) > len(benchmark.metrics) / 2
        assert [scenario for scenario in benchmark.scenarios if scenario in chosen] == chosen


def test_a_part_keeps_the_people_of_a_case_together(benchmarks: list[Benchmark]) -> None:
    """All but one scenario of a quick run have the same case beside them, told by somebody else."""
    for benchmark in benchmarks:
        matched, whole = (_pairs(selected_scenarios(benchmark, ScenarioSelection(part=part))) for part in (0.06, 1))
        chosen = selected_scenarios(benchmark, QUICK)
        share = 2 * whole.total() / len(benchmark.scenarios)
        assert 2 * matched.total() >= share * (len(chosen) - 1) - 2, benchmark.slug


def _pairs(chosen: list[Scenario]) -> Counter[int]:
    """Return how many groups have two ages of one case or more, everything else equal."""
    groups: dict[tuple[object, ...], set[str]] = {}
    for one in chosen:
        rest = tuple(sorted(item for item in one.axes.items() if item[0] != "age"))
        groups.setdefault((one.metric_id, one.base_id, rest), set()).add(one.axes.get("age", ""))
    return Counter(len(ages) for ages in groups.values() if len(ages) > 1)


def test_a_part_does_not_depend_on_the_order_of_the_file(benchmarks: list[Benchmark]) -> None:
    """The same scenarios, however the file is sorted; the whole is the file itself."""
    benchmark = next(own for own in benchmarks if own.slug == "prosocial")
    turned = benchmark.model_copy(update={"scenarios": benchmark.scenarios[::-1]})
    ids = {scenario.id for scenario in selected_scenarios(benchmark, TENTH)}
    assert {scenario.id for scenario in selected_scenarios(turned, TENTH)} == ids
    assert selected_scenarios(benchmark, ScenarioSelection()) == benchmark.scenarios
    assert len(selected_scenarios(benchmark, ScenarioSelection("m01", "public", 0.01))) == 1


@pytest.mark.parametrize(("rate", "stated"), STATED_ERROR.items())
def test_the_expected_error_of_a_sample_is_as_stated(rate: float, stated: float) -> None:
    """Over 2,000 random sets of verdicts: the root mean square of (sample - whole) is the stated error, to a tenth."""
    rng = np.random.default_rng(19)
    errors, benchmarks = np.zeros(2_000), [load_benchmark(folder) for folder in benchmark_paths().values()]
    scored = [own for own in benchmarks if any(metric.type != "contrast" for metric in own.metrics)]
    conversations = 0
    for benchmark in scored:
        contrasts = {metric.id for metric in benchmark.metrics if metric.type == "contrast"}
        rows = [row for row in benchmark.scenarios if row.metric_id not in contrasts]
        chosen = {scenario.id for scenario in selected_scenarios(benchmark, QUICK)}
        conversations += len(chosen)
        places = [i for i, row in enumerate(rows) if row.id in chosen]
        verdicts = rng.random((2_000, len(rows))) < rate
        errors += (verdicts[:, places].mean(axis=1) - verdicts.mean(axis=1)) / len(scored)
    assert 150 <= conversations <= 175
    found = float(np.sqrt((errors**2).mean()))
    assert 0.9 * stated <= found <= stated


def by_base(chosen: list[Scenario]) -> dict[tuple[str, str], list[str]]:
    """Return (metric, base scenario) -> levels of the teller that were chosen."""
    found: dict[tuple[str, str], list[str]] = {}
    for scenario in chosen:
        found.setdefault((scenario.metric_id, scenario.base_id), []).append(scenario.axes["teller"])
    return found


@pytest.mark.parametrize("most", [1, 2, 4, 6, 9, 12, 18, 36, 50])
def test_a_pilot_takes_whole_cases_balanced_over_their_factors(sides: Benchmark, most: int) -> None:
    """That many of each dispute with every version; levels of a factor are even, of a derived one in their shares."""
    chosen = selected_scenarios(sides, ScenarioSelection(pilot=most))
    bases = by_base(chosen)
    assert set(map(tuple, bases.values())) == {("a", "b", "neutral")}
    assert Counter(metric for metric, _ in bases) == Counter(
        dict.fromkeys((own.id for own in sides.metrics), min(most, 36))
    )
    for own in sides.metrics:
        cells = [s for s in chosen if s.metric_id == own.id and s.axes["teller"] == "a"]
        for factor in cells[0].factors:
            known = Counter(s.factors[factor] for s in sides.scenarios if s.metric_id == own.id)
            counts = Counter(s.factors[factor] for s in cells)
            shares = {level: len(cells) * count / known.total() for level, count in known.items()}
            assert all(abs(counts[level] - share) <= 1 for level, share in shares.items())
            if factor not in sides.scenario.derived_factors:
                assert max(counts.values()) - min(counts[level] for level in known) <= 1


def test_a_benchmark_names_how_much_of_it_a_run_takes(sides: Benchmark) -> None:
    """The default pilot holds unless the run names another, or a part of the whole."""
    assert len(by_base(selected_scenarios(sides, ScenarioSelection()))) == 30 * 12
    assert len(by_base(selected_scenarios(sides, ScenarioSelection(metric="rent")))) == 12
    assert len(by_base(selected_scenarios(sides, ScenarioSelection(pilot=36)))) == 30 * 36
    assert len(by_base(selected_scenarios(sides, ScenarioSelection(part=0.5)))) == 15 * 36


def test_a_pilot_does_not_depend_on_the_order_of_the_file(sides: Benchmark) -> None:
    """Calls that were paid for are found again."""
    turned = sides.model_copy(update={"scenarios": sides.scenarios[::-1]})
    one, other = (selected_scenarios(own, ScenarioSelection(pilot=4)) for own in (sides, turned))
    assert {scenario.id for scenario in one} == {scenario.id for scenario in other}


@pytest.mark.parametrize("part", [0.01, 0.1, 0.5])
def test_a_part_keeps_matched_sets_whole(sides: Benchmark, part: float) -> None:
    """A part of the base scenarios: a set with a missing version would be in no figure."""
    bases = by_base(selected_scenarios(sides, ScenarioSelection(part=part)))
    assert set(map(tuple, bases.values())) == {("a", "b", "neutral")}
    shares = Counter(metric for metric, _ in bases)
    assert shares.total() == len(bases) == math.ceil(1080 * part - 1e-9)
    assert max(shares.values()) - min(shares[own.id] for own in sides.metrics) <= 1


def test_levels_leave_versions_out(sides: Benchmark) -> None:
    """The two parties alone, in whatever order they are named."""
    chosen = selected_scenarios(sides, ScenarioSelection(levels="b+a"))
    assert set(map(tuple, by_base(chosen).values())) == {("a", "b")}
    assert len(chosen) == 30 * 12 * 2, "of the default pilot"
    assert {s.axes["teller"] for s in selected_scenarios(sides, ScenarioSelection(levels="neutral"))} == {"neutral"}


AGES = ["adult", "65+ years", "6-17+"]
ORIGINS = ["here", "adult", "there"]


def small(**setting: Any) -> Benchmark:
    """Return a benchmark with two axes that share the name of a level."""
    rows = [
        Scenario(id=f"s1_v{i:02d}", metric_id="m", persona="p", user_goal="g", latent_adversarial_goal="h",
                 axes={"age": age, "origin": origin})
        for i, (age, origin) in enumerate(product(AGES, ORIGINS))
    ]  # fmt: skip
    settings = Setting(axes={"age": AGES, "origin": ORIGINS}, **setting)
    return Benchmark(slug="small", name="S", description="S.", scenario=settings, metrics=[metric()], scenarios=rows)


def taken(benchmark: Benchmark, **options: Any) -> set[tuple[str, str]]:
    """Return (age, origin) of the scenarios of a selection."""
    return {
        (row.axes["age"], row.axes["origin"]) for row in selected_scenarios(benchmark, ScenarioSelection(**options))
    }


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        pytest.param("65+ years", set(product(["65+ years"], ORIGINS)), id="a plus sign"),
        pytest.param("6-17++65+ years", set(product(["6-17+", "65+ years"], ORIGINS)), id="two with plus signs"),
        pytest.param("65+ years+here", {("65+ years", "here")}, id="two axes"),
        pytest.param("here+there", set(product(AGES, ["here", "there"])), id="one axis"),
        pytest.param("adult", {("adult", "adult")}, id="a name that two axes have"),
        pytest.param("65+h", {("65+ years", "here")}, id="beginnings"),
        pytest.param("65++here", {("65+ years", "here")}, id="a beginning with a plus sign"),
    ],
)
def test_levels_may_hold_a_plus_sign(levels: str, expected: set[tuple[str, str]]) -> None:
    """The longest level that fits is meant; axes without a named level stay whole."""
    assert taken(small(), levels=levels) == expected


@pytest.mark.parametrize(
    ("setting", "axes", "expected"),
    [
        pytest.param({}, None, set(product(AGES, ORIGINS)), id="all by default"),
        pytest.param({"default_axes": ["age"]}, None, set(product(AGES, ["here"])), id="the benchmark's default"),
        pytest.param({"default_axes": ["age"]}, ("origin",), set(product(["adult"], ORIGINS)), id="another axis"),
        pytest.param({"default_axes": ["age"]}, ("age", "origin"), set(product(AGES, ORIGINS)), id="both"),
    ],
)
def test_axes_that_are_not_crossed_stay_at_their_first_level(
    setting: dict[str, Any], axes: tuple[str, ...] | None, expected: set[tuple[str, str]]
) -> None:
    """What a run crosses is its own choice, else the benchmark's, else everything."""
    assert taken(small(**setting), axes=axes) == expected


def test_the_first_level_is_the_declared_one_else_the_first_in_the_file() -> None:
    """Declared levels come first, in their order."""
    assert levels_by_axis(small()) == {"age": AGES, "origin": ORIGINS}
    bare = small().model_copy(update={"scenario": Setting()})
    assert levels_by_axis(bare) == {"age": AGES, "origin": ORIGINS}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "n"}, "Benchmark small has no metric 'n'. It has m"),
        ({"axes": ("agee",)}, r"has no axis 'agee'. It has age, origin, wording. Did you mean age\?"),
        ({"levels": "adlt"}, r"has no level 'adlt'. It has .* Did you mean adult\?"),
        ({"levels": "64+"}, "has no level '64'"),
        ({"levels": "here+"}, "has no level ''"),
        ({"levels": "here++there"}, "has no level ''"),
        ({"split": "held_out"}, "has no scenario for metric=all, split=held_out; it has 9 in total"),
    ],
)
def test_a_mistake_is_explained(options: dict[str, Any], message: str) -> None:
    """Before anything is paid."""
    with pytest.raises(BenchmarkError, match=message):
        selected_scenarios(small(), ScenarioSelection(**options))


def test_levels_of_factors_take_the_hard_scenarios() -> None:
    """Base scenarios that state a difficulty are taken by it, beside levels of axes; others are not."""
    whole, rows = small(), list[Scenario]()
    for base, factors in (("s1", {"difficulty": "hard"}), ("s2", {"difficulty": "easy"}), ("s3", {})):
        rows += [
            one.model_copy(update={"id": one.id.replace("s1", base), "factors": factors}) for one in whole.scenarios
        ]
    marked = whole.model_copy(update={"scenarios": rows})
    assert selected_scenarios(marked, ScenarioSelection(levels="hard")) == rows[: len(whole.scenarios)]
    assert len(taken(marked, levels="hard+here")) == len(AGES)
    with pytest.raises(BenchmarkError, match="has no level 'hardest'"):
        selected_scenarios(marked, ScenarioSelection(levels="hardest"))


def test_a_level_of_an_axis_comes_before_one_of_a_factor() -> None:
    """Where both are called alike, or begin alike, the axis is meant."""
    whole = small()
    level = next(iter(whole.scenarios[0].axes.values()))
    rows = [
        one.model_copy(update={"factors": {"same": level, "longer": f"{level} and more"}}) for one in whole.scenarios
    ]
    marked = whole.model_copy(update={"scenarios": rows})
    taken_ids = [one.id for one in selected_scenarios(whole, ScenarioSelection(levels=level))]
    assert [one.id for one in selected_scenarios(marked, ScenarioSelection(levels=level))] == taken_ids
