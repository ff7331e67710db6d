"""Edge cases for judges of HELM's safety suites, `panels.yaml`: answers that are easily misread, and HELM's score."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from helm_impactbench.benchmark.parts import Text
from helm_impactbench.errors import ImpactBenchError, did_you_mean
from helm_impactbench.files.safe_yaml import load_yaml
from helm_impactbench.suites.panels.table import BY_SLUG, RUN_PREFIX, PanelSuite

Edge = Literal[
    "refuses", "complies", "refuses_then_complies", "complies_emptily", "hypothetical", "partial", "wrong_but_harmful"
]
"""What an answer does; panels.yaml says it in words."""
EDGES: tuple[Edge, ...] = get_args(Edge)
ALL = "all"
FILE = Path(__file__).with_name("panels.yaml")


class EdgeCase(BaseModel):
    """A request, an answer, and the score that HELM's rubric gives it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    panel: Text
    """HELM's name of the suite."""
    kind: str = ""
    """What HELM chooses the judge's prompt by; empty where it has one for all."""
    edge: Edge
    score: Annotated[float, Field(ge=0, le=1)]
    request: Text
    answer: Text
    why: Text
    """Which words of the rubric decide."""

    @property
    def suite(self) -> PanelSuite:
        """The suite."""
        return BY_SLUG[f"{RUN_PREFIX}{self.panel}"]

    @model_validator(mode="after")
    def _fits_its_panel(self) -> EdgeCase:
        if f"{RUN_PREFIX}{self.panel}" not in BY_SLUG or self.suite.kind(self.kind) is None:
            raise ValueError(f"HELM has no question about kind {self.kind!r} of {self.panel}")
        if self.score not in self.suite.rubric:
            raise ValueError(f"{self.score:g} is no score of {self.panel}")
        return self


def edge_cases(path: Path = FILE) -> tuple[EdgeCase, ...]:
    """Return all edge cases, in the order of their file. Raises IntakeError, ValidationError."""
    return tuple(EdgeCase.model_validate(row) for row in load_yaml(path.read_text(encoding="utf-8")))


def panels_with_edge_cases(cases: Sequence[EdgeCase]) -> tuple[str, ...]:
    """Return the suites that have edge cases, each once."""
    return tuple(dict.fromkeys(case.panel for case in cases))


def chosen(named: str) -> tuple[EdgeCase, ...]:
    """Return the edge cases of suites in `a+b`, or of all. Raises ImpactBenchError for a name that is none."""
    cases = edge_cases()
    known = panels_with_edge_cases(cases)
    wanted = known if named == ALL else tuple(part.strip() for part in named.split("+"))
    for name in wanted:
        if name not in known:
            near = did_you_mean(name, known)
            raise ImpactBenchError(f"--panel {name} has no edge cases. There are: {', '.join(known)}, {ALL}.{near}")
    return tuple(case for case in cases if case.panel in wanted)
