"""Whether a judge can apply a definition at first reading: its length, its reading level, the facts that it needs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from statistics import fmean

from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import Benchmark
from tools.editorial.reading import grade
from tools.editorial.section import Finding, Section, Table

MOST_WORDS = 45
HARDEST = 13.0
"""Flesch-Kincaid grade of a single definition that is too hard; the mean of a benchmark should be near HARD."""
HARD = 11.0
_WORD = re.compile(r"[^\W_]+(?:['\N{RIGHT SINGLE QUOTATION MARK}-][^\W_]+)*")
_RESTS_ON_FACTS = re.compile(
    r"\b(?:correct|wrong|false|untrue|true) (?:number|figure|sum|result|premise|claim|fact|dose)s?\b|\bdoses?\b"
    r"|\bbase rate\b|\bthe facts\b",
    re.IGNORECASE,
)
_STOPWATCH = re.compile(
    r"\bno later than\b|\b(?:its|the) (?:first|second|third|next) (?:reply|replies|message|answer|turn)s?\b"
    r"|\b(?:same|one|two|three) (?:reply|replies|message|answer|turn)s?\b|\bwithin (?:one|two|three|the next)\b",
    re.IGNORECASE,
)
_CITED = re.compile(r"([^\W\d_a-z][\w'-]+)(?: et al\.)?,? \((\d{4})")
LEAST_SEVERE = 0.9
"""Share of the negative metrics on presence that also ask how severe it is."""
_PRECONDITION = re.compile(r"^(?:After|Once|When|If|Where|As soon as)\b[^.;]{0,120}?,? the assistant\b")


def words(text: str) -> int:
    """Return the number of words."""
    return len(_WORD.findall(text))


def definitions_section(benchmarks: Sequence[Benchmark]) -> Section:
    """Return the section on definitions: errors for length, and for a verdict that rests on facts nobody is given."""
    figures = {benchmark.slug: _figures(benchmark.metrics) for benchmark in benchmarks}
    whole = _figures([metric for benchmark in benchmarks for metric in benchmark.metrics])
    rows = [(slug, *(f"{value:g}" for value in row.values())) for slug, row in {"all": whole, **figures}.items()]
    return Section(
        "definitions", "Definitions of metrics",
        f"{whole['metrics']:g} metrics, {whole['words']:g} words and grade {whole['grade']:g} on average, "
        f"{whole['conditions']:g} with a condition, {whole['exclusions']:g} with exclusions, {whole['facts']:g} with "
        "facts",
        tuple(finding for benchmark in benchmarks for finding in _findings(benchmark)),
        (Table(("Scope", *map(str.capitalize, whole)), rows),), {"all": whole, **figures},
    )  # fmt: skip


def _figures(metrics: Sequence[Metric]) -> dict[str, float]:
    return {
        "metrics": len(metrics),
        "words": round(fmean(words(metric.definition) for metric in metrics), 1),
        "longest": max(words(metric.definition) for metric in metrics),
        "grade": round(fmean(grade(metric.definition) or 0 for metric in metrics), 1),
        "conditions": sum(metric.applies is not None for metric in metrics),
        "exclusions": sum(bool(metric.exclusions) for metric in metrics),
        "facts": sum(bool(metric.facts) for metric in metrics),
    }


def _findings(benchmark: Benchmark) -> Iterator[Finding]:
    for metric in benchmark.metrics:
        found = words(metric.definition)
        if found > MOST_WORDS:
            yield _finding(benchmark, metric, f"has {found} words; {MOST_WORDS} are allowed, exclusions apart", "error")
        level = grade(metric.definition)
        if level is not None and level > HARDEST:
            yield _finding(benchmark, metric, f"reads at grade {level:.1f}; {HARD:g} is the aim", "warning")
        if _PRECONDITION.match(metric.definition):
            yield _finding(benchmark, metric, "begins with a precondition; move it to applies", "error")
        if _RESTS_ON_FACTS.search(metric.definition) and not _has_facts(benchmark, metric):
            yield _finding(benchmark, metric, "rests on facts that the judge is not given; add facts", "error")
        if metric.contested:
            yield from _one_sided(benchmark, metric)
    if benchmark.version is not None:
        yield from _rewritten_findings(benchmark)


def _rewritten_findings(benchmark: Benchmark) -> Iterator[Finding]:
    """Yield what a benchmark that carries a version should no longer have."""
    for metric in benchmark.metrics:
        stopwatch = _STOPWATCH.search(metric.definition)
        if metric.type == "positive" and metric.measure.kind == "presence" and stopwatch:
            message = f"presence with a stopwatch ({stopwatch.group(0)!r}); score its parts on a scale from 0 to 2"
            yield _finding(benchmark, metric, message, "error")
    asked = [one for one in benchmark.metrics if one.type == "negative" and one.measure.kind == "presence"]
    without = [one.id for one in asked if not one.measure.severities]
    if len(without) > (1 - LEAST_SEVERE) * len(asked):
        message = f"no severity is asked for {', '.join(without)}; nine of ten negative metrics should have it"
        yield Finding(benchmark.slug, "benchmark", "metrics", message, "error")


def _one_sided(benchmark: Benchmark, metric: Metric) -> Iterator[Finding]:
    """Yield what is wrong with the literature of a contested metric."""
    cited = {(name, year) for name, year in _CITED.findall(metric.contested or "")}
    listed = {pair for pair in cited if any(pair[0] in entry and pair[1] in entry for entry in benchmark.literature)}
    if cited - listed:
        names = ", ".join(f"{name} ({year})" for name, year in sorted(cited - listed))
        yield Finding(benchmark.slug, metric.id, "contested", f"{names} is not in literature", "error")
    if len(cited) < 2:
        yield Finding(benchmark.slug, metric.id, "contested", "cites fewer than two works; cite both sides", "error")


def _has_facts(benchmark: Benchmark, metric: Metric) -> bool:
    return bool(metric.facts) or any(row.facts for row in benchmark.scenarios if row.metric_id == metric.id)


def _finding(benchmark: Benchmark, metric: Metric, message: str, severity: str) -> Finding:
    return Finding(benchmark.slug, metric.id, "definition", message, "error" if severity == "error" else "warning")
