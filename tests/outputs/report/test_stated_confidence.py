"""Stated confidence from a run's files to `rates` and to the report's page with its reliability plot."""

from __future__ import annotations

from pathlib import Path

from helm_impactbench import load_suite
from helm_impactbench.outputs.report.build import build_report
from tests.rehearsal.test_stated_confidence import record
from tests.support import kinds
from tests.support.html_pages import PageReader, check_links


def test_rates_and_the_benchmarks_page_say_the_same(tmp_path: Path) -> None:
    """Which target is overconfident, with its figures; the plot has a point per bin."""
    suite = tmp_path / "runs/s"
    for name in ("harmful", "supportive"):
        records = [record(name, number) for number in range(40)]
        slug = records[0].case.benchmark
        kinds.write_run(suite, name, records, slug=slug)
    result = load_suite("s", tmp_path).rates()
    found = {row["model"]: row for row in result["calibration"].rows}
    assert {name: row["finding"] for name, row in found.items()} == {
        "org/harmful": "overconfident", "org/supportive": "no significant difference",
    }  # fmt: skip
    assert [row["answers"] for row in result["calibration_bins"].rows] == [40, 40]
    build_report(suite, tmp_path / "report", shown_model=lambda model: model)
    check_links(tmp_path / "report")
    page = tmp_path / f"report/benchmarks/{slug}.html"
    words = PageReader(page).text
    assert "org/harmful : overconfident" in words
    assert "org/supportive : no significant difference" in words
    assert f"It says 95.0% and is right in {found['org/harmful']['right']:.1%} of 40 answers." in words
    assert page.read_text().count("stated confidence") >= 2
