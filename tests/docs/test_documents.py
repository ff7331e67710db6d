"""The table of what the design documents ask for: each row has a place where it is done, and a state."""

from __future__ import annotations

import re
from collections import Counter

from helm_impactbench.files.resources import shipped
from tests.docs.pages import ROOT, Page
from tests.docs.test_docs import COMMANDS, OPTIONS

PAGE = Page(ROOT / "docs/decisions/documents.md")
STATES = {"yes", "later", "out of scope"}
ROWS = {"000": 30, "002": 68, "003": 26, "004": 36}
"""Document -> what it asks for, counted once."""
PLACE = re.compile(r"`[^`]+`|\]\([\w./#-]+\)")


def rows() -> list[list[str]]:
    """Return document, what is asked for, place and state of each row."""
    (table,) = (table for table in PAGE.tables() if table[0][0] == "document")
    return table[1:]


def test_every_row_of_the_documents_is_there_once() -> None:
    """So many rows, no two about the same."""
    assert Counter(row[0].split()[0] for row in rows()) == ROWS
    assert len({(row[0], row[1]) for row in rows()}) == sum(ROWS.values()) == 160


def test_every_row_has_a_state_and_what_is_built_has_a_place() -> None:
    """A command, a name of something that can be typed, or a page; whoever calls it later or outside says where."""
    assert {row[3] for row in rows()} == STATES
    for row in rows():
        assert PLACE.search(row[2]), row
        assert row[3] != "later" or "#later" in row[2], row
        assert row[3] != "out of scope" or "out-of-scope" in row[2] or "says why" in row[2], row


def test_options_stand_beside_a_command_that_has_them() -> None:
    """Of each code that starts with impactbench: the command and every option after it."""
    shown = [code.split()[1:] for row in rows() for code in re.findall(r"`(impactbench [^`]+)`", row[2])]
    assert len(shown) > 50
    for words in shown:
        path = tuple(words[:2]) if tuple(words[:2]) in COMMANDS else tuple(words[:1])
        assert path in COMMANDS, words
        assert {word for word in words if word.startswith("-")} <= COMMANDS[path], words


def test_options_of_run_entries_and_files_exist() -> None:
    """`name=value` is an option of a run entry, and each file of the package is shipped."""
    codes = [code for row in rows() for code in re.findall(r"`([^` ]+)`", row[2])]
    named = {name for code in codes for name in re.findall(r"(?:^|,)([a-z_]+)=", code)}
    assert named
    assert named <= OPTIONS
    files = [code for code in codes if code.startswith("run_entries/")]
    assert files
    assert all(shipped(*file.split("/")).is_file() for file in files)
