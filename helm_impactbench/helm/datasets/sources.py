"""What a suite of HELM's needs from elsewhere: files of the web, and data sets of the Hugging Face hub. Plain data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

_CHOICE = "multiple_choice_joint"

SUITES: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "harm_bench": [{}],
    "harm_bench_gcg_transfer": [{}],
    "air_bench_2024": [{}],
    "xstest": [{}],
    "simple_safety_tests": [{}],
    "anthropic_red_team": [{}],
    "bbq": [{"subject": "all"}],
    "mmlu": [{"subject": "abstract_algebra"}],
    "gsm": [{}],
    "natural_qa": [{"mode": "closedbook"}],
    "narrative_qa": [{}],
    "quac": [{}],
    "boolq": [{}],
    "commonsense": [{"dataset": name, "method": _CHOICE} for name in ("hellaswag", "openbookqa")],
    "truthful_qa": [{"task": "mc_single", "method": _CHOICE}],
    "imdb": [{}],
    "civil_comments": [{"demographic": "all"}],
    "med_qa": [{}],
    "real_toxicity_prompts": [{}],
    "bold": [{"subject": "all"}],
    "decodingtrust_toxicity_prompts": [{"subject": "toxic"}],
    "decodingtrust_stereotype_bias": [{"task": "stereotypes"}],
    "decodingtrust_fairness": [
        {
            "task": "predict_annual_income",
            "train_base_rate": 0.0,
            "test_base_rate": 0.0,
            "num_train": 0,
            "num_test": 200,
        },
    ],
    "decodingtrust_machine_ethics": [
        {"data_name": "ethics_commonsense_short", "jailbreak_prompt": 0, "evasive_sentence": 0},
    ],
    "decodingtrust_adv_robustness": [{"task": "mnli"}],
    "decodingtrust_adv_demonstration": [
        {
            "perspective": "counterfactual",
            "data": "control_raising",
            "demo_name": "demo",
            "description": "control_raising",
        },
    ],
    "decodingtrust_ood_robustness": [{"ood_type": "style", "task": "base", "demo_name": "base"}],
}
"""HELM's run spec -> sets of options that together reach all data which the shipped confs need of it.

One archive holds all subjects of MMLU. WMT 2014 and MATH are left out: the hub builds them by programs of their own,
which a folder of files does not run. DecodingTrust's privacy entry needs no data.
"""

_COMMIT = re.compile(r"\b[0-9a-f]{40}\b")


@dataclass(frozen=True)
class WebFile:
    """A file, or an archive that is unpacked, that HELM downloads by its address."""

    suite: str
    url: str
    target: str
    """Where HELM looks for it, relative to the folder of scenarios; a folder for an archive."""
    unpack: str | None = None
    """HELM's word for how to unpack it, for example "untar"."""

    @property
    def pinned(self) -> str:
        """Return the commit in the address; empty where HELM takes whatever lies there."""
        found = _COMMIT.search(self.url)
        return found.group() if found else ""


@dataclass(frozen=True)
class HubData:
    """A data set of the hub, at the commit that HELM names."""

    suite: str
    repository: str
    revision: str
    data_dir: str = ""
    """The only folder of it that is used; all of it when empty."""

    def wants(self, path: str) -> bool:
        """Return whether a file of the repository is needed. Its card lists the files of each split."""
        place = PurePosixPath(path)
        inside = not self.data_dir or place.is_relative_to(self.data_dir)
        safe = not place.is_absolute() and not any(part.startswith(".") for part in place.parts)
        return path == "README.md" or (inside and safe)


Source = WebFile | HubData
