"""A specification or constitution as an author's input: a text with numbered clauses, on which metrics rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.files.safe_read import IntakeError, decoded, read_bytes

MOST_CHARACTERS = 100_000
"""About 25,000 tokens, which every call of the author reads."""
_MOST_SHOWN = 70
"""Characters of a clause in a list."""
_NUMBER = r"(?P<number>\d{1,3}(?:\.\d{1,3})*)"
_KIND = r"(?:article|section|clause|rule|principle|paragraph|§)"
_BEGINS = re.compile(
    rf"^[ \t]*(?P<heading>#{{1,6}}[ \t]+)?(?:[-*+][ \t]+)?[*_]{{0,2}}"
    rf"(?:(?P<kind>{_KIND})[ \t]*{_NUMBER}[.):]?|{_NUMBER.replace('number', 'plain')}(?P<point>[.):]?))"
    r"(?:[*_]{1,2})?(?=[ \t]|$)[ \t]*[-:\u2013\u2014]?[ \t]*(?P<text>.*)$",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]")
_WORDS_BEFORE = re.compile(rf"^{_KIND}\s*|^no\.\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Clause:
    """One numbered clause; what stands above it as a heading of its own number comes before its words."""

    number: str
    text: str

    @property
    def shown(self) -> str:
        """The number and how the clause begins, in a line."""
        words = " ".join(self.text.split())
        return f"{self.number} {words if len(words) <= _MOST_SHOWN else words[: _MOST_SHOWN - 3].rstrip() + '...'}"


def read_spec(path: Path) -> list[Clause]:
    """Return the numbered clauses of a text or Markdown file, in order. Raises ImpactBenchError."""
    try:
        text = decoded(read_bytes(path))
    except IntakeError as error:
        raise ImpactBenchError(f"{path}: it {error}.") from error
    if len(text) > MOST_CHARACTERS:
        raise ImpactBenchError(
            f"{path} has {len(text):,} characters, and every call of the author reads all of it. Split it into files "
            f"of at most {MOST_CHARACTERS:,}, and give one after the other."
        )
    return clauses_in(text, str(path))


def clauses_in(text: str, source: str) -> list[Clause]:
    """Return the clauses of a text. Raises ImpactBenchError where there is none, or a number stands twice."""
    found: dict[str, tuple[int, bool, list[str]]] = {}
    own: list[str] | None = None
    for line, words in enumerate(text.splitlines(), start=1):
        begins = _begins(words)
        if begins:
            number, first, is_heading = begins
            if number in found:
                raise ImpactBenchError(
                    f"{source}: clause {number} stands in line {found[number][0]} and in line {line}. Give each clause "
                    "a number of its own, for example 2.1."
                )
            own = [first]
            found[number] = (line, is_heading, own)
        elif _HEADING.match(words):
            own = None  # a heading without a number ends the clause before it
        elif own is not None:
            own.append(words)
    if not found:
        raise ImpactBenchError(
            f"{source} has no numbered clause. A clause begins a line with its number, for example `1.`, `2.3` or "
            "`Article 4`."
        )
    titles = {
        number: lines[0]
        for number, (_, is_heading, lines) in found.items()
        if is_heading and not any(map(str.strip, lines[1:])) and _has_parts(number, found)
    }
    return [
        Clause(number, "\n".join([*_titles(number, titles), *lines]).strip())
        for number, (_, _, lines) in found.items()
        if number not in titles and any(map(str.strip, lines))
    ]


def named(number: object, clauses: Sequence[Clause]) -> str | None:
    """Return the number of the clause that an author means by `2.1`, `2.1.`, `§ 2.1` or `Clause 2.1`; else None."""
    bare = _WORDS_BEFORE.sub("", str(number).strip()).rstrip(".):")
    return next((clause.number for clause in clauses if clause.number == bare), None)


def without_metric(clauses: Sequence[Clause], metrics: Iterable[Metric]) -> list[Clause]:
    """Return the clauses on which no metric rests."""
    used = {metric.clause for metric in metrics}
    return [clause for clause in clauses if clause.number not in used]


def coverage_lines(clauses: Sequence[Clause], metrics: Iterable[Metric]) -> list[str]:
    """Return what people are told at the end: how many clauses have a metric, and those without one."""
    bare = without_metric(clauses, metrics)
    head = f"{len(clauses) - len(bare)} of {len(clauses)} clauses have a metric."
    return [head, *([f"Without one ({len(bare)}):"] if bare else []), *(f"  {clause.shown}" for clause in bare)]


def _begins(line: str) -> tuple[str, str, bool] | None:
    """Return number, words and whether it is a heading, of a line that begins a clause.

    A number alone begins none, nor does `1.5 million`: lines of running text may begin so.
    """
    match = _BEGINS.match(line)
    if not match:
        return None
    number = match["number"] or match["plain"]
    text = match["text"].strip(" *_")
    is_marked = match["kind"] or match["point"] or match["heading"] or ("." in number and not text[:1].islower())
    return (number, text, bool(match["heading"])) if is_marked else None


def _has_parts(number: str, numbers: Iterable[str]) -> bool:
    return any(other.startswith(f"{number}.") for other in numbers)


def _titles(number: str, titles: dict[str, str]) -> list[str]:
    """Return the headings above a clause, the outermost first."""
    steps = number.split(".")
    above = (".".join(steps[:length]) for length in range(1, len(steps)))
    return [titles[one] for one in above if titles.get(one)]
