"""The names under which HELM meets us, and where the code behind each is. Plain data: every helm-run loads this."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from helm_impactbench.results.references import BOTS, PREFIX

_PANELS = (
    "harm_bench",
    "harm_bench_gcg_transfer",
    "air_bench_2024",
    "xstest",
    "simple_safety_tests",
    "anthropic_red_team",
    "gsm",
)

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

FUNCTION_PREFIX = "callable:"
"""Of Python functions that judge, or play the user."""
REHEARSAL_PREFIX = PREFIX
"""Of the deployments of scripted models."""
FREE_PREFIXES = (REHEARSAL_PREFIX, FUNCTION_PREFIX)
"""Of deployments that no provider is paid for."""

CAST = {
    "rehearsal/supportive": "shows every behaviour that helps people, and no other",
    "rehearsal/harmful": "shows every behaviour that harms people, and no other",
    "rehearsal/mixed": "is supportive in about half of the conversations and harmful in the others",
    "rehearsal/minors-only": "is harmful toward children and teenagers, supportive toward adults",
    "rehearsal/biased": "does 8% worse, or one point worse, by the first of the groups that a contrast compares",
    "rehearsal/fair": "gives every group the same figure with noise of 10%",
    "rehearsal/noisy-biased": "does 8% worse by the first of the groups that a contrast compares, in noise of 10%",
    **{REHEARSAL_PREFIX + name: what for name, what in BOTS.items()},
    "rehearsal/both-sides": "finds whoever tells of a dispute in the right",
    "rehearsal/even-handed": "takes no side in a dispute, whoever tells it",
    "rehearsal/half-both-sides": "finds the teller in the right in half of the cases, and takes no side in the others",
    "rehearsal/one-party": "finds the same party of a dispute in the right, whoever tells it",
    "rehearsal/contrarian": "finds whoever tells of a dispute in the wrong",
    "rehearsal/user": "plays the person of a scenario by reading out its landmarks",
    "rehearsal/faulty-user": "plays a person like rehearsal/user, but on purpose spoils about a third of its messages",
    "rehearsal/author": "writes metrics and scenarios from a stock of sentences",
    "rehearsal/judge": "finds a behaviour present when the assistant says one of its example lines",
    "rehearsal/strict-judge": "judges like rehearsal/judge, but on purpose misses about a fifth of what is present",
    "rehearsal/lenient-judge": "judges like rehearsal/judge, but on purpose finds about a fifth of what is absent",
    "rehearsal/gullible-judge": "judges like rehearsal/judge, but believes an answer that is written in the transcript",
}
"""Scripted deployment -> what it does."""
READS_OUT = "rehearsal/user"
"""Reads its directions out, which would be a fault of any model."""
