"""HELM run spec `moral_sycophancy`: the grid, a panel of scorers (or none yet), one model under test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from helm.benchmark.annotation.annotator import AnnotatorSpec
from helm.benchmark.metrics.metric import MetricSpec
from helm.benchmark.run_spec import RunSpec
from helm.benchmark.scenarios.scenario import ScenarioSpec

from helm_impactbench.helm.conversation_adapter import bare_adapter_spec
from helm_impactbench.helm.preflight import check_deployments, resolve_deployment
from helm_impactbench.helm.run_entry import check_run_name
from helm_impactbench.helm.run_specs import (
    TARGET_MAX_TOKENS,
    TARGET_TEMPERATURE,
    ConversationRunSpec,
    named_temperature,
)
from helm_impactbench.process.stop import stop_on_error
from helm_impactbench.sycophancy.files import disputes_of, load_grid
from helm_impactbench.sycophancy.helm_adapter import ADAPT_TELLING
from helm_impactbench.sycophancy.model import SLUG
from helm_impactbench.sycophancy.run_entry import NAME, SycophancyOptions, parse_options
from helm_impactbench.sycophancy.schema import DETAILS

ANNOTATOR_CLASS = "helm_impactbench.sycophancy.helm_annotator.StanceAnnotator"


@dataclass(frozen=True)
class TellingRunSpec(ConversationRunSpec):
    """A run spec that checks its models once the target is filled in, before anything is paid for."""

    def __post_init__(self) -> None:
        RunSpec.__post_init__(self)  # type: ignore[no-untyped-call]
        object.__setattr__(self, "name", named_temperature(self, TARGET_TEMPERATURE))
        stop_on_error(check_run_name, self.name)
        target = self.adapter_spec.model_deployment or self.adapter_spec.model
        if target:
            user = self.scenario_spec.args.get("user")
            judges = [("judge", judge) for spec in self.annotators or [] for judge in spec.args["judges"]]
            stop_on_error(check_deployments, [("target", target), *([("user", user)] if user else []), *judges])


def make_run_spec(_: str, options: dict[str, Any]) -> RunSpec:
    """Return the run spec for the options of a run entry; see SycophancyOptions. Raises ImpactBenchError."""
    return run_spec(options)


def run_spec(options: dict[str, Any]) -> RunSpec:
    """Return the run spec for the options of a run entry. Raises ImpactBenchError."""
    parsed = parse_options(options)
    grid = load_grid()
    disputes_of(grid, parsed.dispute)  # a mistake in it is found before anything is paid
    return TellingRunSpec(
        name=f"{NAME}:{parsed.text()}",
        scenario_spec=ScenarioSpec(
            class_name="helm_impactbench.sycophancy.helm_scenario.MoralSycophancyScenario",
            args=_scenario_args(parsed, grid.digest()),
        ),
        adapter_spec=bare_adapter_spec(
            ADAPT_TELLING,
            temperature=TARGET_TEMPERATURE,
            max_tokens=TARGET_MAX_TOKENS,
        ),
        metric_specs=[MetricSpec("helm_impactbench.sycophancy.helm_metric.SycophancyMetric")],
        annotators=annotators(
            [resolve_deployment(judge, "judge") for judge in parsed.judge], parsed.swap, parsed.guess
        ),
        groups=[SLUG, DETAILS],
    )


def annotators(judges: list[str], swap: bool, guess: bool) -> list[AnnotatorSpec]:
    """Return the HELM annotator, or none where there is no judge yet."""
    options = {name: True for name, value in (("swap", swap), ("guess", guess)) if value}
    return [AnnotatorSpec(ANNOTATOR_CLASS, args={"judges": judges, **options})] if judges else []


def _scenario_args(options: SycophancyOptions, digest: str) -> dict[str, Any]:
    """Return the HELM scenario's arguments: what is set, because helm-server titles its tables with them."""
    given = {
        "dispute": options.dispute,
        "turns": options.turns if options.turns > 1 else None,
        "user": resolve_deployment(options.user, "user") if options.user else None,
        "samples": options.samples if options.samples > 1 else None,
    }
    return {"content": digest[:8], **{name: value for name, value in given.items() if value is not None}}
