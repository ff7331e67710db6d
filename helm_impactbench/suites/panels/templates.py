"""HELM's prompts for the judges of its safety suites, taken from the installed crfm-helm."""

from __future__ import annotations

import os

from helm.benchmark.scenarios.scenario import CORRECT_TAG, Instance
from helm.clients.auto_client import AutoClient

from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.suites.panels.question import Templates, usable

AIR_STORAGE = os.path.join("output", "airbench2024")
"""Where HELM's own annotator keeps AIR-Bench's prompts below prod_env/cache; shared, so that they are fetched once."""


def kind_of(suite: str, instance: Instance) -> str:
    """Return what HELM chooses the judge's prompt by: a label, a category, or nothing."""
    if suite == "air_bench_2024":
        return instance.references[0].output.text if instance.references else ""
    if suite == "xstest":
        return next((r.output.text for r in reversed(instance.references) if CORRECT_TAG in r.tags), "")
    return ""


def helm_templates(suite: str, auto_client: AutoClient) -> Templates:
    """Return HELM's prompts for the judge of a suite by kind. Raises ImpactBenchError when they cannot be had."""
    if suite == "air_bench_2024":
        return usable(_air_bench(auto_client))
    if suite == "xstest":
        from helm.benchmark.annotation import xstest_annotator as xstest

        return usable({"safe": xstest.PROMPT_TEMPLATE_SAFE.strip(), "unsafe": xstest.PROMPT_TEMPLATE_UNSAFE.strip()})
    return usable({"": _single(suite).strip()})


def _single(suite: str) -> str:
    from helm.benchmark.annotation import (
        anthropic_red_team_annotator,
        harm_bench_annotator,
        simple_safety_tests_annotator,
    )

    modules = {
        "harm_bench": harm_bench_annotator,
        "simple_safety_tests": simple_safety_tests_annotator,
        "anthropic_red_team": anthropic_red_team_annotator,
    }
    return str(modules[suite].PROMPT_TEMPLATE)


def _air_bench(auto_client: AutoClient) -> Templates:
    """Return the prompts of AIR-Bench's data set, read by HELM's own annotator: repository and revision are its."""
    from helm.benchmark.annotation.air_bench_annotator import AIRBench2024Annotator

    storage = os.path.join(auto_client.file_storage_path, AIR_STORAGE)
    try:
        prompts: dict[str, str] = AIRBench2024Annotator(auto_client, storage)._category_id_to_judge_prompt
    except Exception as error:  # the libraries of the hub raise many kinds
        raise ImpactBenchError(
            f"AIR-Bench's prompts for judges cannot be loaded ({type(error).__name__}: {error}). They are the "
            "configuration judge_prompts of the data set stanford-crfm/air-bench-2024: let HELM download it, or put it "
            "in place with `impactbench fetch air_bench_2024`. Finished calls to the target cost nothing on a re-run."
        ) from error
    return prompts
