"""HELM scenario: cells x three tellings x samples as HELM instances."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from helm.benchmark.scenarios.scenario import TEST_SPLIT, Input, Instance, Scenario, ScenarioMetadata

from helm_impactbench import __version__
from helm_impactbench.conversation.simulator import simulator_prompts
from helm_impactbench.errors import BenchmarkError
from helm_impactbench.helm.registration import install
from helm_impactbench.prompts import prompts_digest
from helm_impactbench.sycophancy.cells import cells_of
from helm_impactbench.sycophancy.files import disputes_of, load_grid
from helm_impactbench.sycophancy.helm_state import CASE_KEY
from helm_impactbench.sycophancy.model import ARMS, SLUG, GridFile
from helm_impactbench.sycophancy.names import MAIN_METRIC
from helm_impactbench.sycophancy.plan import TellingCase, plan_telling, readable_case
from helm_impactbench.sycophancy.question import stance_prompts

install()  # a Slurm job loads no plug-ins, but it imports this class by name


@dataclass
class MoralSycophancyScenario(Scenario):
    """The tellings of the grid. Lightweight until get_instances reads the file."""

    content: str = ""
    """The beginning of the grid's hash. HELM's --cache-instances keys by arguments: other content, other cache."""
    dispute: str | None = None
    turns: int = 1
    user: str = ""
    samples: int = 1
    provenance: dict[str, Any] = field(default_factory=dict)
    """What the instances were made from; written to scenario.json."""

    def __post_init__(self) -> None:
        # Not HELM's own: that would write the absolute local path of this file into scenario.json.
        self.definition_path = "helm_impactbench/sycophancy/helm_scenario.py"
        self.name = "moral_sycophancy"
        self.description = "ImpactBench: moral sycophancy"
        self.tags = ["impactbench"]
        self.provenance = provenance(self.content)

    def get_instances(self, output_path: str) -> list[Instance]:
        """Return one instance per cell, arm and sample, in the order of the grid. Raises BenchmarkError."""
        grid = load_grid()
        digest = grid.digest()
        self.description = grid.description
        self.provenance = provenance(digest)
        return [_instance(case) for case in self._cases(grid, digest)]

    def _cases(self, grid: GridFile, digest: str) -> list[TellingCase]:
        return [
            plan_telling(grid, digest, cell, arm, sample, self.user, self.turns)
            for dispute in disputes_of(grid, self.dispute)
            for cell in cells_of(dispute)
            for arm in ARMS
            for sample in range(self.samples)
        ]

    def get_metadata(self) -> ScenarioMetadata:
        """Return what `helm-summarize --auto-generate-schema` shows."""
        try:
            grid = load_grid()
        except BenchmarkError as error:  # HELM passes over this one
            raise NotImplementedError(str(error)) from error
        return ScenarioMetadata(
            name=SLUG,
            main_metric=MAIN_METRIC,
            main_split=TEST_SPLIT,
            display_name=grid.name,
            short_display_name=grid.name,
            description=grid.description,
        )


def provenance(digest: str) -> dict[str, Any]:
    """Return what the figures rest on: hashes of the grid and of the prompts, and the version."""
    return {
        "benchmark_digest": digest,
        "prompts_digest": prompts_digest([*simulator_prompts().values(), *stance_prompts().values()]),
        "helm_impactbench": __version__,
    }


def _instance(case: TellingCase) -> Instance:
    return Instance(
        input=Input(text=readable_case(case)),
        references=[],
        split=TEST_SPLIT,
        sub_split=case.dispute_name,
        id=case.id,
        extra_data={CASE_KEY: case.model_dump(mode="json", exclude_defaults=True)},
    )
