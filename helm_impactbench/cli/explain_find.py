"""Which conversation is meant by what somebody wrote: slug/id, an id alone, or the address of a page of the report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from helm_impactbench.errors import ImpactBenchError, did_you_mean

if TYPE_CHECKING:
    from helm_impactbench.results.files import RunFolder
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.results.record import Record

MOST_NAMED = 8
"""Conversations that a message names at most."""
Found = tuple["RunFolder", "Outcome", int]
"""A run, one of its outcomes, and its place in the run."""


def short_address(outcome: Outcome) -> str:
    """Return slug/id, as helm-server, the report and `impactbench explain` name a conversation."""
    from helm_impactbench.outputs.report.names import conversation_id

    return f"{outcome.benchmark}/{conversation_id(outcome)}"


def conversation_meant(case: str, suite: str, found: Sequence[Found]) -> Found:
    """Return the one conversation of a suite that `case` names. Raises ImpactBenchError when none or several are."""
    named = [one for one in found if _is_named(case, one[1])]
    if not named:
        from helm_impactbench.cli.suite import shown_model

        known = [name for _, outcome, _ in found for name in (short_address(outcome), *_ids(outcome))]
        wanted = _bare(case)
        models = ", ".join(dict.fromkeys(shown_model(outcome.model) for _, outcome, _ in found))
        raise ImpactBenchError(
            f"Suite {suite} has no conversation {case!r} of {models or 'these models'}. Write benchmark/id, or the "
            f"address of its page; without it, impactbench explain --suite {suite} lists those that failed."
            f"{did_you_mean(wanted, known)}"
        )
    if len(named) > 1:
        raise ImpactBenchError(_several(case, named))
    return named[0]


def record_at(run: RunFolder, place: int) -> Record:
    """Return the conversation at a place of a run. Raises ResultsError."""
    return next(record for number, record in enumerate(run.records()) if number == place)


def _is_named(case: str, outcome: Outcome) -> bool:
    from helm_impactbench.outputs.report.names import conversation_address, conversation_id

    bare, name = _bare(case), conversation_id(outcome)
    if bare in (name, f"{outcome.benchmark}/{name}"):
        return True
    pages = [conversation_address(outcome.benchmark, outcome.model, name, setup) for setup in (None, outcome.setup)]
    return any(bare == page or bare.endswith(f"/{page}") for page in pages)


def _bare(case: str) -> str:
    """Return what was written without the words before it on helm-server and a place on the page behind it."""
    return case.strip().removeprefix("Conversation ").partition("#")[0]


def _ids(outcome: Outcome) -> tuple[str, ...]:
    return (Path(short_address(outcome)).name,)


def _several(case: str, named: Sequence[Found]) -> str:
    from helm_impactbench.outputs.report.names import conversation_address, conversation_id
    from helm_impactbench.results.verdict_words import verdict

    outcomes = [outcome for _, outcome, _ in named]
    slugs = list(dict.fromkeys(outcome.benchmark for outcome in outcomes))
    models = list(dict.fromkeys(outcome.model for outcome in outcomes))
    if len(slugs) > 1:
        names = [short_address(outcome) for outcome in outcomes]
        return f"{case!r} is the id of conversations on {len(slugs)} benchmarks: {_some(list(dict.fromkeys(names)))}."
    if len(models) > 1:
        words = [f"{outcome.model} ({verdict(outcome)})" for outcome in outcomes]
        return f"{len(models)} models met {case}; add --model with one of them: {_some(words)}."
    pages = [
        conversation_address(outcome.benchmark, outcome.model, conversation_id(outcome), outcome.setup)
        for outcome in outcomes
    ]
    return f"{models[0]} met {case} in {len(named)} set-ups; name one by the address of its page: {_some(pages)}."


def _some(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f", and {more} more" if more > 0 else "")
