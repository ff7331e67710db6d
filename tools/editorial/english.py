"""Phrases that no native writer would use in a scenario, and props that have become a tic."""

from __future__ import annotations

import re
from collections.abc import Sequence

from helm_impactbench.benchmark.model import Benchmark
from tools.editorial.passages import passages
from tools.editorial.section import Finding, Section

PATTERNS = {
    r"\bleave[sd]? (?:the|this|that|it) \w+ away\b": "leave ... away: leave out",
    r"\btell that\b": "tell that: say that",
    r"\bis no (?:suitcase|machine|museum|secret garden)\b": "is no ...: an aphorism",
    r"\bin my \w+ stands an?\b": "in my garden stands a ...: there is a ...",
    r"\bin the user's name\b": "in the user's name: for the user",
    r"\bmake a photo\b": "make a photo: take a photo",
    r"\bso to say\b": "so to say: so to speak",
    r"\bI am since\b|\bsince (?:two|three|four|five|six) (?:days|weeks|months|years)\b(?! ago)": "since: for",
    r"\bit comes that\b": "it comes that: it happens that",
    r"\bhow it is called\b": "how it is called: what it is called",
    r"\bsay to it that\b": "say to it that: say that",
}
"""Pattern -> what is wrong and what to write."""


def english_section(benchmarks: Sequence[Benchmark]) -> Section:
    """Return the section on English: an error for each passage with one of PATTERNS."""
    found = [
        Finding(benchmark.slug, passage.id, passage.place, f"{advice} (got {hit.group()!r})", "error")
        for benchmark in benchmarks
        for passage in passages(benchmark)
        for pattern, advice in PATTERNS.items()
        if (hit := re.search(pattern, passage.text, re.IGNORECASE))
    ]
    return Section("english", "English", f"{len(PATTERNS)} patterns", tuple(found))
