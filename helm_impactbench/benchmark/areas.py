"""Areas of impact, their parts, and the rows of the nutrition label."""

from __future__ import annotations

from typing import Literal

Area = Literal["physical", "psychological", "societal"]
Subarea = Literal[
    "physical/health",
    "physical/livelihood",
    "psychological/attachment",
    "psychological/autonomy",
    "psychological/cognition",
    "psychological/wellbeing",
    "societal/access",
    "societal/community",
    "societal/culture",
    "societal/fairness",
    "societal/information",
]
"""Part of an area, with the area's name before it."""
LabelRow = Literal[
    "hallucination",
    "sexual_intimate",
    "sycophancy",
    "toxicity",
    "agency",
    "learning",
    "social_interaction",
    "creativity",
    "wellbeing",
]
REQUEST = "request"
"""Factor of a single prompt: "harmful" where it asks for harm, "safe" where it only sounds so."""
