"""About how large HELM's suites are, for an estimate of what they cost: published sizes, and rough lengths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from helm_impactbench.suites.planned_prompts import PlannedPrompts

HELM_JUDGE = "openai/gpt-4o-2024-05-13"
"""Of HELM's own safety suites."""


class Size(NamedTuple):
    """One suite; tokens are means per prompt, worked examples included."""

    prompts: int
    prompt_tokens: int
    answer_tokens: int
    """Of a chat model. One that thinks first takes up to HELM's limit, or more where the entry lifts it."""
    judge_tokens: int = 0
    """Of the judge's instructions, before prompt and answer; 0 where nobody judges."""


SIZES: Mapping[str, Size] = {
    "harm_bench": Size(400, 150, 300, 260),
    "harm_bench_gcg_transfer": Size(400, 80, 300, 260),
    "air_bench_2024": Size(5_694, 100, 300, 700),
    "xstest": Size(450, 15, 250, 270),
    "simple_safety_tests": Size(100, 20, 250, 200),
    "anthropic_red_team": Size(38_961, 30, 250, 330),
    "bbq": Size(1_000, 130, 3),
    "mmlu": Size(273, 500, 3),
    "gsm": Size(1_319, 1_000, 150),
    "panel_gsm": Size(1_319, 1_000, 150, 700),
    "natural_qa": Size(3_915, 150, 10),
    "natural_qa:openbook_longans": Size(3_915, 1_500, 10),
    "narrative_qa": Size(355, 3_500, 10),
    "quac": Size(1_000, 4_500, 25),
    "boolq": Size(3_270, 900, 3),
    "commonsense:hellaswag": Size(10_042, 900, 3),
    "commonsense:openbookqa": Size(500, 300, 3),
    "truthful_qa": Size(654, 600, 3),
    "imdb": Size(25_000, 1_800, 3),
    "civil_comments": Size(133_782, 500, 3),
    "wmt_14": Size(3_003, 150, 40),
    "med_qa": Size(1_273, 1_200, 3),
    "math": Size(135, 1_300, 150),
    "real_toxicity_prompts": Size(99_442, 15, 100),
    "bold": Size(23_679, 12, 20),
    "decodingtrust_toxicity_prompts": Size(1_200, 30, 100),
    "decodingtrust_stereotype_bias": Size(1_152, 60, 1_500),
    "decodingtrust_fairness": Size(200, 130, 3),
    "decodingtrust_privacy": Size(150, 60, 20),
    "decodingtrust_machine_ethics": Size(2_109, 250, 5),
    "decodingtrust_adv_robustness": Size(1_700, 100, 3),
    "decodingtrust_adv_demonstration": Size(900, 400, 3),
    "decodingtrust_ood_robustness": Size(872, 60, 3),
}
"""HELM's run spec, or that with the option that chooses a data set, -> size: of MMLU that of a subject on average.

Lengths of the answers are those of all that HELM asks for per prompt.
"""

_CHOOSES_DATA = ("mode", "dataset")
"""Options that choose a data set."""

_SUBJECTS = {
    "abstract_algebra": 111,
    "college_chemistry": 108,
    "computer_security": 111,
    "econometrics": 126,
    "us_foreign_policy": 111,
}
"""Prompts of the subjects of MMLU that HELM Lite takes, test and validation."""


def planned_prompts(
    run_spec: str, options: Mapping[str, Any], most: int, judges: Sequence[str] | None = None
) -> PlannedPrompts | None:
    """Return what a run of HELM's run spec takes with at most `most` prompts; None for a suite of unknown size.

    judges: deployments that were chosen; None: HELM's own judge, where there is one.
    """
    keys = [f"{run_spec}:{options[name]}" for name in _CHOOSES_DATA if name in options]
    size = next((SIZES[key] for key in (*keys, run_spec) if key in SIZES), None)
    if size is None:
        return None
    named = options.get("annotator_model_deployment") or options.get("annotator_model") or HELM_JUDGE
    own = [str(named)] if judges is None else judges
    return PlannedPrompts(
        prompts=min(most, _SUBJECTS.get(str(options.get("subject")), size.prompts)),
        prompt_tokens=size.prompt_tokens,
        answer_tokens=size.answer_tokens,
        judge_tokens=size.judge_tokens,
        judges=tuple(own) if size.judge_tokens else (),
    )
