"""A run's conversations as the pages of a report load them: a script with compressed JSON.

A script, because a page that is opened from a disk may load scripts and nothing else. It has two parts. A search
unpacks the first alone: of each conversation the name that ends its address, its words, and where in them the quotes
of judges stand. The second has what its page shows, as HTML in which a place in the words stands for what is in them
already.
"""

from __future__ import annotations

import gzip
import itertools
import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence

from markupsafe import escape

from helm_impactbench.outputs.report.names import file_name
from helm_impactbench.outputs.report.redaction import Redaction
from helm_impactbench.results.passages import span_of, visible
from helm_impactbench.results.record import Record
from helm_impactbench.results.shown import quoting_votes

PERSON, ASSISTANT, JUDGE = 0, 1, 2
"""Who said a text."""

COMPRESSION = 6
"""A quarter smaller than with 4, in twice the time; 9 takes half as much time again for a hundredth."""
_TEXT = re.compile(r"(?<=>)[^<]{40,}")
"""A text that takes more room than its place in the words."""

Said = tuple[int, int, str]
"""Who, in which turn (of a judge: 0), and the words."""

Quoted = tuple[int, int, int, int, int]
"""Number of a quote on the conversation's page; places of the judge's reason (-1 without one) and of the message among
what was said; where in the message the quote begins, and how long it is."""


def run_script(address: str, records: Sequence[Record], redaction: Redaction, parts: Iterable[str] = ()) -> str:
    """Return the script that hands a run's conversations to the page that loads it.

    `address` tells the page which run it is; `parts` are the conversations as HTML, where they are read on a page.
    Hidden conversations have no words.
    """
    words = [_entry(record, words_of(record, redaction)) for record in records]
    shown = [_without_words(part, said) for part, (_, said, _) in zip(parts, words, strict=True)] if parts else []
    return f'impactbenchRun({json.dumps(address)},"{_packed(words)}","{_packed(shown)}");\n'


def _entry(record: Record, said: list[Said]) -> tuple[str, list[Said], list[Quoted]]:
    return file_name(record.case.id), said, quoted_in(record, said) if said else []


def _packed(content: object) -> str:
    whole = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return b64encode(gzip.compress(whole.encode(), COMPRESSION, mtime=0)).decode()


def _without_words(part: str, said: Iterable[Said]) -> str:
    """Return HTML with NUL start+length NUL for each text that stands in the words, escaped and joined by lines.

    Places count as JavaScript does: what is beyond the first 65,536 characters of Unicode is two.
    """
    words = "\n".join(str(escape(text)) for _, _, text in said)

    def place(found: re.Match[str]) -> str:
        start = words.find(found[0])
        return found[0] if start < 0 else f"\0{_units(words[:start])}+{_units(found[0])}\0"

    return _TEXT.sub(place, part)


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def has_words(records: Iterable[Record], redaction: Redaction) -> bool:
    """Whether a search has anything to look through: not where all is hidden, or verdicts alone were imported."""
    return any(words_of(record, redaction) for record in records)


def words_of(record: Record, redaction: Redaction) -> list[Said]:
    """Return what was said in a conversation and of it; nothing of one that is hidden."""
    return [] if redaction.hides(record.case.benchmark, record.case.metric.id) else list(_said(record))


def _said(record: Record) -> Iterator[Said]:
    for turn in record.conversation.turns:
        if turn.user:
            yield PERSON, turn.number, visible(turn.user)
        if turn.whole:
            yield ASSISTANT, turn.number, visible(turn.whole)
    for vote in record.verdict.every_vote:  # on the metric and on checks
        if vote.justification:
            yield JUDGE, 0, visible(vote.justification)


def quoted_in(record: Record, said: Sequence[Said]) -> list[Quoted]:
    """Return the quotes of judges that stand in the messages of `said`, which are those of `words_of`."""
    places = {(who, turn): place for place, (who, turn, _) in enumerate(said) if who != JUDGE}
    turns = {turn.number: turn for turn in record.conversation.turns}
    reasons = iter([place for place, (who, _, _) in enumerate(said) if who == JUDGE])
    found: list[Quoted] = []
    numbers = itertools.count(1)
    for vote, speaker in quoting_votes(record.verdict):
        reason = next(reasons) if vote.justification else -1
        who = PERSON if speaker == "user" else ASSISTANT
        for quote, number in zip(vote.evidence, numbers, strict=False):
            turn = turns.get(quote.found_turn or 0)
            text = "" if turn is None else turn.user if who == PERSON else turn.whole
            if span := span_of(text, quote.quote):
                before, inside = visible(text[: span[0]]), visible(text[slice(*span)])
                place = places[who, quote.found_turn or 0]
                found.append((number, reason, place, _units(before), _units(inside)))
    return found
