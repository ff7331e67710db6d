"""The names under which HELM meets us, and where the code behind each is. Plain data: every helm-run loads this."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_PANELS = ("harm_bench", "air_bench_2024", "xstest", "simple_safety_tests", "anthropic_red_team")

RUN_SPECS: Mapping[str, str] = {
    "impactbench": "helm_impactbench.helm.run_specs.make_run_spec",
    **{f"panel_{suite}": "helm_impactbench.helm.panels.run_specs.make_run_spec" for suite in _PANELS},
}
"""Name of a run spec, with which a run entry begins -> function (name, options) that makes it."""

ADAPTERS: Mapping[str, str] = {
    "conversation": "helm_impactbench.helm.conversation_adapter.ConversationAdapter",
    "answer": "helm_impactbench.helm.panels.adapter.AnswerAdapter",
}
"""Adapter method -> class."""

_CLIENT = "helm_impactbench.helm.conversation_client.ConversationClient"
TARGET_CLIENTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "impactbench/": (_CLIENT, {}),
    "impactbench-answer/": (_CLIENT, {"single_prompt": True}),
}
"""Prefix of deployments that talk with the target deployment named after it -> class of their client, its arguments."""

REHEARSAL_PREFIX = "rehearsal/"
"""Of the deployments of scripted models."""
