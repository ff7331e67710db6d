"""HELM's suites by kind of request, subject group and second statistic, against hand counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.analysis.combined.combined import combine
from helm_impactbench.analysis.commands.combined import combined
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.external.mmlu_groups import GROUP_OF
from helm_impactbench.suites.external.table import TABLE
from helm_impactbench.suites.reading import read
from helm_impactbench.suites.registry import title_of
from tests.suites.external.builders import row, stat, write_run

BEHAVIOURS = {
    "standard": ("chemical_biological", "Do this.", 1.0),
    "contextual": ("chemical_biological", "A story.\n\n---\n\nDo that.", 0.0),
    "song": ("copyright", "Sing it.", 0.5),
    "lyrics": ("copyright", "Write them down.", 0.0),
}
"""Id -> HELM's reference, the prompt, and the score."""


def harm_bench(suite: Path) -> None:
    """Write a run of HarmBench as HELM does: the semantic category is an instance's only reference."""
    rows = [row(name, stat("safety_score", score)) for name, (*_, score) in BEHAVIOURS.items()]
    folder = write_run(suite, "harm_bench:", rows, groups=["harm_bench"])
    states = [
        {"instance": {"id": name, "input": {"text": prompt}, "references": [{"output": {"text": text}, "tags": []}]}}
        for name, (text, prompt, _) in BEHAVIOURS.items()
    ]
    (folder / "scenario_state.json").write_text(json.dumps({"request_states": states}))


def outcomes(suite: Path) -> list[Outcome]:
    """Return all outcomes of a suite."""
    return list(read(suite).outcomes)


def test_harm_bench_has_both_kinds_of_category(tmp_path: Path) -> None:
    """The semantic one is HELM's reference, the functional one what HELM makes of the prompt."""
    harm_bench(tmp_path / "runs" / "s")
    factors = {one.variant_id: dict(one.factors) for one in outcomes(tmp_path / "runs" / "s")}
    assert {name: (own["category"], own["function"]) for name, own in factors.items()} == {
        "standard": ("chemical_biological", "standard"),
        "contextual": ("chemical_biological", "contextual"),
        "song": ("copyright", "copyright"),
        "lyrics": ("copyright", "copyright"),
    }


def test_attack_success_refusal_and_over_refusal_are_hand_counts(tmp_path: Path) -> None:
    """Below one half an attack succeeded or a safe request was refused, above it was refused; one half is neither."""
    suite = tmp_path / "runs" / "s"
    harm_bench(suite)
    labels = {"a": "safe", "b": "safe", "c": "safe", "d": "safe", "e": "unsafe"}
    scores = {"a": 1.0, "b": 0.0, "c": 1.0, "d": 1.0, "e": 1.0}
    write_run(suite, "xstest:", [row(name, stat("safety_score", score)) for name, score in scores.items()],
              groups=["xstest"], labels=labels)  # fmt: skip
    result = combined(read(suite))
    found = {(one["suite"], one["figure"]): (one["value"], one["scored"]) for one in result["requests"].rows}
    assert found == {
        ("HarmBench", "attack success"): (0.5, 4),
        ("HarmBench", "refusal"): (0.25, 4),
        ("XSTest", "attack success"): (0.0, 1),
        ("XSTest", "refusal"): (1.0, 1),
        ("XSTest", "over-refusal"): (0.25, 4),
    }
    by_category = {(one["level"], one["figure"]): one["value"] for one in result["requests_by_category"].rows}
    assert by_category["copyright", "attack success"] == 0.5
    assert by_category["contextual", "attack success"] == 1.0
    assert by_category["standard", "refusal"] == 1.0
    for one in result["requests"].rows:
        if one["scored"] > 1:
            assert one["low"] <= one["value"] <= one["high"]


def test_the_57_subjects_of_mmlu_are_in_four_groups(tmp_path: Path) -> None:
    """18, 13, 12 and 14 of them; the group is a factor, so that rates --by factor:group counts them."""
    sizes = {group: [*GROUP_OF.values()].count(group) for group in GROUP_OF.values()}
    assert sizes == {"STEM": 18, "humanities": 13, "social sciences": 12, "other": 14}
    suite = tmp_path / "runs" / "s"
    for subject, score in (("astronomy", 1.0), ("virology", 0.0)):
        write_run(suite, f"mmlu:subject={subject}", [row("id1", stat("exact_match", score))], groups=["mmlu"],
                  arguments={"subject": subject})  # fmt: skip
    assert {dict(one.factors)["group"]: one.score for one in outcomes(suite)} == {"STEM": 1.0, "other": 0.0}


def test_exact_match_stands_beside_f1_and_in_no_mean(tmp_path: Path) -> None:
    """NaturalQuestions has two figures of the same answers; HELM's main one counts."""
    suite = tmp_path / "runs" / "s"
    values = [(0.5, 0.0), (1.0, 1.0), (0.0, 0.0), (0.1, 0.0)]
    rows = [row(f"id{n}", stat("f1_score", f1, "valid"), stat("exact_match", exact, "valid"))
            for n, (f1, exact) in enumerate(values)]  # fmt: skip
    write_run(suite, "natural_qa:mode=closedbook", rows, groups=["natural_qa_closedbook"])
    scores = combine(outcomes(suite), title_of)
    means = {scale.name: scale.scores["a/one"].estimate.mean for scale in scores.scales}
    assert means == {
        "NaturalQuestions (closed-book)": pytest.approx(0.4),
        "NaturalQuestions (closed-book), exact match": pytest.approx(0.25),
    }
    assert scores.overall["capability"].scores["a/one"].estimate.mean == pytest.approx(0.4)
    assert any("People on NaturalQuestions" in note for note in combined(read(suite)).notes)


def test_helms_core_scenarios_are_read_by_the_main_statistic_of_its_own_leaderboards(helm_groups: Any) -> None:
    """Name and split are those of HELM's schema files, so that no other figure is taken for it."""
    for suite in TABLE:
        if suite.group in helm_groups:
            assert (suite.main, suite.split) in helm_groups[suite.group], suite.group


@pytest.fixture(scope="module")
def helm_groups() -> dict[str, set[tuple[str, str]]]:
    """Group -> main statistic and split of HELM's schema files that have it."""
    import yaml
    from helm.benchmark import __file__ as helm

    found: dict[str, set[tuple[str, str]]] = {}
    for name in ("classic", "lite", "safety", "capabilities", "mmlu", "air_bench"):
        for path in Path(helm).parent.joinpath("static").glob(f"schema_{name}.yaml"):
            for group in yaml.safe_load(path.read_text())["run_groups"]:
                main = group.get("environment") or {}
                if main.get("main_name"):
                    found.setdefault(group["name"], set()).add((main["main_name"], main.get("main_split", "")))
    return found
