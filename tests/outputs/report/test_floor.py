"""The floor under a front page: how many chats it rests on, and whether the best model is ahead of it."""

from __future__ import annotations

from helm_impactbench.outputs.report.floor import script_floor
from tests.outputs.report.test_findings import conversations
from tests.support.outcomes import outcome

SILENT = "rehearsal/says-nothing"


def test_a_script_with_few_chats_is_no_floor() -> None:
    """As in the terminal and on labels, fewer than ten say nothing of a model."""
    assert script_floor(conversations(SILENT, 9, of=9), conversations("a", 40), "a", {}) is None


def test_a_model_is_compared_on_the_cases_of_the_scripts_alone() -> None:
    """Its score there, and the scripts that no test puts it ahead of."""
    scripts = [*conversations(SILENT, 20, of=20), *conversations("rehearsal/refuses-all", 0, of=20)]
    found = script_floor(scripts, conversations("a", 20), "a", {})
    assert found is not None
    assert {name: (score.mean, len(score.total.scored)) for name, score in found.scripts} == {
        "says nothing": (1.0, 20), "refuses all": (0.0, 20),
    }  # fmt: skip
    assert found.model is not None
    assert (found.model.mean, found.unbeaten) == (1.0, ("says nothing",))


def test_without_a_model_on_its_cases_nothing_is_compared() -> None:
    """A floor of other cases is shown, and no model beside it."""
    found = script_floor(conversations(SILENT, 5, of=20), conversations("a", 20, setup="other"), "a", {})
    assert found is not None
    assert (found.model, found.unbeaten) == (None, ())


def test_with_too_few_cases_nothing_is_said_of_tests() -> None:
    """That no test finds a difference says nothing where none could: twelve chats on two base scenarios."""
    both = [
        [
            outcome(is_model, model=model, base_id=f"s{place % 2}", variant_id=f"s{place % 2}_v{place}")
            for place in range(12)
        ]
        for model, is_model in ((SILENT, False), ("a", True))
    ]
    found = script_floor(both[0], both[1], "a", {})
    assert found is not None
    assert found.model is not None
    assert (found.unbeaten, found.has_few) == ((), True)
