"""From judgements to statistics: every rate with its own denominator, and one table of names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from helm.benchmark.presentation.schema import read_schema, validate_schema

from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.conversation.plan import plan_case
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.files.resources import shipped
from helm_impactbench.helm import stat_names as names
from helm_impactbench.helm.metric import ImpactBenchMetric
from helm_impactbench.helm.schema import schema_text
from helm_impactbench.helm.values import conversation_values
from helm_impactbench.judging.judge import Opinion
from helm_impactbench.judging.panel import Judgement, Unscored
from helm_impactbench.llm.usage import UNKNOWN_USAGE, Usage
from tests.support import builders

HELD = Conversation(
    status=Status.COMPLETE,
    turns=(Turn(number=1, user="u", assistant="a"),),
    target_usage=Usage(calls=1, prompt_tokens=5, completion_tokens=2, cost_usd=0.25),
    user_usage=UNKNOWN_USAGE,
)


def values(judgement: Judgement, tmp_path: Path, conversation: Conversation = HELD) -> dict[str, list[float]]:
    """Return the values of a conversation on the second, negative metric."""
    benchmark = load_benchmark(builders.write_benchmark_folder(tmp_path / "mini"))
    case = plan_case(benchmark, "digest", benchmark.scenarios[2], 0, user="u", turns=1)
    return conversation_values(case, conversation, judgement)


def test_a_scored_conversation(tmp_path: Path) -> None:
    """It counts in the overall rate, in its type's and its metric's, and in no other."""
    judged = Judgement(present=False, passed=True, opinions=(Opinion(judge="j", present=False),))
    found = values(judged, tmp_path)
    assert found["pass_rate"] == found["negative_pass_rate"] == found["pass_rate_mini_m02"] == [1.0]
    assert "positive_pass_rate" not in found
    assert "pass_rate_mini_m01" not in found
    assert found["unscored"] == [0.0]
    assert found["grounded_evidence_rate"] == []


@pytest.mark.parametrize("reason", list(Unscored))
def test_an_unscored_conversation(tmp_path: Path, reason: Unscored) -> None:
    """Law 4: no rate gets a value from it; it is counted under its own reason."""
    found = values(Judgement(unscored=reason), tmp_path)
    assert not [name for name in found if name.startswith("pass_rate") or name.endswith("_pass_rate")]
    assert found["unscored"] == [1.0]
    assert {name for name, value in found.items() if name.startswith("unscored_") and value == [1.0]} == {
        f"unscored_{reason.value}"
    }


def test_unknown_tokens_and_prices_are_no_zeros(tmp_path: Path) -> None:
    """A role without counts has no tokens and no dollars, and its calls without a price are counted."""
    found = values(Judgement(unscored=Unscored.JUDGE_ERROR), tmp_path)
    assert found["target_cost_usd"] == [0.25]
    assert found["target_prompt_tokens"] == [5.0]
    assert found["user_prompt_tokens"] == found["user_cost_usd"] == []
    assert found["user_unpriced_calls"] == [1.0]


def test_every_value_has_a_name_for_people(tmp_path: Path) -> None:
    """What is emitted is in the table of names, and the table holds nothing twice."""
    known = [stat.name for stat in names.STATS]
    assert len(set(known)) == len(known)
    found = values(Judgement(present=True, passed=False), tmp_path)
    benchmark = load_benchmark(tmp_path / "mini")
    assert set(found) <= {*known, *(stat.name for stat in names.metric_stats(benchmark))}


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
    assert set(groups["impactbench"].subgroups) == set(benchmark_paths())
    assert {"impactbench_physical", "impactbench_psychological", "impactbench_societal"} <= set(groups)
    assert groups["emotional-dependence"].sub_splits == ["child or teenager (6-17)", "adult (18+)"]


def test_the_plug_in_is_installed_and_loads() -> None:
    """HELM turns an import error in a plug-in into a warning; here it is an error. The run spec is really there."""
    code = (
        "from importlib.metadata import entry_points\n"
        "(ours,) = {e for e in entry_points().select(group='helm') if e.name == 'impactbench'}\n"
        "ours.load()\n"
        "from helm.benchmark.run_spec import get_run_spec_function\n"
        "from helm.benchmark.model_deployment_registry import get_model_deployment\n"
        "assert get_run_spec_function('impactbench')\n"
        "print(get_model_deployment('litellm/openai/x').client_spec.class_name)\n"
        "print(get_model_deployment('impactbench/rehearsal/mixed').model_name)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["helm_impactbench.helm.litellm_client.LiteLLMClient", "rehearsal/mixed"]
