"""HELM scenario: a benchmark's variants x samples as HELM instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from helm.benchmark.scenarios.scenario import TEST_SPLIT, Input, Instance, Scenario, ScenarioMetadata

from helm_impactbench._version import __version__
from helm_impactbench.benchmark.files import load_benchmark, load_split
from helm_impactbench.benchmark.selection import selected_scenarios
from helm_impactbench.benchmark.wordings import AXIS
from helm_impactbench.conversation import run_options
from helm_impactbench.conversation.paraphrase import user_prompts
from helm_impactbench.conversation.plan import ConversationCase, brief, plan_case
from helm_impactbench.errors import BenchmarkError
from helm_impactbench.helm.registration import install
from helm_impactbench.helm.stat_names import main_metric
from helm_impactbench.judging.question import judge_prompts
from helm_impactbench.prompts import prompts_digest
from helm_impactbench.results.record import case_data

install()  # a Slurm job loads no plug-ins, but imports this class by name


@dataclass(init=False)
class ImpactBenchScenario(Scenario):
    """The conversations of one benchmark. Reads no file until get_instances is called."""

    benchmark: str
    user: str
    content: str
    """The beginning of the benchmark's hash. HELM's --cache-instances keys by arguments: other content, other cache."""
    options: dict[str, Any]
    """The options of its run that concern cases, by name; written to scenario.json."""
    provenance: dict[str, Any]
    """What the instances were made from; written to scenario.json."""

    def __init__(self, benchmark: str, user: str = "", content: str = "", **options: Any) -> None:
        """`options` are those of RunOptions.scenario_names that are changed. Raises RunEntryError."""
        self._run_options = run_options.RunOptions.model_validate(
            {"benchmark": benchmark, **({"user": user} if user else {}), **options}
        )
        self.benchmark, self.user, self.content = benchmark, user, content
        self.options = self._run_options.scenario_values()
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
        benchmark = load_split(self.benchmark, self._run_options.split)
        digest = benchmark.digest()
        self.description = benchmark.description
        self.provenance = self._provenance(digest)
        return [
            plan_case(benchmark, digest, scenario, sample, self._run_options)
            for scenario in selected_scenarios(benchmark, self._run_options.selection)
            for sample in range(self._run_options.samples)
        ]

    def _provenance(self, benchmark_digest: str) -> dict[str, Any]:
        asked = user_prompts(paraphrased=AXIS in (self._run_options.axes or ()))
        return {
            "benchmark_digest": benchmark_digest,
            "prompts_digest": prompts_digest([*asked, *judge_prompts().values()]),
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


def _instance(case: ConversationCase) -> Instance:
    return Instance(
        input=Input(text=brief(case)),
        references=[],
        split=TEST_SPLIT,
        sub_split=case.scenario.axes_label,
        id=case.id,
        extra_data=case_data(case),
    )
