"""Golden sets over all benchmarks: what the surface gives away, what a word model finds, who repeats whom.

Benchmarks without a `version` have not been rewritten under these rules; they are shown and not held to them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from helm_impactbench.benchmark.golden import GoldenSet
from helm_impactbench.benchmark.golden_coverage import is_long
from helm_impactbench.benchmark.golden_files import GOLDEN_FILE, golden_faults, load_golden
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.validity.golden.figures import judge_figures
from helm_impactbench.validity.golden.shallow import shallow_answers, word_model
from helm_impactbench.validity.golden.surface import ALONE, POOLED, Leak, degree_leaks, known_items, leaks, replies
from helm_impactbench.validity.golden.templates import repeated
from tools.editorial.section import Finding, Section, Table

MOST_BY_WORDS = 0.70
ENOUGH = 200
"""Items with which the limits for all benchmarks hold; with fewer, chance alone goes beyond them."""
TRAPS = ("late", "too_late", "wrong_mouth", "partial", "topic")
"""Each in every set; `wrong_fact` only where a definition rests on facts."""


def golden_section(loaded: Mapping[Path, Benchmark]) -> Section:
    """Return the section on golden sets: errors for those of benchmarks that carry a version."""
    sets = {folder: load_golden(folder) for folder in loaded if (folder / GOLDEN_FILE).is_file()}
    held = {folder: golden for folder, golden in sets.items() if golden.benchmark.version is not None}
    known = known_items(list(held.values()))
    found, degrees = leaks(known), degree_leaks(list(held.values()))
    model = word_model(list(held.values()))
    findings = (
        *_set_findings(held),
        *_leak_findings(found, len(known)),
        *_leak_findings(degrees),
        *_word_findings(model),
    )
    figures = {
        "sets": len(sets),
        "held": len(held),
        "transcripts": sum(len(golden.items) for golden in sets.values()),
        "leaks": {f"{leak.feature}, {leak.scope}, {leak.against}": leak.auroc for leak in (*found, *degrees)},
        "word model": None if model is None else {"accuracy": model.accuracy.value, "auroc": model.auroc},
    }
    return Section(
        "golden", "Golden sets",
        f"{figures['transcripts']} transcripts of {len(sets)} benchmarks, {len(held)} rewritten"
        + ("" if model is None else f"; words alone: accuracy {model.accuracy.value:.2f}, AUROC {_shown(model.auroc)}"),
        (*findings, *_repeats(list(held.values()))),
        (_leak_table([*found, *degrees]), _floor_table(list(held.values())), _count_table(sets.values())),
        figures,
    )  # fmt: skip


def _set_findings(held: Mapping[Path, GoldenSet]) -> Iterator[Finding]:
    for folder, golden in held.items():
        for fault in golden_faults(golden.benchmark, folder):
            yield Finding(folder.name, "benchmark", fault.place or GOLDEN_FILE, fault.message, "error")
        traps = {item.trap for item in golden.items}
        missing = [trap for trap in TRAPS if trap not in traps]
        if missing:
            yield Finding(folder.name, "benchmark", GOLDEN_FILE, f"no item has the trap {', '.join(missing)}", "error")


def _leak_findings(found: Sequence[Leak], items: int = 0) -> Iterator[Finding]:
    limits = POOLED if items >= ENOUGH else ALONE
    for leak in found:
        if not leak.is_within(limits):
            allowed = f"{limits[0]:g} to {limits[1]:g} is allowed"
            message = f"{leak.feature} tell what is {leak.against} ({leak.scope}): AUROC {leak.auroc:.2f}; {allowed}"
            yield Finding("all", "benchmark", GOLDEN_FILE, message, "error")


def _word_findings(model: Any) -> Iterator[Finding]:
    if model is not None and max(model.accuracy.value, model.auroc) > MOST_BY_WORDS:
        message = f"words alone tell what passes: accuracy {model.accuracy.value:.2f}, AUROC {model.auroc:.2f}"
        yield Finding("all", "benchmark", GOLDEN_FILE, f"{message}; {MOST_BY_WORDS:g} is allowed", "error")


def _repeats(sets: Sequence[GoldenSet]) -> Iterator[Finding]:
    items = [(golden.benchmark.slug, number, item) for golden in sets for number, item in enumerate(golden.items, 1)]
    for first, second, share in repeated([replies(item) for *_, item in items]):
        (slug, number, _), (other, place, _) = items[first], items[second]
        message = f"item {place} shares {share:.0%} of its runs of three words with {slug} item {number}"
        yield Finding(other, "benchmark", GOLDEN_FILE, message, "error")


def _leak_table(found: Sequence[Leak]) -> Table:
    rows = [(leak.feature, leak.scope, leak.against, _shown(leak.auroc)) for leak in found]
    return Table(("Feature", "Metrics", "Against", "AUROC"), rows)


def _floor_table(sets: Sequence[GoldenSet]) -> Table:
    rows = []
    for name, answers in shallow_answers(sets).items():
        balanced = judge_figures(answers).presence[0].balanced
        rows.append((name, f"{balanced.value:.3f}", str(balanced.interval), str(balanced.items)))
    return Table(("A judge that goes by", "Balanced accuracy", "95% interval", "Items"), rows)


def _count_table(sets: Any) -> Table:
    rows = [_counts(golden) for golden in sets]
    return Table(
        ("Benchmark", "Version", "Items", "Long", "Warm", "Cool", "With severity", "With facts", "Traps"), rows
    )


def _counts(golden: GoldenSet) -> tuple[str, ...]:
    tones = Counter(item.tone for item in golden.items)
    counts = (
        len(golden.items),
        sum(map(is_long, golden.items)),
        tones["warm"],
        tones["cool"],
        sum(item.severity is not None for item in golden.items),
        sum(bool(item.facts) for item in golden.items),
        sum(item.trap is not None for item in golden.items),
    )
    return golden.benchmark.slug, str(golden.benchmark.version or "-"), *map(str, counts)


def _shown(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"
