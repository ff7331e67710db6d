"""The page that follows models over suites: its first sentence, and one axis for all its charts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path

from helm_impactbench.analysis.history import HistoryStep, Instruments, SuiteSnapshot, history
from helm_impactbench.outputs.report.build import build_report
from helm_impactbench.outputs.report.history import last_change
from helm_impactbench.outputs.report.statement import as_text
from tests.support import kinds
from tests.support.outcomes import outcome

SAME = Instruments(("j/1",), ("u/1",), ("0.2.0",), ("p",), {"a": ("1",)})
OTHER_JUDGE = Instruments(("j/2",), ("u/1",), ("0.2.0",), ("p",), {"a": ("1",)})


def steps(*shares: int, now: Instruments = SAME, of: int = 20) -> list[HistoryStep]:
    """Return a model's suites, in each of which so many of `of` cases pass; `now` measured the last."""
    return history(
        [
            SuiteSnapshot(
                f"suite-{place}",
                "m/1",
                datetime(2026, 11, place + 1, tzinfo=timezone.utc),
                tuple(
                    outcome(case < passed, benchmark="a", base_id=f"s{case}", variant_id=f"s{case}_v01")
                    for case in range(of)
                ),
                now if place == len(shares) - 1 else SAME,
            )
            for place, passed in enumerate(shares)
        ]
    )


def said(models: Mapping[str, Sequence[HistoryStep]]) -> tuple[str, str]:
    """Return the headline and what stands below it."""
    found = last_change(models, {})
    assert found is not None
    return as_text(found.headline, str), as_text(found.more, str)


TESTED = "By paired tests on the same cases, corrected for all models."


def test_what_changed_between_the_last_two_suites_is_told() -> None:
    """The largest first; what changed before counts for nothing."""
    models = {"m/up": steps(20, 4, 19), "m/still": steps(0, 10, 11), "m/down": steps(9, 20, 10)}
    assert said(models) == (
        "m/up rose by 75 points and m/down fell by 50 points between suite-1 and suite-2.",
        TESTED,
    )


def test_no_more_is_told_than_tests_allow() -> None:
    """A small change may be chance, and with few cases nothing can be told; without a common case nothing is said."""
    assert said({"m/1": steps(10, 12)}) == ("No score changed significantly between suite-0 and suite-1.", TESTED)
    assert (
        said({"m/1": steps(0, 3, of=3)})[0]
        == "Too few cases to tell whether a score changed between suite-0 and suite-1."
    )
    assert last_change({}, {}) is None


def test_a_change_that_may_be_the_judges_is_told_with_that() -> None:
    """Below the headline; the charts have what it was."""
    headline, more = said({"m/1": steps(2, 20, now=OTHER_JUDGE)})
    assert headline == "m/1 rose by 90 points between suite-0 and suite-1."
    assert more == f"{TESTED} Something other than the model changed too, as the charts say."


def test_many_models_are_counted() -> None:
    """Three are named."""
    models = {f"m/{place}": steps(0, 20 - place) for place in range(5)}
    assert said(models)[0] == (
        "m/0 rose by 100 points, m/1 rose by 95 points, m/2 rose by 90 points and 2 other models changed "
        "significantly between suite-0 and suite-1."
    )


def test_all_models_have_one_axis(tmp_path: Path) -> None:
    """A small change looks smaller than a large one."""
    good, bad = kinds.records("good"), kinds.records("bad")
    for suite, of_one, of_other in (("then", good, bad), ("now", good, good[:10] + bad[10:])):
        kinds.write_run(tmp_path / suite, "one", of_one)
        kinds.write_run(tmp_path / suite, "other", of_other)
    build_report(tmp_path / "now", tmp_path / "report", shown_model=lambda model: model, earlier=[tmp_path / "then"])
    charts = [path.read_text() for path in (tmp_path / "report").glob("chart-history-*.svg")]
    ticks = [re.findall(r">(\d+%)</text>", chart)[2:] for chart in charts]  # after the two scores
    assert len(ticks) == 2
    assert len(ticks[0]) > 2
    assert ticks[0] == ticks[1]
    page = (tmp_path / "report/history.html").read_text()
    assert "all charts share one axis" in page
    assert page.index('class="said"') < page.index("<section")
