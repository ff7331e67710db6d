"""impactbench audit simulator without a reviewer: the scripted user beside its personas, and beside people."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from helm_impactbench.rehearsal.dialogues import dialogues
from tests.support.canonical import Canonical
from tests.support.commands import run_command

AUDIT = ("impactbench", "audit", "simulator", "--suite", "s")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, canonical: Canonical) -> Path:
    """A suite of one scripted model, and the hand-written dialogues as conversations of people."""
    root = tmp_path_factory.mktemp("people")
    canonical.put(root, ["emotional-dependence"], ["harmful"])
    lines = [
        {
            "messages": [{"role": "user", "content": said} for said, _ in version.turns],
            "person": dialogue.variant + slug,
        }
        for slug, own in dialogues().items()
        for dialogue in own
        for version in dialogue.versions
    ]
    (root / "chats.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return root


def test_without_a_reference_the_personas_are_the_measure(folder: Path) -> None:
    """No model is asked; the table says what personas ask for, and that people are missing."""
    done = run_command(*AUDIT, "--out", "kept.csv", cwd=folder)
    assert "without capitals" in done.stdout
    assert "--human FILE" in done.stdout
    assert "Likeness" not in done.stdout
    rows = csv.DictReader((folder / "kept.manners.csv").read_text().splitlines())
    assert {"without capitals", "short messages"} <= {row["name"] for row in rows}
    stored = json.loads((folder / "benchmark_output/runs/s/simulated_people.json").read_text())
    assert stored["human"] is None


def test_beside_people_every_dimension_has_its_distance(folder: Path) -> None:
    """The scripted user is told apart from people, with an index; the suite keeps what was found."""
    done = run_command(*AUDIT, "--human", "chats.jsonl", "--out", "found.json", cwd=folder)
    assert "138 conversations of 69 people in chats.jsonl" in done.stdout
    assert "Likeness" in done.stdout
    assert "does not write as these people do: it differs significantly by " in done.stdout
    found = json.loads((folder / "found.json").read_text())
    (user,) = found["likeness"]
    assert user["user"] == "rehearsal/user"
    assert user["index"] < 80
    assert len({trait["dimension"] for trait in found["traits"]}) >= 8
    insist = next(trait for trait in found["traits"] if trait["name"] == "repeats")
    assert insist["apart"]
    assert insist["difference_low"] > 0
    stored = json.loads((folder / "benchmark_output/runs/s/simulated_people.json").read_text())
    (kept,) = stored["human"]["users"]
    assert (kept["user"], kept["index"]) == (user["user"], user["index"])


def test_the_report_has_a_page_on_them(folder: Path) -> None:
    """It leads there from every page; figures are those of the audit, and a run that came since is told."""
    run_command(*AUDIT, "--human", "chats.jsonl", cwd=folder)
    kept = folder / "benchmark_output/runs/s/simulated_people.json"
    stored = json.loads(kept.read_text())
    stored["runs"] = [*stored["runs"], "a run that is gone"]
    kept.write_text(json.dumps(stored))
    run_command(
        "impactbench", "report", "--suite", "s", "--out-dir", "site", "--conversation-pages", "none", cwd=folder
    )
    page = (folder / "site/simulated-people.html").read_text()
    (user,) = stored["human"]["users"]
    assert f'<data value="{user["index"]}">{user["index"]:.0f}</data>' in page
    for trait in user["traits"]:
        assert f'href="#u1-{trait["name"]}"' in page
        assert page.count(f'id="u1-{trait["name"]}"') == 1
    assert "Since this was counted 1 run of the suite came or went" in page
    assert 'href="simulated-people.html"' in (folder / "site/index.html").read_text()
    kept.write_text("{}")
    broken = run_command("impactbench", "report", "--suite", "s", "--out-dir", "site", cwd=folder, ok=False)
    assert broken.returncode == 2
    assert "Delete it and run the command again" in broken.stderr
    kept.unlink()


def test_a_reference_that_cannot_be_read_costs_nothing(folder: Path) -> None:
    """Exit code 2 and one sentence with the line, before anybody is asked."""
    (folder / "bad.jsonl").write_text('{"messages": [{"role": "usr", "content": "a"}]}\n')
    done = run_command(*AUDIT, "--human", "bad.jsonl", "--reviewer", "rehearsal/judge", cwd=folder, ok=False)
    assert done.returncode == 2
    assert "bad.jsonl, line 1: has the role 'usr'" in done.stderr
    assert "Did you mean user" in done.stderr
