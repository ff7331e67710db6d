"""Linter of metrics: finds what makes a definition hard to apply consistently. Its findings are warnings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from helm_impactbench.authoring.similarity import near_duplicates
from helm_impactbench.benchmark.files import BENCHMARK_FILE
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.source import FileFault, read_source
from helm_impactbench.files.safe_yaml import Place

METRIC_SIMILARITY = 0.6
"""TF-IDF cosine of name and definition at which two metrics count as the same."""

_QUOTED = re.compile(r"\"[^\"]*\"")
_BRACKETED = re.compile(r"\([^)]*\)")
_ACTS = (
    r"(?:asks|offers|recommends|refers|praises|apologi[sz]es|refuses|encourages|warns|compliments|flatters|claims"
    r"|declares|invites|discourages|suggests|proposes|advises|comforts|lectures|criticises|criticizes|blames|validates)"
)
_ACT = re.compile(rf"\b{_ACTS}\b", re.I)
_AND_AN_ACT = re.compile(
    rf"\b(?:and|or|and/or|as well as)\s+(?:also\s+|then\s+|it\s+|the assistant\s+)*{_ACTS}\b", re.I
)
_CLAUSE_END = re.compile(r"[.;]")
_JOINED = re.compile(r"\b(?:and also|and additionally|and in addition|as well as (?:it )?\w+s)\b", re.I)
_INNER = re.compile(
    r"\b(?:assistant|model|ai|chatbot|it)\s+(?:\w+ly\s+)?(?:understands?|cares?|feels?|believes?|wants?|intends?|tries"
    r"|aims?|respects?|values?|ensures?|fosters?|promotes?|empowers?|considers?|is aware"
    r"|knows?|appreciates?|supports?)\b",
    re.I,
)
_QUALITY = re.compile(
    r"\b(?:appropriate(?:ly)?|adequate(?:ly)?|proper(?:ly)?|suitabl[ey]|helpful(?:ly)?|effective(?:ly)?|good|bad"
    r"|high-quality|meaningful(?:ly)?|thoughtful(?:ly)?|healthy|unhealthy|excellent|poor(?:ly)?|nice(?:ly)?|great"
    r"|correct tone|sensitive(?:ly)?|responsibl[ey])\b",
    re.I,
)
_DESCRIBES = re.compile(
    r"^(?:the\s+)?(?:assistant|ai|model|chatbot|bot)\b"
    r"|^(?:asks|tells|says|offers|suggests|provides|encourages|explains|gives|recommends|acknowledges|validates|avoids"
    r"|refuses|responds|replies|uses|points|reminds|describes|expresses|claims)\b|\bthe user(?:'s)?\b",
    re.I,
)
_RESTS_ON_ASSISTANT = re.compile(
    r"^the assistant\b|\bthe assistant's\b"
    r"|\b(?:and|or|but|once|after|when|if|where|unless|until|as soon as) the assistant\b",
    re.I,
)
"""The assistant as the one who acts; "the user treats the assistant as ..." is about the user."""

MetricFinding = tuple[int, str, str]
"""Position of the metric, field, message."""


def lint_faults(benchmark: Benchmark, folder: Path) -> list[FileFault]:
    """Return the linter's findings on a loaded benchmark, with their lines."""
    source = read_source(folder / BENCHMARK_FILE)
    findings = lint_metrics(dict(enumerate(benchmark.metrics)))
    return [source.fault(("metrics", i, *_steps(field)), message, "warning") for i, field, message in findings]


def _steps(field: str) -> Place:
    """Return `examples[2]` as the steps of a place."""
    name, _, index = field.partition("[")
    return (name, int(index.rstrip("]"))) if index else (name,)


def lint_metrics(metrics: Mapping[int, Metric]) -> Iterator[MetricFinding]:
    """Yield findings of metrics by position, near-duplicates included."""
    for i, metric in metrics.items():
        for field, message in lint_metric(metric):
            yield i, field, message
    positions = [i for i, metric in metrics.items() if metric.type != "contrast"]  # these differ in their cases
    texts = [duplicate_text(metrics[i]) for i in positions]
    for first, second, cosine in near_duplicates(texts, METRIC_SIMILARITY):
        other = metrics[positions[first]].id
        yield (
            positions[second],
            "definition",
            f"nearly the same as metric {other} (cosine {cosine:.2f}); keep one of them",
        )


def lint_metric(metric: Metric) -> Iterator[tuple[str, str]]:
    """Yield (field, message) for one metric on its own."""
    first = re.split(r"(?<=[.!?])\s+", metric.definition.strip())[0]
    words = _unquoted(metric.definition)
    if metric.measure.kind != "scale" and (_holds_two_acts(_unquoted(first)) or _JOINED.search(_unquoted(first))):
        yield "definition", "contains two behaviours; split it into two metrics or keep one"
    for pattern, fault in ((_INNER, "an inner state that no transcript shows"), (_QUALITY, "a judgement of quality")):
        found = pattern.search(words)
        if found:
            yield "definition", f"contains {fault} ({found.group(0)!r}); say what the assistant says or does"
    if metric.applies and (condition := _RESTS_ON_ASSISTANT.search(_unquoted(metric.applies))):
        yield (
            "applies",
            f"rests on what the assistant does ({condition.group(0)!r}), so every model would choose its own cases; "
            "state a condition on the user alone",
        )
    for k, example in enumerate(metric.examples):
        if _DESCRIBES.search(example):
            yield f"examples[{k}]", "describes instead of speaks; write the line that the assistant says"


def _unquoted(text: str) -> str:
    """Return `text` without what is in quotation marks or brackets."""
    bare = _QUOTED.sub("", text)
    end = bare.rfind(")") + 1  # a bracket that nothing closes would be read to the end, and so would every further one
    return _BRACKETED.sub("", bare[:end]) + bare[end:]


def _holds_two_acts(sentence: str) -> bool:
    """Return whether one clause holds an act and, behind it, a second one that is joined to it."""
    for clause in _CLAUSE_END.split(sentence):
        first = _ACT.search(clause)
        if first is not None and _AND_AN_ACT.search(clause, first.end()):
            return True
    return False


def duplicate_text(metric: Metric) -> str:
    """Return the text by which two metrics are compared."""
    return f"{metric.name}. {metric.definition}"
