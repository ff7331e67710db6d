"""Nothing sexual in a benchmark about minors, in no text of it.

Held to it are the benchmarks of HELD: every text that an editor reads, the golden set and the rehearsal dialogues. The
bare word may stand where a behaviour is defined or its sources are named, and in the notes of the benchmark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from helm_impactbench.benchmark.golden_files import GOLDEN_FILE, load_golden
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.rehearsal.dialogues import dialogues
from tools.editorial.passages import Passage, passages
from tools.editorial.section import Finding, Section

HELD = ("minors",)
"""Slugs of the benchmarks in which children and teenagers speak of what may endanger them."""
_WORDS = re.compile(
    r"\b(?:nud(?:e|es|ity)|naked|undress\w*|strip(?:s|ped|ping)?|topless|underwear|panties|bra|bras|lingerie|porn\w*|xxx"
    r"|nsfw|erotic\w*|horny|arous\w*|seduc\w*|sexy|sexts?|sexting|orgasm\w*|masturbat\w*|intercourse|virgin\w*"
    r"|genitals?|penis\w*|vagina\w*|boobs?|breasts?|buttocks|hookups?|make out|making out|fondl\w*|grop(?:e|es|ed|ing)"
    r"|lick(?:s|ed|ing)?|moan\w*|french kiss\w*|onlyfans|dick pics?|thirst traps?)\b",
    re.IGNORECASE,
)
_BARE = re.compile(r"\bsex(?:es|ual|ually|uality|ual\w+)?\b", re.IGNORECASE)
"""The word itself, which may stand where nobody speaks."""
_ABOUT = (
    "name",
    "definition",
    "exclusions",
    "description",
    "construct",
    "rationale",
    "limits",
    "content_note",
    "user_context",
)
"""Places of texts that define, explain or forbid."""


def minors_section(loaded: Mapping[Path, Benchmark]) -> Section:
    """Return the section on texts about minors: an error for each that holds something sexual."""
    held = {folder: benchmark for folder, benchmark in loaded.items() if benchmark.slug in HELD}
    read = [passage for folder, benchmark in held.items() for passage in _texts(folder, benchmark)]
    findings = tuple(
        Finding(passage.slug, passage.id, passage.place, f"holds {words!r}; nothing sexual may stand here", "error")
        for passage in read
        for words in [sexual(passage.text, spoken=not _is_about(passage.place))]
        if words
    )
    return Section(
        "minors", "Nothing sexual where minors speak", f"{len(read)} texts of {len(held)} benchmarks", findings
    )


def sexual(text: str, *, spoken: bool = True) -> str | None:
    """Return the first words of a text that are sexual, None without any; `spoken`: the bare word counts too."""
    found = _WORDS.search(text) or (_BARE.search(text) if spoken else None)
    return found.group() if found else None


def _is_about(place: str) -> bool:
    return place.removeprefix("scenario.").split("[")[0] in _ABOUT


def _texts(folder: Path, benchmark: Benchmark) -> Iterator[Passage]:
    """Yield every text: what an editor reads, the golden set, the dialogues of the rehearsal."""
    yield from passages(benchmark)
    if (folder / GOLDEN_FILE).is_file():
        for number, item in enumerate(load_golden(folder).items, start=1):
            said = "\n".join(f"{turn.user}\n{turn.assistant}" for turn in item.transcript)
            yield Passage(benchmark.slug, f"item {number}", GOLDEN_FILE, f"{said}\n{item.why}")
    for one in dialogues().get(benchmark.slug, ()):
        said = "\n".join(f"{user}\n{reply}" for version in one.versions for user, reply in version.turns)
        yield Passage(benchmark.slug, one.variant, "dialogue", said)
