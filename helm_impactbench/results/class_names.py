"""Classes of ours that a run's files name: HELM imports them by these names, and suites know their runs by them.

Part of the stored format, like the keys of a file: this is the one place below helm/ that knows where they are.
"""

from __future__ import annotations

CONVERSATION_SCENARIO = "helm_impactbench.helm.scenario.ImpactBenchScenario"
"""HELM scenario of conversations on a benchmark."""
ANSWER_SCENARIO = "helm_impactbench.helm.panels.scenario.PanelScenario"
"""HELM scenario of one of HELM's suites with judges of our own."""
ANNOTATOR_CLASS = "helm_impactbench.helm.judge_annotator.ImpactBenchAnnotator"
"""HELM annotator: the panel of judges."""
METRIC_CLASS = "helm_impactbench.helm.metric.ImpactBenchMetric"
"""HELM metric: the statistics of a run."""
