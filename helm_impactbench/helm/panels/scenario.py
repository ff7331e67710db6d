"""HELM's safety scenarios, unchanged, in classes that make our adapter known when a Slurm worker imports them."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from helm.benchmark.scenarios.air_bench_scenario import AIRBench2024Scenario
from helm.benchmark.scenarios.anthropic_red_team_scenario import AnthropicRedTeamScenario
from helm.benchmark.scenarios.harm_bench_scenario import HarmBenchScenario
from helm.benchmark.scenarios.scenario import TEST_SPLIT, Scenario, ScenarioMetadata
from helm.benchmark.scenarios.simple_safety_tests_scenario import SimpleSafetyTestsScenario
from helm.benchmark.scenarios.xstest_scenario import XSTestScenario

from helm_impactbench.helm.registration import install
from helm_impactbench.suites.panels.names import run_group
from helm_impactbench.suites.panels.suites import SUITES

install()  # a Slurm job loads no plug-ins, but it imports this module by the name of a class


class PanelScenario(Scenario):
    """What the subclasses add to HELM's: names for a schema, and where HELM's own class stands."""

    suite: ClassVar[str]

    def __post_init__(self) -> None:
        # Not HELM's own: for a class outside of HELM it would write this file's absolute path into scenario.json.
        module = type(self).__mro__[2].__module__
        self.definition_path = f"https://github.com/stanford-crfm/helm/blob/main/src/{module.replace('.', '/')}.py"

    def get_metadata(self) -> ScenarioMetadata:
        """Return what `helm-summarize --auto-generate-schema` shows: HELM's text under the name of our run group."""
        suite = SUITES[self.suite]
        try:
            helm = super().get_metadata()
        except NotImplementedError:  # HELM has none for XSTest
            helm = ScenarioMetadata(
                name=suite.name, description=self.description, main_metric=suite.main, main_split=TEST_SPLIT
            )
        return replace(helm, name=run_group(suite.name), display_name=f"{suite.display_name} (panel of judges)")


class HarmBenchPanelScenario(PanelScenario, HarmBenchScenario):
    """HarmBench."""

    suite = "harm_bench"


class AIRBench2024PanelScenario(PanelScenario, AIRBench2024Scenario):
    """AIR-Bench 2024."""

    suite = "air_bench_2024"


class XSTestPanelScenario(PanelScenario, XSTestScenario):
    """XSTest."""

    suite = "xstest"


class SimpleSafetyTestsPanelScenario(PanelScenario, SimpleSafetyTestsScenario):
    """SimpleSafetyTests."""

    suite = "simple_safety_tests"


class AnthropicRedTeamPanelScenario(PanelScenario, AnthropicRedTeamScenario):
    """Anthropic's red-team attempts, their first utterances."""

    suite = "anthropic_red_team"
