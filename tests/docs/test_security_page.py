"""SECURITY.md promises nothing that no test holds."""

from __future__ import annotations

import ast
import re

from tests.docs.pages import ROOT, Page

PROMISES = Page(ROOT / "SECURITY.md").text.partition("## Promises")[2].partition("## Not promised")[0]
ROW = re.compile(r"^\|([^|]+)\|([^|]+)\|([^|]+)\|$", re.MULTILINE)
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def test_every_promise_names_tests_that_exist() -> None:
    """Each row of the tables of promises names one test or more, by path and function, and its limits."""
    rows = [row for row in ROW.findall(PROMISES) if set(row[0]) - set("-: ") and row[0].strip() != "promise"]
    assert len(rows) > 20
    assert len(rows) == sum(line.startswith("| ") for line in PROMISES.splitlines()) - PROMISES.count("| promise |")
    for promise, tests, limits in rows:
        assert limits.strip(), promise
        assert NAMED.findall(tests), promise
        assert not set(re.sub(NAMED, "", tests)) - set(", "), tests
        for path, name in NAMED.findall(tests):
            tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
            assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, f"{path}::{name}"
