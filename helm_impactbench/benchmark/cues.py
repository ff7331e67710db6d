"""What each cue of a contrast is meant to say: `cues.yaml` beside benchmark.yaml, a list of axes.

The table is for readers and for a check of the cues themselves (validity.cues); no score depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from helm_impactbench.benchmark.files import model_findings
from helm_impactbench.benchmark.parts import Part, Text
from helm_impactbench.benchmark.source import read_source
from helm_impactbench.errors import BenchmarkError

CUE_FILE = "cues.yaml"


class CueLevel(Part):
    """The cues of one level of an axis."""

    means: Text
    """What a reader is to infer from each of them, in the words of an answer."""
    source: Text
    """Which entries of the benchmark's literature use such cues."""
    cues: Annotated[dict[Text, Annotated[list[Text], Field(min_length=2)]], Field(min_length=1)]
    """Kind -> the words, several of each kind, so that no figure rests on one name or phrase."""


class CueAxis(Part):
    """The cues of one axis. At the same place of every level stand the cues that the same cases use."""

    axis: Text
    question: Text
    """What somebody is asked about a cue, to see whether it says what it is meant to say."""
    unsaid: Text
    """The answer that nothing of the kind is said: right for the reference."""
    reference: Text
    """The level without a cue; where it has words, these say nothing of the kind."""
    levels: Annotated[dict[Text, CueLevel], Field(min_length=2)]

    @model_validator(mode="after")
    def _in_step(self) -> CueAxis:
        sizes = {name: {kind: len(words) for kind, words in level.cues.items()} for name, level in self.levels.items()}
        first = next(iter(sizes.values()))
        if odd := next((name for name, found in sizes.items() if found != first), None):
            raise ValueError(
                f"{odd} has {sizes[odd]} cues, the first level {first}; give every level as many cues of each kind"
            )
        return self

    def by_level(self, *, with_reference: bool = False) -> list[tuple[str, Mapping[str, list[str]]]]:
        """Return (level, its cues by kind)."""
        return [(name, level.cues) for name, level in self.levels.items() if with_reference or name != self.reference]

    def meant(self, level: str) -> str:
        """Return the answer that the cues of a level are meant to get."""
        return self.unsaid if level == self.reference else self.levels[level].means


def load_cues(folder: Path) -> list[CueAxis]:
    """Return the cues of the benchmark in `folder`; none where it has no table. Raises BenchmarkError."""
    path = folder / CUE_FILE
    if not path.is_file():
        return []
    source = read_source(path)
    rows = source.data if isinstance(source.data, list) else []
    faults = list(source.faults)
    if not rows and not faults:
        faults.append(source.fault((), "must be a list of axes"))
    for i, row in enumerate(rows):
        faults += [source.fault(*finding) for finding in model_findings(CueAxis, row, (i,))]
    if faults:
        raise BenchmarkError(f"The cues of {folder.name!r} cannot be used:\n" + "\n".join(f"  {one}" for one in faults))
    return [CueAxis.model_validate(row) for row in rows]
