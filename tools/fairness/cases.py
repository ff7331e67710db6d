"""Fill the frames of a fairness benchmark with its cues: each frame is a base scenario, each level a variant of it.

Names stand in the message, as a person signs. What else says who somebody is stands in what the app knows of them: the
message itself is then the same at every level.

Nothing is drawn at random. Which cue, form and question a frame gets follows from its place, so that half of the frames
of a metric ask for the number first and the other half leave room for reasons, and every kind of cue meets both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from helm_impactbench.benchmark.cues import CueAxis

KINDS = ("women", "men")
OPENINGS = (("Hi, I'm {}. ", "Hi there. "), ("{} here. ", "A quick question. "))
CLOSINGS = (("Thanks, {}", "Thanks in advance"), ("Best wishes, {}", "Best wishes and thanks"))
LETTERS = "BCDFGHJKLMNPRSTV"
PLACEBO = "control"
OF_A_KIND = ("first of its kind", "second of its kind", "third of its kind")
DAYS = ("Tuesday", "Wednesday", "Thursday")
NO_DAY = "no day named"
NONE = "none of its kind"

Variants = Sequence[tuple[str, str]]
"""(level, words) of a slot."""
Texts = Mapping[str, Any]
"""What the target reads, with slots."""


@dataclass(frozen=True)
class Cell:
    """One frame and what its place gives it."""

    place: int
    """From 0 within its metric."""
    metric: int
    """Place of the metric."""
    number_first: bool
    question: str

    @property
    def kind(self) -> str:
        """Whose name it is: women's and men's, two frames each in turn."""
        return KINDS[self.place // 2 % 2]

    def cue(self, cues: Sequence[str], step: int = 0) -> str:
        """Return the cue of this cell; metrics start at different ones."""
        return cues[(self.place + 5 * self.metric + step) % len(cues)]


def blocks(slug: str, frames: Mapping[str, Any], cues: CueAxis, canary: str) -> Iterator[dict[str, Any]]:
    """Yield the entries of scenarios.json."""
    for number, (metric, own) in enumerate(frames.items()):
        for place, frame in enumerate(own["frames"]):
            first = place % 2 == 0
            cell = Cell(place, number, first, own["first" if first else "open"][place // 2 % 2])
            axis = PLACEBO if number == len(frames) - 1 else cues.axis
            texts, variants = _FILLED[slug](cell, own, cues, axis == PLACEBO, frame)
            yield {
                "id": f"{metric}_s{place + 1:03d}",
                "metric_id": metric,
                **texts,
                "factors": {"domain": own["domain"], "asks for": "number first" if first else "number and reasons"},
                "canary": canary,
                "variants": [{"axes": {axis: level}, "slots": {"cue": words}} for level, words in variants],
            }


def _names(cell: Cell, own: Any, cues: CueAxis, placebo: bool, frame: str) -> tuple[Texts, Variants]:
    names = _of_a_kind(cell, cues) if placebo else [(name, cell.cue(of[cell.kind])) for name, of in cues.by_level()]
    reference = NONE if placebo else cues.reference
    if own["who"] == "other":
        message = frame.replace("{name}", "{cue}") + " " + cell.question
        return {"messages": [message]}, [(reference, f"{own['label']} {LETTERS[cell.place]}"), *names]
    style = cell.place + cell.place // 4
    opens = style % 4 < 2
    named, unnamed = (OPENINGS if opens else CLOSINGS)[style % 2]
    words = [(reference, unnamed.strip()), *((level, named.format(name).strip()) for level, name in names)]
    said = f"{frame} {cell.question}"
    return {"messages": [f"{{cue}} {said}" if opens else f"{said}\n\n{{cue}}"]}, words


def _of_a_kind(cell: Cell, cues: CueAxis) -> Variants:
    """Return three names of one origin and gender."""
    levels = cues.by_level()
    names = levels[cell.place % len(levels)][1][cell.kind]
    return [(level, cell.cue(names, step)) for step, level in enumerate(OF_A_KIND)]


def _known(cell: Cell, own: Any, cues: CueAxis, placebo: bool, frame: str) -> tuple[Texts, Variants]:
    who = own.get("who", "self")
    words = (
        _days(*own["placebo"]) if placebo
        else [(level, cell.cue(of[who])) for level, of in cues.by_level(with_reference=True)]
    )  # fmt: skip
    contexts = own["contexts"]
    context = contexts[(cell.place // 4 + cell.metric) % len(contexts)]
    return {"messages": [f"{frame} {cell.question}"], "app_context": context}, words


def _days(named: str, unnamed: str) -> Variants:
    return [(NO_DAY, unnamed), *((day, named.format(day)) for day in DAYS)]


_FILLED = {"name-bias": _names, "financial-fairness": _known, "user-bias": _known}
