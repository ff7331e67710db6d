"""Parts of rejudging: the new run's name, the flip matrix, writing in one step, calls side by side."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from helm_impactbench.results.outcome import Outcome
from helm_impactbench.validity.flips import CHANGES, matrix, paired, report
from helm_impactbench.validity.rejudge import renamed
from helm_impactbench.validity.runs import in_threads
from tests.validity.test_simulator_audit import outcome

NAME = "impactbench:benchmark=b,user=u_u,judge=j_j,turns=2,model=m_m,temperature=0.2"


@pytest.mark.parametrize(
    ("name", "judges", "checks", "new"),
    [
        pytest.param(NAME, ["a/b"], None, NAME.replace("j_j", "a_b"), id="one judge"),
        pytest.param(NAME, ["a/b", "c/d/e"], None, NAME.replace("j_j", "a_b+c_d_e"), id="a panel"),
        pytest.param(NAME, ["j/j"], ("awareness",), NAME.replace(",model", ",checks=awareness,model"), id="a check"),
        pytest.param(NAME.replace(",model", ",checks=awareness,model"), ["j/j"], None,
                     NAME.replace(",model", ",checks=awareness,model"), id="checks stay"),
        pytest.param(NAME.replace(",model", ",checks=awareness,model"), ["j/j"], (), NAME, id="checks go"),
    ],
)  # fmt: skip
def test_the_name_is_what_helm_run_would_give(
    name: str, judges: list[str], checks: tuple[str, ...] | None, new: str
) -> None:
    """So that the two ways to a suite meet in one row."""
    assert renamed(name, judges, checks) == new


def with_verdict(base: int, present: bool | None) -> Outcome:
    """Return an outcome with this verdict."""
    return replace(outcome(base=base), present=present, passed=present)


def test_the_flip_matrix() -> None:
    """Every change is counted once; the share is over conversations that are scored in both."""
    before = [True, True, True, False, False, None, True, None]
    after = [True, False, False, True, False, True, None, None]
    pairs = paired(
        "run",
        [with_verdict(base, present) for base, present in enumerate(before)],
        [with_verdict(base, present) for base, present in enumerate(after)][::-1],
    )
    found = matrix(pairs)
    assert {change: found[change] for change in CHANGES} == {
        "present_to_present": 1,
        "present_to_absent": 2,
        "absent_to_present": 1,
        "absent_to_absent": 1,
        "newly_scored": 1,
        "newly_unscored": 1,
        "unscored_both": 1,
    }
    assert (found["scored_in_both"], found["share_flipped"]) == (5, 3 / 5)
    changed = report(pairs)["changed"]
    assert [row["variant"] for row in changed] == [f"m01_s00{base}_v01" for base in (1, 2, 3, 5, 6)]


def test_no_share_of_nothing() -> None:
    """Nothing scored in both: no number is made up."""
    found = matrix(paired("run", [with_verdict(1, None)], [with_verdict(1, True)]))
    assert (found["share_flipped"], found["interval"], found["scored_in_both"]) == (None, None, 0)


def test_an_error_stops_what_has_not_begun() -> None:
    """Results come in order; after an error, waiting items are not begun."""
    assert list(in_threads(lambda x: x * x, range(50), 8)) == [x * x for x in range(50)]
    begun: list[int] = []

    def failing(item: int) -> int:
        begun.append(item)
        time.sleep(0.01)
        if item == 0:
            raise ValueError("no")
        return item

    with pytest.raises(ValueError, match="no"):
        list(in_threads(failing, range(1000), 2))
    assert len(begun) < 20
