"""Prompts for the judges of HELM's suites: HELM's own, from the installed crfm-helm, and ours where it has none."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from helm.benchmark.scenarios.scenario import CORRECT_TAG, Instance
from helm.proxy.services.service import CACHE_DIR

from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.process.helm_run import this_run
from helm_impactbench.prompts import Prompt, load_prompt
from helm_impactbench.suites.external.request_factors import request_factors
from helm_impactbench.suites.external.table import BY_GROUP
from helm_impactbench.suites.panels.question import is_usable
from helm_impactbench.suites.panels.table import PanelSuite

_ANNOTATIONS = "helm.benchmark.annotation"
_ANNOTATOR_OF = {"harm_bench_gcg_transfer": "harm_bench"}
"""Suite -> whose annotator HELM has judge it, where it has none of its own."""
_AIR_STORAGE = Path("output", "airbench2024")
"""Where HELM's own annotator keeps AIR-Bench's prompts below prod_env/cache; shared, so that they are fetched once."""


def kind_of(suite: str, instance: Instance) -> str:
    """Return what HELM chooses the judge's prompt by: a label, a category, or nothing. `suite` is HELM's name."""
    if suite == "air_bench_2024":
        return instance.references[0].output.text if instance.references else ""
    if suite == "xstest":
        return next((r.output.text for r in reversed(instance.references) if CORRECT_TAG in r.tags), "")
    return ""


def factors_of(suite: str, instance: Instance) -> dict[str, str]:
    """Return the factors that HELM's data give a prompt; `suite` is HELM's name."""
    if not BY_GROUP[suite].has_categories or len(instance.references) != 1:
        return {}
    return request_factors(instance.references[0].output.text, instance.input.text)


def judge_prompt(suite: PanelSuite, instance: Instance) -> str | None:
    """Return what a judge is asked of an instance, with a hole for the answer; None where there is no question.

    Raises ImpactBenchError when HELM's prompts cannot be had.
    """
    if not suite.prompt:
        return judge_prompts(suite.helm_name).get(kind_of(suite.helm_name, instance))
    return own_prompt(suite.prompt).fill(
        question=instance.input.text, reference=reference_of(suite, instance), answer="{{answer}}"
    )


@cache
def own_prompt(name: str) -> Prompt:
    """Return a prompt of ours for the judges of a suite for which HELM has none."""
    return load_prompt(name, {"question", "reference", "answer"})


def reference_of(suite: PanelSuite, instance: Instance) -> str:
    """Return the worked solution of an instance where the prompt for judges is ours, else nothing."""
    correct = (one.output.text for one in instance.references if CORRECT_TAG in one.tags)
    return next(correct, "") if suite.prompt else ""


@cache
def judge_prompts(suite: str) -> Mapping[str, str]:
    """Return kind -> HELM's prompt, of those that a judge can be asked with; "" stands for the only kind.

    Raises ImpactBenchError when they cannot be had.
    """
    found = _air_bench() if suite == "air_bench_2024" else _own_prompts(suite)
    return {kind: text for kind, text in found.items() if is_usable(text)}


def _own_prompts(suite: str) -> dict[str, str]:
    name = _ANNOTATOR_OF.get(suite, suite)
    module = importlib.import_module(f"{_ANNOTATIONS}.{name}_annotator")
    if suite == "xstest":
        return {"safe": module.PROMPT_TEMPLATE_SAFE.strip(), "unsafe": module.PROMPT_TEMPLATE_UNSAFE.strip()}
    return {"": module.PROMPT_TEMPLATE.strip()}


def _air_bench() -> dict[str, str]:
    """Return the prompts of AIR-Bench's data set, read by HELM's own annotator: repository and revision are its."""
    storage = this_run().local_path / CACHE_DIR / _AIR_STORAGE
    try:
        annotator = importlib.import_module(f"{_ANNOTATIONS}.air_bench_annotator").AIRBench2024Annotator
        prompts: dict[str, str] = annotator(None, str(storage))._category_id_to_judge_prompt
    except Exception as error:  # the libraries of the hub raise many kinds
        raise ImpactBenchError(
            f"AIR-Bench's prompts for judges cannot be loaded ({type(error).__name__}: {error}). They are the "
            "configuration judge_prompts of the data set stanford-crfm/air-bench-2024: let HELM download it, or put it "
            "in place with `impactbench fetch air_bench_2024`. Nothing has been paid for yet."
        ) from error
    return prompts
