"""HELM's safety scenarios, unchanged, in a class that makes our adapter known when a Slurm worker imports it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from helm.benchmark.scenarios.scenario import TEST_SPLIT, Instance, Scenario, ScenarioMetadata
from helm.common.object_spec import get_class_by_name

from helm_impactbench.helm.panels.adapter import RELEASE_KEY, SUITE_KEY
from helm_impactbench.helm.registration import install
from helm_impactbench.suites.panels.table import BY_SLUG

install()  # a Slurm job loads no plug-ins, but it imports this module by the name of a class


class PanelScenario(Scenario):
    """HELM's scenario of a suite, whose instances know which suite they are of."""

    def __init__(self, suite: str, scenario: str, release: str = "", **options: Any) -> None:
        """`suite` is our name of it, `scenario` HELM's class name; `options` are HELM's of the scenario.

        release: of the target, which its requests name.
        """
        self._suite, self._release = BY_SLUG[suite], release
        self._helm: Scenario = get_class_by_name(scenario)(**options)
        # HELM keeps the data of a scenario in a folder of its name: ours is the same, and nothing is fetched twice.
        self.name, self.description, self.tags = self._helm.name, self._helm.description, self._helm.tags
        self.definition_path = self._helm.definition_path

    def get_instances(self, output_path: str) -> list[Instance]:
        """Return HELM's instances."""
        mark = {SUITE_KEY: self._suite.slug, RELEASE_KEY: self._release}
        return [replace(instance, extra_data=mark) for instance in self._helm.get_instances(output_path)]

    def get_metadata(self) -> ScenarioMetadata:
        """Return what `helm-summarize --auto-generate-schema` shows: HELM's text under the name of our run group."""
        try:
            helm = self._helm.get_metadata()
        except NotImplementedError:  # HELM has none for XSTest
            helm = ScenarioMetadata(
                name=self.name, description=self.description, main_metric=self._suite.statistic, main_split=TEST_SPLIT
            )
        return replace(helm, name=self._suite.slug, display_name=self._suite.benchmark.name)
