"""A real browser for tests: where it is, and what axe-core finds on a page."""

from __future__ import annotations

import shutil
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def serious_faults(page: Page) -> list[Any]:
    """Return the serious faults on a page, whose policy allows no script of others: axe-core is put in past it."""
    session = page.context.new_cdp_session(page)
    session.send("Page.setBypassCSP", {"enabled": True})
    page.reload()
    found: dict[str, Any] = Axe().run(page).response
    session.send("Page.setBypassCSP", {"enabled": False})
    return [
        (fault["id"], fault["nodes"][0]["html"][:200], fault["nodes"][0].get("failureSummary"))
        for fault in found["violations"]
        if fault["impact"] in ("serious", "critical")
    ]
