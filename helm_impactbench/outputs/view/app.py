"""What is at which address of the server."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from helm_impactbench.outputs.report.names import CONVERSATION
from helm_impactbench.outputs.view.annotation import AnnotationDesk
from helm_impactbench.outputs.view.filtered import Filtered
from helm_impactbench.outputs.view.live import Live
from helm_impactbench.outputs.view.opened import Opened
from helm_impactbench.outputs.view.pages import HERE
from helm_impactbench.outputs.view.server import PageReply, Request, message
from helm_impactbench.process.progress_file import is_alive
from helm_impactbench.results.files import STATE_FILE

Route = Callable[[Request], PageReply | None]
SCRIPTS = ("annotate.js", "filter.js", "live.js")
"""Of the pages that only a server shows."""


class App:
    """Answers requests about one suite. May be called from any thread."""

    def __init__(self, folder: Path, *, with_private: bool = False) -> None:
        """`folder` is that of a suite's runs, finished or under way."""
        self._folder, self._with_private = folder, with_private
        self._lock = threading.Lock()
        self._seen = self._whole()
        self.opened = Opened(folder, with_private=with_private)
        annotation = AnnotationDesk(folder, Path("annotations") / folder.name, lambda: self.opened.site)
        self._live = Live(folder, with_private=with_private, changed=self._look)
        filtered = Filtered(folder, lambda: self.opened.results)
        self._routes: dict[str, Route] = {
            **annotation.routes,
            **self._live.routes,
            **filtered.routes,
            **dict.fromkeys(SCRIPTS, _script),
        }

    def begin(self) -> None:
        """Read the suite in the background."""
        threading.Thread(target=self.opened.read, daemon=True).start()

    def close(self) -> None:
        """Read no more."""
        self.opened.close()

    def __call__(self, request: Request) -> PageReply:
        """Return the answer to a request that the guard has let through."""
        route = self._routes.get(request.address)
        if route is None and request.method != "GET":
            return message("Nothing can be changed here.", 405)
        found = route(request) if route else self._page(request) if request.method == "GET" else None
        return found or message("There is no such page in this suite, or not yet.", 404)

    def _page(self, request: Request) -> PageReply | None:
        if request.address.endswith(".html"):
            self._look()
        if request.address == CONVERSATION:
            return self.opened.conversation(request.one("of"))
        return self.opened.page(request.address)

    def _look(self) -> None:
        """Read the suite again when other runs are whole than before: after the run, or when nothing was there yet."""
        with self._lock:
            now = self._whole()
            done = self.opened.results is not None or bool(self.opened.problem)
            if now == self._seen or not done or (is_alive(self._folder) and not self.opened.problem):
                return
            self._seen = now
            self.opened = Opened(self._folder, with_private=self._with_private)
            self.begin()

    def _whole(self) -> frozenset[tuple[str, int]]:
        return frozenset((path.parent.name, path.stat().st_mtime_ns) for path in self._folder.glob(f"*/{STATE_FILE}"))


def _script(request: Request) -> PageReply:
    return PageReply((HERE / request.address).read_text(encoding="utf-8"), "text/javascript; charset=utf-8")
