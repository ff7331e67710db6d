"""Debian's chromium for tests: a browser, a fresh profile, a page without errors, and what axe-core finds."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
          "--disable-sync")  # fmt: skip
expect.set_options(timeout=60_000)  # milliseconds; a machine may be busy


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run the browser; each context of it is a fresh window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_path(), args=list(_FLAGS))
        yield browser
        browser.close()


@contextmanager
def profile(folder: Path, **options: Any) -> Iterator[BrowserContext]:
    """Run the browser with a fresh profile in a folder; the options are those of a context."""
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(folder), executable_path=_path(), args=list(_FLAGS), **options
        )
        yield context
        context.close()


@contextmanager
def strict_page(context: BrowserContext) -> Iterator[Page]:
    """Open an empty page; at its end, an error of a script or a violated policy on it fails the test."""
    errors: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    yield page
    assert errors == [], errors  # this file is not a test, so pytest does not show what differs


def _path() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    assert found, "chromium is missing: make test installs it, or apt-get install chromium"
    return found


def serious_faults(page: Page, prepare: str = "", outside: str | None = None) -> list[Any]:
    """Return the serious faults on a page, whose policy allows no script of others: axe-core is put in past it.

    prepare: JavaScript that opens or chooses something first. outside: a selector of what is not looked at.
    """
    session = page.context.new_cdp_session(page)
    session.send("Page.setBypassCSP", {"enabled": True})
    page.reload()
    page.wait_for_load_state("networkidle")  # some pages load their words, and what is not there yet has no faults
    page.evaluate(f"() => {{ {prepare} }}")
    found = Axe().run(page, context={"exclude": [[outside]]} if outside else None).response
    session.send("Page.setBypassCSP", {"enabled": False})
    return [
        (fault["id"], fault["nodes"][0]["html"][:200], fault["nodes"][0].get("failureSummary"))
        for fault in found["violations"]
        if fault["impact"] in ("serious", "critical")
    ]
