"""Does the same case get the same answer? Each level as a dot on a line, in colour where a test finds a gap. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from helm_impactbench.errors import counted
from helm_impactbench.outputs.report.contrasts import ModelContrast, ToldGap
from helm_impactbench.outputs.report.marks import NARROW, WIDE, Chart, Drawing, drawn, short, text_width

_ROW, _ROW_NARROW = 44, 84
_NAME, _LEVEL = 38, 26
"""Characters of a row's name and of a level's."""


@dataclass(frozen=True)
class ContrastScale:
    """What a row's answers are measured in."""

    low: float
    high: float
    unit: str
    """Behind an amount; empty where answers have a range of their own."""

    def words(self, value: float) -> str:
        """Return a value as the chart has it."""
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


@dataclass(frozen=True)
class ContrastLine:
    """One metric, or one model on a metric, and what it was answered at each level."""

    name: str
    address: str
    means: Mapping[str, float]
    """Level -> mean answer, in the measure's own units."""
    reference: str
    """The level that others are compared with, drawn as a ring; empty where there is none."""
    told: str
    """What tests say."""
    is_found: bool

    @property
    def ends(self) -> tuple[tuple[str, float], ...]:
        """The highest and the lowest level with their means; one entry where all are equal."""
        found = []
        for mean in dict.fromkeys((max(self.means.values()), min(self.means.values()))):
            own = [level for level, other in self.means.items() if other == mean]
            found.append((short(own[0], _LEVEL) if len(own) == 1 else counted(len(own), "version"), mean))
        return tuple(found)


def scale_of(bounds: tuple[float, float] | None, unit: str, means: Sequence[float]) -> ContrastScale:
    """Return the scale of a measure: its range, or from 0 to what was answered, so that small ones look small."""
    if bounds is not None:
        return ContrastScale(*bounds, unit)
    return ContrastScale(min(0.0, *means), max(0.0, *means) or 1.0, unit)


def means_over_models(compared: Mapping[str, ModelContrast]) -> dict[str, float]:
    """Return level -> mean over models of their mean answer; levels that every model with an answer has."""
    own = [{level: mean.value for level, mean in found.means.items()} for found in compared.values() if found.means]
    shared = [level for level in own[0] if all(level in one for one in own)] if own else []
    return {level: sum(one[level] for one in own) / len(own) for level in shared}


def told_words(told: Sequence[ToldGap]) -> str:
    """Return what tests say of a metric's gaps with some models; told: of each of them."""
    found = sum(one.test is not None for one in told)
    if found:
        return "significant" if len(told) == 1 else f"significant with {found} of {counted(len(told), 'model')}"
    return "could be chance" if any(one.could_be for one in told) else "too few cases"


def contrast_chart(rows: Sequence[ContrastLine], scales: Sequence[ContrastScale], title: str) -> Chart:
    """Return the chart; scales: of each row."""
    said = [
        [f"{level} {scale.words(mean)}" for level, mean in row.ends] for row, scale in zip(rows, scales, strict=True)
    ]

    def draw(to: Drawing) -> None:
        to.height = 4.0
        left, right = 8.0, NARROW - 8.0
        if not to.narrow:
            names = [text_width(short(row.name, _NAME), 14, bold=row.is_found) for row in rows]
            left = 14 + max(*names, *(text_width(row.told, 11.5) for row in rows))
            right = WIDE - 16 - max(text_width(words, 12) for own in said for words in own)
        for row, scale, words in zip(rows, scales, said, strict=True):
            (_narrow_row if to.narrow else _wide_row)(to, row, scale, words, (left, right))

    return drawn("gaps", title, draw)


def _wide_row(
    to: Drawing, row: ContrastLine, scale: ContrastScale, words: Sequence[str], ends: tuple[float, float]
) -> None:
    y = to.height + 16
    to.text(
        ends[0] - 12,
        y + 3,
        short(row.name, _NAME),
        size=14,
        anchor="end",
        bold=row.is_found,
        link=row.address,
        title=row.name,
    )
    to.text(ends[0] - 12, y + 18, row.told, size=11.5, anchor="end", colour="orange" if row.is_found else "soft")
    for place, line in enumerate(words):
        to.text(WIDE, y + (4 if len(words) == 1 else 15 * place - 3), line, size=12, anchor="end", colour="soft")
    _marks(to, row, scale, ends, y)
    to.height += _ROW


def _narrow_row(
    to: Drawing, row: ContrastLine, scale: ContrastScale, words: Sequence[str], ends: tuple[float, float]
) -> None:
    to.text(0, to.height + 15, short(row.name, _NAME), bold=row.is_found, link=row.address, title=row.name)
    _marks(to, row, scale, ends, to.height + 30)
    to.text(NARROW, to.height + 15, row.told, size=11.5, anchor="end", colour="orange" if row.is_found else "soft")
    to.text(0, to.height + 66, short(" · ".join(words), 56), size=11.5, colour="soft")
    to.height += _ROW_NARROW


def _marks(to: Drawing, row: ContrastLine, scale: ContrastScale, ends: tuple[float, float], y: float) -> None:
    place = _between(scale, *ends)
    to.line(ends[0], y, ends[1], y, "faint")
    to.text(ends[0], y + 18, scale.words(scale.low), size=11, colour="soft")
    to.text(
        ends[1],
        y + 18,
        f"{scale.words(scale.high)} {short(scale.unit, 30)}".rstrip(),
        size=11,
        anchor="end",
        colour="soft",
    )
    colour, xs = "orange" if row.is_found else "grey", [place(mean) for mean in row.means.values()]
    to.line(min(xs), y, max(xs), y, colour, width=3 if row.is_found else 2)
    for level, mean in row.means.items():
        is_reference = level == row.reference
        words = f"{level}: {scale.words(mean)} {scale.unit}".rstrip()
        pale = not row.is_found and not is_reference
        to.dot(place(mean), y, 5, colour, hollow=is_reference, title=words, pale=pale)


def _between(scale: ContrastScale, left: float, right: float) -> Callable[[float], float]:
    return lambda value: left + (right - left) * (value - scale.low) / (scale.high - scale.low)
