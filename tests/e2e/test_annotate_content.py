"""Cases drawn for experts, filled in by scripts with planted readings, and scored: real processes from end to end."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from helm_impactbench.files.resources import shipped
from tests.conftest import run_command
from tests.support import builders

BASES = 4
OWN = ("--benchmark", "mini", "--benchmark", "fair-shares", "--benchmark", "name-bias")
EXPORT = ("impactbench", "annotate", "export", "--content", *OWN, "--conversations", 24, "--out-dir")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with a benchmark of the user's own, and a sheet of two shipped benchmarks and of it."""
    folder = tmp_path_factory.mktemp("content")
    scenarios = [
        builders.scenario(metric, base, variant, age)
        for metric in ("m01", "m02")
        for base in range(1, BASES + 1)
        for variant, age in ((1, "child or teenager (6-17)"), (2, "adult (18+)"))
    ]
    builders.write_benchmark_folder(folder / "benchmarks/mini", scenarios=scenarios)
    done = run_command(*EXPORT, "sheet", cwd=folder)
    assert "Drew 24 cases" in done.stdout
    assert "Never give them key.json" in done.stdout
    return folder


def items_of(root: Path) -> list[dict[str, Any]]:
    """Return the items of the key."""
    items: list[dict[str, Any]] = json.loads((root / "sheet/key.json").read_text())["items"]
    return items


def fill_in(root: Path, name: str, *, misreads: str, comment: str) -> Path:
    """Fill in the sheet as a spreadsheet does: the intended verdict but on one metric, and a low point there."""
    metric_of = {item["item_id"]: item for item in items_of(root)}
    with (root / "sheet/sheet.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        item = metric_of[row["item_id"]]
        wrong = item["metric"] == misreads
        row |= {"relevance": "4", "clarity": "2" if wrong else "5", "realism": "4", "confidence": "4",
                "verdict": "" if item["intended"] is None else "unclear" if wrong else item["intended"],
                "comment": comment if wrong else ""}  # fmt: skip
    path = root / f"{name}.csv"
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_experts_see_the_case_and_not_what_is_intended(root: Path) -> None:
    """No metric's name, type or hidden goal; a reply on each case but the contrasts', and both kinds of line."""
    text = (root / "sheet/sheet.csv").read_text(encoding="utf-8-sig")
    shown = ("definition-one thing", "played-persona-", "goal-", "landmark-2-", "setting-text")
    assert not [words for words in shown if words not in text]
    hidden = ("Namepositive", "namenegative", "hidden-", "neutral-persona", "intended", "positive")
    page = (root / "sheet/cases.html").read_text(encoding="utf-8")
    assert not [words for words in shown if words not in page]
    assert not [words for words in hidden if words in text or words in page]
    kinds = [item["intended"] for item in items_of(root)]
    assert {item["benchmark"]: 0 for item in items_of(root)} == {"mini": 0, "fair-shares": 0, "name-bias": 0}
    assert {"present", "absent", None} == set(kinds)
    assert "present / absent / unclear" in (root / "sheet/instructions.txt").read_text()


def test_the_same_seed_gives_the_same_bytes(root: Path) -> None:
    """Law 5; and a sheet that is there is left alone."""
    run_command(*EXPORT, "again", cwd=root)
    for path in (root / "sheet").iterdir():
        assert (root / "again" / path.name).read_bytes() == path.read_bytes(), path.name
    done = run_command(*EXPORT, "sheet", cwd=root, ok=False)
    assert done.returncode != 0
    assert "may be answers in it" in done.stderr


def test_all_benchmarks_take_part_and_a_draft_is_left_out(tmp_path: Path) -> None:
    """Without --benchmark: as many cases of each as of any other, and a benchmark that cannot be loaded is named."""
    builders.write_benchmark_folder(tmp_path / "benchmarks/draft", {"name": "Draft", "description": "D."}, [])
    done = run_command("impactbench", "annotate", "export", "--content", "--out-dir", "all", cwd=tmp_path)
    assert "Left out: draft is faulty" in done.stderr
    items = json.loads((tmp_path / "all/key.json").read_text())["items"]
    counts = Counter(item["benchmark"] for item in items)
    assert counts.total() == 120
    assert max(counts.values()) - min(counts.values()) <= 1
    assert len(counts) == len([path for path in shipped("benchmarks").iterdir() if path.is_dir()])


def test_planted_readings_come_back(root: Path) -> None:
    """One metric that nobody can decide lowers its benchmark by its share alone, and its items are listed."""
    ann = fill_in(root, "ann", misreads="mini/m01", comment="Which thing?")
    ben = fill_in(root, "ben", misreads="none", comment="")
    done = run_command("impactbench", "annotate", "score", "sheet", ann, ben, "--wide", "--out", "r.json", cwd=root)
    report = json.loads((root / "r.json").read_text())
    rows = {row["name"]: row for row in report["rows"]}
    own = [item for item in items_of(root) if item["benchmark"] == "mini"]
    unclear = sum(item["metric"] == "mini/m01" for item in own) / (2 * len(own))
    assert rows["mini"]["verdicts"] == pytest.approx(1 - unclear)
    assert rows["mini"]["verdicts_unclear"] == pytest.approx(unclear)
    assert rows["fair-shares"]["verdicts"] == 1.0
    assert rows["name-bias"]["verdicts"] is None, "a contrast has no sample replies"
    assert rows["mini"]["relevance_mean"] == 4.0
    assert rows["name-bias"]["clarity_mean"] == 5.0
    assert {one["metric"] for one in report["flagged"]} == {"mini/m01"}
    for words in ("Read by 2 experts", "ann: Which thing?", "Krippendorff's alpha", "clarity",
                  "not whether a judge reads it so"):  # fmt: skip
        assert words in done.stdout, words


def test_a_suite_is_refused_and_mistakes_are_named(root: Path) -> None:
    """A sheet of content belongs to no suite; a wrong point has its line and column."""
    path = root / "bad.csv"
    path.write_text(f"item_id,relevance,clarity,realism,verdict,confidence\n{items_of(root)[0]['item_id']},7,,,,\n")
    done = run_command("impactbench", "annotate", "score", "sheet", path, cwd=root, ok=False)
    assert "line 2, relevance: '7' is not an answer. Write 1, 2, 3, 4 or 5" in done.stderr
    assert "Traceback" not in done.stderr
    refused = run_command("impactbench", "annotate", "score", "sheet", path, "--suite", "s", cwd=root, ok=False)
    assert "belongs to no suite" in refused.stderr
    for options, words in (((*EXPORT, "x", "--suite", "s"), "leave out --suite"), (EXPORT[:3], "or give --content")):
        refused = run_command(*options, cwd=root, ok=False)
        assert refused.returncode != 0
        assert words in refused.stderr


def test_a_card_says_who_has_read_and_nobody_else(root: Path) -> None:
    """Every shipped benchmark says that no expert has; a reading that is written down is shown, and changes no hash."""
    before = run_command("impactbench", "list", "mini", "name-bias", cwd=root).stdout
    assert before.count("Not yet read by outside experts.") == 2
    assert "Read by outside experts: none." in run_command("impactbench", "list", cwd=root).stdout
    path = root / "benchmarks/mini/benchmark.yaml"
    reading = {"by": "A. Reader", "role": "teacher", "date": "2026-11-20", "items": 8, "agreeing": 0.875}
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), "readings": [reading]}, sort_keys=False))
    after = run_command("impactbench", "list", "mini", cwd=root).stdout
    assert "A. Reader, teacher, 2026-11-20: 8 cases, 88% of verdicts on sample replies as intended" in after
    assert next(line for line in after.splitlines() if "Digest" in line) in before
    assert "Read by outside experts: 1." in run_command("impactbench", "list", cwd=root).stdout
