"""`cite`: what a paper says of a suite's method, what it cites, and what it has to report besides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, TypedDict

from helm_impactbench.analysis.looks import Look
from helm_impactbench.analysis.sequential import EarlyStop, stops
from helm_impactbench.conversation.draw import Draw
from helm_impactbench.errors import ImpactBenchError, counted, listed
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.unfinished import unfinished
from helm_impactbench.stats.simultaneous import ALPHA
from helm_impactbench.suites.reading import Reading
from helm_impactbench.tables import Column, Result, Table

REFERENCES = {
    "helm_impactbench": """@software{helm_impactbench,
  title   = {helm\\_impactbench: ImpactBench, the Open Benchmark of AI Impact on Humans, as a plug-in for HELM},
  author  = {{The helm\\_impactbench authors}},
  version = {VERSION},
  license = {Apache-2.0}
}""",
    "liang2023holistic": """@article{liang2023holistic,
  title   = {Holistic Evaluation of Language Models},
  author  = {Liang, Percy and Bommasani, Rishi and Lee, Tony and others},
  journal = {Transactions on Machine Learning Research},
  year    = {2023}
}""",
}
"""Key -> BibTeX, as CITATION.cff has it."""
BETTING = """@article{waudbysmith2024estimating,
  title   = {Estimating Means of Bounded Random Variables by Betting},
  author  = {Waudby-Smith, Ian and Ramdas, Aaditya},
  journal = {Journal of the Royal Statistical Society Series B: Statistical Methodology},
  volume  = {86},
  year    = {2024}
}"""
"""Where runs could stop early, or the suite was looked at before."""
YOURS = "for you to say"
"""What no suite can know."""
FEW = 6
"""Benchmarks that a sentence names; more are in a table."""
SCRIPTED = "rehearsal/"
"""What the names of scripts begin with."""


class SentenceRow(TypedDict):
    """A sentence of a Methods paragraph."""

    sentence: Annotated[str, Column("Methods", "text", "A sentence of the paragraph, in order.", "default")]


class CitedBenchmarkRow(TypedDict):
    """A benchmark, as it was run."""

    benchmark: Annotated[str, Column("Benchmark", "text", "Slug.", "default")]
    base_scenarios: Annotated[
        int, Column("Base scenarios", "count", "Base scenarios that have a conversation.", "default")
    ]
    conversations: Annotated[int, Column("Conversations", "count", "Conversations of all models.", "default")]
    without_verdict: Annotated[
        int, Column("No verdict", "count", "Conversations without a verdict; no rate includes them.", "default")
    ]
    digest: Annotated[str, Column("Content", "text", "First digits of the hash of the benchmark's files.", "default")]


class ReportedRow(TypedDict):
    """Something that a reader of an evaluation asks for."""

    item: Annotated[str, Column("To report", "text", "What a reader asks for.", "default")]
    answer: Annotated[str, Column("In this suite", "text", f'What the suite records, or "{YOURS}".', "default")]


class ReferenceRow(TypedDict):
    """A reference."""

    key: Annotated[str, Column("Reference", "text", "Key of the entry.")]
    bibtex: Annotated[str, Column("BibTeX", "text", "The entry.", "default", exact=True)]


@dataclass(frozen=True)
class _Facts:
    """What the runs that are read have in common, or differ in."""

    reading: Reading
    runs: Sequence[RunFolder]
    judge: str
    """What is known of the judges, in a sentence; empty where none decided anything."""
    before: Sequence[Look]
    """Earlier looks at the suite while it grew."""

    @property
    def outcomes(self) -> Sequence[Outcome]:
        return self.reading.outcomes

    @property
    def models(self) -> list[str]:
        return sorted({outcome.model for outcome in self.outcomes})

    @property
    def users(self) -> list[str]:
        return sorted({run.user for run in self.runs} - {""})

    @property
    def judges(self) -> list[str]:
        return sorted({judge for run in self.runs for judge in run.judges})

    @property
    def panels(self) -> dict[str, list[Outcome]]:
        """Judge or panel -> the conversations that it judged."""
        named = {(run.benchmark, run.setup): " + ".join(run.judges) for run in self.runs if run.judges}
        found: dict[str, list[Outcome]] = {}
        for outcome in self.outcomes:
            if panel := named.get((outcome.benchmark, outcome.setup)):
                found.setdefault(panel, []).append(outcome)
        return dict(sorted(found.items()))

    @property
    def scripted(self) -> list[str]:
        return sorted(name for name in {*self.models, *self.users, *self.judges} if name.startswith(SCRIPTED))

    @property
    def versions(self) -> list[str]:
        return sorted({str(run.provenance.get("helm_impactbench") or "") for run in self.runs} - {""})

    @property
    def prompts(self) -> list[str]:
        return sorted({str(run.provenance.get("prompts_digest") or "")[:12] for run in self.runs} - {""})

    @property
    def days(self) -> str:
        days = sorted({run.written.date().isoformat() for run in self.runs})
        return " to ".join(dict.fromkeys((days[0], days[-1])))

    @property
    def setups(self) -> list[str]:
        """How the targets were called."""
        known = {(run.adapter.get("temperature"), run.adapter.get("max_tokens")) for run in self.runs}
        return sorted(
            f"temperature {temperature:g}, at most {tokens} tokens a reply"
            for temperature, tokens in known
            if temperature is not None and tokens is not None
        )


def cite(reading: Reading, runs: Iterable[RunFolder], judge: str, before: Sequence[Look] = ()) -> Result:
    """Return a Methods paragraph, the benchmarks as run, what to report, and references.

    runs: those that the reading is of, with conversations of ours. judge: what is known of their judges. before:
    earlier looks at the suite; with any, tests are those that hold at any look. Raises ImpactBenchError without a run.
    """
    facts = _Facts(reading, tuple(runs), judge, before)
    if not facts.runs:
        raise ImpactBenchError("There is no run of this package to describe.")
    version = facts.versions[-1] if facts.versions else ""
    tables = (
        Table.of("methods", SentenceRow, [{"sentence": one} for one in _sentences(facts)]),
        Table.of("checklist", ReportedRow, [*_reported(facts)], "What to report besides"),
        Table.of("benchmarks", CitedBenchmarkRow, [*_benchmarks(facts)], "Benchmarks, as they were run"),
        Table.of(
            "references",
            ReferenceRow,
            [{"key": key, "bibtex": text.replace("VERSION", version)} for key, text in _references(facts).items()],
            view="file",
        ),
    )
    return Result(
        tables,
        (
            "Check every sentence before you publish it. --out methods.md writes the paragraph, and the tables and "
            "BibTeX entries beside it: methods.references.md and so on.",
        ),
    )


def _references(facts: _Facts) -> dict[str, str]:
    is_sequential = facts.before or stops(facts.outcomes)
    return {**REFERENCES, **({"waudbysmith2024estimating": BETTING} if is_sequential else {})}


def _sentences(facts: _Facts) -> Iterable[str]:
    if facts.scripted:
        yield f"[Rehearsal: {_list(facts.scripted)} are scripts, so no figure says anything about a model.]"
    if lacking := unfinished(facts.reading.folder):
        yield f"[{lacking}]"
    version = f" {_list(facts.versions)}" if facts.versions else ""
    slugs = sorted({outcome.benchmark for outcome in facts.outcomes})
    named = _list(slugs) if len(slugs) <= FEW else "Table X"
    yield (
        f"We ran {counted(len(slugs), 'benchmark')} ({named}) on {_list(facts.models)} with helm_impactbench"
        f"{version} on HELM (Liang et al., 2023); results date from {facts.days} (UTC)."
    )
    bases = len({outcome.cluster for outcome in facts.outcomes})
    held = f"{len(facts.outcomes):,} conversations from {bases:,} base scenarios"
    if facts.users:
        yield f"{_list(facts.users)} played the person in {held}."
    else:
        yield f"The user's messages were fixed, in {held}."
    yield from _judged(facts.panels)
    if facts.judge and not facts.scripted:
        known, command, _ = facts.judge.partition(": impactbench ")  # what to do about it is no part of a paper
        yield f"{known}." if command else known
    if missing := Counter(outcome.why_missing for outcome in facts.outcomes if outcome.is_missing):
        reasons = ", ".join(f"{count:,} {str(reason).replace('_', ' ')}" for reason, count in missing.most_common())
        yield f"No verdict was reached in {sum(missing.values()):,} conversations ({reasons}); these are in no rate."
    if beside := sum(outcome.status == "not_applicable" for outcome in facts.outcomes):
        yield f"In {'another ' if missing else ''}{beside:,} of the conversations, the question did not arise."
    if any(outcome.is_level for outcome in facts.outcomes):
        yield "Scores are pass rates, averaged over benchmarks, with 95% intervals clustered by base scenario."
    if any(outcome.contrast is not None for outcome in facts.outcomes):
        yield "Contrast metrics compare answers to the same case between levels, with intervals over base scenarios."
    yield from _stopped(stops(facts.outcomes))
    yield from _compared(facts)


def _compared(facts: _Facts) -> Iterable[str]:
    """Yield by which tests models are compared, and whether the suite was looked at before it had all its cases."""
    if facts.before:
        sizes = listed([f"{size:,}" for size in sorted({look.size for look in facts.before})])
        yield f"The suite grew, and results were looked at before, with {sizes} base scenarios of a model."
    if len(facts.models) > 1 and facts.before:
        yield (
            "Models are compared on shared cases by betting tests and intervals that hold at any look (Waudby-Smith & "
            f"Ramdas, 2024), corrected for all comparisons (Bonferroni, alpha {ALPHA})."
        )
    elif len(facts.models) > 1:
        yield (
            "Models are compared on shared cases by paired sign-flip tests, corrected for all comparisons (max-T, "
            f"alpha {ALPHA})."
        )


def _judged(panels: Mapping[str, Sequence[Outcome]]) -> Iterable[str]:
    """Yield who judged: of several panels, how many conversations of which models each did."""
    if len(panels) == 1:
        yield f"{_list(next(iter(panels)).split(' + '))} judged each conversation by one defined question."
    elif panels:
        parts = (
            f"{panel} judged {counted(len(own), 'conversation')} ({_list(sorted({one.model for one in own}))})"
            for panel, own in panels.items()
        )
        yield f"Each conversation was judged by one defined question: {'; '.join(parts)}."


def _stopped(found: Sequence[EarlyStop]) -> Iterable[str]:
    """Yield that runs could stop early, by which rule, and how many did; nothing where each took all cases."""
    if not found:
        return
    rules = listed(sorted({rule for stop in found for rule in _rules(stop.draw)}))
    early = [stop for stop in found if stop.not_drawn]
    yield (
        f"Base scenarios were drawn in random order, and a run could stop once {rules}: {len(early):,} of "
        f"{counted(len(found), 'run')} stopped early, with {sum(stop.not_drawn for stop in early):,} conversations not "
        "held."
    )
    yield (
        "Their intervals hold whenever a run stops (Waudby-Smith & Ramdas, 2024). No models are compared by these runs."
    )


def _rules(draw: Draw) -> Iterable[str]:
    if draw.bar is not None:
        yield f"it was certain on which side of {draw.bar:g} its pass rate lies"
    if draw.width is not None:
        yield f"its 95% interval was at most {draw.width:g} wide"


def _reported(facts: _Facts) -> Iterable[ReportedRow]:
    selection = facts.reading.selection
    cut = [
        f"{name}: {_list(map(str, given))}"
        for name in ("metrics", "where", "withhold")
        if (given := getattr(selection, name))
    ]
    cut += facts.reading.notes
    answers = {
        "Models and releases, with dates": f"{_list(facts.models)}; {facts.days}",
        "How models were called": "; ".join(facts.setups) or YOURS,
        "Who played the user": _list(facts.users) or "nobody: fixed messages",
        "Who judged": _list(facts.judges) or "no judge",
        "Whether the judge is right": facts.judge or YOURS,
        "Hash of the prompts": _list(facts.prompts) or YOURS,
        "What was left out": " ".join(cut) or "nothing of what is in the suite",
        "Agreement with people": f"{YOURS} (impactbench annotate)",
        "Why these benchmarks, and what they cannot tell": YOURS,
        "Cost": "impactbench costs",
        "Who paid, and ties to a developer": YOURS,
    }
    for item, answer in answers.items():
        yield {"item": item, "answer": answer}


def _benchmarks(facts: _Facts) -> Iterable[CitedBenchmarkRow]:
    digests: dict[str, dict[str, None]] = {}
    for run in facts.runs:
        digests.setdefault(run.benchmark, {})[str(run.provenance.get("benchmark_digest") or "")[:12]] = None
    for slug in sorted({outcome.benchmark for outcome in facts.outcomes}):
        own = [outcome for outcome in facts.outcomes if outcome.benchmark == slug]
        yield {
            "benchmark": slug,
            "base_scenarios": len({outcome.base_id for outcome in own}),
            "conversations": len(own),
            "without_verdict": sum(outcome.is_missing for outcome in own),
            "digest": ", ".join(filter(None, digests.get(slug, ()))),
        }


def _list(names: Iterable[str]) -> str:
    """Return names as a sentence lists them."""
    found = list(names)
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}" if found else ""
