"""Evidence in benchmark.yaml: what is refused, what is warned of, and that it changes nothing that is measured."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.benchmark.files import check_benchmark, load_benchmark
from helm_impactbench.outputs.label.evidence import evidence_sentences
from tests.support.builders import BENCHMARK, write_benchmark_folder

RELEVANCE = {"date": "2027-03-01", "by": ["psychologist", "teacher"], "ratings": {"m01": [4, 3], "m02": [4, 1]}}
ITEMS = {
    "date": "2027-03-02", "version": 2, "models": 10, "conversations": 480,
    "metrics": {"m01": {"pass_rate": 0.7, "discrimination": 0.4}, "m02": {"pass_rate": 0.5, "discrimination": -0.1}},
}  # fmt: skip


def folder_with(folder: Path, evidence: dict[str, Any] | None = None, **changes: Any) -> Path:
    """Return the mini benchmark with this evidence."""
    content = {**copy.deepcopy(BENCHMARK), **changes}
    return write_benchmark_folder(folder, content if evidence is None else {**content, "evidence": evidence})


def test_evidence_is_said_on_the_card_and_is_no_part_of_the_hash(tmp_path: Path) -> None:
    """With the indices, the metrics that are too low, and what does not go with the others."""
    known = load_benchmark(folder_with(tmp_path / "mini", {"relevance": RELEVANCE, "items": ITEMS}, version=2))
    bare = load_benchmark(folder_with(tmp_path / "bare" / "mini", version=2))
    assert known.digest() == bare.digest()
    assert evidence_sentences(known) == [
        "2 experts (psychologist, teacher; 2027-03-01) rated 2 metrics for relevance: S-CVI/Ave 0.75 (0.90 is "
        "excellent), S-CVI/UA 0.50; too low for m02.",
        "10 models, 480 conversations (2027-03-02): mean pass rate 0.60 over 2 metrics; m02 do not go with the others.",
    ]


def test_what_has_not_been_done_is_said(tmp_path: Path) -> None:
    """In two sentences."""
    assert evidence_sentences(load_benchmark(folder_with(tmp_path / "mini"))) == [
        "No experts have rated how relevant its metrics are.",
        "No statistics of its metrics on real models have been recorded.",
    ]


def test_statistics_of_other_content_are_warned_of(tmp_path: Path) -> None:
    """They say nothing of this version, and the card says so."""
    checked = check_benchmark(folder_with(tmp_path / "mini", {"items": ITEMS}, version=3))
    assert [str(fault).partition("warning: ")[2][:42] for fault in checked.faults] == [
        "the run was of version 2, the benchmark ha"
    ]
    assert checked.benchmark is not None
    assert evidence_sentences(checked.benchmark)[1].endswith("They are of version 2 and say nothing of this one.")


@pytest.mark.parametrize(
    ("evidence", "said"),
    [
        ({"relevance": {**RELEVANCE, "ratings": {"m01": [4]}}}, "m01: there are 2 experts; give one rating of each"),
        ({"relevance": {**RELEVANCE, "ratings": {"m01": [4, 5]}}}, "at most 4"),
        ({"relevance": {**RELEVANCE, "ratings": {"m09": [4, 4]}}}, "no metric m09; there are: m01, m02"),
        ({"relevance": {**RELEVANCE, "date": "yesterday"}}, "expected a day such as 2026-11-20"),
        ({"items": {**ITEMS, "metrics": {"m01": {"pass_rate": 1.2, "discrimination": 0}}}}, "at most 1"),
        ({"items": {**ITEMS, "models": 1}}, "at least 2"),
    ],
)
def test_what_is_refused(tmp_path: Path, evidence: dict[str, Any], said: str) -> None:
    """With the place and what is allowed."""
    faults = [str(fault) for fault in check_benchmark(folder_with(tmp_path / "mini", evidence, version=2)).faults]
    assert any(said in fault and "evidence" in fault for fault in faults), faults
