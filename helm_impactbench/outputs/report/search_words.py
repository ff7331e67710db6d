"""The words of a run's conversations as the search of a report reads them: a script with compressed JSON."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Iterable, Iterator

from helm_impactbench.judging.verdict import Verdict
from helm_impactbench.outputs.report.redaction import Redaction
from helm_impactbench.results.passages import visible
from helm_impactbench.results.record import Record

PERSON, ASSISTANT, JUDGE = 0, 1, 2
"""Who said a text."""

COMPRESSION = 4
"""A sixth larger than with 6, in a quarter of the time; 9 takes twenty times as long."""

Said = tuple[int, int, str]
"""Who, in which turn (of a judge: 0), and the words."""


def words_script(address: str, records: Iterable[Record], redaction: Redaction) -> str:
    """Return the script that hands the words of a run to the page that loads it; empty if all of them are hidden.

    `address` tells the page whose words these are. Hidden conversations keep their place and have no words.
    """
    words = [
        [] if redaction.hides(record.case.benchmark, record.case.metric.id) else list(_said(record))
        for record in records
    ]
    if not any(words):
        return ""
    whole = json.dumps(words, ensure_ascii=False, separators=(",", ":"))
    packed = b64encode(gzip.compress(whole.encode(), COMPRESSION, mtime=0)).decode()
    return f'impactbenchWords({json.dumps(address)},"{packed}");\n'


def _said(record: Record) -> Iterator[Said]:
    for turn in record.conversation.turns:
        yield PERSON, turn.number, visible(turn.user)
        if turn.whole:
            yield ASSISTANT, turn.number, visible(turn.whole)
    for reason in _reasons(record.verdict):
        yield JUDGE, 0, visible(reason)


def _reasons(verdict: Verdict) -> Iterator[str]:
    """Yield what the judges wrote, on the metric and on checks."""
    yield from (vote.justification for vote in verdict.every_vote if vote.justification)
