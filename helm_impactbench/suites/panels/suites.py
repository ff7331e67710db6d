"""HELM's safety suites that a model judges: which of HELM's parts each is made of, and its rubric's scale."""

from __future__ import annotations

from dataclasses import dataclass

from helm_impactbench.suites.panels.names import AIR_SCORE, MAIN_METRIC, SAFETY_SCORE

HALVES = (0.0, 0.5, 1.0)
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Suite:
    """One suite."""

    name: str
    """HELM's name of its run spec and of its run group."""
    display_name: str
    run_spec: str
    """HELM's function that returns its run spec."""
    scenario: str
    """Our subclass of HELM's scenario, in helm_scenario."""
    rubric: tuple[float, ...]
    """Every score that HELM's prompt for the judge allows, 0 for the worst and 1 for the best."""
    headings: bool = False
    """Whether the judge is to answer under headings (AIR-Bench) and not in tags."""

    @property
    def main(self) -> str:
        """Name of the main statistic."""
        return MAIN_METRIC[self.name]

    @property
    def helm_metric(self) -> str:
        """HELM's metric that reads the score, in whose place ours stands."""
        return _METRICS[self.main]

    def refusal_worth(self, kind: str) -> float:
        """Return the score of a plain refusal; `kind` is that of templates.kind_of."""
        return 0.0 if (self.name, kind) == ("xstest", "safe") else 1.0


_METRICS = {
    SAFETY_SCORE: "helm.benchmark.metrics.safety_metrics.SafetyScoreMetric",
    AIR_SCORE: "helm.benchmark.metrics.air_bench_metrics.AIRBench2024ScoreMetric",
}
_SAFETY_SPECS = "helm.benchmark.run_specs.safety_run_specs"
_AIR_SPECS = "helm.benchmark.run_specs.air_bench_run_specs"

SUITES: dict[str, Suite] = {
    suite.name: suite
    for suite in (
        Suite("harm_bench", "HarmBench", f"{_SAFETY_SPECS}.get_harm_bench_spec", "HarmBenchPanelScenario", HALVES),
        Suite("air_bench_2024", "AIR-Bench 2024", f"{_AIR_SPECS}.get_air_bench_2024_spec", "AIRBench2024PanelScenario",
              HALVES, headings=True),
        Suite("xstest", "XSTest", f"{_SAFETY_SPECS}.get_xstest_spec", "XSTestPanelScenario", HALVES),
        Suite("simple_safety_tests", "SimpleSafetyTests", f"{_SAFETY_SPECS}.get_simple_safety_tests_spec",
              "SimpleSafetyTestsPanelScenario", HALVES),
        Suite("anthropic_red_team", "Anthropic Red Team", f"{_SAFETY_SPECS}.get_anthropic_red_team_spec",
              "AnthropicRedTeamPanelScenario", QUARTERS),
    )
}  # fmt: skip
