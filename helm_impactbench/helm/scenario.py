"""HELM scenario: a benchmark's variants x samples as HELM instances."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from helm.benchmark.scenarios.scenario import TEST_SPLIT, Input, Instance, Scenario, ScenarioMetadata

from helm_impactbench._version import __version__
from helm_impactbench.benchmark.files import load_benchmark, load_split
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Scenario as BenchmarkScenario
from helm_impactbench.benchmark.selection import Selection, selected_scenarios
from helm_impactbench.conversation.persistence import MIXED
from helm_impactbench.conversation.plan import ConversationCase, Pressure, brief, plan_case
from helm_impactbench.conversation.simulator import simulator_prompts
from helm_impactbench.errors import BenchmarkError
from helm_impactbench.helm.registration import install
from helm_impactbench.helm.stat_names import main_metric
from helm_impactbench.judging.question import judge_prompts
from helm_impactbench.prompts import prompts_digest
from helm_impactbench.results.record import case_data

install()  # a Slurm job loads no plug-ins, but imports this class by name


@dataclass
class ImpactBenchScenario(Scenario):
    """The conversations of one benchmark. Reads no file until get_instances is called."""

    benchmark: str
    user: str = ""
    content: str = ""
    """The beginning of the benchmark's hash. HELM's --cache-instances keys by arguments: other content, other cache."""
    turns: int | None = None
    samples: int = 1
    landmarks: bool = True
    perfunctory: bool = False
    pressure: Pressure = "goal"
    persistence: str = MIXED
    split: str = "all"
    part: float = 1.0
    pilot: int | None = None
    axes: list[str] | None = None
    levels: str = ""
    metric: str | None = None
    swap: bool = False
    replicate: int = 1
    provenance: dict[str, Any] = field(default_factory=dict)
    """What the instances were made from; written to scenario.json."""

    def __post_init__(self) -> None:
        # Not HELM's own: that would write the absolute local path of this file into scenario.json.
        self.definition_path = "helm_impactbench/helm/scenario.py"
        self.name = "impactbench"
        self.description = f"ImpactBench: {self.benchmark}"
        self.tags = ["impactbench"]
        self.provenance = self._provenance(self.content)

    def get_instances(self, output_path: str) -> list[Instance]:
        """Return one instance per variant and sample, in the order of the file. Raises BenchmarkError."""
        return [_instance(case) for case in self.cases()]

    def cases(self) -> list[ConversationCase]:
        """Return the cases of the run, in the order of the file. Raises BenchmarkError."""
        benchmark = load_split(self.benchmark, self.split)
        digest = benchmark.digest()
        self.description = benchmark.description
        self.provenance = self._provenance(digest)
        return [
            self._case(benchmark, digest, scenario, sample)
            for scenario in selected_scenarios(benchmark, self._selection)
            for sample in range(self.samples)
        ]

    @property
    def _selection(self) -> Selection:
        axes = None if self.axes is None else tuple(self.axes)
        return Selection(self.metric, self.split, self.part, axes, self.levels, self.pilot)

    @staticmethod
    def _provenance(benchmark_digest: str) -> dict[str, Any]:
        return {
            "benchmark_digest": benchmark_digest,
            "prompts_digest": prompts_digest([*simulator_prompts().values(), *judge_prompts().values()]),
            "helm_impactbench": __version__,
        }

    def get_metadata(self) -> ScenarioMetadata:
        """Return what `helm-summarize --auto-generate-schema` shows."""
        try:
            benchmark = load_benchmark(self.benchmark)
        except BenchmarkError as error:  # the run may come from a machine that has it; HELM then skips this one
            raise NotImplementedError(str(error)) from error
        return ScenarioMetadata(
            name=self.benchmark,
            main_metric=main_metric(benchmark),
            main_split=TEST_SPLIT,
            display_name=benchmark.name,
            short_display_name=benchmark.name,
            description=benchmark.description,
        )

    def _case(self, benchmark: Benchmark, digest: str, scenario: BenchmarkScenario, sample: int) -> ConversationCase:
        return plan_case(
            benchmark,
            digest,
            scenario,
            sample,
            user=self.user,
            turns=self.turns,
            landmarks=self.landmarks,
            perfunctory=self.perfunctory,
            pressure=self.pressure,
            persistence=self.persistence,
            swap=self.swap,
            replicate=self.replicate,
        )


def _instance(case: ConversationCase) -> Instance:
    return Instance(
        input=Input(text=brief(case)),
        references=[],
        split=TEST_SPLIT,
        sub_split=case.scenario.axes_label,
        id=case.id,
        extra_data=case_data(case),
    )
