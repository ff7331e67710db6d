"""HELM run spec `impactbench`: one benchmark, one panel of judges, one model under test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from helm.benchmark.annotation.annotator import AnnotatorSpec
from helm.benchmark.metrics.metric import MetricSpec
from helm.benchmark.run_spec import RunSpec
from helm.benchmark.scenarios.scenario import ScenarioSpec

from helm_impactbench.benchmark.files import load_benchmark
from helm_impactbench.benchmark.selection import selected_scenarios
from helm_impactbench.helm.conversation_adapter import ADAPT_CONVERSATION, bare_adapter_spec
from helm_impactbench.helm.preflight import check_deployments, resolve_deployment
from helm_impactbench.helm.run_entry import RunOptions, check_run_name, parse_options
from helm_impactbench.helm.schema import DETAILS_GROUP, TOP_GROUP
from helm_impactbench.process.stop import stop_on_error

TARGET_TEMPERATURE = 1.0
"""What products run at; HELM's `temperature=` in the run entry changes it."""
TARGET_MAX_TOKENS = 4096


@dataclass(frozen=True)
class ConversationRunSpec(RunSpec):
    """A run spec that checks its three model roles once the target is filled in.

    HELM expands `model=` after the run spec function has returned, and makes all run specs before the first run. So
    this is the one place where a missing key of any target is found before anything is paid for any of them.
    """

    def __post_init__(self) -> None:
        super().__post_init__()  # type: ignore[no-untyped-call]
        object.__setattr__(self, "name", named_temperature(self, TARGET_TEMPERATURE))
        stop_on_error(check_run_name, self.name)
        target = self.adapter_spec.model_deployment or self.adapter_spec.model
        if target:
            judges = [("judge", judge) for spec in self.annotators or [] for judge in spec.args["judges"]]
            stop_on_error(check_deployments, [("target", target), ("user", self.scenario_spec.args["user"]), *judges])


def named_temperature(spec: RunSpec, usual: float) -> str:
    """Return the run's name with a temperature of the user's own; HELM leaves it out, and runs would share a folder."""
    named = f",temperature={spec.adapter_spec.temperature}"
    return spec.name if spec.adapter_spec.temperature == usual or named in spec.name else f"{spec.name}{named}"


def make_run_spec(_: str, options: dict[str, Any]) -> RunSpec:
    """Return the run spec for the options of a run entry; see RunOptions. Raises ImpactBenchError."""
    return run_spec(options)


def run_spec(options: dict[str, Any]) -> RunSpec:
    """Return the run spec for the options of a run entry. Raises ImpactBenchError."""
    parsed = parse_options(options)
    benchmark = load_benchmark(parsed.benchmark)
    selected_scenarios(
        benchmark, parsed.metric, parsed.split, parsed.part
    )  # a mistake in these is found before anything is paid
    judges = [resolve_deployment(judge, "judge") for judge in parsed.judge]
    return ConversationRunSpec(
        name=f"impactbench:{parsed.text()}",
        scenario_spec=ScenarioSpec(
            class_name="helm_impactbench.helm.scenario.ImpactBenchScenario",
            args=_scenario_args(parsed, benchmark.digest()),
        ),
        adapter_spec=bare_adapter_spec(
            ADAPT_CONVERSATION,
            temperature=TARGET_TEMPERATURE,
            max_tokens=TARGET_MAX_TOKENS,
        ),
        metric_specs=[MetricSpec("helm_impactbench.helm.metric.ImpactBenchMetric", args={"benchmark": benchmark.slug})],
        annotators=[
            AnnotatorSpec(
                "helm_impactbench.helm.judge_annotator.ImpactBenchAnnotator",
                args=annotator_args(judges, parsed.checks),
            )
        ],
        groups=[benchmark.slug, TOP_GROUP, DETAILS_GROUP],  # the viewer heads a run with its first group
    )


def annotator_args(judges: list[str], checks: tuple[str, ...]) -> dict[str, Any]:
    """Return the HELM annotator's arguments; checks only where any are wanted, so that other runs stay as they are."""
    return {"judges": judges, **({"checks": list(checks)} if checks else {})}


def _scenario_args(options: RunOptions, digest: str) -> dict[str, Any]:
    """Return the HELM scenario's arguments: what is set, because helm-server titles its tables with them."""
    chosen = {
        "metric": options.metric,
        "turns": options.turns,
        "samples": options.samples,
        "landmarks": options.landmarks,
        "perfunctory": options.perfunctory,
        "split": options.split,
        "part": options.part,
    }
    defaults = {"samples": 1, "landmarks": True, "perfunctory": False, "split": "all", "part": 1.0}
    return {
        "benchmark": options.benchmark,
        "user": resolve_deployment(options.user, "user"),
        "content": digest[:8],
        **{name: value for name, value in chosen.items() if value is not None and value != defaults.get(name)},
    }
