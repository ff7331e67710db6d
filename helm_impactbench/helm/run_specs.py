"""HELM run spec `impactbench`: one benchmark, one panel of judges, one model under test."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from helm.benchmark.annotation.annotator import AnnotatorSpec
from helm.benchmark.augmentations.data_augmenter import DataAugmenterSpec
from helm.benchmark.metrics.metric import MetricSpec
from helm.benchmark.model_deployment_registry import ModelDeploymentNotFoundError
from helm.benchmark.run_spec import RunSpec
from helm.benchmark.scenarios.scenario import ScenarioSpec

from helm_impactbench.benchmark.files import load_split
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.selection import selected_scenarios
from helm_impactbench.conversation.plan import plan_case
from helm_impactbench.conversation.run_options import RunOptions, parse_options
from helm_impactbench.conversation.usual_roles import usual_user
from helm_impactbench.errors import RunEntryError
from helm_impactbench.helm.conversation_adapter import ADAPT_CONVERSATION, bare_adapter_spec
from helm_impactbench.helm.deployments import release_of
from helm_impactbench.helm.early_stop import check_early_stop
from helm_impactbench.helm.perturbed import worded
from helm_impactbench.helm.preflight import check_deployments, check_tools, resolve_deployment
from helm_impactbench.helm.run_name import check_one_deployment, check_run_name
from helm_impactbench.helm.schema import DETAILS_GROUP, TOP_GROUP
from helm_impactbench.process.helm_run import this_run
from helm_impactbench.process.stop import stop_on_error
from helm_impactbench.results.class_names import ANNOTATOR_CLASS, CONVERSATION_SCENARIO, METRIC_CLASS
from helm_impactbench.results.files import REGRESSION_GROUP
from helm_impactbench.stats.sequential import Goal

TARGET_TEMPERATURE = 1.0
"""The usual temperature of products; HELM's `temperature=` in the run entry changes it."""
PROMPT_TEMPERATURE = 0.0
"""Of the target where HELM's own prompts are put to it, as in HELM's own suites."""
TARGET_MAX_TOKENS = 4096


@dataclass(frozen=True)
class ConversationRunSpec(RunSpec):
    """A run spec of ours, of any suite: it checks its models as soon as the target is known.

    HELM expands `model=` after the run spec function has returned, and makes all run specs before the first run. Only
    here can a missing key of any target be found before anything is paid for.
    """

    until: Goal | None = None
    """When the run stops early; None when it takes all. Only ParallelRunner can."""

    def __post_init__(self) -> None:
        super().__post_init__()  # type: ignore[no-untyped-call]
        talks = self.adapter_spec.method == ADAPT_CONVERSATION
        usual = TARGET_TEMPERATURE if talks else PROMPT_TEMPERATURE
        object.__setattr__(self, "name", named_temperature(self, usual))
        stop_on_error(check_run_name, self.name)
        stop_on_error(_check_one_answer, self)
        if talks and self.data_augmenter_spec.perturbation_specs:
            stop_on_error(self._take_wordings)
        target = self.adapter_spec.model_deployment or self.adapter_spec.model
        if target:
            self._name_release(target)
            user = self.scenario_spec.args.get("user")
            judges = [("judge", judge) for judge in judges_asked(self.annotators)]
            roles = [("target", target), *([("user", user)] if user else []), *judges]
            stop_on_error(check_deployments, roles, prompted=() if talks else ("target",))
            if talks:
                stop_on_error(_check_tools, self, target)
        if self.adapter_spec.model_deployment and self.adapter_spec.max_eval_instances is not None:  # HELM's last touch
            stop_on_error(check_one_deployment, self.name, self.adapter_spec.model_deployment, this_run())

    def _take_wordings(self) -> None:
        """Cross the axis `wording` in place of HELM's data augmentation, which would repeat each conversation as it is.

        Raises RunEntryError for what is no wording of this package.
        """
        arguments = worded(self.name, self.data_augmenter_spec.perturbation_specs, self.scenario_spec.args)
        object.__setattr__(self, "scenario_spec", replace(self.scenario_spec, args=arguments))
        object.__setattr__(self, "data_augmenter_spec", DataAugmenterSpec())

    def _name_release(self, target: str) -> None:
        """Take over the release that the target's deployment states, unless the run entry names one."""
        with suppress(ModelDeploymentNotFoundError):  # which the check of deployments says
            release = release_of(target)
            if release and not self.scenario_spec.args.get("release"):
                scenario = replace(self.scenario_spec, args={**self.scenario_spec.args, "release": release})
                object.__setattr__(self, "scenario_spec", scenario)
                object.__setattr__(self, "name", f"{self.name},release={release}")


def _check_tools(spec: RunSpec, target: str) -> None:
    """Raise ModelError unless the target can carry the tools of its benchmark, if it has any."""
    arguments = spec.scenario_spec.args
    slug = arguments.get("benchmark")
    if slug and load_split(slug, arguments.get("split", "all")).scenario.tools:
        check_tools(target, slug)


def _check_one_answer(spec: RunSpec) -> None:
    """Raise RunEntryError for several answers to a request: a conversation goes on with one, and a judge reads one."""
    if spec.adapter_spec.num_outputs != 1:
        raise RunEntryError(
            f"Run entry {spec.name}: num_outputs cannot be {spec.adapter_spec.num_outputs}; it must be 1, because "
            "a judge reads one answer."
        )


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
    benchmark = load_split(parsed.benchmark, parsed.split)
    asks_user = _check_cases(parsed, benchmark)  # a mistake in these is found before anything is paid
    if asks_user and parsed.user is None:
        parsed = parsed.model_copy(update={"user": usual_user()})
    check_early_stop(parsed, benchmark, this_run())
    judges = [resolve_deployment(judge, "judge") for judge in parsed.judge]
    return ConversationRunSpec(
        name=f"impactbench:{parsed.text()}",
        scenario_spec=ScenarioSpec(
            class_name=CONVERSATION_SCENARIO,
            args=_scenario_args(parsed, benchmark.digest()),
        ),
        adapter_spec=bare_adapter_spec(
            ADAPT_CONVERSATION,
            temperature=TARGET_TEMPERATURE,
            max_tokens=parsed.target_tokens or TARGET_MAX_TOKENS,
        ),
        metric_specs=[MetricSpec(METRIC_CLASS, args={"benchmark": benchmark.slug})],
        annotators=annotator_specs(
            judges,
            parsed.checks,
            cascade=parsed.cascade,
            validate=parsed.validate and resolve_deployment(parsed.validate, "judge"),
            max_tokens=parsed.judge_tokens,
            always=any(one.measure.decided([]) for one in benchmark.metrics),
        ),
        groups=[  # the viewer heads a run with its first group
            benchmark.slug,
            REGRESSION_GROUP if benchmark.regression else TOP_GROUP,
            DETAILS_GROUP,
        ],
        until=parsed.until,
    )


def _check_cases(options: RunOptions, benchmark: Benchmark) -> bool:
    """Return whether any case asks the user's model. Raises ImpactBenchError unless every case can be held."""
    digest = benchmark.digest()
    asks_user = False
    scenarios = selected_scenarios(benchmark, options.selection)
    if options.validate is not None and not any(scenario.is_held_out for scenario in scenarios):
        raise RunEntryError(
            f"Run entry impactbench: validate={options.validate} judges held-out scenarios, and this run takes none of "
            f"{benchmark.slug}. Set split: held_out for some in scenarios.json, write some with impactbench "
            "gen-scenarios --held-out 0.33 or --private, or leave validate= out."
        )
    for scenario in scenarios:
        plan = plan_case(benchmark, digest, scenario, 0, options).plan
        asks_user |= plan.is_simulated or plan.is_paraphrased
    return asks_user


def annotator_specs(
    judges: list[str],
    checks: tuple[str, ...],
    suite: str = "",
    cascade: float | None = None,
    *,
    validate: str | None = None,
    max_tokens: int | None = None,
    always: bool = False,
) -> list[AnnotatorSpec]:
    """Return the HELM annotator, or none where there is no judge yet; `always`: some metrics need none.

    Checks, the suite that asks in its own words, the threshold of a cascade, a limit of tokens and the held-out judge
    are arguments only where they are wanted, so that other runs stay as they are.
    """
    more = {
        "checks": list(checks),
        "suite": suite,
        "cascade": cascade,
        "max_tokens": max_tokens,
        "validate": validate,
    }
    arguments = {"judges": judges, **{name: value for name, value in more.items() if value}}
    return [AnnotatorSpec(ANNOTATOR_CLASS, args=arguments)] if judges or always else []


def judges_asked(annotators: Sequence[AnnotatorSpec] | None) -> tuple[str, ...]:
    """Return the deployments that runs with these annotators ask: their panels, then held-out judges, each once."""
    arguments = [spec.args for spec in annotators or ()]
    panels = (judge for one in arguments for judge in one["judges"])
    return tuple(dict.fromkeys([*panels, *(one["validate"] for one in arguments if one.get("validate"))]))


def _scenario_args(options: RunOptions, digest: str) -> dict[str, Any]:
    user = {"user": resolve_deployment(options.user, "user")} if options.user else {}
    return {"benchmark": options.benchmark, **user, "content": digest[:8], **options.scenario_arguments()}
