"""Whether a product can be measured, found out with a few messages before anything is paid: `impactbench target check`.

A word that one conversation is told has to be known in its next turn, and in no other conversation. What does not hold
is named with its cure.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, TypedDict

import httpx

from helm_impactbench.errors import FatalCallError, ImpactBenchError, ModelError, counted
from helm_impactbench.llm.failures import asks_to_wait, classified, timed_out
from helm_impactbench.llm.request import Message
from helm_impactbench.llm.secrets import without_secrets
from helm_impactbench.tables import Column, Conclusion, Result, Table
from helm_impactbench.targets.answer import reply_in
from helm_impactbench.targets.description import Product
from helm_impactbench.targets.talk import is_stateful, session_with
from helm_impactbench.targets.template import TemplateTurn

PARALLEL = 5
"""Sessions at once."""
PATIENCE = 20.0
"""Seconds that a turn may take: more, and a small run of 200 conversations takes hours."""
MESSAGES = 4 + 2 * PARALLEL
"""Sent in all, at most."""
_TELL = "My cat is called {word}. Please keep that in mind."
_ASK = "What is my cat called?"
_SHOWN = 60
"""Characters of a reply."""
_CELL = 100
"""Characters of what was seen that fit into a row of a table; of a fault the whole stands below."""


class TargetCheckRow(TypedDict):
    """What was looked at."""

    what: Annotated[str, Column("What", "text", "What was looked at.", view="default")]
    holds: Annotated[str, Column("Holds", "text", "yes, no, or look: it may be meant so.", view="default")]
    seen: Annotated[
        str, Column("Seen", "text", "What the product did.", view="default", text=lambda row: _brief(row["seen"]))
    ]
    cure: Annotated[str, Column("Cure", "text", "What to change where it does not hold.", view="default")]


@dataclass(frozen=True)
class _Said:
    """What came of one message."""

    text: str = ""
    seconds: float = 0.0
    failure: Exception | None = None

    @property
    def short(self) -> str:
        return f'"{_brief(" ".join(without_secrets(self.text).split()), _SHOWN)}"'


def _brief(text: str, most: int = _CELL) -> str:
    return text if len(text) <= most else f"{text[:most]}..."


def check_target(product: Product, patience: float = PATIENCE, file: str = "product.yaml") -> Result:
    """Return what holds of a product, after at most MESSAGES messages to it. Raises nothing for what does not hold.

    patience: seconds that a turn may take. file: where the product is described, as cures name it.
    """
    try:
        rows = _rows(product, patience, file)
    except ImpactBenchError as error:
        rows = [_row("can be called", "no", str(error), f"Correct {file} or the environment as it says.")]
    broken = [row for row in rows if row["holds"] == "no"]
    sentence = (
        f"{product.name} can be tested." if not broken else f"{counted(len(broken), 'thing')} to mend before a test."
    )
    whole = [f"{row['what']}: {row['seen']}" for row in broken if len(row["seen"]) > _CELL]
    verdict = Conclusion(sentence, int(bool(broken)))
    return Result((Table.of("checks", TargetCheckRow, rows),), tuple(whole), verdict=verdict)


def _rows(product: Product, patience: float, file: str) -> list[TargetCheckRow]:
    word, *others = _words(1 + PARALLEL)
    first, second = _held(product, patience, [_TELL.format(word=word), _ASK])
    rows = [_reached(product, first, patience, file)]
    if rows[0]["holds"] == "no":
        return rows
    (stranger,) = _held(product, patience, [_ASK])
    with ThreadPoolExecutor(PARALLEL) as pool:
        chats = list(pool.map(lambda one: _held(product, patience, [_TELL.format(word=one), _ASK]), others))
    everything = [first, second, stranger, *(said for chat in chats for said in chat)]
    return [
        *rows,
        _memory(product, word, second),
        _isolation(word, stranger),
        _parallel(others, [chat[-1] for chat in chats]),
        _latency(everything, patience),
        _size(everything),
        _error_form(product, patience),
        _price(product, file),
    ]


def _words(number: int) -> list[str]:
    """Return names that no product knows by itself."""
    return [f"Zo{secrets.token_hex(3)}" for _ in range(number)]


def _held(product: Product, patience: float, messages: Sequence[str]) -> list[_Said]:
    """Say messages in a session of their own; after a failure the others are not sent. Raises ModelError."""
    session, chat, heard = session_with(product, _any_level(product), patience), list[Message](), list[_Said]()
    try:
        for message in messages:
            chat.append(Message("user", message))
            begun = time.monotonic()
            try:
                text = reply_in(session.ask(TemplateTurn(chat)), product)
                heard.append(_Said(text, time.monotonic() - begun))
            except ModelError:
                raise
            except Exception as error:  # a function may raise anything
                failed = _Said("", time.monotonic() - begun, error)
                return [*heard, *[failed] * (len(messages) - len(heard))]
            chat.append(Message("assistant", heard[-1].text))
    finally:
        session.close()
    return heard


def _any_level(product: Product) -> dict[str, str]:
    """Return a level for each axis that is sent: one that the description names, else adult."""
    axes = [place.removeprefix("axis:") for place in product.places if place.startswith("axis:")]
    return {axis: next(iter(product.levels.get(axis, {})), "adult") for axis in axes}


def _row(what: str, holds: str, seen: str, cure: str = "") -> TargetCheckRow:
    return {"what": what, "holds": holds, "seen": seen, "cure": cure}


def _reached(product: Product, first: _Said, patience: float, file: str) -> TargetCheckRow:
    what = "it answers"
    if first.failure is not None:
        return _row(what, "no", *_of_failure(product, first.failure, patience, file))
    if not first.text.strip():
        cure = (
            f"Is {product.reply or '$.reply'} where the text stands? Where the product sends an error with status 200, "
            "write error: with its path."
        )
        return _row(what, "no", "an empty reply", cure)
    return _row(what, "yes", first.short)


def _of_failure(product: Product, failure: Exception, patience: float, file: str) -> tuple[str, str]:
    """Return (what was seen, what to do)."""
    known = classified(failure, product.name)
    text = str(known).removeprefix(f"{product.name}: ")
    if timed_out(failure):
        cure = "A test of hundreds of conversations takes days. Test a faster installation, or give --patience."
        return f"no reply within {patience:g} s", cure
    if isinstance(failure, httpx.ConnectError | httpx.ConnectTimeout):
        return text, f"Start the product, or correct url in {file}: nothing answers there."
    if isinstance(known, FatalCallError) and known.about == "key":
        return text, "Set the variables that headers name to a key that is valid for this address."
    if isinstance(known, FatalCallError) and known.about in ("path", "model", "address"):
        return text, f"Correct url in {file}."
    if asks_to_wait(failure):
        return text, "Allow more calls per minute there, or set a limit in prod_env/limits.yaml."
    if "HTML" in text:
        return text, "Correct url: it shows a page for people, perhaps one to sign in."
    if "nothing at" in text or "no text" in text:
        return text, "Correct reply: the path to the text in the answer."
    if "says that it has failed" in text:
        return text, f"Correct what {file} sends, or the product."
    return text, "Correct what is sent, or the product; its own log may say more."


def _memory(product: Product, word: str, second: _Said) -> TargetCheckRow:
    what = "it remembers the turn before"
    if second.failure is None and word.lower() in second.text.lower():
        return _row(what, "yes", second.short)
    seen = str(second.failure) if second.failure else second.short
    if not is_stateful(product):
        return _row(what, "no", seen, "It is sent {messages} and does not use them: correct their place in send.")
    return _row(
        what,
        "no",
        seen,
        "Send the session's id ({session}), take it from the answer (session:), or keep "
        "cookies (cookie: true). A product without a memory is sent {messages}.",
    )


def _isolation(word: str, stranger: _Said) -> TargetCheckRow:
    what = "another session does not know it"
    if word.lower() in stranger.text.lower():
        cure = "Conversations share a memory: give each an account or a session of its own, or switch the memory off."
        return _row(what, "no", stranger.short, cure)
    return _row(what, "yes", "no reply" if stranger.failure else stranger.short)


def _parallel(words: Sequence[str], said: Sequence[_Said]) -> TargetCheckRow:
    what = f"{PARALLEL} sessions at once stay apart"
    for own, one in zip(words, said, strict=True):
        foreign = [word for word in words if word != own and word.lower() in one.text.lower()]
        if foreign:
            return _row(what, "no", one.short, "Sessions that run together mix: look at how the product stores them.")
    failed = [one for one in said if one.failure is not None]
    if failed:
        cure = "Run fewer conversations at once: impactbench run -n."
        return _row(what, "no", f"{len(failed)} of {len(said)} failed: {failed[0].failure}", cure)
    unknown = [one for own, one in zip(words, said, strict=True) if own.lower() not in one.text.lower()]
    return _row(what, "look" if unknown else "yes", unknown[0].short if unknown else "each knows its own word alone")


def _latency(said: Sequence[_Said], patience: float) -> TargetCheckRow:
    times = sorted(one.seconds for one in said if one.failure is None)
    middle, slowest = times[len(times) // 2], times[-1]
    late = any(one.failure is not None and timed_out(one.failure) for one in said)
    cure = f"Some turns took longer than {patience:g} s: run fewer at once (impactbench run -n)." if late else ""
    return _row(
        "time of a turn", "no" if late else "yes", f"{middle:.1f} s in the middle, {slowest:.1f} s at most", cure
    )


def _size(said: Sequence[_Said]) -> TargetCheckRow:
    return _row("length of a reply", "yes", f"up to {max(len(one.text) for one in said):,} characters")


def _error_form(product: Product, patience: float) -> TargetCheckRow:
    """Return what an empty message brings: it should be refused, or answered."""
    what = "what an error looks like"
    (said,) = _held(product, patience, [""])
    if said.failure is not None:
        known = str(classified(said.failure, product.name)).removeprefix(f"{product.name}: ")
        return _row(what, "yes", f"an empty message: {known}")
    if not said.text.strip():
        return _row(what, "look", "an empty message: status 200 without a reply", "Is there an error: path to name?")
    return _row(what, "yes", f"an empty message is answered: {said.short}")


def _price(product: Product, file: str) -> TargetCheckRow:
    """Return whether a budget can be kept: what nobody priced cannot be counted."""
    what = "its price"
    if product.price is not None:
        return _row(what, "yes", product.price if isinstance(product.price, str) else f"US dollars, in {file}")
    cure = (
        "Without a price no budget can be kept: write price: free, or in US dollars {per_call: 0.01}, or "
        "{prompt: 2.5, answer: 10} per million tokens."
    )
    return _row(what, "look", f"none in {file}", cure)
