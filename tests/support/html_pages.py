"""Read the pages of a static site without a browser: figures, links, ids, text."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from helm_impactbench.outputs.report.names import CONVERSATION
from tests.support.conversation_parts import conversation_parts


class PageReader(HTMLParser):
    """Collects the figures, links, ids, tags and text of a page."""

    def __init__(self, page: Path | str) -> None:
        """`page` is its file, or what it has."""
        super().__init__()
        self.figures: list[dict[str, Any]] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.words: list[str] = []
        self.feed(page if isinstance(page, str) else page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        given = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        self.links += [given["href"]] if "href" in given else []
        self.ids += [given["id"]] if "id" in given else []
        if tag == "data":
            self.figures.append({**given, "text": ""})

    def handle_data(self, data: str) -> None:
        """Note text."""
        self.words.append(data)
        if self.figures and not self.figures[-1]["text"]:
            self.figures[-1]["text"] = data

    @property
    def text(self) -> str:
        """What people read, with white space folded."""
        return " ".join(" ".join(self.words).split())


def check_links(root: Path) -> None:
    """Assert that every link leads to a page that is there, to a place on it, and that every page is led to.

    Conversations are pages too, each at its address.
    """
    root = root.resolve()
    pages = {path: PageReader(path) for path in root.rglob("*.html")}
    pages |= {root / address: PageReader(part) for address, part in conversation_parts(root).items()}
    seen: set[Path] = {root / "index.html"}
    for path, page in pages.items():
        assert len(page.ids) == len(set(page.ids)), (path, "an id stands twice")
        for link in page.links:
            parts = urlsplit(link)
            assert not parts.scheme, (path, link)
            assert not parts.netloc, (path, link)
            folder = root if "?of=" in str(path) else path.parent
            target = (folder / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file() or target == path, (path, link)
            assert target.is_relative_to(root)
            seen.add(target)
            if target == root / CONVERSATION and parts.query:
                target = root / f"{CONVERSATION}?{parts.query}"
                assert target in pages, (path, link)
                seen.add(target)
            if parts.fragment and target.suffix == ".html":
                assert unquote(parts.fragment) in pages[target].ids, (path, link)
    assert {*pages} <= seen
