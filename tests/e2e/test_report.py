"""The report through the real command and a real browser: numbers, links, hostile words, reading, printing.

Two suites: four scripted targets on three shipped benchmarks, and a user's own benchmark on a loopback server whose
models, like its author, write whatever could break a page.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pypdf import PdfReader

from tests.e2e.conftest import run_mini
from tests.support import builders, helm
from tests.support.browser import serious_faults, strict_page
from tests.support.canonical import Canonical
from tests.support.commands import run_command
from tests.support.conversation_parts import conversation_part, conversation_parts
from tests.support.html_pages import PageReader, check_links
from tests.support.openai_server import OpenAIServer, text_of

SLUGS = ("emotional-dependence", "mental-health-safety", "prosocial")
TARGETS = ("supportive", "harmful", "mixed", "minors-only")

OWNED = "document.title='owned';window.owned=1"
EVIL = (
    f'</script></title></textarea><script>{OWNED}</script><img src=x onerror="{OWNED}"><svg onload={OWNED}>'
    f"[click](javascript:{OWNED}) ![i](http://127.0.0.1:9/i.png) {{{{ 7*7 }}}} {{% raw %}} ]]> --> <base href=//x>"
    "\u202eevil\u202c \u2066iso \u200fmark \x00nul \x1b[31m"
)
LONG = "x" * 100_000
QUOTE = f"quoted  words\n{EVIL}"

PAGES = {
    "overview": "index.html",
    "tables": "tables.html",
    "benchmark": "benchmarks/mental-health-safety.html",
    "model": "models/rehearsal~minors-only.html",
    "label": "labels/rehearsal~minors-only.html",
    "metric": "metrics/mental-health-safety/m01.html",
    "list": "conversations/mental-health-safety/rehearsal~mixed/index.html",
    "conversation": "conversation.html?of=mental-health-safety/rehearsal~harmful/m02_s004_v01",
    "cases": "cases/mental-health-safety.html",
    "find": "find.html",
    "your use": "your-use.html",
    "about": "about.html",
}

SCRIPTS = {"site.js", "conversation.js", "words.js", "find.js", "compare.js", "your-use.js", "your-use-data.js"}
"""The report's own: no page has another."""


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory, canonical: Canonical) -> Path:
    """A working directory with the rehearsal suite `s` and its report in ./report."""
    folder = tmp_path_factory.mktemp("report")
    canonical.put(folder, SLUGS, TARGETS)
    done = run_command("impactbench", "report", "--suite", "s", "--out-dir", "report", cwd=folder)
    assert "944 conversations of 12 runs" in done.stdout
    assert "12 of 12 runs" in done.stderr
    return folder


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with a suite in which everybody writes hostile text, and its report in ./report."""
    folder = tmp_path_factory.mktemp("evil")
    content = builders.benchmark_with(definition=f"The assistant does it {EVIL}", examples=[EVIL], near_misses=[EVIL])
    content.update(name=f"Mini {EVIL}", description=EVIL)
    for text in (content["metrics"][0], content):
        text.update({key: _printable(value) for key, value in text.items() if isinstance(value, str)})
    content["metrics"][0].update(examples=[_printable(EVIL)], near_misses=[_printable(EVIL)])
    rows = [{**row, "user_goal": f"goal {_printable(EVIL)}"} for row in builders.SCENARIOS]
    builders.write_benchmark_folder(folder / "benchmarks/mini", content, rows)
    server = OpenAIServer(answer=_hostile_answer)
    run_mini(
        folder, server, "target-a", "target-b", options=",turns=2,checks=awareness+plausibility", suite="s", ok=False
    )
    server.close()
    run_command("impactbench", "report", "--suite", "s", "--out-dir", "report", cwd=folder)
    return folder


def _printable(text: str) -> str:
    """Return `text` as a benchmark file may hold it: YAML has no control characters."""
    return text.replace("\x00", "").replace("\x1b", "")


def _hostile_answer(body: dict[str, Any]) -> Any:
    if body["model"].startswith("user"):
        return f"Thought: {EVIL}\nMessage: user says {EVIL}"
    if body["model"].startswith("judge"):
        evidence = [{"turn": 1, "quote": QUOTE}, {"turn": 2, "quote": f"never said {EVIL}"}]
        said = "yes" if '"yes"' in text_of(body) else "present"
        return json.dumps({"justification": f"because {EVIL}", "evidence": evidence, "answer": said})
    if body["model"] == "target-b" and len(body["messages"]) > 1:
        return 400, {"error": {"message": f"refused {EVIL}", "type": "invalid_request_error"}}
    return f"before quoted words {EVIL} after\n{LONG}"


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A fresh browser window without network."""
    opened = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """An empty page; an error or a violated policy on it fails the test."""
    with strict_page(context) as page:
        yield page


def url(folder: Path, name: str) -> str:
    """Return the address of a page of the report on disk."""
    return f"file://{folder / 'report'}/{name}"


# ---- numbers and links, read without a browser -----------------------------------------------------------------------


class _Stats:
    """The figures of a suite from HELM's stats.json, and from `impactbench compare` where they span benchmarks."""

    def __init__(self, folder: Path) -> None:
        self.runs = {}
        for path in sorted((folder / "benchmark_output/runs/s").glob("impactbench:*")):
            spec = helm.read(path, "run_spec")
            key = spec["scenario_spec"]["args"]["benchmark"], spec["adapter_spec"]["model_deployment"]
            self.runs[key] = path
        run_command("impactbench", "compare", "--suite", "s", "--out", "compare.json", cwd=folder)
        self.models = {row["model"]: row for row in json.loads((folder / "compare.json").read_text())["models"]}

    @cache  # noqa: B019
    def total(self, name: str, benchmark: str = "", model: str = "") -> tuple[float, int]:
        """Return (sum, count) over the runs of a benchmark, of a model, or of all."""
        found = [helm.total(path, name) for (slug, target), path in self.runs.items()
                 if benchmark in ("", slug) and model in ("", target)]  # fmt: skip
        return sum(value for value, _ in found), sum(count for _, count in found)

    def mean(self, name: str, model: str) -> float:
        """Return the plain mean over benchmarks of a rate of a model."""
        rates = [self.total(name, slug, model) for slug in sorted({slug for slug, _ in self.runs})]
        known = [value / count for value, count in rates if count]
        return sum(known) / len(known) if known else math.nan

    def expected(self, figure: dict[str, str]) -> float | None:
        """Return what a figure of a page must be; None where HELM's files do not tell it."""
        stat, slug, model, metric = (figure.get(f"data-{key}", "") for key in ("stat", "benchmark", "model", "metric"))
        rate = f"pass_rate_{slug}_{metric}" if metric else "pass_rate"
        whole = {"mean": "mean_score", "mean_low": "low_these", "mean_high": "high_these",
                 "mean_like_these_low": "low_like_these", "mean_like_these_high": "high_like_these"}  # fmt: skip
        if stat in whole:
            found = float("nan" if self.models[model][whole[stat]] is None else self.models[model][whole[stat]])
            assert stat != "mean" or _equal(found, self.mean("pass_rate", model))
            return found
        if stat in ("mean_negative", "mean_positive"):
            return self.mean(f"{stat.removeprefix('mean_')}_pass_rate", model)
        if stat in ("pass_rate", "negative_pass_rate", "positive_pass_rate"):
            value, count = self.total(rate if stat == "pass_rate" else stat, slug, model)
            return value / count if count else math.nan
        if stat in ("pass_rate_worst_case", "pass_rate_best_case"):
            value, count = self.total(stat, slug, model)
            return value / count
        if stat in ("pass_rate_low", "pass_rate_high") and not metric:
            return self.total(stat, slug, model)[0]
        if stat == "scored":
            return float(self.total(rate, slug, model)[1])
        if stat == "unscored":
            return self.total("unscored", slug, model)[0]
        if stat == "num_instances" and not metric:
            return float(self.total("unscored", slug, model)[1])
        if stat == "metric_mean":
            rates = [self.total(rate, slug, target) for s, target in self.runs if s == slug]
            known = [value / count for value, count in rates if count]
            return sum(known) / len(known) if known else math.nan
        return None


def _equal(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-12) or (math.isnan(one) and math.isnan(other))


@pytest.mark.parametrize("which", ["suite", "evil"])
def test_numbers_are_those_of_stats_json(which: str, request: pytest.FixtureRequest) -> None:
    """Every figure on every overview, benchmark, model, metric and list page, against the runs' stats.json."""
    folder = request.getfixturevalue(which)
    stats = _Stats(folder)
    walked: dict[str, int] = defaultdict(int)
    for path in sorted((folder / "report").rglob("*.html")):
        for figure in PageReader(path).figures:
            expected = stats.expected(figure)
            if expected is not None:
                assert _equal(float(figure["value"]), expected), (path, figure, expected)
                walked[path.relative_to(folder / "report").parts[0]] += 1
            value = float(figure["value"])
            assert figure["text"] in (_shown(value), f"{value:,.0f}", f"{100 * value:.0f}%"), figure
    assert {*walked} == {"index.html", "tables.html", "benchmarks", "models", "metrics", "conversations", "cases"}
    if which == "suite":
        assert walked["index.html"] + walked["tables.html"] >= 40
        assert walked["benchmarks"] > 3 * (4 * 12 + 4 * 8)
    else:
        assert stats.total("unscored")[0] == 4


def _shown(value: float) -> str:
    return "\N{EN DASH}" if math.isnan(value) else f"{100 * value:.1f}%"


def test_the_figures_that_stats_json_lacks_are_few(suite: Path) -> None:
    """What the walk cannot look up are areas and the bounds of intervals over benchmarks and of single metrics."""
    stats = _Stats(suite)
    unknown = {
        re.sub("area_.*", "area", figure["data-stat"]) + (" of a metric" if figure.get("data-metric") else "")
        for name in ("index.html", "tables.html", "benchmarks/prosocial.html", "metrics/prosocial/m01.html")
        for figure in PageReader(suite / "report" / name).figures
        if stats.expected(figure) is None
    }
    assert unknown == {
        "area", "mean_negative_low", "mean_negative_high", "mean_positive_low", "mean_positive_high",
        "mean_negative_like_these_low", "mean_negative_like_these_high", "mean_positive_like_these_low",
        "mean_positive_like_these_high", "num_instances of a metric", "pass_rate_low of a metric",
        "pass_rate_high of a metric",
    }  # fmt: skip


def test_a_metric_has_no_single_figure_of_a_model_whose_people_differ(suite: Path) -> None:
    """Two rates in the table, as on the first page; one where the metric is about adults alone."""
    page, adults = (PageReader(suite / f"report/metrics/{name}/m01.html") for name in SLUGS[:0:-1])
    rated = [
        {figure["data-model"] for figure in found.figures if figure["data-stat"] == "pass_rate"}
        for found in (page, adults)
    ]
    assert rated[1] - rated[0] == {"rehearsal/minors-only"}
    assert "rehearsal/minors-only (scripted) adults 100.0%, children and teenagers 0.0% " in page.text


def test_sentences_have_no_decimals(suite: Path) -> None:
    """Outside tables a share is a whole number: on the pages of cases and of lists."""
    for name in (PAGES["cases"], PAGES["list"]):
        page = re.sub("<table.*?</table>", "", (suite / "report" / name).read_text(encoding="utf-8"), flags=re.S)
        assert re.search(r"\b\d+%", page), name
        assert not re.search(r"\d\.\d+%", page), name


@pytest.mark.parametrize("which", ["suite", "evil"])
def test_every_link_leads_somewhere(which: str, request: pytest.FixtureRequest) -> None:
    """No link leaves the report, and each leads to a page that is there, and to a place that is on it."""
    check_links(request.getfixturevalue(which) / "report")


def test_every_conversation_has_its_address(suite: Path) -> None:
    """Made of benchmark, model and HELM's instance id; two files per run, and a benchmark's text as one."""
    expected = set()
    for slug in SLUGS:
        for target in TARGETS:
            (run,) = (suite / "benchmark_output/runs/s").glob(f"*benchmark={slug},*model=rehearsal_{target}")
            expected |= {f"conversation.html?of={slug}/rehearsal~{target}/{name}" for name in helm.verdicts(run)}
    assert {*conversation_parts(suite / "report")} == expected
    files = [path for path in (suite / "report/conversations").rglob("*") if path.is_file()]
    assert len(files) == 2 * len(SLUGS) * len(TARGETS) + len(SLUGS)
    for slug in SLUGS:
        assert "has changed since it was run" not in (suite / f"report/benchmarks/{slug}.html").read_text()


def test_the_same_suite_gives_the_same_bytes(suite: Path) -> None:
    """A second report, in place of nothing and then in place of itself, is equal; no path or secret is in it."""
    for _ in range(2):
        run_command("impactbench", "report", "--suite", "s", "--out-dir", "again", cwd=suite)
    first = {path.relative_to(suite / "report"): path for path in (suite / "report").rglob("*") if path.is_file()}
    second = {path.relative_to(suite / "again"): path for path in (suite / "again").rglob("*") if path.is_file()}
    assert {*first} == {*second}
    for name, path in first.items():
        content = path.read_bytes()
        assert content == second[name].read_bytes(), name
        assert str(suite).encode() not in content, name
    shutil.rmtree(suite / "again")


def test_a_report_without_pages_of_conversations(suite: Path) -> None:
    """The figures and the lists are the same, links to conversations are plain text, and the command says so."""
    done = run_command(
        "impactbench", "report", "--suite", "s", "--out-dir", "figures", "--conversation-pages", "none", cwd=suite
    )
    assert "--conversation-pages all includes them" in done.stdout
    check_links(suite / "figures")
    full = {path.relative_to(suite / "report"): path for path in (suite / "report").rglob("*.html")}
    short = {path.relative_to(suite / "figures"): path for path in (suite / "figures").rglob("*.html")}
    assert {*full} - {*short} == {Path("compare.html"), Path("conversation.html")}
    for name, path in short.items():
        values = re.findall("<data .*?</data>", path.read_text())
        assert values == re.findall("<data .*?</data>", full[name].read_text()), name
    shutil.rmtree(suite / "figures")


def test_wrong_use_is_explained(suite: Path) -> None:
    """An unknown suite, a name to redact that nothing has, a folder that is none of ours: exit code 2 and the cure."""
    (suite / "mine").mkdir(exist_ok=True)
    (suite / "mine/notes.txt").write_text("mine")
    for options, message in (
        (("--suite", "t"), "No suite 't'"),
        (("--suite", "s", "--redact", "prosocal"), "Did you mean prosocial"),
        (("--suite", "s", "--redact", "prosocial/m99"), "this suite has no such benchmark or metric"),
        (("--suite", "s", "--out-dir", "mine"), "is not a report of impactbench"),
    ):
        done = run_command("impactbench", "report", *options, cwd=suite, ok=False)
        assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    assert [path.name for path in (suite / "mine").iterdir()] == ["notes.txt"]
    assert not list(suite.glob(".*-*"))


def test_redaction_hides_words_and_keeps_numbers(suite: Path) -> None:
    """No word of a hidden metric's conversations is anywhere in the report; verdicts and figures are unchanged."""
    options = ("--redact", "prosocial/m02", "--redact", "emotional-dependence")
    run_command("impactbench", "report", "--suite", "s", "--out-dir", "hidden", *options, cwd=suite)
    words: dict[str, set[str]] = {"hidden": set(), "shown": set()}
    for path in (suite / "benchmark_output/runs/s").glob("impactbench:*"):
        for state in helm.read(path, "scenario_state")["request_states"]:
            case = state["instance"]["extra_data"]["impactbench"]
            secret = case["benchmark"] == "emotional-dependence" or (
                case["benchmark"] == "prosocial" and case["metric"]["id"] == "m02"
            )
            talk = state["result"]["completions"][0]["finish_reason"]["conversation"]["turns"]
            words["hidden" if secret else "shown"] |= {case["plan"]["persona"], case["plan"]["user_goal"],
                case["plan"]["hidden_goal"], *(turn["user"] for turn in talk)}  # fmt: skip
    secrets = [text for text in sorted(words["hidden"] - words["shown"]) if len(text) > 25]
    assert len(secrets) > 300
    pages = {path.relative_to(suite / "hidden"): path.read_text() for path in (suite / "hidden").rglob("*.html")}
    parts = conversation_parts(suite / "hidden")
    texts = _texts(suite / "hidden")
    assert [text for text in secrets if any(text in said for said in texts.values())] == []
    assert any(text in said for text in words["shown"] for said in texts.values())
    everything = (
        "\n".join([*pages.values(), *parts.values()]).replace("&#39;", "'").replace("&#34;", '"').replace("&amp;", "&")
    )
    assert [text for text in secrets if text in everything] == []
    for name in pages:
        one, other = PageReader(suite / "hidden" / name), PageReader(suite / "report" / name)
        assert one.figures == other.figures, name
    page = parts["conversation.html?of=prosocial/rehearsal~harmful/m02_s004_v01"]
    assert "The words of this conversation are hidden" in page
    assert "The judges&#39; answer: present." in page
    assert "Redacted: the words of conversations about" in pages[Path("index.html")]
    shutil.rmtree(suite / "hidden")


def _texts(report: Path) -> dict[str, str]:
    """Return what the archives of a report have: address, and name in it -> text."""
    found = {}
    for path in sorted((report / "conversations").glob("*.zip")):
        with zipfile.ZipFile(path) as whole:
            found |= {f"{path.name}/{name}": whole.read(name).decode() for name in whole.namelist()}
    return found


def test_a_report_without_the_benchmark(evil: Path, tmp_path: Path) -> None:
    """Elsewhere, without the benchmark's files: definitions come from the run, and all conversations open by notice."""
    shutil.copytree(evil / "benchmark_output", tmp_path / "benchmark_output")
    done = run_command("impactbench", "report", "--suite", "s", cwd=tmp_path)
    assert "reports/s/index.html" in done.stdout
    root = tmp_path / "benchmark_output/reports/s"
    assert "is not installed where" in (root / "benchmarks/mini.html").read_text()
    assert "The assistant does it" in (root / "metrics/mini/m01.html").read_text()
    page = conversation_part(root, "mini/litellm~openai~target-a/m01_s001_v01")
    assert "its content note is not known" in page
    check_links(root)


def test_two_set_ups_of_a_benchmark_stay_apart(workdir: Path) -> None:
    """The same case in two set-ups has two pages, and both are in the list."""
    builders.write_benchmark_folder(workdir / "benchmarks/mini")
    entry = "impactbench:benchmark=mini,user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/mixed"
    run_command("helm-run", "--run-entries", entry, f"{entry},turns=2", "--suite", "s", "-m", 100, cwd=workdir)
    run_command("impactbench", "report", "--suite", "s", "--out-dir", "report", cwd=workdir)
    of = [address for address in conversation_parts(workdir / "report") if address.endswith("/m01_s001_v01")]
    assert len(of) == 2
    listed = PageReader(workdir / "report/conversations/mini/rehearsal~mixed/index.html").links
    assert {link for link in listed if link.endswith("/m01_s001_v01")} == {f"../../../{address}" for address in of}


def test_helm_server_carries_the_id(suite: Path) -> None:
    """The text that helm-server shows of a conversation begins with the id that the find page takes."""
    (run,) = (suite / "benchmark_output/runs/s").glob("*benchmark=prosocial,*model=rehearsal_mixed")
    for state in helm.read(run, "scenario_state")["request_states"]:
        shown = state["instance"]["input"]["text"]
        assert shown.startswith(f"Conversation prosocial/{state['instance']['id']}\n")


# ---- in a browser ----------------------------------------------------------------------------------------------------


@pytest.mark.browser
def test_from_the_overview_to_highlighted_evidence(suite: Path, page: Page) -> None:
    """Four clicks: a rate, a metric's failing conversation, a judge's quote, the words it was said in."""
    page.goto(url(suite, "index.html"))
    expect(page.get_by_role("heading", name="Models, ranked")).to_be_visible()
    page.get_by_role("link", name="Tables").first.click()
    row = page.get_by_role("region", name="Pass rate by benchmark").get_by_role("row", name="Emotional dependence")
    row.get_by_role("link", name="0.0%", exact=True).click()
    page.locator("tr[data-tags] th a").first.click()
    expect(page.locator(".lead").first).to_contain_text("failed")
    expect(page.get_by_text("Turn 1", exact=True)).to_be_visible()
    expect(page.get_by_label(re.compile(r"^Landmark, turn \d")).first).to_be_attached()
    quotes = page.locator(".quotes q").all_inner_texts()
    page.get_by_role("link", name=re.compile("^Evidence 1, in turn")).first.click()
    mark = page.locator("#e1 + mark")
    expect(mark).to_be_in_viewport()
    expect(mark).to_contain_text(quotes[0])
    assert page.locator("mark").count() == len(quotes)
    page.get_by_role("link", name="Evidence 1: to the reason").click()
    expect(page.locator("#q1")).to_be_in_viewport()


@pytest.mark.browser
def test_a_link_to_evidence_opens_the_notice(suite: Path, page: Page) -> None:
    """A shared address with #e1 shows the words at once: whoever follows it was told what it is."""
    page.goto(url(suite, PAGES["conversation"]))
    expect(page.get_by_text("Turn 1", exact=True)).to_be_hidden()
    page.goto(url(suite, f"{PAGES['conversation']}#e1"))
    expect(page.locator("#e1 + mark")).to_be_in_viewport()


@pytest.mark.browser
def test_filters(suite: Path, page: Page) -> None:
    """A list narrows by verdict and person, says how many are left, hides empty groups, and takes it all back."""
    page.goto(url(suite, "metrics/mental-health-safety/m01.html#conversations"))
    rows = page.locator("tr[data-tags]:visible")
    assert rows.count() == 24
    page.get_by_label("verdict").select_option("failed")
    page.locator("select[name=model]").select_option("rehearsal/harmful")
    expect(page.get_by_role("status")).to_have_text("6 of 24 conversations shown")
    page.get_by_role("button", name="Show all").click()
    expect(page.get_by_role("status")).to_have_text("24 of 24 conversations shown")
    page.goto(url(suite, "models/rehearsal~minors-only.html"))
    page.get_by_text("Table of its gaps").click()
    page.locator("#people-table td a", has_text=re.compile(r"^0\.0%")).first.click()
    expect(page.locator("select[name=age]")).to_have_value("child or teenager (6-17)")
    expect(page.get_by_role("status")).to_have_text(re.compile(r"^\d+ of \d+ conversations shown$"))
    page.locator("select[name=metric]").select_option("m02")
    expect(page.locator("section.group:visible")).to_have_count(1)


@pytest.mark.browser
def test_the_label_switches_its_audience(suite: Path, page: Page) -> None:
    """Four audiences, one shown at a time, by mouse and by keyboard."""
    page.goto(url(suite, PAGES["label"]))
    panels = page.locator(".nl-panel:visible")
    for name in ("Parents", "Educators", "Policymakers", "Developers"):
        page.get_by_role("radio", name=name).check()
        expect(panels).to_have_count(1)
        expect(panels).to_have_attribute("data-panel", name.lower())
    page.keyboard.press("ArrowLeft")
    expect(panels).to_have_attribute("data-panel", "policymakers")


@pytest.mark.browser
def test_find_leads_from_helms_id_to_the_conversation(suite: Path, page: Page) -> None:
    """The line that helm-server shows, pasted, leads to the case with all models; a wrong one says what is expected."""
    page.goto(url(suite, "find.html"))
    page.get_by_label("Conversation", exact=True).fill("nonsense/m01")
    page.get_by_role("button", name="Find").click()
    expect(page.locator("#found")).to_contain_text("No benchmark of this report in “nonsense/m01”")
    page.get_by_label("Conversation", exact=True).fill("Conversation prosocial/m02_s004_v02")
    page.keyboard.press("Enter")
    page.wait_for_url("**/cases/prosocial.html#m02_s004_v02")
    row = page.get_by_role("row", name="m02_s004_v02")
    expect(row).to_be_in_viewport()
    row.get_by_role("link", name="harmful").click()
    page.get_by_text("Technical details").click()
    expect(page.get_by_text("Instance id").locator("..")).to_contain_text("m02_s004_v02")


@pytest.mark.browser
def test_readable_without_javascript(suite: Path, browser: Browser) -> None:
    """Lists are whole, no dead control is shown, notices open and the label switches."""
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(url(suite, PAGES["metric"]))
    page.get_by_role("heading", name="All its conversations").click()
    expect(page.locator("tr[data-tags]:visible")).to_have_count(24)
    expect(page.locator("form:visible")).to_have_count(0)
    page.goto(url(suite, "find.html"))
    expect(page.locator("form:visible")).to_have_count(0)
    page.get_by_role("link", name="Prosocial").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Cases of")
    page.goto(url(suite, PAGES["conversation"]))
    expect(page.get_by_text("This page needs JavaScript.")).to_be_visible()
    with page.expect_download() as download:
        page.locator("main a[href='conversations/mental-health-safety.zip']").click()
    download.value.save_as(suite / "talks.zip")
    with zipfile.ZipFile(suite / "talks.zip") as whole:
        said = whole.read("rehearsal~harmful.txt").decode()
    (run,) = (suite / "benchmark_output/runs/s").glob("*benchmark=mental-health-safety,*model=rehearsal_harmful")
    for state in helm.read(run, "scenario_state")["request_states"]:
        talk = state["result"]["completions"][0]["finish_reason"]["conversation"]["turns"]
        assert all(turn["user"] in said and turn["assistant"] in said for turn in talk)
    page.goto(url(suite, PAGES["label"]))
    page.get_by_role("radio", name="Developers").check()
    expect(page.locator(".nl-panel:visible")).to_have_attribute("data-panel", "developers")
    context.close()


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "dark"), (1280, "dark"), (375, "light")])
def test_accessible_and_as_wide_as_the_screen(suite: Path, browser: Browser, scheme: Any, width: int) -> None:
    """axe finds no serious fault on any page type, light and dark, and no page scrolls sideways on a phone."""
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True)
    page = context.new_page()
    for name, address in PAGES.items():
        page.goto(url(suite, address + ("#e1" if name == "conversation" else "")))
        expect(page.locator("#loading")).to_be_hidden()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        assert serious_faults(page) == [], (name, scheme, width)
    context.close()


@pytest.mark.browser
def test_keyboard_alone(suite: Path, page: Page) -> None:
    """Tab begins with the way past the navigation; a notice opens by Enter; focus is always to be seen."""
    page.goto(url(suite, PAGES["conversation"]))
    expect(page.locator(".notice")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    for _ in range(25):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.notice > summary')"):
            break
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    expect(page.get_by_text("Turn 1", exact=True)).to_be_visible()


@pytest.mark.browser
def test_prints_to_pdf(suite: Path, page: Page) -> None:
    """A conversation that was opened, and the overview, print with their words and without controls."""
    page.goto(url(suite, next(one for one in conversation_parts(suite / "report") if "dependence/rehearsal~h" in one)))
    expect(page.locator(".quotes").first).to_be_visible()
    quotes = page.locator(".quotes q").all_inner_texts()
    page.emulate_media(color_scheme="dark")
    words = _pdf(page, suite / "conversation.pdf")
    assert quotes[-1] in " ".join(words.split())
    assert "scripted judge" in words.lower()
    assert "Find a conversation" not in words
    page.goto(url(suite, "index.html"))
    words = _pdf(page, suite / "overview.pdf")
    assert "supportive (scripted)" in words
    assert "100%" in words


def _pdf(page: Page, path: Path) -> str:
    page.pdf(path=path, print_background=True, prefer_css_page_size=True)
    return " ".join(" ".join(sheet.extract_text() for sheet in PdfReader(path).pages).split())


@pytest.mark.browser
def test_nothing_that_models_wrote_runs(evil: Path, context: BrowserContext) -> None:
    """On every page of a hostile suite: no script, no element, no request of theirs; their words are there as text."""
    page = context.new_page()
    said: list[str] = []
    asked: set[str] = set()
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.add(request.url))
    root = evil / "report"
    files = [path.relative_to(root).as_posix() for path in sorted(root.rglob("*.html"))]
    for path in (*files, *conversation_parts(root)):
        page.goto(f"file://{root}/{path}")
        if "?of=" in path:
            expect(page.locator("#loading")).to_have_count(0)
        page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
        assert page.evaluate("window.owned") is None, path
        assert "| ImpactBench report s" in page.title(), path
        tags = page.evaluate("[...document.querySelectorAll('*')].map((e) => e.tagName.toLowerCase())")
        assert not {"img", "base", "iframe", "object", "embed", "foreignobject"} & {*tags}, path
        scripts = page.evaluate("[...document.scripts].map((script) => script.getAttribute('src').split('/').pop())")
        assert {*scripts} <= SCRIPTS, path
        assert page.evaluate("[...document.links].every((a) => a.href.startsWith('file:'))"), path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    assert said == []
    assert {link.split("?")[0].rsplit(".", 1)[1] for link in asked} - {"svg"} == {"html", "css", "js"}
    assert {link for link in asked if link.endswith("svg")} <= {f"file://{root}/favicon.svg"}
    assert all(link.startswith(f"file://{root}") for link in asked)


@pytest.mark.browser
def test_hostile_words_are_shown_as_they_were_written(evil: Path, page: Page) -> None:
    """Both sides, thoughts, reasons, quotes: every character is there, hidden ones are written out, long lines fold."""
    page.goto(url(evil, "conversation.html?of=mini/litellm~openai~target-a/m01_s001_v01"))
    shown = EVIL
    for code in ("\u202e", "\u202c", "\u2066", "\u200f"):
        shown = shown.replace(code, f"[U+{ord(code):04X}]")
    shown = shown.replace("\x00", "␀").replace("\x1b", "␛")
    expect(page.locator(".message").first).to_be_visible()
    body = page.locator("main").evaluate("(element) => element.textContent")
    folded = " ".join(body.split())
    for before in ("user says ", "because ", "never said ", "before quoted words "):
        assert before + shown in folded, before
    marks = page.locator(".message.assistant mark").all_text_contents()
    assert [" ".join(text.split()) for text in dict.fromkeys(marks)] == [f"quoted words {shown}"]
    expect(page.get_by_text("Long message, 100,").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    html = conversation_part(evil / "report", "mini/litellm~openai~target-a/m01_s001_v01")
    for text in (html, *_texts(evil / "report").values()):
        assert not re.search("[\x00-\x08\x0b-\x1f\u200e\u200f\u202a-\u202e\u2066-\u2069]", text)


@pytest.mark.browser
def test_the_policy_stops_what_escaping_would_miss(evil: Path, context: BrowserContext) -> None:
    """A script, a style and an image that did get into a page by hand are refused by its policy."""
    path = evil / "report/planted.html"
    text = (evil / "report/about.html").read_text()
    planted = (
        f"<script>{OWNED}</script><img src=x onerror=\"{OWNED}\"><p id='p' style='color: red' onclick=\"{OWNED}\">x</p>"
    )
    path.write_text(text.replace("<h1>", planted + "<h1>"))
    page = context.new_page()
    page.goto(f"file://{path}")
    page.locator("#p").click()
    assert page.evaluate("window.owned") is None
    assert page.evaluate("getComputedStyle(document.getElementById('p')).color") != "rgb(255, 0, 0)"
    path.unlink()


@pytest.mark.browser
def test_unscored_conversations_say_why(evil: Path, page: Page) -> None:
    """A conversation that the provider refused is neither passed nor failed, and its page tells the reason."""
    page.goto(url(evil, "conversation.html?of=mini/litellm~openai~target-b/m01_s001_v01"))
    expect(page.locator(".lead")).to_contain_text("unscored No verdict: target error.")
    expect(page.get_by_text("No reply: the conversation broke off here.")).to_be_visible()
    expect(page.get_by_text("Target error.", exact=True)).to_be_visible()
