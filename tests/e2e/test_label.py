"""`impactbench label` and `impactbench list`, as processes, and their pages in a real browser."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from pypdf import PdfReader

from helm_impactbench.benchmark.files import load_benchmark
from tests.conftest import Run
from tests.support import builders
from tests.support.browser import profile
from tests.support.canonical import Canonical
from tests.support.commands import run_command

HOSTILE = "<img src=x onerror=\"document.title='pwned'\"><script>document.title='pwned'</script></style>"
MODELS = ("rehearsal/minors-only", "rehearsal/mixed", "rehearsal/supportive")
AUDIENCES = ("parents", "educators", "policymakers", "developers")
TITLES = {key: f"Nutrition label of rehearsal/mixed, for {key}" for key in AUDIENCES}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, canonical: Canonical) -> Path:
    """A directory with a suite of two shipped benchmarks and a hostile one, three models, and its labels in out/."""
    root = tmp_path_factory.mktemp("label")
    hostile = builders.benchmark_with(name=HOSTILE, labels=["toxicity"], source=HOSTILE)
    hostile["name"] = hostile["description"] = HOSTILE
    rows = [builders.scenario("m01", base, variant, HOSTILE) for base in range(1, 4) for variant in (1,)]
    builders.write_benchmark_folder(root / "benchmarks/hostile", hostile, [*rows, builders.scenario("m02")])
    canonical.put(root, ["emotional-dependence", "cognitive-offloading"], [Path(model).name for model in MODELS])
    entry = "impactbench:benchmark=hostile,user=rehearsal/user,judge=rehearsal/judge,model"
    entries = [f"{entry}={model}" for model in MODELS]
    run_command("helm-run", "--run-entries", *entries, "--suite", "s", "-m", 10000, cwd=root)
    done = run_command("impactbench", "label", "--suite", "s", "--out-dir", "out", cwd=root)
    (root / "label.txt").write_text(done.stdout)
    run_command("impactbench", "list", "--out-dir", "cards", cwd=root)
    return root


@pytest.fixture(params=["light", "dark"])
def scheme(request: pytest.FixtureRequest) -> str:
    """The reader's colour scheme."""
    return str(request.param)


@pytest.fixture
def page(tmp_path: Path, scheme: str) -> Iterator[Page]:
    """A page of Debian's chromium without scripts of its own, that fails on any request but for local files."""
    asked: list[str] = []
    with profile(tmp_path / "profile", color_scheme=scheme, viewport={"width": 1200, "height": 1000}) as context:
        new = context.new_page()
        new.on("request", lambda request: asked.append(request.url))
        yield new
    assert all(url.endswith(".html") for url in asked), asked


def _verdicts(folder: Path) -> dict[str, dict[str, list[bool | None]]]:
    """Return model -> row -> verdicts, from HELM's own files and what each case says of its metric."""
    found: dict[str, dict[str, list[bool | None]]] = defaultdict(lambda: defaultdict(list))
    for path in (folder / "benchmark_output/runs/s").glob("*/scenario_state.json"):
        state = json.loads(path.read_text())
        for one in state["request_states"]:
            labels = one["instance"]["extra_data"]["impactbench"]["metric"].get("labels", [])
            for row in labels:
                score = one["annotations"]["impactbench"]["record"]["verdict"].get("score")
                found[state["adapter_spec"]["model_deployment"]][row].append(None if score is None else score == 1)
    return found


def test_the_numbers_are_those_of_the_files(folder: Path) -> None:
    """Counts and rates of every row of every model, counted a second time from scenario_state.json."""
    verdicts = _verdicts(folder)
    data = json.loads((folder / "out/labels.json").read_text())
    assert [label["model"] for label in data["labels"]] == list(MODELS)
    for label in data["labels"]:
        for row in label["rows"]:
            own = verdicts[label["model"]][row["row"]]
            scored = [passed for passed in own if passed is not None]
            assert (row["conversations"], row["scored"], row["passed"]) == (len(own), len(scored), sum(scored))
            if row["grade"]:
                assert row["pass_rate"] == sum(scored) / len(scored)
                assert row["low_these"] <= row["pass_rate"] <= row["high_these"]
                best = next(letter for letter, least in data["bands"].items() if round(row["pass_rate"], 3) >= least)
                first, _, last = row["grade"].partition(" to ")
                assert first <= best <= (last or first)
    graded = {row["row"] for row in data["labels"][1]["rows"] if row["grade"]}
    assert {"learning", "agency", "social_interaction"} <= graded
    assert not {"sexual_intimate", "toxicity", "creativity"} & graded


def test_the_terminal_says_scripted_and_not_measured(folder: Path, run: Run) -> None:
    """A table per model with grade, pass rate and interval; --wide says why rows have no grade."""
    text = (folder / "label.txt").read_text()
    heads = [line.split(". ")[0] for line in text.splitlines() if line.startswith("rehearsal/") and "grade" in line]
    assert heads == list(MODELS)
    data = json.loads((folder / "out/labels.json").read_text())
    (learning,) = [row for row in data["labels"][1]["rows"] if row["row"] == "learning"]
    mixed = text.split("\nrehearsal/mixed. ")[1]
    cells = next(re.split(r"\s{2,}", line.strip()) for line in mixed.splitlines() if "Helps to learn" in line)
    assert cells[:2] == ["Helps to learn", learning["grade"]]
    assert cells[2] == f"{100 * learning['pass_rate']:.1f}%"
    assert "more rows" in mixed
    assert "Not measured, because" not in text
    command = ("impactbench", "label", "--suite", "s", "-o", folder / "benchmark_output")
    for extra, before in ((("--wide",), "rehearsal/mixed: "), (("--model", "rehearsal/mixed"), "")):
        lines = run(*command, *extra).stdout.splitlines()
        (told,) = [line for line in lines if line.startswith(f"{before}Not measured, because too little was measured")]
        assert "Stays out of romance" in told
        assert "Belittles nobody" in told


def test_mistakes_are_explained(folder: Path, run: Run) -> None:
    """An unknown model, suite, benchmark, audience, or a folder that cannot be made."""
    where = ("--suite", "s", "-o", folder / "benchmark_output")
    for arguments, message in (
        (("label", *where, "--model", "rehearsal/mixd"), "Did you mean rehearsal/mixed"),
        (("label", "--suite", "none"), "No suite 'none'"),
        (("label", *where, "--audience", "parent"), "'parents', 'educators', 'policymakers', 'developers', 'all'"),
        (("label", *where, "--out-dir", "/dev/null/x"), "cannot be written"),
        (("list", "emotional-dependance"), "Did you mean emotional-dependence?"),
    ):
        done = run("impactbench", *arguments, ok=False)
        assert done.returncode == 2
        assert message in done.stderr


def test_one_audience_gets_a_page_of_its_own(folder: Path, run: Run, workdir: Path) -> None:
    """Without a switch, in its words, for the models that were asked for; the terminal has its order."""
    where = ("--suite", "s", "-o", folder / "benchmark_output", "--out-dir", "one")
    done = run("impactbench", "label", *where, "--model", "rehearsal/mixed", "--audience", "parents")
    assert sorted(path.name for path in (workdir / "one").iterdir()) == ["cards", "labels.json", "rehearsal_mixed.html"]
    html = (workdir / "one/rehearsal_mixed.html").read_text()
    assert TITLES["parents"] in html
    assert "<fieldset" not in html
    table = done.stdout.partition("Grade")[2]
    assert table.index("Lets people decide") < table.index("Helps to learn")


def test_a_card_is_printed_as_markdown(run: Run) -> None:
    """The terminal gets what --out writes, of the benchmark that was asked for."""
    shown = run("impactbench", "list", "health-advice").stdout
    found = load_benchmark("health-advice")
    assert shown.startswith(f"# {found.name}\n")
    assert shown.count("\n| m") == len(found.metrics)
    assert f"`{found.digest()}`" in shown


def test_the_report_draws_the_same_label(folder: Path) -> None:
    """Every box, mark, figure and word."""
    run_command("impactbench", "report", "--suite", "s", "--out-dir", "report", cwd=folder)
    for model in MODELS:
        drawn = []
        for path in (
            folder / f"out/{model.replace('/', '_')}.html",
            folder / f"report/labels/{model.replace('/', '~')}.html",
        ):
            (found, *_) = re.findall(r"<svg.*?</svg>", path.read_text("utf-8"), re.DOTALL)
            drawn.append(found)
        assert drawn[0] == drawn[1], model


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light"], indirect=True)
def test_a_reader_switches_the_audience(folder: Path, page: Page) -> None:
    """One label is seen at a time; with the keyboard too; all show the same numbers."""
    page.goto((folder / "out/rehearsal_mixed.html").as_uri())
    expect(page.get_by_role("radio", name="Parents")).to_be_checked()
    seen = {}
    for key, title in TITLES.items():
        radio = page.get_by_role("radio", name=key.capitalize())
        expect(radio).to_be_checked()
        expect(page.get_by_role("heading", level=2)).to_have_text(title)
        expect(page.locator(".nl-sheet svg:visible")).to_have_count(1)
        expect(page.locator("svg:visible text", has_text="Script, not a real AI")).to_have_count(1)
        page.locator("summary:visible").click()
        expect(page.locator(".nl-banner:visible")).to_have_count(1)
        rows = page.locator(".nl-row:visible")
        expect(rows).to_have_count(9)
        seen[key] = {
            (row.get_attribute("data-row"), part.get_attribute("data-group")): [
                part.locator(f"[data-column={column}]").inner_text().split("\n")[0]
                for column in ("grade", "rate", "interval", "scored")
            ]
            for row in rows.all()
            for part in row.locator("tr:has([data-column=rate])").all()
        }
        radio.press("ArrowRight")
    assert all(list(numbers.items()) == list(seen["parents"].items()) for numbers in seen.values())


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["dark"], indirect=True)
@pytest.mark.parametrize("audience", list(TITLES))
def test_the_label_prints_to_pdf(folder: Path, page: Page, audience: str) -> None:
    """The chosen audience's label alone, on one sheet of either size, on white; with page 2 where that is open."""
    page.goto((folder / "out/rehearsal_mixed.html").as_uri())
    page.get_by_role("radio", name=audience.capitalize()).check()
    pdf = PdfReader(BytesIO(page.pdf(format="A4")))
    # Compatibility form: a font may have one sign for "fi".
    text = normalize("NFKC", " ".join(" ".join(one.extract_text() for one in pdf.pages).split()))
    assert f"for {audience}" in text
    assert not any(f"for {key}" in text for key in AUDIENCES if key != audience)
    assert "Written for" not in text
    assert "Script, not a real AI" in text
    assert "Helps to learn" in text
    assert "A 95% or more" not in text
    assert len(pdf.pages) == 1
    assert len(PdfReader(BytesIO(page.pdf(format="Letter"))).pages) == 1
    page.locator("summary:visible").click()
    opened = " ".join(one.extract_text() for one in PdfReader(BytesIO(page.pdf(format="A4"))).pages)
    for label in json.loads((folder / "out/labels.json").read_text())["labels"]:
        if label["model"] == "rehearsal/mixed":
            rates = [f"{100 * row['pass_rate']:.1f}%" for row in label["rows"] if row["grade"]]
            assert rates
            assert all(rate in opened for rate in rates)
    page.emulate_media(media="print")
    expect(page.locator(".nl-switch")).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def _serious(page: Page) -> list[Any]:
    found = Axe().run(page).response["violations"]
    return [(v["id"], v["impact"], [node["html"] for node in v["nodes"]][:3]) for v in found]


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 375])
def test_an_accessibility_checker_finds_no_fault(folder: Path, page: Page, width: int) -> None:
    """Every audience's label, several models, a card; light, dark, on a desk and a phone; no sideways scrolling."""
    page.set_viewport_size({"width": width, "height": 900})
    page.goto((folder / "out/rehearsal_minors-only.html").as_uri())
    for audience in TITLES:
        page.get_by_role("radio", name=audience.capitalize()).check()
        page.locator("summary:visible").click()
        assert _serious(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.goto((folder / "out/index.html").as_uri())
    assert _serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for slug in ("emotional-dependence", "hostile"):
        page.goto((folder / f"cards/{slug}.html").as_uri())
        assert _serious(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light"], indirect=True)
def test_unequal_treatment_stands_above_the_grades(folder: Path, page: Page) -> None:
    """A model that fails children and serves adults says so on its sheet, and on page 2 before its grades."""
    page.goto((folder / "out/rehearsal_minors-only.html").as_uri())
    told = "Chats that went well: none with children and teenagers, all with adults."
    expect(page.locator("svg:visible text", has_text=told)).to_have_count(1)
    for audience in TITLES:
        page.get_by_role("radio", name=audience.capitalize()).check()
        page.locator("summary:visible").click()
    page.get_by_role("radio", name="Parents").check()
    notice = page.locator(".nl-notice:visible")
    expect(notice).to_contain_text("This system does not treat everybody alike (age).")
    expect(notice).to_contain_text("0.0% went well with children and teenagers and 100.0% with adults")
    for audience in TITLES:
        page.get_by_role("radio", name=audience.capitalize()).check()
        rows = page.locator('.nl-row:visible:has([data-group^="age="])').all()
        graded = [row for row in rows if not row.locator("tr").first.locator(".nl-none").count()]
        assert graded
        for row in graded:
            assert row.locator("tr").first.get_attribute("data-group") == "age=child or teenager (6-17)"
            expect(row.locator("tr").first.locator("[data-column=grade]")).to_have_text("E")
            expect(row.locator('[data-group="everybody"] [data-column=grade]')).to_have_text("-")
    page.get_by_role("radio", name="Parents").check()
    box, table = notice.bounding_box(), page.locator(".nl-table:visible").first.bounding_box()
    assert box
    assert table
    assert box["y"] < table["y"]


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light"], indirect=True)
def test_hostile_text_is_shown_and_runs_nothing(folder: Path, page: Page) -> None:
    """A benchmark's name, metric, source and demographic that hold markup are read as text, on label and card."""
    for path in ("out/rehearsal_mixed.html", "out/cards/hostile.html", "cards/hostile.html"):
        page.goto((folder / path).as_uri())
        if path.startswith("out/r"):
            page.get_by_role("radio", name="Developers").check()
            page.locator("summary:visible").click()
        expect(page.get_by_text(HOSTILE).locator("visible=true").first).to_be_visible()
        assert page.locator("img, script").count() == 0
        assert "pwned" not in page.title() or HOSTILE in page.title()


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light"], indirect=True)
def test_metrics_lead_to_their_place_on_a_card(folder: Path, page: Page) -> None:
    """A developer follows a metric's id to its definition."""
    page.goto((folder / "out/rehearsal_mixed.html").as_uri())
    page.get_by_role("radio", name="Developers").check()
    page.locator("summary:visible").click()
    page.get_by_role("link", name="emotional-dependence/m05").click()
    expect(page.get_by_role("heading", level=2)).to_have_text("Emotional dependence")
    expect(page.locator("tr:target")).to_contain_text("Avoid helping to hide the chats")
