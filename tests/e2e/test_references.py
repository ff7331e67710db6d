"""Reference bots beside models, from `impactbench run` to every table: shown, marked, and in no rank or test."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from helm_impactbench import load_suite
from tests.support import builders
from tests.support.canonical import Canonical
from tests.support.commands import run_command

MODELS = ("supportive", "harmful")
BOTS = ("says-nothing", "refuses-all")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory, canonical: Canonical) -> Path:
    """A working directory with two models and two bots on one benchmark, summarized."""
    folder = tmp_path_factory.mktemp("references")
    canonical.put(folder, ("prosocial",), (*MODELS, *BOTS))
    run_command("impactbench", "summarize", "--suite", "s", "--group", "prosocial", cwd=folder)
    return folder


def rows(suite: Path, *command: str) -> list[dict[str, object]]:
    """Return what a command writes as JSON."""
    run_command("impactbench", *command, "--suite", "s", "--out", "rows.json", cwd=suite)
    found = json.loads((suite / "rows.json").read_text())
    return found if isinstance(found, list) else found["models" if command[0] == "compare" else command[0]]


def test_they_have_rows_of_their_own_and_change_nothing(suite: Path, tmp_path: Path, canonical: Canonical) -> None:
    """Rates of models, pooled ones too, are those of a suite without bots; bots are neither compared nor gated."""
    canonical.put(tmp_path, ("prosocial",), MODELS)
    with_bots, without = (rows(folder, "rates", "--by", "metric") for folder in (suite, tmp_path))
    assert [row for row in with_bots if not str(row["model"]).startswith("reference")] == without
    named = {row["model"] for row in with_bots} - {row["model"] for row in without}
    assert named == {"reference: says nothing", "reference: refuses all"}
    assert [row["model"] for row in rows(suite, "compare")] == [f"rehearsal/{name}" for name in MODELS]
    for command in (("gate", "--min", "pass_rate=0.1"), ("label",), ("contrasts",)):
        said = run_command("impactbench", *command, "--suite", "s", cwd=suite, ok=False).stdout
        assert "says-nothing" not in said, command
    compared = load_suite("s", suite / "benchmark_output").compare()
    assert not any("says" in row["model"] or "refuses" in row["model"] for row in compared["ranking"].rows)
    (floor,) = [note for note in compared.notes if note.startswith("The floor: ")]
    bots = [row for row in rows(suite, "rates") if str(row["model"]).startswith("reference")]
    means = sorted(f"{row['pass_rate']:.3f}" for row in bots)
    assert "2 scripts that say nothing of their own score " + " to ".join(dict.fromkeys(means)) in floor


def test_helms_tables_have_them_apart_and_unranked(suite: Path) -> None:
    """Tables of models, and counts of instances, are without them; one of their own has their rates."""
    (table, *_, bots) = json.loads((suite / "benchmark_output/runs/s/groups/impactbench.json").read_text())
    place = [cell["value"] for cell in table["header"]].index("Rank")
    ranks = {row[0]["value"]: row[place].get("value") for row in table["rows"]}
    assert ranks == {
        "Rehearsal supportive (scripted)": "1",
        "Rehearsal harmful (scripted)": "2",
    }
    assert bots["title"] == "Reference bots"
    assert {row[0]["value"]: row[1]["value"] for row in bots["rows"]} == {
        f"Reference: {name.replace('-', ' ')} (scripted)": pytest.approx(rate) for name, rate in _bot_rates(suite)
    }
    assert not any(cell["value"] in ("Rank", "Mean score") for cell in bots["header"])
    tables = json.loads((suite / "benchmark_output/runs/s/groups.json").read_text())
    counts = [row[3].get("value") for one in tables for row in one["rows"]]
    assert {type(count) for count in counts} <= {int, type(None)}
    assert any(counts)
    named = {row[0]["value"]: row[3].get("value") for row in tables[0]["rows"]}
    areas = [count for name, count in named.items() if name.endswith(" impact") and count]
    assert named["ImpactBench"] <= sum(areas)  # a scenario counts once, in whichever groups it is


def _bot_rates(suite: Path) -> list[tuple[str, float]]:
    """Return (bot, pass rate) as `impactbench rates` has them."""
    found = rows(suite, "rates")
    return [(row["model"].removeprefix("reference: "), row["pass_rate"]) for row in found
            if row["model"].startswith("reference")]  # fmt: skip


def test_the_report_counts_models_alone(suite: Path) -> None:
    """Bots are a line of the overview and of a benchmark's page; they have no page and no conversation."""
    run_command("impactbench", "report", "--suite", "s", "--out-dir", "site", cwd=suite)
    site = suite / "site"
    front = (site / "index.html").read_text()
    (floor,) = re.findall(r'<p class="soft floor">(.*?)</p>', front)
    assert all(f"<bdi>{name}</bdi> <data" in floor for name in ("refuses all", "says nothing"))
    assert front.count("refuses all") == 1
    topic = (site / "benchmarks/prosocial.html").read_text()
    (floor,) = re.findall(r'<p class="soft floor">(.*?)</p>', topic)
    values = [row["pass_rate"] for row in rows(suite, "rates") if str(row["model"]).startswith("reference")]
    shown = [float(value) for value in re.findall(r'<data value="([^"]+)"', floor)]
    assert shown == pytest.approx(sorted(dict.fromkeys(values)))
    assert "refuses all" not in topic
    assert sorted(path.name for path in (site / "models").iterdir()) == [
        "rehearsal~harmful.html",
        "rehearsal~supportive.html",
    ]
    assert not list(site.rglob("*refuses-all*"))


def test_a_run_takes_a_share_and_says_what_it_costs(workdir: Path) -> None:
    """The plan names it; the conf has the entries of models and bots; --references 0 leaves them out."""
    builders.write_benchmark_folder(workdir / "benchmarks/mini")
    command = ("impactbench", "run", "--models", "rehearsal/mixed", "--user", "rehearsal/user", "--judge",
               "rehearsal/judge", "--benchmarks", "mini", "--yes", "--no-report", "--no-anchor-set")  # fmt: skip
    done = run_command(*command, "--references", "0.5", cwd=workdir)
    assert "1 model x 1 run entry, and reference bots: 14 conversations" in done.stdout
    assert "beside    5 reference bots, scripts on 50% of what a model takes: 10 conversations of these" in done.stdout
    rates = load_suite("impact", workdir / "benchmark_output").rates()["rates"].rows
    assert sum(row["model"].startswith("reference: ") for row in rates) == 5
    assert "The floor: " not in done.stdout, "two conversations of each are none"
    runs = workdir / "benchmark_output/runs"
    assert len(list((runs / "impact").glob("*part=0.5,model=rehearsal_*"))) == 5
    plain = run_command(*command, "--references", "0", "--suite", "plain", cwd=workdir)
    assert "reference" not in plain.stdout
    assert len(list((runs / "plain").glob("*model=*"))) == 1


def test_the_table_in_the_docs(tmp_path: Path) -> None:
    """docs/decisions/evidence.md has what the commands print of a bot; two of its benchmarks are run whole."""
    slugs = ("flourishing", "emotional-dependence")
    entries = [f"impactbench:benchmark={slug},user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/refuses-all"
               for slug in slugs]  # fmt: skip
    run_command("helm-run", "--run-entries", *entries, "--suite", "s", "-m", 10000, cwd=tmp_path)
    found = {str(row["scope"]): row for row in rows(tmp_path, "rates", "--by", "benchmark")}
    page = (Path(__file__).parents[2] / "docs/decisions/evidence.md").read_text(encoding="utf-8")
    for slug in slugs:
        row = found[slug]
        (line,) = [line for line in page.splitlines() if line.startswith(f"| {slug} |")]
        cells = line.strip("| ").split(" | ")
        assert (cells[1], cells[3]) == (f"{row['pass_rate']:.3f}", str(row["conversations"]))
        assert row["scored"] == row["conversations"]
