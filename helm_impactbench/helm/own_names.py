"""The names under which HELM meets us, and where the code behind each is. Plain data: every helm-run loads this."""

from __future__ import annotations

from collections.abc import Mapping

_PANELS = ("harm_bench", "air_bench_2024", "xstest", "simple_safety_tests", "anthropic_red_team")

RUN_SPECS: Mapping[str, str] = {
    "impactbench": "helm_impactbench.helm.run_specs.make_run_spec",
    "moral_sycophancy": "helm_impactbench.sycophancy.run_specs.make_run_spec",
    **{f"panel_{suite}": "helm_impactbench.helm.panels.run_specs.make_run_spec" for suite in _PANELS},
}
"""Name of a run spec, with which a run entry begins -> function (name, options) that makes it."""

ADAPTERS: Mapping[str, str] = {
    "conversation": "helm_impactbench.helm.conversation_adapter.ConversationAdapter",
    "telling": "helm_impactbench.sycophancy.helm_adapter.TellingAdapter",
    "answer": "helm_impactbench.helm.panels.adapter.AnswerAdapter",
}
"""Adapter method -> class."""

TARGET_CLIENTS: Mapping[str, str] = {
    "impactbench/": "helm_impactbench.helm.conversation_client.ConversationClient",
    "moral-sycophancy/": "helm_impactbench.sycophancy.helm_client.TellingClient",
    "safety-answer/": "helm_impactbench.helm.panels.client.AnswerClient",
}
"""Prefix of deployments that talk with the target deployment named after it -> class of their client."""

REHEARSAL_PREFIX = "rehearsal/"
"""Of the deployments of scripted models."""
