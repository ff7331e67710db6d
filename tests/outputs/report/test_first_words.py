"""What every page about figures says before them: that targets are scripts, and that the judge failed its check."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helm_impactbench.outputs.report import build
from helm_impactbench.validity.judge_trust import JudgeTrust, PanelTrust
from tests.support import kinds
from tests.support.html_pages import PageReader

PAGES = ("benchmarks/kinds.html", "metrics/kinds/pays.html", "metrics/kinds/helps.html")
FAILED = JudgeTrust((PanelTrust("j/one + j/two", "failed", "They are not distinguishable from a coin."),))


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite of two targets."""
    for target in ("bad", "good"):
        kinds.write_run(tmp_path / "suite", target)
    return tmp_path / "suite"


def test_scripts_are_told_on_the_pages_of_benchmarks_and_metrics(suite: Path, tmp_path: Path) -> None:
    """Those that compare levels too; where every model is a script, it is no measurement."""
    build.build_report(suite, tmp_path / "report", shown_model=lambda model: f"{model} (scripted)")
    for page in ("index.html", *PAGES):
        text = PageReader(tmp_path / "report" / page).text
        assert "A rehearsal with scripts, not a measurement. Models marked (scripted) recite lines;" in text, page
        assert (tmp_path / "report" / page).read_text().count(
            'about.html#judges">The judge was not checked</a></li>'
        ) == 1, page


def test_a_failed_judge_is_told_on_the_pages_of_models_benchmarks_and_metrics(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In large letters, once to a page; and that nothing is drawn where a chart would be."""
    monkeypatch.setattr(build, "judge_trust", lambda *given: FAILED)
    build.build_report(suite, tmp_path / "report", shown_model=lambda model: model)
    for page in ("models/org~good.html", *PAGES):
        written = (tmp_path / "report" / page).read_text()
        large = '<p class="judge-failed">The judge failed its check: nothing is ranked.</p>'
        assert written.count(large) == 1, page
        assert "A rehearsal" not in written
    for page in ("models/org~good.html", "benchmarks/kinds.html"):
        text = PageReader(tmp_path / "report" / page).text
        assert "Verdicts of a judge that failed its check are not drawn." in text, page


def test_a_failed_judge_orders_no_table(suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Models stand by name in every table, those of gaps too; the worst of these comes first in the alphabet."""
    monkeypatch.setattr(build, "judge_trust", lambda *given: FAILED)
    build.build_report(suite, tmp_path / "report", shown_model=lambda model: model)
    for page in ("index.html", "tables.html", *PAGES):
        tables = re.findall(r"<table.*?</table>", (tmp_path / "report" / page).read_text(), re.DOTALL)
        named = [re.findall(r'<a href="[./]*models/[^"]*"[^>]*><bdi>(.*?)</bdi>', table) for table in tables]
        assert any(len({*own}) == 2 for own in named), page
        for own in named:
            first_seen = list(dict.fromkeys(own))
            assert first_seen == sorted(first_seen), page
        assert "nearest to 0" not in "".join(tables)
