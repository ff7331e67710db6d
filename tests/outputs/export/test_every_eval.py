"""Records of Every Eval Ever: the fields its schema requires, and figures that are those of `impactbench rates`."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from helm_impactbench.analysis.gate import GAP_SIZE
from helm_impactbench.analysis.rows import rate_rows
from helm_impactbench.benchmark.metric import Contrast
from helm_impactbench.conversation.simulator import simulator_prompts
from helm_impactbench.judging.question import judge_prompts
from helm_impactbench.outputs.export.every_eval_figures import figures_of
from helm_impactbench.outputs.export.every_eval_files import write_every_eval
from helm_impactbench.outputs.export.every_eval_record import Evaluator, model_info
from helm_impactbench.outputs.export.runs import read_run
from helm_impactbench.prompts import prompts_digest
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.repeats import selected_runs
from tests.support import kinds

Texts = dict[str, str]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _ModelDetails(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)
    __pydantic_extra__: Texts = Field(init=False)
    deployment_type: Literal["self_deployed", "externally_managed", "unknown"]
    model_availability: Literal["open_weights", "closed_weights", "unknown"]


class _Model(_Strict):
    name: str
    id: str = Field(pattern="^[^/]+/[^/]+$")
    developer: str
    inference_platform: str
    additional_details: _ModelDetails


class _Judge(_Strict):
    model_info: _Model
    temperature: float


class _Judging(_Strict):
    judges: list[_Judge] = Field(min_length=1)
    input_prompt: str = Field(min_length=1)
    aggregation_method: Literal["majority_vote", "average", "weighted_average", "median"] | None = None


class _Metric(_Strict):
    evaluation_description: str
    metric_id: str
    metric_name: str
    metric_kind: str
    metric_unit: str
    metric_parameters: dict[str, str | float] = {}
    lower_is_better: bool
    score_type: Literal["continuous"]
    min_score: FiniteFloat
    max_score: FiniteFloat | Literal["Infinity"]
    llm_scoring: _Judging | None = None
    additional_details: Texts


class _Interval(_Strict):
    lower: FiniteFloat
    upper: FiniteFloat
    confidence_level: float
    method: str


class _Uncertainty(_Strict):
    num_samples: int = Field(ge=1)
    confidence_interval: _Interval | None = None


class _Score(_Strict):
    score: FiniteFloat
    details: Texts
    uncertainty: _Uncertainty


class _SourceData(_Strict):
    dataset_name: str
    source_type: Literal["other"]
    additional_details: Texts


class _Generation(_Strict):
    generation_args: dict[Literal["temperature", "max_tokens"], float]
    additional_details: Texts


class _Result(_Strict):
    evaluation_result_id: str
    evaluation_name: str
    source_data: _SourceData
    metric_config: _Metric
    score_details: _Score
    generation_config: _Generation


class _Source(_Strict):
    source_name: str
    source_type: Literal["evaluation_run"]
    source_organization_name: str
    evaluator_relationship: Literal["first_party", "third_party", "collaborative", "other"]
    additional_details: Texts


class _Library(_Strict):
    name: str
    version: str
    additional_details: Texts


class _Record(_Strict):
    """What the aggregate schema, version 0.3.0, allows of what we write."""

    schema_version: Literal["0.3.0"]
    evaluation_id: str
    evaluation_timestamp: str = Field(pattern="^[0-9]+$")
    retrieved_timestamp: str = Field(pattern="^[0-9]+$")
    source_metadata: _Source
    eval_library: _Library
    model_info: _Model
    evaluation_results: list[_Result] = Field(min_length=1)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[RunFolder]:
    """The runs of two targets on a benchmark with every kind of measurement."""
    suite = tmp_path_factory.mktemp("kinds")
    for target in ("bad", "good"):
        kinds.write_run(suite, target)
    return selected_runs(suite)


@pytest.fixture(scope="module")
def exported(runs: list[RunFolder], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Their records."""
    folder = tmp_path_factory.mktemp("records")
    assert write_every_eval(folder, runs, Evaluator("Lab", "third_party")) == []
    return folder


def record(folder: Path, target: str) -> dict[str, Any]:
    """Return the record of a target."""
    (path,) = folder.glob(f"data/kinds/org/{target}/*.json")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def results(folder: Path, target: str) -> dict[str, dict[str, Any]]:
    """Return a target's results by their ids."""
    return {result["evaluation_result_id"]: result for result in record(folder, target)["evaluation_results"]}


def test_a_record_per_run_has_the_fields_of_the_schema(exported: Path) -> None:
    """Below benchmark, developer and model, under a UUID of version 4; every score is within its range."""
    paths = sorted(exported.rglob("*.json"))
    assert [path.relative_to(exported).parts[:-1] for path in paths] == [
        ("data", "kinds", "org", "bad"), ("data", "kinds", "org", "good"),
    ]  # fmt: skip
    for path in paths:
        assert uuid.UUID(path.stem).version == 4
        found = _Record.model_validate_json(path.read_text(encoding="utf-8"))
        assert found.source_metadata.source_organization_name == "Lab"
        for result in found.evaluation_results:
            top = result.metric_config.max_score
            assert result.metric_config.min_score <= result.score_details.score
            assert top == "Infinity" or result.score_details.score <= top
            assert [judge.model_info.id for judge in result.metric_config.llm_scoring.judges] == ["j/one", "j/two"]


def test_the_same_run_gives_the_same_bytes(runs: list[RunFolder], exported: Path, tmp_path: Path) -> None:
    """Under the same name too."""
    write_every_eval(tmp_path, runs, Evaluator("Lab", "third_party"))
    before, after = ({p.relative_to(f): p.read_bytes() for p in f.rglob("*.json")} for f in (exported, tmp_path))
    assert before == after


@pytest.mark.parametrize("by", ["benchmark", "metric"])
def test_rates_and_intervals_are_those_of_the_command_rates(runs: list[RunFolder], exported: Path, by: str) -> None:
    """Of the benchmark and of each level metric; the missing verdicts are counted beside them."""
    rows = rate_rows([outcome for run in runs for outcome in run.outcomes()], by)
    assert len(rows) == 2 * (1 if by == "benchmark" else 4)
    for row in rows:
        name = "kinds" if by == "benchmark" else f"kinds.{row['part']}"
        score = results(exported, row["model"].removeprefix("org/"))[f"{name}:pass_rate"]["score_details"]
        interval = score["uncertainty"]["confidence_interval"]
        shown = (score["score"], interval["lower"], interval["upper"], score["uncertainty"]["num_samples"])
        assert shown == (row["pass_rate"], row["low_these"], row["high_these"], row["scored"])
        details = score["details"]
        assert int(details["unscored"]) == row["unscored"] + row["unclear"]
        assert (float(details["if_missing_fail"]), float(details["if_missing_pass"])) == (
            row["worst_case"], row["best_case"],
        )  # fmt: skip


def test_contrasts_are_distances_from_no_difference(exported: Path) -> None:
    """Lower is better; the signed figure is beside it, and a quantity without a limit keeps its unit."""
    bad = results(exported, "bad")
    pays = bad["kinds.pays:contrast_gap_size:Aisha:Anna"]
    assert (pays["score_details"]["score"], pays["score_details"]["details"]["signed"]) == (10000.0, "-10000.0")
    config = pays["metric_config"]
    assert (config["lower_is_better"], config["metric_unit"], config["max_score"]) == (
        True, "US dollars a year", "Infinity",
    )  # fmt: skip
    assert config["metric_parameters"] == {"first": "Aisha", "second": "Anna"}
    assert bad["kinds.sides:both_sides_rate"]["score_details"]["score"] == 1.0
    assert results(exported, "good")["kinds.sides:both_sides_rate"]["score_details"]["score"] == 0.0


def test_the_interval_of_a_distance_holds_the_sizes_of_the_signed_one(exported: Path) -> None:
    """From 0 where the signed interval has both signs."""
    for target in ("bad", "good"):
        for result in record(exported, target)["evaluation_results"]:
            details, interval = result["score_details"]["details"], result["score_details"]["uncertainty"]
            if "signed_low" not in details:
                continue
            low, high = float(details["signed_low"]), float(details["signed_high"])
            both = low <= 0 <= high
            found = interval["confidence_interval"]
            assert found["lower"] == (0 if both else min(abs(low), abs(high)))
            assert found["upper"] == max(abs(low), abs(high))


def test_the_widest_of_several_differences_has_no_interval(runs: list[RunFolder]) -> None:
    """It was chosen by its size; each pair has an interval of its own."""
    run = read_run(runs[0])
    three = [replace(o, contrast=Contrast(axis="teller")) for o in run.outcomes if o.metric_id == "sides"]
    sizes = [f for f in figures_of(replace(run, outcomes=tuple(three))) if f.kind == GAP_SIZE and f.metric is None]
    assert [figure.levels for figure in sizes] == [("a", "b"), ("a", "neutral"), ("b", "neutral"), ()]
    assert [figure.interval.is_known for figure in sizes] == [True, True, True, False]
    assert sizes[-1].value == max(figure.value for figure in sizes)


def test_metrics_without_a_common_unit_are_named_and_their_conversations_not_counted(exported: Path) -> None:
    """The distance over the whole benchmark rests on one of its two contrast metrics."""
    whole = results(exported, "bad")["kinds:contrast_gap_size:a:b"]
    details = whole["score_details"]["details"]
    assert (details["left_out"], details["conversations"]) == ("kinds/pays", "9")
    assert "kinds/pays" in whole["metric_config"]["evaluation_description"]


def test_a_run_without_a_figure_has_no_record(tmp_path: Path) -> None:
    """No number stands for what was not measured; the run is named instead."""
    unscored = [record for record in kinds.records("bad") if record.verdict.status != "scored"]
    run = kinds.write_run(tmp_path / "suite", "bad", unscored)
    assert write_every_eval(tmp_path / "out", [run], Evaluator()) == [run.name]
    assert not list(tmp_path.glob("out/**/*.json"))


def test_judges_words_are_given_where_they_are_known(tmp_path: Path) -> None:
    """They are known when the run's templates are the installed ones; otherwise the record says they are not."""
    run = kinds.write_run(tmp_path / "suite", "bad")
    write_every_eval(tmp_path / "before", [run], Evaluator())
    scenario = json.loads((run.path / "scenario.json").read_text())
    scenario["provenance"]["prompts_digest"] = prompts_digest(
        [*simulator_prompts().values(), *judge_prompts().values()]
    )
    (run.path / "scenario.json").write_text(json.dumps(scenario))
    write_every_eval(tmp_path / "after", [RunFolder(run.path)], Evaluator())
    prompts = [
        results(tmp_path / name, "bad")["kinds.harms:pass_rate"]["metric_config"]["llm_scoring"]["input_prompt"]
        for name in ("before", "after")
    ]
    assert prompts[0].startswith("Not known word for word")
    assert "The assistant does harms." in prompts[1]


@pytest.mark.parametrize(
    ("deployment", "model", "expected"),
    [
        ("litellm/openai/gpt-4o", "openai/gpt-4o", ("openai/gpt-4o", "openai", "openai", "false")),
        (
            "litellm/openrouter/anthropic/claude-sonnet-4-6", "",
            ("anthropic/claude-sonnet-4-6", "anthropic", "openrouter", "false"),
        ),
        ("rehearsal/harmful", "", ("rehearsal/harmful", "rehearsal", "helm_impactbench", "true")),
    ],
    ids=["direct", "router", "script"],
)  # fmt: skip
def test_models_are_named_by_developer(deployment: str, model: str, expected: tuple[str, ...]) -> None:
    """The platform is who served it, and a script is marked as such."""
    found = model_info(deployment, model)
    scripted = found["additional_details"]["scripted"]
    assert (found["id"], found["developer"], found["inference_platform"], scripted) == expected
    assert ("a script, not a model" in found["name"]) == (scripted == "true")
