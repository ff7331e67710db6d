"""What a reader must know of a suite before its figures: who judged, what changed, which runs ended by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from helm_impactbench.analysis.panels import are_judged_otherwise
from helm_impactbench.errors import counted, listed
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.drawn_part import drawn_parts
from helm_impactbench.suites.reading import Reading
from helm_impactbench.suites.registry import suite_runs
from helm_impactbench.tables.names import scripted_note
from helm_impactbench.validity.drift.suites import has_changed, judges_that_changed, paired_records
from helm_impactbench.validity.families import related_judges
from helm_impactbench.validity.records.anchors import FILE, read_anchors


def warnings_of(reading: Reading, *others: Reading) -> Iterator[str]:
    """Yield what may make the figures worthless, worst first; `others`: suites that they are compared with."""
    yield from judges_differ(reading.outcomes)
    if (reading.folder / FILE).is_file():
        yield from judges_that_changed(read_anchors(reading.folder))
    yield from _edited(reading)
    for other in others:
        yield from _between(reading, other)


def _between(reading: Reading, other: Reading) -> Iterator[str]:
    """Yield what keeps two suites from being compared: judges that answer otherwise, edited benchmarks."""
    names = other.folder.name, reading.folder.name
    if has_changed(*paired_records(read_anchors(other.folder), read_anchors(reading.folder))):
        yield (
            f"The judges of {names[1]} and {names[0]} answer the same anchors otherwise, so their verdicts cannot be "
            f"compared: impactbench drift --suite {names[0]} --suite {names[1]}"
        )
    now, before = (
        {place: {*digests} for place, digests in _digests(one, of_any_model=True).items()} for one in (reading, other)
    )
    edited = sorted(
        {slug for slug, private in now.keys() & before.keys() if now[slug, private] != before[slug, private]}
    )
    if edited:
        yield (
            f"{listed(edited)} {'were' if len(edited) > 1 else 'was'} edited between the runs of {_called(other)} and "
            f"those of {_called(reading)}, so definitions and scenarios may differ."
        )


def _called(reading: Reading) -> str:
    releases = reading.selection.releases
    return reading.folder.name + (f" (release {', '.join(releases)})" if releases else "")


def _edited(reading: Reading) -> Iterator[str]:
    """Yield each benchmark that was edited between runs that are read: an edited definition is another metric."""
    for (slug, _), models in sorted(_digests(reading).items()):
        if len(models) > 1:
            versions = "; ".join(f"{digest[:8]}: {listed(sorted(own), 3)}" for digest, own in sorted(models.items()))
            yield (
                f"{slug} was edited between runs of this suite ({versions}), so definitions and scenarios may differ: "
                "run all models again, or the new version in another --suite."
            )


def _digests(reading: Reading, *, of_any_model: bool = False) -> dict[tuple[str, bool], dict[str, set[str]]]:
    """Return benchmark, and whether its scenarios are private -> digest of its files -> models that were run on it.

    of_any_model: of those that are read under another name, too.
    """
    read = {(outcome.benchmark, outcome.setup, "" if of_any_model else outcome.model) for outcome in reading.outcomes}
    found: dict[tuple[str, bool], dict[str, set[str]]] = {}
    for one in suite_runs(reading.folder, reading.selection.releases):
        run, place = one.run, (one.benchmark, one.run.setup, "" if of_any_model else one.run.model)
        if place in read and not one.suite.no_conversations and (digest := run.provenance.get("benchmark_digest")):
            found.setdefault((one.benchmark, run.is_private), {}).setdefault(digest, set()).add(run.model)
    return found


def judges_differ(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield a warning where runs of one benchmark have different judges."""
    if are_judged_otherwise(outcomes):
        yield "Different runs have different judges: do not compare them."


def notes_of(reading: Reading) -> Iterator[str]:
    """Yield what else has to be known: relatives among judges, runs that ended by themselves, scripts, what is out."""
    yield from related_judges(list(reading.outcomes))
    runs = {outcome.run for outcome in reading.outcomes if outcome.draw is not None}
    if runs:
        yield (
            f"{counted(len(runs), 'run')} with until_width or until_decided: intervals of their pass rates hold "
            "whenever they stop; tests, and intervals of other figures, take the number of base scenarios as fixed. "
            "Models whose runs ended at a bar, or at a width where others did not, are not compared."
        )
    yield from reading.notes
    yield from drawn_parts(reading)
    if note := scripted_note(outcome.model for outcome in reading.outcomes):
        yield note
