"""The cases of a benchmark by metric: divided ones first, a mark for each model."""

from __future__ import annotations

import re

from helm_impactbench.outputs.report.case_groups import CaseGroup, case_groups
from helm_impactbench.outputs.report.names import case_name
from helm_impactbench.outputs.report.rows import ReportRow
from tests.support.outcomes import outcome


def groups(**passed: str) -> list[CaseGroup]:
    """Return the groups of one metric; passed: case -> a letter for each model, p, f or - for no verdict."""
    found = {"p": True, "f": False, "-": None}
    rows = [
        outcome(found[letter], model=f"org/{place}", base_id=case, variant_id=f"{case}_v01")
        for case, letters in passed.items()
        for place, letter in enumerate(letters)
    ]
    return case_groups([ReportRow(one, one.conversation, f"c/{one.model}.html", "aim") for one in rows])


def test_the_most_divided_cases_come_first() -> None:
    """Two against two before three against one; those without two verdicts do not differ."""
    (group,) = groups(a="pppp", b="pppf", c="ppff", d="p---")
    assert [case.first.outcome.base_id for case in group.cases] == ["c", "b", "a", "d"]
    assert [case.differs for case in group.cases] == [True, True, False, False]
    assert group.differing == 2
    assert case_name(group.cases[0].first.outcome)


def test_a_cell_is_a_mark_whose_words_are_for_screen_readers_and_pointers() -> None:
    """In the order of the models; a dash where a model has no conversation; names are text."""
    (group,) = groups(a="pf-")
    models = ["org/2", "org/1", "org/0", "org/9"]
    shown = {**{model: model for model in models}, "org/1": "<b>"}
    cells = group.cases[0].cells(models, shown, "../")
    assert re.findall(r'aria-hidden="true">(.)<', cells) == ["○", "✗", "✓"]
    assert re.findall(r'class="sr">([^<]*)<', cells) == ["unscored, org/2", "failed, &lt;b&gt;", "passed, org/0"]
    assert cells.endswith("<td>\N{EN DASH}</td>")
    assert 'href="../c/org/0.html"' in cells
