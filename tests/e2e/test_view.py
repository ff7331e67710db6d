"""`impactbench view`: who gets an answer, and that what it shows is what the report has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser import serious_faults, strict_page
from tests.support.canonical import Canonical
from tests.support.commands import run_command
from tests.support.conversation_parts import conversation_parts
from tests.support.viewing import Viewed, viewed

LIST = "conversations/emotional-dependence/rehearsal~harmful/index.html"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, canonical: Canonical) -> Path:
    """A working directory with a suite of two scripted models on two benchmarks."""
    root = tmp_path_factory.mktemp("view")
    canonical.put(root, ("emotional-dependence", "mental-health-safety"), ("harmful", "mixed"))
    return root


@pytest.fixture(scope="module")
def view(folder: Path) -> Iterator[Viewed]:
    """The suite, opened and read."""
    with viewed(folder) as found:
        found.ready()
        yield found


def without_version(page: str) -> str:
    """Return what a page says below its head and links, which are not those of a file."""
    return page[page.index("<main") : page.index("<footer")]


def test_every_page_says_what_the_report_says(folder: Path, view: Viewed) -> None:
    """The same templates: each page of a written report, down to a conversation, has the same words when served."""
    run_command("impactbench", "report", "--suite", "s", "--out-dir", "site", cwd=folder)
    pages = sorted((folder / "site").rglob("*.html"))
    site = folder / "site"
    kinds = {path.relative_to(site).parts[0]: path for path in pages if path.name not in ("index.html", "find.html")}
    parts = conversation_parts(site)
    for address in (min(parts), max(parts)):
        assert parts[address] in view.ask(address).text
    for path in {*kinds.values(), site / LIST} - {site / "conversation.html"}:
        address = path.relative_to(site).as_posix()
        found = view.ask(address)
        assert found.status == 200, address
        assert without_version(found.text) == without_version(path.read_text(encoding="utf-8")), address


def test_what_pages_load_is_there(view: Viewed) -> None:
    """Styles, scripts, charts and the index and words of the search, with their kinds."""
    page = view.ask("find.html").text
    for name in re.findall(r'(?:src|href)="([\w-]+\.(?:css|js|svg))"', page):
        assert view.ask(name).status == 200, name
    index = view.ask("search/index.js")
    assert index.headers["Content-Type"].startswith("text/javascript")
    addresses = re.findall(r'"words":"([^"]+)"', index.text)
    (words,) = [found for found in addresses if "dependence/rehearsal~harmful" in found]
    assert view.ask(words).text.startswith("impactbenchRun(")
    assert view.ask("conversations/emotional-dependence.zip").headers["Content-Type"] == "application/zip"


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ({"Host": "evil.example"}, "127.0.0.1"),
        ({"Host": "127.0.0.1"}, "127.0.0.1"),
        ({"Host": "localhost.evil.example:{port}"}, "127.0.0.1"),
        ({"Origin": "https://evil.example"}, "origin"),
        ({"Origin": "null"}, "origin"),
        ({"Origin": "http://127.0.0.1:1"}, "origin"),
        ({"Origin": "http://localhost:{port}"}, "origin"),
        ({"Sec_Fetch_Site": "cross-site"}, "site"),
        ({"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}, "site"),
        ({"Sec_Fetch_Site": "same-site", "Sec_Fetch_Mode": "cors"}, "site"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_no_request_from_elsewhere_is_answered(view: Viewed, method: str, headers: dict[str, str], why: str) -> None:
    """Another Host, another origin, another site: refused, with the token and all."""
    named = {name: value.format(port=view.port) for name, value in headers.items()}
    found = view.ask("index.html", method=method, X_ImpactBench_Token=view.token, **named)
    assert found.status == 403
    assert why in found.text
    assert "ImpactBench report" not in found.text


def test_nothing_is_answered_without_the_token(view: Viewed) -> None:
    """Not a page, not a style, not a change."""
    near = [f"/{view.token[:-1]}/index.html", f"/{view.token}x/index.html"]
    for path in ("/", "/index.html", "/site.css", "/%00/", "//", *near):
        found = view.ask("", whole=path)
        assert (found.status, "ImpactBench report" in found.text) == (404, False), path
    assert view.ask("live.html", method="POST").status == 403
    assert view.ask("live.html", method="POST", X_ImpactBench_Token="wrong").status == 403
    assert view.ask("index.html", method="POST", X_ImpactBench_Token=view.token).status == 405
    assert view.ask("index.html", method="PUT", X_ImpactBench_Token=view.token).status == 501


@pytest.mark.parametrize(
    "path",
    [
        *("../run_spec.json", "..%2f..%2fcontrol.json", "%2e%2e/%2e%2e/etc/passwd", "/etc/passwd"),
        *("conversations/../../x.html", "conversations/%00/first.js", "search/../../../etc/passwd"),
        *("conversation.html", "conversation.html?of=emotional-dependence/rehearsal~harmful/../../../prod_env/first"),
    ],
)  # fmt: skip
def test_no_address_leads_to_a_file_of_the_machine(view: Viewed, path: str) -> None:
    """What is not a page of the suite is not there."""
    assert view.ask(path).status == 404


def test_a_request_has_a_largest_size(view: Viewed) -> None:
    """And has to say how large it is."""
    token = {"X_ImpactBench_Token": view.token}
    assert view.ask("live.html", method="POST", **token, Content_Length="99999999").status == 413
    assert view.ask("live.html", method="POST", **token, Transfer_Encoding="chunked").status == 413


def test_replies_forbid_what_pages_do_not_need(view: Viewed) -> None:
    """No script of others, no frame, no kept copy, no address told to others, and no access from other origins."""
    headers = view.ask("index.html").headers
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert not [name for name in headers if name.startswith("Access-Control")]


def test_the_front_page_is_kept_and_shown_at_once(folder: Path) -> None:
    """The next time it is there before the suite is read, and says so; not after a run has changed."""
    with viewed(folder) as one:
        one.ready()
    kept = folder / "benchmark_output/runs/s/.impactbench-front.html"
    assert kept.is_file()
    with viewed(folder) as two:
        first = two.ask("index.html").text
        assert "being read again" in first or "rehearsal~harmful" in first
        two.ready()
    kept.write_text(kept.read_text(encoding="utf-8").replace("<h1", "<h1 data-stale", 1), encoding="utf-8")
    state = next((folder / "benchmark_output/runs/s").glob("*/scenario_state.json"))
    state.touch()
    with viewed(folder) as three:
        assert "data-stale" not in three.ask("index.html").text
        three.ready()


def test_ctrl_c_ends_it_at_once(folder: Path) -> None:
    """Also in the middle of reading; `viewed` waits a minute at most."""
    with viewed(folder) as found:
        pass
    assert found.process.returncode == 0


def test_figures_of_a_choice_are_those_of_the_command_and_say_what_they_are(folder: Path, view: Viewed) -> None:
    """Children alone, one model: the same rates as `impactbench rates`, and not corrected for the search."""
    whole = view.ask("filter.html").text
    assert "Not corrected for the search" not in whole
    chosen = "filter.html?model=rehearsal/mixed&where=age%3Dadult%20(18%2B)"
    part = view.ask(chosen).text
    assert "Not corrected for the search." in part
    options = ("--model", "rehearsal/mixed", "--where", "age=adult (18+)", "--out", "rates.json")
    done = run_command("impactbench", "rates", "--suite", "s", *options, cwd=folder)
    assert done.returncode == 0
    found = json.loads((folder / "rates.json").read_text(encoding="utf-8"))
    rows = next(iter(found.values())) if isinstance(found, dict) else found
    assert rows
    for row in (row for row in rows if row["model"] == "rehearsal/mixed"):
        assert f"{row['pass_rate']:.3f}" in part
    assert view.ask("filter.html?model=nobody/there").status == 400


@pytest.mark.browser
def test_it_is_read_in_a_browser_as_a_report_is(view: Viewed, browser: Browser) -> None:
    """From the overview to a conversation and on by a key, and a search, without an error and with no other request."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    requests: list[str] = []
    with strict_page(context) as page:
        page.on("request", lambda request: requests.append(request.url))
        page.goto(view.address)
        page.get_by_role("link", name="Find a conversation").click()
        page.get_by_role("searchbox").first.fill("friend")
        page.keyboard.press("Enter")
        page.goto(view.url(LIST))
        page.locator("table a[href]").first.click()
        expect(page.get_by_role("heading", name="What the judges said")).to_be_visible()
        before = page.url
        expect(page.get_by_text("Keys: j next")).to_be_visible()  # put there by the script that listens
        page.keyboard.press("j")
        expect(page).not_to_have_url(before)
        expect(page.get_by_role("heading", name="What the judges said")).to_be_visible()  # its words arrive after it
        assert serious_faults(page) == []
    assert [
        url for url in requests if not url.startswith((f"http://127.0.0.1:{view.port}/{view.token}/", "data:"))
    ] == []
    context.close()
