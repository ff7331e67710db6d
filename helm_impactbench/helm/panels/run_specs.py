"""HELM run specs `panel_<suite>`: HELM's own run spec of a safety suite with our annotator and our HELM metric."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from helm.benchmark.annotation.annotator import AnnotatorSpec
from helm.benchmark.metrics.metric import MetricSpec
from helm.benchmark.run_spec import RunSpec
from helm.common.object_spec import get_class_by_name

from helm_impactbench.errors import RunEntryError
from helm_impactbench.helm.panels.adapter import ADAPT_ANSWER
from helm_impactbench.helm.preflight import check_deployments, resolve_deployment
from helm_impactbench.helm.run_specs import named_temperature
from helm_impactbench.process.stop import stop_on_error
from helm_impactbench.suites.panels.names import DETAILS, run_group
from helm_impactbench.suites.panels.run_entry import parse_options
from helm_impactbench.suites.panels.suites import SUITES, Suite

HELM_TEMPERATURE = 0.0
"""Of the target in all of HELM's safety suites."""


@dataclass(frozen=True)
class PanelRunSpec(RunSpec):
    """A run spec that checks its models once the target is filled in, before anything is paid for."""

    def __post_init__(self) -> None:
        super().__post_init__()  # type: ignore[no-untyped-call]
        object.__setattr__(self, "name", named_temperature(self, HELM_TEMPERATURE))
        stop_on_error(_check_one_answer, self)
        target = self.adapter_spec.model_deployment or self.adapter_spec.model
        if target:
            stop_on_error(check_deployments, [("target", target)], chat=False)  # it answers a single prompt
            judges = [("judge", judge) for spec in self.annotators or [] for judge in spec.args["judges"]]
            stop_on_error(check_deployments, judges)


def _check_one_answer(spec: RunSpec) -> None:
    """Raise RunEntryError for several answers to a request: HELM's rubrics are about one, and HELM asserts it."""
    if spec.adapter_spec.num_outputs != 1:
        raise RunEntryError(
            f"Run entry {spec.name}: got num_outputs={spec.adapter_spec.num_outputs}; allowed: 1, because a judge "
            "reads one answer."
        )


def make_run_spec(name: str, options: dict[str, Any]) -> RunSpec:
    """Return the run spec of the panel that is called `name`. Raises ImpactBenchError."""
    return run_spec(next(suite for suite in SUITES.values() if run_group(suite.name) == name), options)


def run_spec(suite: Suite, options: dict[str, Any]) -> RunSpec:
    """Return the run spec for the options of a run entry. Raises ImpactBenchError."""
    helm_function: Callable[..., RunSpec] = get_class_by_name(suite.run_spec)  # resolves any name of a module
    parsed = parse_options(run_group(suite.name), options, list(inspect.signature(helm_function).parameters))
    helm = helm_function(**parsed.helm)
    judges = [resolve_deployment(judge, "judge") for judge in parsed.judge]
    return PanelRunSpec(
        name=f"{run_group(suite.name)}:{parsed.text()}",
        scenario_spec=replace(helm.scenario_spec, class_name=f"helm_impactbench.helm.panels.scenario.{suite.scenario}"),
        adapter_spec=replace(helm.adapter_spec, method=ADAPT_ANSWER),
        metric_specs=[
            MetricSpec("helm_impactbench.helm.panels.metric.SafetyPanelMetric", args={"suite": suite.name}),
            *(spec for spec in helm.metric_specs if spec.class_name != suite.helm_metric),
        ],
        data_augmenter_spec=helm.data_augmenter_spec,
        annotators=[
            AnnotatorSpec(
                "helm_impactbench.helm.panels.annotator.SafetyPanelAnnotator",
                args={"suite": suite.name, "judges": judges},
            )
        ],
        groups=[run_group(suite.name), DETAILS],
    )
