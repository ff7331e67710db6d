"""Annotation in the browser: one sheet of a suite, several people, each answer kept as it is given.

The folder is the one that `annotate export` writes, and the answers are files that `annotate score` reads.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import Any

from helm_impactbench.benchmark.measures.base import InvalidAnswerError
from helm_impactbench.outputs.report.names import file_name
from helm_impactbench.outputs.report.runs import Site
from helm_impactbench.outputs.view.guard import policy
from helm_impactbench.outputs.view.pages import shown, shown_tables
from helm_impactbench.outputs.view.server import PageReply, Request
from helm_impactbench.results.files import run_folders
from helm_impactbench.results.record import Record
from helm_impactbench.suites.reading import Selection, read
from helm_impactbench.validity.annotation.answers import read_answer
from helm_impactbench.validity.annotation.errors import AnnotationError
from helm_impactbench.validity.annotation.folder import draw_sheet, write_sheet
from helm_impactbench.validity.annotation.kept_answers import (
    PREFIX,
    Given,
    KeptAnswers,
    given_in,
    person_name,
    person_of,
)
from helm_impactbench.validity.annotation.key import KEY_FILE, Key, load_key
from helm_impactbench.validity.annotation.page import sheet_html
from helm_impactbench.validity.annotation.people_asked import score
from helm_impactbench.validity.annotation.view import View, read_records, view_of
from helm_impactbench.validity.commands.annotate import scored

START = "annotate.html"
MOST_DRAWN = 1000


class AnnotationDesk:
    """The sheet of a suite and the people who answer it. All methods may be called from any thread."""

    def __init__(self, suite: Path, folder: Path, site: Callable[[], Site | None]) -> None:
        """`suite` is the folder of its runs, `folder` that of the sheet; `site` is None until the suite is read."""
        self._suite, self._folder, self._site = suite, folder, site
        self._lock = Lock()
        self._people: dict[Path, KeptAnswers] = {}
        self._read: tuple[Key, dict[str, Record], dict[str, View]] | None = None
        self._drawn = 0
        """When the sheet's key was written, in nanoseconds."""

    @property
    def routes(self) -> dict[str, Callable[[Request], PageReply | None]]:
        """Address -> what answers there."""
        return {
            START: self._start,
            "annotate/sheet.html": self._sheet,
            "annotate/score.html": self._score,
            "annotate/draw": _posted(self._draw),
            "annotate/answer": _posted(self._answer),
            "annotate/delete": _posted(self._delete),
        }

    def _start(self, request: Request) -> PageReply | None:
        site = self._site()
        if site is None or request.method != "GET":
            return None
        key = load_key(self._folder) if (self._folder / KEY_FILE).is_file() else None
        people = [(kept.person, sum(bool(one.answer) for one in kept.read().values())) for kept in self._known(key)]
        page = shown(
            "annotate",
            START,
            site=site,
            folder=str(self._folder),
            items=len(key.items) if key else 0,
            people=sorted(people),
            most=MOST_DRAWN,
        )
        return PageReply(page, policy=policy(asks=True))

    def _sheet(self, request: Request) -> PageReply | None:
        if request.method != "GET":
            return None
        person = person_name(request.one("person"))
        key, _, views = self._loaded()
        given = {item: asdict(one) for item, one in self._of(person, key).read().items() if one != Given()}
        page = sheet_html(
            key.sheet, [(item.item_id, views[item.item_id]) for item in key.items], {"person": person, "given": given}
        )
        found = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
        assert found
        return PageReply(page, policy=f"{html.unescape(found[1])}; frame-ancestors 'none'")

    def _draw(self, data: dict[str, Any]) -> None:
        places = data.get("conversations")
        if type(places) is not int or not 1 <= places <= MOST_DRAWN:
            raise AnnotationError(f"A sheet has 1 to {MOST_DRAWN} conversations.")
        with self._lock:
            outcomes = read(self._suite, Selection()).outcomes
            write_sheet(draw_sheet(self._suite, outcomes, places, 0), self._folder)

    def _answer(self, data: dict[str, Any]) -> None:
        """Keep one answer, when it is one that the item allows and its quotes stand where they are given for."""
        person, item, given = person_name(str(data.get("person", ""))), str(data.get("item", "")), given_in(data)
        key, records, views = self._loaded()
        if item not in records:
            raise AnnotationError(f"This sheet has no item {item[:40]!r}.")
        case = records[item].case
        if given.answer:
            try:
                read_answer(given.answer, case.metric, case.context)
            except InvalidAnswerError as error:
                raise AnnotationError(str(error)) from error
        for quote in given.quotes:
            said = [turn for turn in views[item].turns if turn.number == quote.turn]
            words = [_plain(text or "") for turn in said for text in (turn.user, turn.assistant)]
            if not quote.quote.strip() or not any(_plain(quote.quote) in text for text in words):
                raise AnnotationError(f"{quote.quote[:40]!r} does not stand in turn {quote.turn}.")
        self._of(person, key).put(item, given)

    def _delete(self, data: dict[str, Any]) -> None:
        key, _, _ = self._loaded()
        self._of(person_name(str(data.get("person", ""))), key).delete()

    def _score(self, request: Request) -> PageReply | None:
        site = self._site()
        if site is None or request.method != "GET":
            return None
        key = load_key(self._folder)
        paths = [kept.path for kept in self._known(key)]
        if not paths:
            raise AnnotationError("Nobody has answered yet.")
        outcomes = list(read(self._suite, Selection()).outcomes)
        result = scored(score(self._suite, outcomes, key, paths))
        return PageReply(
            shown("score", "annotate/score.html", site=site, tables=shown_tables(result), notes=result.notes)
        )

    def _loaded(self) -> tuple[Key, dict[str, Record], dict[str, View]]:
        """Return the key, and item -> conversation and what is shown of it. Raises AnnotationError."""
        with self._lock:
            drawn = (self._folder / KEY_FILE).stat().st_mtime_ns if (self._folder / KEY_FILE).is_file() else 0
            if self._read is None or self._drawn != drawn:  # another sheet may have taken its place
                self._drawn = drawn
                self._people.clear()
                key = load_key(self._folder)
                found = read_records(run_folders(self._suite), {item.name for item in key.items})
                records = {item.item_id: found[item.name] for item in key.items if item.name in found}
                views = {item: view_of(record) for item, record in records.items()}
                if any(item.item_id not in views or views[item.item_id].digest() != item.digest for item in key.items):
                    raise AnnotationError(
                        f"The sheet in {self._folder} was drawn from other conversations than the suite has now; move "
                        "it away with its answers, and draw another."
                    )
                self._read = key, records, views
            return self._read

    def _of(self, person: str, key: Key) -> KeptAnswers:
        path = self._folder / f"{PREFIX}{file_name(person)}.csv"
        with self._lock:
            return self._people.setdefault(path, KeptAnswers(path, person, [item.item_id for item in key.items]))

    def _known(self, key: Key | None) -> list[KeptAnswers]:
        """Return the answers of everybody who has given any."""
        paths = sorted(self._folder.glob(f"{PREFIX}*.csv")) if key else []
        return [self._of(person_of(path) or path.stem.removeprefix(PREFIX), key) for path in paths if key]


def _posted(do: Callable[[dict[str, Any]], None]) -> Callable[[Request], PageReply | None]:
    """Return what answers a POST of a JSON object, and nothing else."""

    def route(request: Request) -> PageReply | None:
        if request.method != "POST":
            return None
        try:
            data = json.loads(request.body)
        except ValueError:
            data = None
        if not isinstance(data, dict):
            raise AnnotationError("A JSON object is needed.")
        do(data)
        return PageReply("", status=204)

    return route


def _plain(text: str) -> str:
    return " ".join(text.split())
