"""Do simulated users write as old as their persona is, and as it is said to write? Needs no human reference. Pure.

What is said of writing is looked for in the persona's own sentences: "Writes in lower case, in short lines." Only what
can be counted is looked for; "Writes quietly" is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from helm_impactbench.conversation.age import age_group
from helm_impactbench.stats.clusters import Clusters, clustered
from helm_impactbench.stats.intervals import Interval, cluster_interval
from helm_impactbench.stats.two_samples import SampleDifference, difference
from helm_impactbench.validity.simulator.user_style import TRAITS, Style

GROUPS = {"child": ("young child", "child"), "teenager": ("teenager",), "adult": ("adult", "older adult")}
"""Youngest first."""
RISING = ("words", "grade", "rarity", "diversity")
"""Traits that grow from children to adults."""
FALLING = ("unknown_words", "small_starts", "open_ends", "shouting", "emoji")
"""Traits that grow less."""
LONG, SHORT = 30.0, 20.0
"""Words per message from which messages are long, and to which they are short."""

_SENTENCE = re.compile(r"[^.!?]+")
_OF_WRITING = re.compile(r"^\s*(?:\w+ ){0,2}?(?:writes|types|texts|chats|spells)(?!\w)", re.I)


@dataclass(frozen=True)
class StyledPerson:
    """One conversation of a simulated user, with whom it was to be."""

    cluster: Hashable
    persona: str
    axes: tuple[tuple[str, str], ...]
    style: Style


@dataclass(frozen=True)
class PersonaManner:
    """One thing that a persona may say of how the person writes."""

    name: str
    said: re.Pattern[str]
    kept: Callable[[Style], bool]
    means: str
    """What keeping to it means."""


def _said(*words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", re.I)


MANNERS = (
    PersonaManner(
        "without capitals",
        _said("lower ?case", "small letters", "without capitals?", "no capitals?"),
        lambda style: style["small_starts"] >= 0.5,
        "at least half of the messages begin with a small letter",
    ),
    PersonaManner(
        "with capitals",
        _said("(?:with|in|big|and|many) capitals", "big letters", "all caps"),
        lambda style: style["shouting"] >= 0.02,
        "at least 2% of the words are in capitals",
    ),
    PersonaManner(
        "short messages",
        _said(
            "(?:short|tiny|clipped|one-line) (?:\\w+ )?(?:lines|messages)",
            "tersely",
            "few words",
            "fragments",
            "scraps",
            "telegram style",
            "single words",
            "one-liners",
        ),
        lambda style: style["words"] <= SHORT,
        f"at most {SHORT:.0f} words per message",
    ),
    PersonaManner(
        "long messages",
        _said("long (?:\\w+ )?(?:lines|messages|sentences|paragraphs)", "at length"),
        lambda style: style["words"] >= LONG,
        f"at least {LONG:.0f} words per message",
    ),
    PersonaManner(
        "spelling slips",
        _said("(?:spelling|typing) (?:mistakes|slips|errors)", "typos", "misspells"),
        lambda style: style["unknown_words"] >= 0.02,
        "at least 2% of the words are in no dictionary",
    ),
    PersonaManner(
        "without full stops",
        _said(
            "without (?:full stops|punctuation)", "no (?:full stops|punctuation)", "(?:little|hardly any) punctuation"
        ),
        lambda style: style["open_ends"] >= 0.5,
        "at least half of the messages end without a mark",
    ),
    PersonaManner(
        "full sentences",
        _said("(?:full|whole|complete|tidy)(?:, \\w+)? sentences", "correctly"),
        lambda style: style["small_starts"] <= 0.2 and style["open_ends"] <= 0.5,
        "messages begin with a capital, and half of them or more end with a mark",
    ),
    PersonaManner(
        "emoji",
        _said("emojis?", "smileys?", "hearts", "laughing (?:faces|symbols?)"),
        lambda style: style["emoji"] > 0,
        "at least one emoji or smiley",
    ),
    PersonaManner(
        "politely",
        _said("(?:very )?polite(?:ly)?", "courteous(?:ly)?"),
        lambda style: style["polite"] > 0,
        "at least one message with thanks, please, a greeting or sorry",
    ),
)


@dataclass(frozen=True)
class AgeTrait:
    """A trait by age, and how it differs between the youngest and the oldest group."""

    trait: str
    means: dict[str, tuple[float, Interval]]
    """Age group -> mean over base scenarios, with its 95% interval."""
    rises: bool
    """Whether it is expected to grow with age."""
    difference: SampleDifference | None
    """Oldest less youngest, in standard deviations of the youngest; None where there is one group."""

    @property
    def as_expected(self) -> bool | None:
        """Whether the oldest and youngest differ as expected; None where the interval cannot tell."""
        if self.difference is None or not self.difference.interval.is_known:
            return None
        low, high = self.difference.interval.low, self.difference.interval.high
        if low <= 0 <= high:
            return None
        return (low > 0) is self.rises

    @property
    def in_order(self) -> bool:
        """Whether the means follow age from group to group."""
        values = [mean if self.rises else -mean for mean, _ in self.means.values()]
        return all(younger <= older for younger, older in pairwise(values))


@dataclass(frozen=True)
class StyleReading:
    """How many conversations keep to what the persona says of writing."""

    manner: PersonaManner
    said: Clusters
    """Of those whose persona says so: 1 where it is kept."""
    unsaid: Clusters
    """Of the others: 1 where they write so all the same."""

    @property
    def interval(self) -> Interval:
        """95%, of the share among those whose persona says so."""
        return cluster_interval(self.said)


def age_traits(people: Sequence[StyledPerson]) -> tuple[AgeTrait, ...]:
    """Return the traits that are expected to follow age, for the age groups that are there; none without ages."""
    groups = {
        name: [one for one in people if age_group(one.persona, dict(one.axes)) in ages] for name, ages in GROUPS.items()
    }
    there = {name: own for name, own in groups.items() if own}
    return (
        tuple(_age_trait(trait.name, there) for trait in TRAITS if trait.name in (*RISING, *FALLING)) if there else ()
    )


def manners(people: Sequence[StyledPerson]) -> tuple[StyleReading, ...]:
    """Return what personas say of writing and how many keep to it, for everything that any persona says."""
    said_of = [of_writing(one.persona) for one in people]
    found = []
    for manner in MANNERS:
        pairs: dict[bool, list[tuple[Hashable, float]]] = {True: [], False: []}
        for one, said in zip(people, said_of, strict=True):
            pairs[bool(manner.said.search(said))].append((one.cluster, float(manner.kept(one.style))))
        if pairs[True]:
            found.append(StyleReading(manner, clustered(pairs[True]), clustered(pairs[False])))
    return tuple(found)


def of_writing(persona: str) -> str:
    """Return the sentences of a persona that say how the person writes."""
    return " ".join(one for one in _SENTENCE.findall(persona) if _OF_WRITING.match(one))


def _age_trait(trait: str, groups: dict[str, list[StyledPerson]]) -> AgeTrait:
    values = {name: _by_cluster(trait, own) for name, own in groups.items()}
    means = {
        name: (float(np.mean([one.mean() for one in known.values()])) if known else float("nan"), _interval(known))
        for name, known in values.items()
    }
    youngest, *older = values.values()
    apart = difference(list(older[-1].values()), list(youngest.values())) if older else None
    return AgeTrait(trait, means, trait in RISING, apart)


def _by_cluster(
    trait: str, people: Sequence[StyledPerson]
) -> dict[Hashable, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    found: dict[Hashable, list[float]] = {}
    for one in people:
        if one.style[trait] == one.style[trait]:
            found.setdefault(one.cluster, []).append(one.style[trait])
    return {key: np.array(found[key]) for key in sorted(found, key=repr)}


def _interval(known: dict[Hashable, np.ndarray[tuple[int], np.dtype[np.float64]]]) -> Interval:
    means = clustered((key, float(values.mean())) for key, values in known.items())
    return cluster_interval(means, float("-inf"), float("inf"))
