"""A budget is for what costs money: functions of one's own and scripts are free."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_impactbench.analysis.costs.forecast import Expense
from helm_impactbench.errors import SettingError
from helm_impactbench.helm.planned import price
from helm_impactbench.helm.study_checks import check_study
from helm_impactbench.study.reader import checked_study

FUNCTION = "callable:os.path:join"


def test_a_function_that_judges_costs_nothing(tmp_path: Path) -> None:
    """It is priced at nothing, and a budget can be kept with it; not so with a model of unknown price."""
    given = {"models": ["rehearsal/mixed"], "user": "rehearsal/user", "judge": [FUNCTION], "suite": "s"}
    check_study(checked_study({**given, "budget_usd": 1.0, "dry_run": True}, "study.yaml"), tmp_path)
    assert price(FUNCTION, Expense(1000, 1000, 10)) == 0
    unpriced = {**given, "models": ["litellm/openai/own-model"], "budget_usd": 1.0, "dry_run": True}
    with pytest.raises(SettingError, match="No price is known for litellm/openai/own-model, so"):
        check_study(checked_study(unpriced, "study.yaml"), tmp_path)
