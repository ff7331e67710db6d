"""From judgements to statistics: every rate with its own denominator, and one table of names."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest
from helm.benchmark.presentation.schema import read_schema, validate_schema

from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.conversation.plan import plan_case
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.conversation.run_options import RunOptions
from helm_impactbench.files.resources import shipped
from helm_impactbench.helm import stat_names as names
from helm_impactbench.helm.metric import ImpactBenchMetric
from helm_impactbench.helm.run_values import contrast_values, run_values
from helm_impactbench.helm.schema import schema_text
from helm_impactbench.helm.values import conversation_values
from helm_impactbench.judging.panel import decide
from helm_impactbench.judging.verdict import UNSCORED_REASONS, CheckResult, Unscored, Verdict, Vote, unscored
from helm_impactbench.llm.usage import UNKNOWN_USAGE, Usage
from helm_impactbench.results.outcome import outcome_of
from helm_impactbench.results.record import Record
from tests.judging.builders import MEASURES, metric
from tests.judging.test_judge_conversation import case
from tests.support import builders
from tests.support.outcomes import contrast_outcome, outcome

HELD = Conversation(
    status=Status.COMPLETE,
    turns=(Turn(number=1, user="u", assistant="a"),),
    target_usage=Usage(calls=1, prompt_tokens=5, completion_tokens=2, cost_usd=0.25),
    user_usage=UNKNOWN_USAGE,
)


def values(verdict: Verdict, tmp_path: Path, conversation: Conversation = HELD) -> dict[str, list[float]]:
    """Return the values of a conversation on the second, negative metric."""
    benchmark = load_benchmark(builders.write_benchmark_folder(tmp_path / "mini"))
    planned = plan_case(benchmark, "digest", benchmark.scenarios[2], 0, RunOptions(user="u", turns=1))
    return conversation_values(Record(planned, conversation, verdict))


def measured(name: str, value: float, teller: str = "a") -> dict[str, list[float]]:
    """Return the values of a conversation on a metric of a measure, which a judge gave this value."""
    own = case(metric(name), teller)
    return conversation_values(Record(own, HELD, decide(own.metric, (Vote(judge="j", value=value),))))


def test_a_scored_conversation(tmp_path: Path) -> None:
    """It counts in the overall rate, in its type's and its metric's, and in no other."""
    verdict = Verdict(status="scored", value=0, score=1, votes=(Vote(judge="j", answer="absent", value=0),))
    found = values(verdict, tmp_path)
    assert found["pass_rate"] == found["negative_pass_rate"] == found["pass_rate_mini_m02"] == [1.0]
    assert "positive_pass_rate" not in found
    assert "pass_rate_mini_m01" not in found
    assert found["unscored"] == found["not_applicable"] == found["unclear"] == [0.0]
    assert found["grounded_evidence_rate"] == []


def rates_in(found: dict[str, list[float]]) -> list[str]:
    """Return the names of rates that got a value."""
    return [
        name for name, own in found.items() if own and ("pass_rate" in name or "contrast" in name or "side" in name)
    ]


@pytest.mark.parametrize("reason", list(Unscored))
def test_an_unscored_conversation(tmp_path: Path, reason: Unscored) -> None:
    """Law 4: no rate gets a value from it; it is counted under its own reason."""
    found = values(unscored(reason), tmp_path)
    assert rates_in(found) == []
    assert found["unscored"] == [1.0]
    assert {name for name, value in found.items() if name.startswith("unscored_") and value == [1.0]} == {
        f"unscored_{reason.value}"
    }


@pytest.mark.parametrize("status", ["not_applicable", "unclear"])
@pytest.mark.parametrize("name", MEASURES)
def test_what_does_not_arise_or_is_in_doubt_is_counted_and_is_no_pass(tmp_path: Path, name: str, status: str) -> None:
    """Law 4 for every measure: a share of all conversations under its own name, and part of no rate."""
    own = case(metric(name))
    found = conversation_values(Record(own, HELD, Verdict.model_validate({"status": status})))
    assert rates_in(found) == []
    assert found.get("level_mean", []) == []
    assert (found[status], found["unscored"]) == ([1.0], [0.0])


def test_a_point_between_the_ends_adds_its_share() -> None:
    """The mean of a scale's scores is the rate; the severity of what is present stands beside it."""
    assert measured("scale", 1)["pass_rate"] == [0.5]
    assert measured("quantity", 250)["pass_rate"] == measured("quantity", 250)["pass_rate_b_m"] == [0.75]
    own = case(metric("severity"))
    votes = (Vote(judge="j", value=1, severity=2 / 3),)
    assert conversation_values(Record(own, HELD, decide(own.metric, votes)))["mean_severity"] == [2 / 3]


@pytest.mark.parametrize(("value", "side"), [(1, "high"), (0.34, "high"), (0.33, "middle"), (-0.5, "low")])
def test_a_contrast_adds_its_value_and_its_side_and_no_pass(value: float, side: str) -> None:
    """At its level; nothing of it is in a pass rate."""
    found = measured("stance", value, "b")
    assert found["level_mean"] == [value]
    sides = {name: own for name, own in found.items() if name.startswith("side_")}
    assert sides == {f"side_{one}_rate": [float(one == side)] for one in ("high", "middle", "low")}
    assert not [name for name in found if "pass_rate" in name]


def test_checks_add_what_was_decided(tmp_path: Path) -> None:
    """An undecided check has no value, and no zero."""
    checks = {"awareness": CheckResult(answer=True), "plausibility": CheckResult(undecided=Unscored.PANEL_TIE),
              "teller": CheckResult(answer=False)}  # fmt: skip
    found = values(Verdict(status="scored", value=0, score=1, checks=checks), tmp_path)
    assert found["awareness_rate"] == [1.0]
    assert found["teller_guessed"] == [0.0]
    assert "plausibility_rate" not in found


def test_unknown_tokens_and_prices_are_no_zeros(tmp_path: Path) -> None:
    """A role without counts has no tokens and no dollars, and its calls without a price are counted."""
    found = values(unscored(Unscored.JUDGE_ERROR), tmp_path)
    assert found["target_cost_usd"] == [0.25]
    assert found["target_prompt_tokens"] == [5.0]
    assert found["user_prompt_tokens"] == found["user_cost_usd"] == []
    assert found["user_unpriced_calls"] == [1.0]


def test_every_value_has_a_name_for_people(tmp_path: Path) -> None:
    """What is emitted is in the table of names, and the table holds nothing twice."""
    known = [stat.name for stat in names.STATS]
    assert len(set(known)) == len(known)
    found = values(Verdict(status="scored", value=1, score=0), tmp_path)
    benchmark = load_benchmark(tmp_path / "mini")
    assert set(found) <= {*known, *(stat.name for stat in names.metric_stats(benchmark))}
    assert set(measured("stance", 0.5)) <= set(known)
    assert set(run_values([outcome(), outcome(None)])) <= set(known)
    sides = [contrast_outcome(value, level) for value, level in ((1.0, "a"), (0.5, "b"), (0.0, "neutral"))]
    shown = load_benchmark("moral-sycophancy").model_copy(update={"slug": "sides"})
    own = {stat.name for stat in names.metric_stats(shown)}
    assert set(contrast_values(sides)) <= {*known, *own}


def test_every_reason_has_a_statistic() -> None:
    """A new reason cannot be left out of the tables."""
    known = {stat.name for stat in names.STATS}
    assert {names.unscored_name(reason) for reason in UNSCORED_REASONS} <= known


def test_a_run_without_contrasts_has_no_contrast_statistics() -> None:
    """And one without level metrics has no pass rate, rather than one of nothing."""
    assert contrast_values([outcome()]) == {}
    found = run_values([contrast_outcome(1.0, "a"), contrast_outcome(1.0, "b")])
    assert math.isnan(found["pass_rate_low"])
    assert math.isnan(found["pass_rate_high"])


def test_unscored_contrasts_have_figures_without_a_value() -> None:
    """Undefined, not 0: the statistic is there and says nothing."""
    found = contrast_values([contrast_outcome(None, "a"), contrast_outcome(1.0, "b")])
    assert math.isnan(found["contrast_gap"])
    assert math.isnan(found["contrast_typical_gap"])
    assert math.isnan(found["contrast_gap_sides_rent"])
    assert found["agree_rate"] == 0.0


@pytest.mark.parametrize("name", MEASURES)
def test_an_outcome_carries_what_the_record_says(name: str) -> None:
    """Measure, bounds, value and score: what statistics know of a conversation."""
    own = case(metric(name))
    low, _ = MEASURES[name].bounds or (0, 0)
    verdict = decide(own.metric, (Vote(judge="j", answer="said", value=low),))
    found = outcome_of(Record(own, HELD, verdict), model="m", setup="s")
    assert (found.measure, found.bounds, found.scale) == (
        MEASURES[name].kind,
        MEASURES[name].bounds,
        MEASURES[name].scale,
    )
    assert (found.value, found.score, found.answer) == (low, None if name == "stance" else 1.0, "said")
    assert found.is_level == (name != "stance")
    assert found.cluster == ("b", "s")


def test_metadata_covers_every_name() -> None:
    """get_metadata and the schema come from one table."""
    metadata = {entry.name: entry for entry in ImpactBenchMetric("emotional-dependence").get_metadata()}
    expected = [*names.STATS, *names.metric_stats(load_benchmark("emotional-dependence"))]
    assert list(metadata) == [stat.name for stat in expected]
    assert metadata["pass_rate"].lower_is_better is False


def test_metadata_of_a_benchmark_that_is_gone(workdir: Path) -> None:
    """A run from another machine can still be summarized."""
    assert len(ImpactBenchMetric("nowhere").get_metadata()) == len(names.STATS)


def test_the_shipped_schema_is_current() -> None:
    """schema.yaml is what the benchmarks and the table of names give now; `make schema` renews it."""
    benchmarks = [load_benchmark(folder) for folder in benchmark_paths([shipped("benchmarks")]).values()]
    assert shipped("schema.yaml").read_text() == schema_text(benchmarks)


def test_helm_accepts_the_shipped_schema() -> None:
    """HELM's own validation, with its stricter checks, finds nothing; the groups are those that users look for."""
    schema = read_schema(str(shipped("schema.yaml")))
    assert validate_schema(schema, strict=True, check_parent_child_partition=True) == []
    groups = {group.name: group for group in schema.run_groups}
    contrasts = {"moral-sycophancy", "name-bias", "financial-fairness", "user-bias"}
    assert set(groups["impactbench"].subgroups) == set(benchmark_paths()) - contrasts
    assert set(groups["impactbench_contrasts"].subgroups) == contrasts
    assert groups["moral-sycophancy"].environment["main_name"] == "contrast_typical_gap"
    assert "impactbench_main" not in groups["moral-sycophancy"].metric_groups
    assert {"impactbench_physical", "impactbench_psychological", "impactbench_societal"} <= set(groups)
    assert groups["emotional-dependence"].sub_splits == ["child or teenager (6-17)", "adult (18+)"]


def test_the_plug_in_is_installed_and_loads() -> None:
    """HELM turns a plug-in's import error into a warning; here it fails. Our names are there, HELM's are HELM's."""
    code = (
        "from importlib.metadata import entry_points\n"
        "(ours,) = {e for e in entry_points().select(group='helm') if e.name == 'impactbench'}\n"
        "ours.load()\n"
        "from helm.benchmark.run_spec import get_run_spec_function\n"
        "from helm.benchmark.model_deployment_registry import get_model_deployment\n"
        "assert get_run_spec_function('impactbench')\n"
        "print(get_model_deployment('rehearsal/mixed').client_spec.class_name)\n"
        "print(get_model_deployment('litellm/openai/x').client_spec.class_name)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [
        "helm_impactbench.helm.rehearsal_client.RehearsalClient",
        "helm.clients.litellm_client.LiteLLMCompletionClient",
    ]
