"""Benchmark files: what loads, what is refused and how it is said, and the way back to files."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from helm_impactbench.benchmark import files
from helm_impactbench.benchmark.areas import Subarea
from helm_impactbench.benchmark.cues import load_cues
from helm_impactbench.benchmark.files import (
    benchmark_paths,
    check_benchmark,
    find_benchmark,
    load_benchmark,
    write_benchmark,
)
from helm_impactbench.benchmark.measures.parties import Parties, Party
from helm_impactbench.benchmark.measures.presence import Presence
from helm_impactbench.benchmark.measures.quantity import Quantity
from helm_impactbench.benchmark.measures.scale import Point, Scale
from helm_impactbench.benchmark.measures.stance import Stance
from helm_impactbench.benchmark.metric import Contrast, Metric
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.parts import is_id
from helm_impactbench.benchmark.scenario import Landmark, Scenario
from helm_impactbench.errors import BenchmarkError
from helm_impactbench.files.resources import shipped
from tests.support import builders


def faults_of(folder: Path) -> list[str]:
    """Return the faults of a benchmark without the folder in front."""
    return [str(fault).replace(f"{folder}/", "") for fault in check_benchmark(folder).faults]


def test_a_valid_benchmark_loads_without_a_fault(tmp_path: Path) -> None:
    """The mini benchmark is whole: metrics, variants, personas as they are played."""
    folder = builders.write_benchmark_folder(tmp_path / "mini")
    assert faults_of(folder) == []
    benchmark = load_benchmark(folder)
    assert benchmark.slug == "mini"
    assert [scenario.played_persona for scenario in benchmark.scenarios][:1] == ["played-persona-m01_s001_v01"]
    assert benchmark.scenarios[1].base_id == "m01_s001"
    assert benchmark.axes_labels == ["child or teenager (6-17)", "adult (18+)"]


@pytest.mark.parametrize("key", ["persona", "user_persona"])
def test_one_persona_is_enough(tmp_path: Path, key: str) -> None:
    """ImpactBench's files hold persona, user_persona or both; the simulator plays the rewritten one if it is there."""
    row = builders.scenario(axes={})
    other = {"persona": "user_persona", "user_persona": "persona"}[key]
    del row[other]
    folder = builders.write_benchmark_folder(tmp_path / "mini", scenarios=[row])
    assert load_benchmark(folder).scenarios[0].played_persona == row[key]


def test_any_demographic_axes(tmp_path: Path) -> None:
    """Axes and values are free; several are told apart in one label."""
    row = builders.scenario(axes={"age": "adult (18+)", "region": "rural"})
    folder = builders.write_benchmark_folder(tmp_path / "mini", scenarios=[row])
    assert load_benchmark(folder).axes_labels == ["age: adult (18+), region: rural"]


METRIC_FAULTS = [
    pytest.param({"typ": "x"}, "metrics[0].typ: error: unknown key; the keys are id, name, type, definition, "
                 "exclusions, measure, applies, facts, contrast, examples, near_misses, rationale, "
                 "contested, source, clause, content_note, labels. Did you mean type?", id="unknown key"),
    pytest.param({"id": "m02"}, "metrics[1].id: error: 'm02' is used again; every id must occur once",
                 id="duplicate id"),
    pytest.param({"id": "../m"}, "metrics[0].id: error: found '../m', expected 1 to 64 of A-Z a-z 0-9 _ . -, beginning "
                 "with a letter or digit", id="path in id"),
    pytest.param({"id": "m\u043e1"}, "metrics[0].id: error: found 'm\u043e1', expected 1 to 64 of", id="look-alike id"),
    pytest.param({"type": "neutral"}, "metrics[0].type: error: found 'neutral', expected 'positive', 'negative' "
                 "or 'contrast'",
                 id="wrong type"),
    pytest.param({"type": None}, "metrics[0].type: error: found nothing, expected 'positive', 'negative' or 'contrast'",
                 id="no type"),
    pytest.param({"definition": "  "}, "metrics[0].definition: error: found '  ', expected text that is not empty",
                 id="empty definition"),
    pytest.param({"name": "Avoid x", "type": "negative", "definition": "The assistant avoids x."},
                 "metrics[0].definition: error: negates itself under the name 'Avoid x': 'The assistant avoids x.'",
                 id="self-negating"),
    pytest.param({"examples": "a line"}, "metrics[0].examples: error: found 'a line', expected a list", id="no list"),
    pytest.param({"name": "Avoid x"}, "metrics[0].type: warning: 'positive' does not fit the name 'Avoid x'",
                 id="polarity against the name"),
    pytest.param({"measure": "presense"}, "metrics[0].measure: error: there is no measure 'presense'. Choose presence, "
                 "scale, stance, quantity", id="measure misspelt"),
    pytest.param({"measure": {"severity": "standard"}}, "metrics[0].measure: error: found \"{'severity': "
                 "'standard'}\", "
                 "expected the name of a measure, or a mapping with its kind", id="measure without a kind"),
    pytest.param({"measure": {"kind": "scale"}}, "metrics[0].measure: error: points: it is missing",
                 id="measure without its settings"),
    pytest.param({"measure": {"kind": "presence", "severities": {}}}, "metrics[0].measure: error: severities: there "
                 "is no such setting", id="unknown setting of a measure"),
    pytest.param({"measure": {"kind": "quantity", "unit": "euros"}}, "metrics[0]: error: the measure quantity "
                 "has no bounds, which a positive metric needs; use type contrast", id="a level without bounds"),
    pytest.param({"applies": ""}, "metrics[0].applies: error: found '', expected text that is not empty",
                 id="empty condition"),
    pytest.param({"facts": [""]}, "metrics[0].facts[0]: error: found '', expected text that is not empty",
                 id="empty fact"),
    pytest.param({"type": "contrast"}, "metrics[0]: error: a metric of type contrast needs contrast: with the axis",
                 id="contrast of nothing"),
    pytest.param({"contrast": {"axis": "age"}}, "metrics[0]: error: a metric of type contrast needs contrast: with the "
                 "axis, and no other type has it", id="contrast of a level metric"),
    pytest.param({"type": "contrast", "contrast": {"axes": "age"}}, "metrics[0].contrast.axes: error: unknown key",
                 id="unknown key of a contrast"),
    pytest.param({"type": "contrast", "contrast": {"axis": "age", "levels": ["adult (18+)"]}},
                 "metrics[0].contrast: error: the levels are adult (18+); a contrast needs two or more, each once",
                 id="contrast of one level"),
    pytest.param({"type": "contrast", "contrast": {"axis": "age", "levels": ["a", "b"], "reference": "a"}},
                 "metrics[0].contrast: error: the reference 'a' is one of the levels", id="reference among the levels"),
    pytest.param({"type": "contrast", "contrast": {"axis": "age", "levels": ["a", "b"], "favours": {"c": "high"}}},
                 "metrics[0].contrast: error: favours names c, which is not compared",
                 id="favours nobody"),
    pytest.param({"type": "contrast", "contrast": {"axis": "age", "favours": {"a": "up"}}},
                 "metrics[0].contrast.favours.a: error: found 'up', expected 'high' or 'low'", id="favours no end"),
    pytest.param({"type": "contrast", "contrast": {"axis": "age", "threshold": 1}},
                 "metrics[0].contrast.threshold: error: found 1, expected below 1", id="threshold beyond the end"),
    pytest.param({"type": "contrast", "contrast": {"axis": "age", "favours": {"a": "high"}},
                  "measure": {"kind": "quantity", "unit": "euros"}},
                 "metrics[0]: error: the measure quantity has no bounds and so no middle",
                 id="favours without a middle"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "fault"), METRIC_FAULTS)
def test_a_fault_of_a_metric_is_named(tmp_path: Path, changes: dict[str, Any], fault: str) -> None:
    """File, line, place, what was got, what is allowed."""
    folder = builders.write_benchmark_folder(tmp_path / "mini", builders.benchmark_with(**changes))
    found = [text.split(" ", 1)[1] for text in faults_of(folder)]
    assert any(text.startswith(fault) for text in found), found
    assert all(text.startswith(("benchmark.yaml:", "scenarios.json:")) for text in faults_of(folder))


SCENARIO_FAULTS = [
    pytest.param({"metric_id": "m03"}, "[0].metric_id: error: found 'm03', a metric that benchmark.yaml does not have; "
                 "it has m01, m02. Did you mean m02 or m01?", id="unknown metric"),
    pytest.param({"landmarks": [{"turn": 7, "instruction": "x"}]}, "[0].landmarks[0].turn: error: turn 7 is beyond "
                 "the last one; write 1 to 6", id="landmark beyond the last turn"),
    pytest.param({"landmarks": [{"turn": 0, "instruction": "x"}]}, "[0].landmarks[0].turn: error: found 0, expected "
                 "at least 1", id="landmark before the first turn"),
    pytest.param({"landmarks": [{"turn": 2, "text": "x"}]}, "[0].landmarks[0].text: error: unknown key; the "
                 "keys are turn, "
                 "instruction.", id="unknown key in a landmark"),
    pytest.param({"user_goal": ""}, "[0].user_goal: error: found '', expected text that is not empty", id="empty goal"),
    pytest.param({"persona": None, "user_persona": None}, "[0]: error: needs a persona: set persona, user_persona or "
                 "both", id="no person"),
    pytest.param({"target_system_prompt": "You are being evaluated for kindness."},
                 "[0].target_system_prompt: error: tells the target that it is being evaluated: 'You are being "
                 "evaluated'", id="system prompt tells of the test"),
    pytest.param({"user_persona": None}, "[0].user_persona: warning: missing although the scenario is a variant",
                 id="variant without a rewritten persona"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "fault"), SCENARIO_FAULTS)
def test_a_fault_of_a_scenario_is_named(tmp_path: Path, changes: dict[str, Any], fault: str) -> None:
    """File, line, place, what was got, what is allowed."""
    folder = builders.write_benchmark_folder(tmp_path / "mini", scenarios=[builders.scenario(**changes)])
    found = [text.split(" ", 1)[1] for text in faults_of(folder)]
    assert any(text.startswith(fault) for text in found), found


SETTING_FAULTS = [
    pytest.param({"default_axes": ["agee"]}, "scenario.default_axes[0]: error: found 'agee', an axis that "
                 "scenario.axes "
                 "does not have; it has age. Did you mean age?", id="default axis"),
    pytest.param({"untold_axes": ["sex"]}, "scenario.untold_axes[0]: error: found 'sex', an axis that",
                 id="untold axis"),
    pytest.param({"axes": {"age": "adult"}}, "scenario.axes.age: error: found 'adult', expected a list",
                 id="one level"),
    pytest.param({"turns": 0}, "scenario.turns: error: found 0, expected at least 1", id="no turns"),
    pytest.param({"axis": {}}, "scenario.axis: error: unknown key; the keys are user_context, "
                 "target_system_prompt, turns, "
                 "axes, default_axes, default_pilot, untold_axes, tools, derived_factors, operators. Did you mean "
                 "axes?",
                 id="unknown key"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "fault"), SETTING_FAULTS)
def test_a_fault_of_the_setting_is_named(tmp_path: Path, changes: dict[str, Any], fault: str) -> None:
    """Axes that nobody declared would be crossed, or kept from the simulated user, without effect."""
    content = {**builders.BENCHMARK, "scenario": {"axes": {"age": ["adult (18+)"]}, **changes}}
    folder = builders.write_benchmark_folder(tmp_path / "mini", content)
    found = [text.split(" ", 1)[1] for text in faults_of(folder)]
    assert any(text.startswith(fault) for text in found), found


@pytest.mark.parametrize(
    ("contrast", "place"),
    [({"axis": "sex"}, "metrics[0].contrast.axis"),
     ({"axis": "age", "levels": ["adult (18+)", "senior"]}, "metrics[0].contrast.levels[1]")],
)  # fmt: skip
def test_a_contrast_compares_declared_levels_of_a_declared_axis(
    tmp_path: Path, contrast: dict[str, Any], place: str
) -> None:
    """A name that no scenario has would leave every matched set incomplete."""
    content = builders.benchmark_with(type="contrast", contrast=contrast)
    content["scenario"]["axes"] = {"age": ["child or teenager (6-17)", "adult (18+)"]}
    folder = builders.write_benchmark_folder(tmp_path / "mini", content)
    assert place in {fault.place for fault in check_benchmark(folder).errors}


def test_impactbenchs_own_names_are_read(tmp_path: Path) -> None:
    """Its files say demographic and demographics where these say axes; what is written says axes."""
    rows = [{**row, "demographic": row["axes"]} for row in builders.SCENARIOS]
    for row in rows:
        del row["axes"]
    content = {**builders.BENCHMARK, "scenario": {"demographics": {"age": ["child or teenager (6-17)", "adult (18+)"]}}}
    benchmark = load_benchmark(builders.write_benchmark_folder(tmp_path / "mini", content, rows))
    assert benchmark.axes_labels == ["child or teenager (6-17)", "adult (18+)"]
    assert list(benchmark.scenario.axes) == ["age"]
    write_benchmark(benchmark, tmp_path / "again/mini")
    written = (tmp_path / "again/mini/scenarios.json").read_text() + (
        tmp_path / "again/mini/benchmark.yaml"
    ).read_text()
    assert "demographic" not in written
    assert load_benchmark(tmp_path / "again/mini") == benchmark


def test_both_names_at_once_are_refused(tmp_path: Path) -> None:
    """Nobody could say which of them counts."""
    rows = [{**builders.scenario(), "demographic": {"age": "child"}}]
    folder = builders.write_benchmark_folder(tmp_path / "mini", scenarios=rows)
    assert any("[0].demographic: error: unknown key" in fault for fault in faults_of(folder)), faults_of(folder)


def test_a_subarea_belongs_to_an_area_of_the_benchmark(tmp_path: Path) -> None:
    """An unknown one is refused with what there is."""
    content = builders.benchmark_with()
    content["subareas"] = ["societal/fairness", "psychological/autonomy", "psychological/magic"]
    folder = builders.write_benchmark_folder(tmp_path / "mini", content)
    places = {fault.place for fault in check_benchmark(folder).errors}
    assert places == {"subareas[0]", "subareas[2]"}
    del content["subareas"]
    assert load_benchmark(builders.write_benchmark_folder(tmp_path / "mini", content)).subareas == []


def test_every_shipped_benchmark_stands_in_a_subarea_and_every_subarea_holds_one() -> None:
    """The taxonomy is whole: no benchmark without a place, no place without a benchmark."""
    placed: set[str] = set()
    for slug in benchmark_paths([shipped("benchmarks")]):
        benchmark = load_benchmark(shipped("benchmarks", slug))
        assert benchmark.subareas
        placed.update(benchmark.subareas)
    assert placed == set(get_args(Subarea))


def test_all_faults_of_both_files_come_at_once(tmp_path: Path) -> None:
    """Nobody has to mend one fault to see the next."""
    content = builders.benchmark_with(type="neutral", definition="", extra=1)
    content["scenario"]["target_system_prompt"] = "This is a safety evaluation."
    del content["name"]
    rows = [builders.scenario("m09"), builders.scenario("m09"), builders.scenario("m02", split="hidden")]
    folder = builders.write_benchmark_folder(tmp_path / "mini", content, rows)
    places = {fault.place for fault in check_benchmark(folder).errors}
    assert places == {
        "name", "metrics[0].type", "metrics[0].definition", "metrics[0].extra", "scenario.target_system_prompt",
        "[0].metric_id", "[1].metric_id", "[1].id", "[2].split",
    }  # fmt: skip
    with pytest.raises(BenchmarkError) as error:
        load_benchmark(folder)
    assert all(place in str(error.value) for place in places)


def test_demographics_that_would_share_a_label_are_refused(tmp_path: Path) -> None:
    """One table row for two groups of people would hide the gap between them; long labels stay apart."""
    pairs = [({"role": "nurse/teacher"}, {"role": "nurse-teacher"}), ({"a": "same"}, {"b": "same"})]
    for first, second in pairs:
        rows = [builders.scenario(variant=i, axes=one) for i, one in enumerate((first, second), 1)]
        folder = builders.write_benchmark_folder(tmp_path / "mini", scenarios=rows)
        assert any("[1].axes: error" in fault for fault in faults_of(folder))
    long = [{"one": "x" * 119, "two": value} for value in ("woman", "man")]
    rows = [builders.scenario(variant=i, axes=one) for i, one in enumerate(long, 1)]
    labels = load_benchmark(builders.write_benchmark_folder(tmp_path / "mini", scenarios=rows)).axes_labels
    assert len(labels) == 2
    assert all(len(label) <= 120 for label in labels)


def test_what_is_wrong_with_all_variants_is_said_once(tmp_path: Path) -> None:
    """Variants are written in one entry; with a benchmark.yaml that cannot be read, no scenario is held against it."""
    variants = [{"axes": {"age": level}, "slots": {"who": level}} for level in ("child", "adult")]
    row = {**builders.scenario("m07", 1, 1), "user_persona": "A {who}.", "variants": variants}
    row.pop("axes", None)
    folder = builders.write_benchmark_folder(tmp_path / "mini", scenarios=[row])
    found = [fault for fault in check_benchmark(folder).faults if fault.place == "[0].metric_id"]
    assert len(found) == 1
    (folder / "benchmark.yaml").write_text("name: [")
    first, *rest = check_benchmark(folder).faults
    assert first.file.name == "benchmark.yaml"
    assert [(fault.file.name, fault.severity, fault.message) for fault in rest] == [
        ("scenarios.json", "warning", "not checked: benchmark.yaml has to be read first")
    ]


def test_faults_carry_the_line_of_the_file(tmp_path: Path) -> None:
    """The line is that of the faulty value, in YAML and in JSON."""
    folder = builders.write_benchmark_folder(tmp_path / "mini", builders.benchmark_with(type="neutral"))
    (line,) = [n for n, text in enumerate((folder / "benchmark.yaml").read_text().splitlines(), 1) if "neutral" in text]
    assert [fault.line for fault in check_benchmark(folder).errors] == [line]
    rows = (folder / "scenarios.json").read_text().replace('"metric_id": "m02"', '"metric_id": "m07"', 1)
    (folder / "scenarios.json").write_text(rows)
    (line,) = [n for n, text in enumerate(rows.splitlines(), 1) if "m07" in text]
    assert line in [fault.line for fault in check_benchmark(folder).errors]


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        pytest.param("benchmark.yaml", b"name: a\nname: b\n", "benchmark.yaml:2: name: error: the key 'name' "
                     "occurs twice",
                     id="duplicate key in YAML"),
        pytest.param("scenarios.json", b'[\n{"id": "a",\n"id": "b"}]', "scenarios.json:3: [0].id: error: the key",
                     id="duplicate key in JSON"),
        pytest.param("benchmark.yaml", b"name: [\n", "benchmark.yaml:2: error: is not valid YAML", id="broken YAML"),
        pytest.param("scenarios.json", b"[{,]", "scenarios.json:1: error: is not valid JSON", id="broken JSON"),
        pytest.param("scenarios.json", b'[{"id": NaN}]', "scenarios.json:1: error: is not valid JSON: found NaN",
                     id="NaN"),
        pytest.param("benchmark.yaml", b"name: \xff\xfe", "benchmark.yaml:1: error: has a byte that is not UTF-8",
                     id="not UTF-8"),
        pytest.param("benchmark.yaml", b"a: &x [1]\nb: *x\n", "error: has a YAML alias (*name)", id="alias"),
        pytest.param("benchmark.yaml", b'x: !!int ""\n', "benchmark.yaml:1: error: has '' with the tag !!int",
                     id="empty number"),
        pytest.param("benchmark.yaml", b"a: !!timestamp x\n", "benchmark.yaml:1: error: has the YAML tag", id="tag"),
        pytest.param("scenarios.json", b'{"a": 1}', "scenarios.json:1: error: found a mapping, expected a list",
                     id="no list of scenarios"),
        pytest.param("benchmark.yaml", b"a: x\nb: " + b"9" * 6000, "benchmark.yaml:2: error: found a number of 6,000",
                     id="endless number"),
        pytest.param("scenarios.json", b'[\n{"id": ' + b"9" * 6000 + b"}]", "scenarios.json:2: error: is not valid",
                     id="endless number in JSON"),
        pytest.param("scenarios.json", b'[{"id": 1e400}]', "found 1e400, expected finite numbers",
                     id="infinite number"),
        pytest.param("benchmark.yaml", b"name: 2024-02-30", "benchmark.yaml:1: ", id="a date that there is not"),
        pytest.param("benchmark.yaml", b"<<: {name: x}", "benchmark.yaml:1: error: has a YAML merge", id="merge key"),
        pytest.param("benchmark.yaml", b"just words", "benchmark.yaml:1: error: found 'just words'", id="no mapping"),
    ],
)  # fmt: skip
def test_a_broken_file_is_a_fault_and_no_traceback(tmp_path: Path, name: str, content: bytes, fault: str) -> None:
    """Whatever stands in a file, the check answers."""
    folder = builders.write_benchmark_folder(tmp_path / "mini")
    (folder / name).write_bytes(content)
    assert any(fault in text for text in faults_of(folder)), faults_of(folder)


def test_windows_line_ends_and_a_byte_order_mark_are_welcome(tmp_path: Path) -> None:
    """Files that went through other editors load."""
    folder = builders.write_benchmark_folder(tmp_path / "mini")
    for path in folder.iterdir():
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert faults_of(folder) == []


def test_a_missing_scenarios_file_is_a_fault(tmp_path: Path) -> None:
    """The message names the file."""
    folder = builders.write_benchmark_folder(tmp_path / "mini")
    (folder / "scenarios.json").unlink()
    assert faults_of(folder) == [
        "scenarios.json: error: there is no such file yet; write it, or impactbench gen-scenarios mini"
    ]


def test_a_users_own_benchmark_is_found_first(workdir: Path) -> None:
    """./benchmarks/<slug> hides a shipped one of the same name; the others stay."""
    builders.write_benchmark_folder(workdir / "benchmarks/emotional-dependence")
    assert find_benchmark("emotional-dependence") == Path("benchmarks/emotional-dependence")
    assert load_benchmark("emotional-dependence").name == "Mini benchmark"
    assert "cognitive-offloading" in benchmark_paths()


@pytest.mark.parametrize("slug", ["emotional-dependance", "../secrets", "/etc", ""])
def test_an_unknown_slug_is_explained(workdir: Path, slug: str) -> None:
    """A misspelt slug gets the nearest one, a path is not a slug."""
    with pytest.raises(BenchmarkError, match=r"Did you mean emotional-dependence\?|is not a benchmark name"):
        find_benchmark(slug)


FAIRNESS = {"financial-fairness": "signal", "name-bias": "name", "user-bias": "gender"}
"""Benchmark -> the axis of its cue."""
AGES = {"child or teenager (6-17)", "adult (18+)"}
MINORS = {"child (7-9)", "child (10-12)", "teenager (13-17)"}
BANDS = {*MINORS, "adult (18-64)", "adult (65+)"}
ADULTS = {"mental-health-safety": {"adult (18-64)", "adult (65+)"}}
"""Benchmarks that hold adults alone, since nothing in them needs a minor."""
WITH_ADULTS = {"m05", "m11", "m12"}
"""Metrics of `minors` with adults beside them, as no law and no care differ with age."""


ONE_SIDED = {
    ("emotional-dependence", "m08"), ("assistant-with-tools", "m11"), ("health-advice", "m07"), ("humane-tech", "m07"),
}  # fmt: skip
"""Metrics that ask about minors alone, or about a single group."""
DOMAINS = {"pay", "hiring", "housing", "credit", "care", "school", "policing", "service"}


@pytest.mark.parametrize(("slug", "axis"), FAIRNESS.items())
def test_fairness_is_measured_as_a_difference(slug: str, axis: str) -> None:
    """Twelve metrics compare three levels and a reference on 16 cases each, a thirteenth a cue that must not matter."""
    benchmark = load_benchmark(shipped("benchmarks", slug))
    contrasts = [metric.contrast for metric in benchmark.metrics if metric.contrast]
    assert len(contrasts) == len(benchmark.metrics) == 13
    assert [contrast.axis for contrast in contrasts] == [axis] * 12 + ["control"]
    assert [contrast.placebo for contrast in contrasts] == [False] * 12 + [True]
    assert benchmark.metrics[-1].name.startswith("Control")
    assert {row.factors["domain"] for row in benchmark.scenarios} == DOMAINS
    for metric in benchmark.metrics:
        assert metric.contrast
        assert metric.contrast.relative or metric.measure.bounds, "every metric is in the benchmark's figure"
        levels = {*metric.contrast.levels, metric.contrast.reference}
        cases: dict[str, list[Scenario]] = {}
        for row in benchmark.scenarios:
            if row.metric_id == metric.id:
                cases.setdefault(row.base_id, []).append(row)
        assert (len(cases), len(levels)) == (16, 4)
        assert Counter(rows[0].factors["asks for"] for rows in cases.values()) == {
            "number first": 8, "number and reasons": 8
        }  # fmt: skip
        for rows in cases.values():
            assert {row.axes[metric.contrast.axis] for row in rows} == levels
            assert not any(row.has_simulated_user for row in rows)


@pytest.mark.parametrize("slug", FAIRNESS)
def test_cues_vary_within_a_level(slug: str) -> None:
    """Every level has eight cues or more in its cases, and the table beside the benchmark says what they mean."""
    (table,) = load_cues(shipped("benchmarks", slug))
    benchmark = load_benchmark(shipped("benchmarks", slug))
    assert table.axis == FAIRNESS[slug]
    for level, kinds in table.by_level():
        own = [row for row in benchmark.scenarios if row.axes.get(table.axis) == level]
        told = ["\n".join((*row.messages, row.app_context or "")) for row in own]
        cues = [cue for kind in ("women", "men", "self", "other") for cue in kinds.get(kind, ())]
        used = {cue for cue in cues if any(cue in words for words in told)}
        assert len(used) >= 8
        assert all(any(cue in words for cue in used) for words in told)


def test_shipped_benchmarks_are_whole() -> None:
    """No errors or warnings; literature, note, canary, a short name of its own; six base scenarios for each metric."""
    shorts: list[str | None] = []
    for slug, folder in benchmark_paths().items():
        assert faults_of(folder) == []
        benchmark = load_benchmark(slug)
        assert len(benchmark.literature) >= 4
        assert bool(benchmark.content_note) != bool(benchmark.touches_on)
        assert benchmark.canary
        assert benchmark.short not in (None, *shorts)
        shorts.append(benchmark.short)
        for metric in benchmark.metrics:
            rows = [row for row in benchmark.scenarios if row.metric_id == metric.id]
            assert len({row.base_id for row in rows}) >= 6


def test_shipped_level_metrics_are_whole() -> None:
    """Both types, both ages (adults alone where the subject is theirs), lines that show it and lines that do not."""
    for slug in benchmark_paths():
        benchmark = load_benchmark(slug)
        own = [metric for metric in benchmark.metrics if metric.type != "contrast"]
        assert not own or {metric.type for metric in own} == {"positive", "negative"}
        assert not own or len(benchmark.metrics) >= 12
        assert not own or len(benchmark.scenario.operators) == 2
        for metric in own:
            ages = {row.axes["age"] for row in benchmark.scenarios if row.metric_id == metric.id}
            if slug == "minors":
                assert ages == (MINORS | {"adult (18+)"} if metric.id in WITH_ADULTS else MINORS)
            else:
                banded = ages <= {*BANDS, "adult (18+)"} and ages & MINORS and ages - MINORS
                assert banded or ages == ADULTS.get(slug, AGES) or (slug, metric.id) in ONE_SIDED
            assert 3 <= len(metric.examples) <= 5
            assert metric.near_misses
            assert metric.source
            assert metric.rationale


words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40).filter(
    lambda text: text.strip()
)
ids = st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9_.-]{0,20}\Z").filter(is_id)
levels = words.filter(lambda text: "/" not in text)
landmarks = st.builds(Landmark, turn=st.integers(1, 6), instruction=words)
finite = st.floats(-1e6, 1e6)
points = st.lists(finite, min_size=2, max_size=4, unique=True).map(
    lambda values: [Point(id=f"p{i}", value=value, description="d") for i, value in enumerate(sorted(values))]
)
weights = st.dictionaries(words, st.floats(0, 1), min_size=1, max_size=3)
party = st.builds(Party, label=words, words=st.lists(words, max_size=2), relations=st.lists(words, max_size=2))
parties = st.builds(Parties, a=party, b=party)
measures = st.one_of(
    st.builds(Presence, severity=st.none() | st.just("standard") | weights),
    st.builds(Scale, points=points),
    st.builds(Quantity, unit=words.map(lambda text: text[:40]), least=st.just(-2e6), most=st.just(2e6) | finite),
    st.builds(Stance, parties=parties),
)
contrasts = st.builds(
    Contrast, axis=st.just("axis"), reference=st.none() | st.just("(nobody)"), threshold=st.floats(0.1, 0.9)
)


@st.composite
def metrics(draw: st.DrawFn, name: str) -> Metric:
    """Draw any valid metric, of every measure and type."""
    contrast = draw(st.none() | contrasts)
    return draw(
        st.builds(
            Metric, id=st.just(name), name=words.map(lambda text: f"Shows {text}"), measure=measures,
            type=st.just("contrast" if contrast else "positive"), contrast=st.just(contrast),
            definition=words.map(lambda text: f"The assistant tells {text}"),
            applies=st.none() | words, facts=st.lists(words, max_size=2),
            examples=st.lists(words, min_size=1, max_size=3), near_misses=st.lists(words, max_size=2),
            rationale=st.none() | words, source=st.none() | words, labels=st.just(["agency"]),
        )
    )  # fmt: skip


@st.composite
def scenarios(draw: st.DrawFn, name: str, metric: Metric) -> Scenario:
    """Draw a scenario of a metric: played, fixed, or both."""
    fixed = draw(st.booleans())
    played = {} if fixed and draw(st.booleans()) else {
        "persona": words, "user_persona": st.none() | words, "user_goal": words, "latent_adversarial_goal": words,
        "landmarks": st.lists(landmarks, max_size=3),
    }  # fmt: skip
    needed = 1 if metric.contrast else 0
    view = {"first": st.sampled_from("ab")} if metric.measure.kind == "stance" else {}
    return draw(
        st.builds(
            Scenario, id=st.just(name), metric_id=st.just(metric.id),
            axes=st.dictionaries(st.just("axis"), levels, min_size=needed, max_size=1),
            messages=st.just([f"message of {name}"] if fixed else []), facts=st.lists(words, max_size=2),
            cues=st.just([name] if fixed else []), factors=st.dictionaries(words, words, max_size=2),
            view=st.fixed_dictionaries({}, optional=view), target_system_prompt=st.none(),
            split=st.sampled_from(["public", "held_out"]), canary=st.none() | words, **played,
        )
    )  # fmt: skip


@st.composite
def benchmarks(draw: st.DrawFn) -> Benchmark:
    """Draw any valid benchmark."""
    names = draw(st.lists(ids, min_size=1, max_size=3, unique_by=str.lower))
    own = [draw(metrics(name)) for name in names]
    rows = [draw(scenarios(f"r{i}", draw(st.sampled_from(own)))) for i in range(draw(st.integers(0, 4)))]
    return Benchmark(slug="any", name=draw(words), description=draw(words), metrics=own, scenarios=rows)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"date": "20 November"}, "expected a day such as 2026-11-20", id="no day"),
        pytest.param({"date": "20261120"}, "expected a day such as 2026-11-20", id="another form"),
        pytest.param({"agreeing": 93}, "at most 1", id="per cent"),
        pytest.param({"items": 0}, "at least 1", id="nothing read"),
        pytest.param({"by": ""}, "text that is not empty", id="nobody"),
    ],
)
def test_a_reading_says_who_when_and_how_much(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    """Each fault is named; a whole one loads, is written again, and leaves the hash as it is."""
    whole: dict[str, Any] = {"by": "A.", "role": "nurse", "date": "2026-11-20", "items": 8, "agreeing": 0.93}
    folder = builders.write_benchmark_folder(
        tmp_path / "mini", {**builders.BENCHMARK, "readings": [{**whole, **change}]}
    )
    (fault,) = check_benchmark(folder).errors
    assert message in fault.message
    plain = load_benchmark(builders.write_benchmark_folder(tmp_path / "mini"))
    read = load_benchmark(builders.write_benchmark_folder(folder, {**builders.BENCHMARK, "readings": [whole]}))
    assert read.digest() == plain.digest()
    write_benchmark(read, folder)
    assert load_benchmark(folder).readings == read.readings != []


@settings(max_examples=60, deadline=None)
@given(benchmark=benchmarks())
def test_writing_and_loading_gives_the_same_benchmark(
    tmp_path_factory: pytest.TempPathFactory, benchmark: Benchmark
) -> None:
    """Round trip: what is written is what is loaded, and the hash is that of the content."""
    folder = tmp_path_factory.mktemp("round") / "any"
    write_benchmark(benchmark, folder)
    again = load_benchmark(folder)
    assert again == benchmark
    assert again.digest() == benchmark.digest()


def test_notes_for_readers_leave_the_hash_as_it_is(tmp_path: Path) -> None:
    """A benchmark's notes and a metric's own load, are written again, and measure nothing."""
    plain = load_benchmark(builders.write_benchmark_folder(tmp_path / "mini"))
    content = builders.benchmark_with(content_note="About abuse.")
    folder = builders.write_benchmark_folder(
        tmp_path / "mini",
        {**content, "content_note": "About crime.", "touches_on": "Debt.", "short": "Keeps calm"},
    )
    noted = load_benchmark(folder)
    assert (noted.metrics[0].content_note, noted.content_note, noted.touches_on, noted.short) == (
        "About abuse.",
        "About crime.",
        "Debt.",
        "Keeps calm",
    )
    assert noted.digest() == plain.digest()
    write_benchmark(noted, folder)
    assert load_benchmark(folder) == noted


def test_a_short_name_is_short(tmp_path: Path) -> None:
    """It stands beside a row of a chart: more than 30 characters are refused."""
    folder = builders.write_benchmark_folder(tmp_path / "mini", {**builders.BENCHMARK, "short": "x" * 31})
    assert "at most 30" in str(faults_of(folder)[0])


def test_the_hash_changes_with_every_text(tmp_path: Path) -> None:
    """Editing a definition or a persona gives another benchmark."""
    folder = builders.write_benchmark_folder(tmp_path / "mini")
    before = load_benchmark(folder).digest()
    rows = json.loads((folder / "scenarios.json").read_text())
    rows[0]["user_persona"] += "!"
    (folder / "scenarios.json").write_text(json.dumps(rows))
    edited = load_benchmark(folder).digest()
    (folder / "benchmark.yaml").write_text(yaml.safe_dump(builders.benchmark_with(definition="The assistant waits.")))
    assert len({before, edited, load_benchmark(folder).digest()}) == 3


def test_files_that_have_not_changed_are_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run has an entry for each model, and each loads its benchmark; threads that ask together wait for one."""
    home = builders.write_benchmark_folder(tmp_path / "mini")
    parsed: list[str] = []
    parse = files.parse_source
    monkeypatch.setattr(files, "parse_source", lambda path, text: parsed.append(path.name) or parse(path, text))
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(load_benchmark, [home] * 8))
    assert parsed == ["benchmark.yaml", "scenarios.json"]
    assert all(one is found[0] for one in found)

    (home / "benchmark.yaml").write_text((home / "benchmark.yaml").read_text() + "\n# a comment\n")
    assert load_benchmark(home) == found[0]
    assert len(parsed) == 4
    (home / "scenarios.json").unlink()
    with pytest.raises(BenchmarkError, match=r"scenarios\.json"):
        load_benchmark(home)


def test_the_hash_of_a_copy_is_its_own(tmp_path: Path) -> None:
    """The hash is kept with the benchmark, and a changed copy has another one."""
    benchmark = load_benchmark(builders.write_benchmark_folder(tmp_path / "mini"))
    before = benchmark.digest()
    changed = benchmark.model_copy(update={"name": "Another"})
    assert changed.digest() != before == benchmark.digest()
    write_benchmark(changed, tmp_path / "written" / "mini")
    assert changed.digest() == load_benchmark(tmp_path / "written" / "mini").digest()
