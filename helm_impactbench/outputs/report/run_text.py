"""A run's conversations as text, for readers whose browser runs no script: a file per run, an archive per benchmark."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from helm_impactbench.outputs.report.redaction import HIDDEN
from helm_impactbench.results.passages import visible
from helm_impactbench.results.shown import WORDLESS, ShownQuote, ShownVote, person_line, shown_conversation
from helm_impactbench.results.verdict_words import said, verdict

if TYPE_CHECKING:
    from helm_impactbench.outputs.report.content import BenchmarkInfo
    from helm_impactbench.outputs.report.redaction import Redaction
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.results.record import Record

_RULE = "=" * 80
_DAY = (1980, 1, 1, 0, 0, 0)
"""Of every file in an archive: the same runs give the same bytes."""


def run_text(
    records: Sequence[Record], outcomes: Sequence[Outcome], model: str, info: BenchmarkInfo, redaction: Redaction
) -> str:
    """Return the conversations of a run one after the other; of hidden ones only what they came to.

    model: as readers know it. info: of the run's benchmark.
    """
    talks = ("\n".join(_talk(*one, model, info, redaction)) for one in zip(records, outcomes, strict=True))
    return visible("\n\n".join(talks) + "\n")


def archive(texts: Mapping[str, str]) -> bytes:
    """Return a zip of texts by name."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as found:
        for name, text in sorted(texts.items()):
            found.writestr(zipfile.ZipInfo(name, _DAY), text.encode("utf-8", "replace"), zipfile.ZIP_DEFLATED)
    return whole.getvalue()


def _talk(record: Record, outcome: Outcome, model: str, info: BenchmarkInfo, redaction: Redaction) -> Iterator[str]:
    metric, shown = record.case.metric, shown_conversation(record.conversation, record.verdict)
    yield f"{_RULE}\n{outcome.benchmark}/{record.case.id}, {model}\n{_RULE}"
    yield f"{metric.name}: {verdict(outcome).replace('_', ' ')}. {said(outcome, metric)}"
    if note := info.note_before(metric):
        yield f"Content note: {note}"
    if redaction.hides(outcome.benchmark, metric.id):
        yield HIDDEN
        return
    yield f"Who asked: {person_line(record.case)}"
    if shown.is_wordless:
        yield WORDLESS
    for one in () if shown.is_wordless else shown.turns:
        yield f"\n[{one.turn.number}] PERSON\n{one.turn.user}"
        if one.turn.assistant is not None:
            yield f"\n[{one.turn.number}] ASSISTANT\n{one.turn.whole}"
    if record.conversation.reason:
        yield f"\n{record.conversation.status.value.replace('_', ' ')}: {record.conversation.reason}"
    for vote in shown.votes:
        yield _vote(vote)
    for meaning, answer, votes in shown.checks:
        yield f"\nCheck: {meaning}? {answer}"
        yield from map(_vote, votes)


def _vote(one: ShownVote) -> str:
    lines = [f"\nJUDGE {one.vote.judge}: {one.answer}", one.vote.problem or "", one.vote.justification]
    return "\n".join([*filter(None, lines), *map(_quote, one.quotes)])


def _quote(quote: ShownQuote) -> str:
    place = f"in turn {quote.found_turn}" if quote.highlighted else "in no turn"
    return f'  "{quote.quote}" ({place})'
