"""Topics: a strip of dots for each benchmark, one for each model, the widest first; and what tests say of it. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from helm_impactbench.analysis.rates import Rate
from helm_impactbench.analysis.topics import TopicPair
from helm_impactbench.errors import counted
from helm_impactbench.outputs.report.marks import NARROW, WIDE, Chart, Drawing, drawn, fitted_axis, short, text_width

_ROW, _ROW_NARROW = 27, 56
_NAME, _NAME_NARROW = 22, 15
"""Characters of a model's name at the right of a strip, and of one below it."""
_TOPIC = 44
"""Characters of a topic's or a metric's name."""


@dataclass(frozen=True)
class Topic:
    """One benchmark and the models that have a figure on it."""

    slug: str
    name: str
    address: str
    shares: Mapping[str, float]
    """Model -> pass rate, highest first; models whose average over people is no result are not among them."""
    apart: Mapping[str, float]
    """The same of the others."""
    is_found: bool
    """Whether the difference between the highest and the lowest is significant."""
    partial: frozenset[str] = frozenset()
    """Models that met only part of its cases: they have a dot, and are neither highest nor lowest."""

    @property
    def ranked(self) -> Mapping[str, float]:
        """The shares of the others, highest first."""
        return {model: share for model, share in self.shares.items() if model not in self.partial}

    @property
    def spread(self) -> float:
        """Highest minus lowest; 0 with a single model."""
        return max(self.ranked.values()) - min(self.ranked.values()) if self.ranked else 0.0

    def place(self, model: str) -> str:
        """Return a model's share and its place: 24% · 14 of 14; equal ones have one, people who differ none."""
        if model in self.apart:
            return f"{self.apart[model]:.0%} over all people"
        own = self.shares[model]
        if model in self.partial or len(self.ranked) < 2:
            return f"{own:.0%}"
        return f"{own:.0%} · {sum(share > own for share in self.ranked.values()) + 1} of {len(self.ranked)}"

    def ends(self, names: Mapping[str, str], most: int = _NAME) -> tuple[tuple[str, float], ...]:
        """Return the highest and the lowest model with their shares; one entry where all are equal."""
        found = []
        for share in dict.fromkeys((max(self.ranked.values()), min(self.ranked.values()))) if self.ranked else ():
            own = [model for model, other in self.ranked.items() if other == share]
            found.append((short(names[own[0]], most) if len(own) == 1 else counted(len(own), "model"), share))
        return tuple(found)


def topics(
    rates: Mapping[str, Mapping[str, Rate]],
    pairs: Mapping[str, Sequence[TopicPair]],
    apart: Collection[str],
    without: Collection[str],
    about: Mapping[str, tuple[str, str]],
    ranked: Mapping[str, Collection[str]] | None = None,
) -> list[Topic]:
    """Return the topics, the widest spread first.

    rates: slug -> model -> rate. apart: models with which people fare differently. without: scripts that are no dots.
    about: slug -> short name and address. ranked: slug -> models that met all its cases; all where it is None.
    """
    found = []
    for slug, by_model in rates.items():
        known = {m: rate.value for m, rate in by_model.items() if rate.scored and m not in without}
        own = dict(sorted(((m, v) for m, v in known.items() if m not in apart), key=lambda one: (-one[1], one[0])))
        others = {model: value for model, value in known.items() if model in apart}
        if known:
            partial = frozenset() if ranked is None else frozenset(own) - {*ranked.get(slug, own)}
            whole = {model: share for model, share in own.items() if model not in partial}
            is_found = bool(whole) and _is_found(pairs.get(slug, ()), list(whole.values()), list(whole))
            found.append(Topic(slug, *about[slug], own, others, is_found, partial))
    return sorted(found, key=lambda topic: (-topic.spread, topic.name))


def _is_found(pairs: Sequence[TopicPair], shares: Sequence[float], models: Sequence[str]) -> bool:
    """Return whether a model with the highest share differs significantly from one with the lowest."""
    high = {model for model, share in zip(models, shares, strict=True) if share == shares[0]}
    low = {model for model, share in zip(models, shares, strict=True) if share == shares[-1]}
    return any(
        one.found and ((one.first in high and one.second in low) or (one.second in high and one.first in low))
        for one in pairs
    )


def topics_sentence(found: Sequence[Topic], pairs: Mapping[str, Sequence[TopicPair]]) -> str:
    """Return what tests say of the topics; empty where there are not two models to compare."""
    compared = [topic for topic in found if len(topic.ranked) > 1]
    if not compared:
        return ""
    tests = [
        (topic.slug, one)
        for topic in compared
        for one in pairs.get(topic.slug, ())
        if one.first in topic.ranked and one.second in topic.ranked
    ]
    apart = {slug for slug, one in tests if one.found}
    if apart:
        widest = next((topic for topic in compared if topic.is_found), None)
        head = f"Models differ significantly on {len(apart)} of {counted(len(compared), 'topic')}"
        return f"{head}. The widest difference: {widest.name}." if widest else f"{head}."
    if not any(one.can_be_found for _, one in tests):
        return "Too few cases to compare models topic by topic."
    return "No difference between models on a single topic is significant."


def topic_chart(found: Sequence[Topic], names: Mapping[str, str], title: str, picked: str = "") -> Chart:
    """Return the strips; names: model -> short name; picked: the model that stands out, in place of the ends."""
    axis = fitted_axis([share for topic in found for share in (*topic.shares.values(), *topic.apart.values())])

    def draw(to: Drawing) -> None:
        most = _NAME_NARROW if to.narrow else _NAME
        ends = {topic.slug: topic.place(picked) if picked else _ends(topic, names, most) for topic in found}
        top = 4.0
        to.height = top
        if to.narrow:
            left, right = 8.0, NARROW - 8.0
        else:
            left = 14 + max(text_width(short(topic.name, _TOPIC), 14) for topic in found)
            right = WIDE - 16 - max(text_width(words, 12) for words in ends.values())
        place = axis.between(left, right)
        for topic in found:
            middle = to.height + (28 if to.narrow else _ROW / 2)
            if to.narrow:
                to.text(0, to.height + 15, short(topic.name, _TOPIC), link=topic.address)
                to.text(0, middle + 20, ends[topic.slug], size=12, colour="soft")
            else:
                to.text(left - 12, middle + 5, short(topic.name, _TOPIC), size=14, anchor="end", link=topic.address)
                to.text(WIDE, middle + 4, ends[topic.slug], size=12, anchor="end", colour="soft")
            _strip(
                to,
                topic,
                [(place(share), model) for model, share in topic.shares.items()],
                [(place(share), model) for model, share in topic.apart.items()],
                middle,
                names,
                picked,
            )
            to.height += _ROW_NARROW if to.narrow else _ROW
        to.axis(axis, place, top)

    rows = [
        {"benchmark": topic.slug, "topic": topic.name, "model": model, "pass_rate": share}
        for topic in found
        for model, share in {**topic.shares, **topic.apart}.items()
    ]
    return drawn("topics", title, draw, rows)


def _strip(
    to: Drawing,
    topic: Topic,
    places: Sequence[tuple[float, str]],
    apart: Sequence[tuple[float, str]],
    y: float,
    names: Mapping[str, str],
    picked: str,
) -> None:
    if places:
        xs = [x for x, _ in places]
        to.line(min(xs), y, max(xs), y, "quiet", width=6)
    for x, model in apart:
        to.model = model
        colour = "blue" if model == picked else "grey"
        to.dot(x, y, 4, colour, hollow=True, title=f"{names[model]}: people fare differently")
    ranked = list(topic.ranked)
    for x, model in places:
        to.model = model
        is_end = not picked and topic.is_found and model in (ranked[0], ranked[-1])
        colour = ("blue" if model == ranked[0] else "orange") if is_end else "grey"
        to.dot(x, y, 5, colour, title=f"{names[model]} {topic.shares[model]:.0%}", pale=not is_end)
    for x, model in places:
        if model == picked:  # on top of the others
            to.model = model
            to.dot(x, y, 6, "blue", title=f"{names[model]} {topic.shares[model]:.0%}")
    to.model = ""


def _ends(topic: Topic, names: Mapping[str, str], most: int) -> str:
    ends = topic.ends(names, most)
    return " · ".join(f"{name} {share:.0%}" for name, share in ends)
