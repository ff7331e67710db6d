"""The documentation as a website: it builds without a warning, and its pages fetch nothing from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.docs.pages import ROOT
from tests.support.browser import chromium
from tests.support.commands import run_command
from tests.support.serving import serve

FETCHED = re.compile(r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"([^\"]+)\"|<link\b[^>]*\bhref=\"([^\"]+)\"")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly: a dead link, a missing anchor or a page outside of the navigation is an error."""
    folder = tmp_path_factory.mktemp("site")
    run_command("mkdocs", "build", "--strict", "--quiet", "--site-dir", folder, cwd=ROOT, NO_MKDOCS_2_WARNING="1")
    return folder


def test_every_page_is_in_the_site(site: Path) -> None:
    """The strict build succeeds and has a page for every file in docs/."""
    assert {page.stem for page in (ROOT / "docs").glob("**/*.md")} <= {page.stem for page in site.glob("**/*.html")}


def test_pages_fetch_nothing_from_elsewhere(site: Path) -> None:
    """Scripts, styles, fonts and pictures are files of the site."""
    for page in site.glob("*.html"):
        fetched = [one or other for one, other in FETCHED.findall(page.read_text(encoding="utf-8"))]
        assert fetched
        assert not [address for address in fetched if re.match(r"(?:https?:)?//", address)], page.name
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(?:https?:)?//", style.read_text(encoding="utf-8")), style.name


@contextmanager
def _served(site: Path) -> Iterator[str]:
    """Serve the site and give its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(site))) as server:
        serve(server)
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.browser
@pytest.mark.parametrize("served", [False, True], ids=["folder", "server"])
def test_the_search_gives_results(site: Path, served: bool) -> None:
    """From a folder and from a server, without a request to anybody else."""
    asked: list[str] = []
    with chromium() as browser, _served(site) if served else nullcontext(f"file://{site}") as start:
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{start}/index.html")
        page.locator(".md-search__input").click()
        page.locator(".md-search__input").type("judge")
        expect(page.locator(".md-search-result__item").first).to_contain_text("judge", ignore_case=True)
        assert len(asked) > 3
        assert not [address for address in asked if not address.startswith((start, "data:", "blob:"))]
        page.close()


def test_lists_and_tables_are_rendered(site: Path) -> None:
    """No page shows the marks of a list or a table as text."""
    for page in site.glob("*.html"):
        text = re.sub(r"<pre[\s\S]*?</pre>|<code[\s\S]*?</code>", "", page.read_text(encoding="utf-8"))
        assert not re.search(r"<p>(?:\||[-*] )|\n[-*] \S|\n\|", text.partition("<article")[2]), page.name
