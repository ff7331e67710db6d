"""The script of a run: what pages put together from it is what the template made."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from helm_impactbench.outputs.report.redaction import Redaction
from helm_impactbench.outputs.report.run_script import run_script, words_of
from helm_impactbench.results.passages import visible
from helm_impactbench.results.record import Record
from tests.support import kinds
from tests.support.conversation_parts import run_of

ADDRESS = "conversations/mini/a.js"


def said(text: str) -> Record:
    """Return a conversation in which the assistant says `text`."""
    one = kinds.records("good")[0]
    turns = (one.conversation.turns[0].model_copy(update={"assistant": text}),)
    return Record(one.case, one.conversation.model_copy(update={"turns": turns}), one.verdict)


@given(st.text(alphabet="ab <>&'\"\n+0\N{ROCKET}\u00e9", min_size=40, max_size=200), st.integers(0, 60))
def test_words_are_put_back_where_they_stood(tmp_path_factory: object, text: str, cut: int) -> None:
    """Whatever was said, whole or cut by a mark, with signs that HTML escapes and beyond 65,536."""
    record = said(text)
    shown = visible(text)
    marked = f"{escape(shown[:cut])}<mark>{escape(shown[cut:])}</mark> and what nobody said at all, anywhere."
    part = f"<p>{escape(shown)}</p><q>{marked}</q>"
    folder = Path(str(tmp_path_factory.mktemp("script"))) / "conversations/mini"  # type: ignore[attr-defined] # pytest's
    folder.mkdir(parents=True)
    script = run_script(ADDRESS, [record], Redaction(), [part])
    (folder / "a.js").write_text(script, encoding="utf-8")
    ((name, words, found),) = run_of(folder / "a.js")
    assert (name, found) == (record.case.id, part)
    assert [tuple(one) for one in words] == words_of(record, Redaction())


def test_a_hidden_conversation_has_no_words() -> None:
    """It keeps its place and its part, from which nothing is taken."""
    record = said("The assistant says forty characters or a few more of them.")
    assert words_of(record, Redaction(frozenset([record.case.benchmark]))) == []
