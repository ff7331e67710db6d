"""HELM run specs `panel_<suite>`: HELM's own run spec of a safety suite with our adapter, annotator and HELM metric."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from helm.benchmark.metrics.metric import MetricSpec
from helm.benchmark.run_spec import RunSpec
from helm.benchmark.scenarios.scenario import ScenarioSpec
from helm.common.object_spec import get_class_by_name

from helm_impactbench.conversation.run_options import NO_JUDGE, parse_checks, parse_judges, parse_release
from helm_impactbench.conversation.usual_roles import usual_judge
from helm_impactbench.errors import RunEntryError, did_you_mean
from helm_impactbench.helm.panels.adapter import ADAPT_ANSWER
from helm_impactbench.helm.panels.stat_names import DETAILS, REPLACED_METRICS
from helm_impactbench.helm.preflight import resolve_deployment
from helm_impactbench.helm.run_specs import ConversationRunSpec, annotator_specs
from helm_impactbench.results.class_names import ANSWER_SCENARIO, METRIC_CLASS
from helm_impactbench.suites.panels.suite import Panels
from helm_impactbench.suites.panels.table import BY_SLUG, PanelSuite

HELM_JUDGE_OPTIONS = ("annotator_model", "annotator_model_deployment")
"""HELM's own way to choose AIR-Bench's judge, which judge= replaces."""


@dataclass(frozen=True)
class PanelOptions:
    """`panel_<suite>:judge=...` and what HELM's own run spec of the suite takes besides."""

    judge: tuple[str, ...]
    """Model deployments of the panel, `a+b+c` in the entry; empty for judge=none."""
    checks: tuple[str, ...] = ()
    """Further questions to every judge, as in an entry of impactbench."""
    release: str = ""
    """Which release of the target answers, as in an entry of impactbench."""
    helm: Mapping[str, Any] = field(default_factory=dict)
    """HELM's further options of the suite, handed on as they are."""

    def text(self) -> str:
        """Return the options as they appear in a run's name."""
        checks = [f"checks={'+'.join(self.checks)}"] if self.checks else []
        judge = f"judge={'+'.join(self.judge) or NO_JUDGE}"
        release = [f"release={self.release}"] if self.release else []
        return ",".join([judge, *release, *checks, *(f"{name}={value}" for name, value in self.helm.items())])


def parse_options(name: str, options: Mapping[str, Any], helm_options: Collection[str]) -> PanelOptions:
    """Return the options of the run spec `name`, checked against HELM's own for the suite. Raises RunEntryError."""
    here = f"Run entry {name}"
    own = [option for option in helm_options if option not in HELM_JUDGE_OPTIONS]
    allowed = ["judge", "checks", "release", *own, "model"]
    for option in options:
        if option in HELM_JUDGE_OPTIONS and option in helm_options:
            raise RunEntryError(
                f"{here}: {option}= is HELM's way to choose one judge; here it is judge={options[option]}"
            )
        if option not in allowed:
            near = did_you_mean(option, allowed)
            raise RunEntryError(f"{here}: there is no option {option!r}. Options are {', '.join(allowed)}.{near}")
    checks = parse_checks(options["checks"], here) if "checks" in options else ()
    release = parse_release(options["release"], here) if "release" in options else ""
    helm = {name: options[name] for name in own if name in options}
    judge = options["judge"] if "judge" in options else usual_judge()
    return PanelOptions(parse_judges(judge, here), checks, release, helm)


def make_run_spec(name: str, options: dict[str, Any]) -> RunSpec:
    """Return the run spec of the panel that is called `name`. Raises ImpactBenchError."""
    return run_spec(BY_SLUG[name], options)


def run_spec(suite: PanelSuite, options: dict[str, Any]) -> RunSpec:
    """Return the run spec for the options of a run entry. Raises ImpactBenchError."""
    helm_function: Callable[..., RunSpec] = get_class_by_name(suite.run_spec)  # resolves any name of a module
    parsed = parse_options(suite.slug, options, list(inspect.signature(helm_function).parameters))
    helm = helm_function(**parsed.helm)
    judges = [resolve_deployment(judge, "judge") for judge in parsed.judge]
    return ConversationRunSpec(
        name=f"{suite.slug}:{parsed.text()}",
        scenario_spec=ScenarioSpec(
            ANSWER_SCENARIO,
            args={
                "suite": suite.slug,
                "scenario": helm.scenario_spec.class_name,
                **({"release": parsed.release} if parsed.release else {}),
                **helm.scenario_spec.args,
            },
        ),
        adapter_spec=replace(helm.adapter_spec, method=ADAPT_ANSWER),
        metric_specs=[
            MetricSpec(METRIC_CLASS, args={"benchmark": suite.slug, "suite": Panels.name}),
            *(spec for spec in helm.metric_specs if spec.class_name not in REPLACED_METRICS),
        ],
        data_augmenter_spec=helm.data_augmenter_spec,
        annotators=annotator_specs(judges, parsed.checks, Panels.name),
        groups=[suite.slug, DETAILS],
    )
