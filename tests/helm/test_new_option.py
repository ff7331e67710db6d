"""An option of a run is declared once: here one more, as a field of a subclass, goes all the way of an option."""

from __future__ import annotations

from typing import Annotated

import pytest
from helm.benchmark.scenarios.scenario import create_scenario

import helm_impactbench.plugin  # noqa: F401  makes the scripted models known
from helm_impactbench.analysis.breakdown import broken_down
from helm_impactbench.conversation import run_options
from helm_impactbench.conversation.option import Effect, RunOption, choice
from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.record import Conversation, Status
from helm_impactbench.errors import RunEntryError, SettingError
from helm_impactbench.helm.run_specs import run_spec
from helm_impactbench.judging.verdict import Unscored, unscored
from helm_impactbench.results.files import setup_of
from helm_impactbench.results.outcome import Outcome, outcome_of
from helm_impactbench.results.record import Record, case_in
from helm_impactbench.study.entries import run_entries
from helm_impactbench.study.reader import checked_study
from tools.option_table import option_table

ENTRY = {"benchmark": "prosocial", "user": "rehearsal/user", "judge": "rehearsal/judge", "pilot": 1}


class WithTone(run_options.RunOptions):
    """The options of a run, and one more."""

    tone: Annotated[str, RunOption(choice(("plain", "warm")), Effect.MANNER)] = "plain"
    """How the simulated user writes."""


@pytest.fixture(autouse=True)
def with_tone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The class with one more field is the only thing that is exchanged."""
    monkeypatch.setattr(run_options, "RunOptions", WithTone)


def first_case(options: dict[str, object]) -> tuple[str, ConversationCase]:
    """Return the name of an entry's run, and its first case as the run's files give it back."""
    spec = run_spec(options)
    (instance, *_) = create_scenario(spec.scenario_spec).get_instances("")
    return spec.name, case_in(instance.extra_data)


def outcome(options: dict[str, object]) -> Outcome:
    """Return the outcome of an entry's first case."""
    name, case = first_case(options)
    conversation = Conversation(status=Status.TARGET_ERROR, reason="no reply", turns=())
    record = Record(case, conversation, unscored(Unscored.NOT_JUDGED))
    return outcome_of(record, model="a/b", setup=setup_of(f"{name},model=a_b"))


def test_from_the_run_entry_to_the_plan() -> None:
    """It is read and checked, stands in the run's name, and its plan has it; the default stands nowhere."""
    name, case = first_case({**ENTRY, "tone": "warm"})
    assert name.endswith(",pilot=1,tone=warm")
    assert case.plan.manner == {"tone": "warm"}
    name, case = first_case({**ENTRY, "tone": "plain"})
    assert name.endswith(",pilot=1")
    assert case.plan.manner == {}
    with pytest.raises(RunEntryError, match=r"tone cannot be 'wram'; it must be one of plain, warm\. Did you"):
        first_case({**ENTRY, "tone": "wram"})


def test_in_the_set_up_of_outcomes() -> None:
    """Arms that differ in it are the same cases under two set-ups, side by side with --by option:tone."""
    warm, plain = outcome({**ENTRY, "tone": "warm"}), outcome(ENTRY)
    assert warm.setup.endswith(",tone=warm")
    assert warm.whole_setup != plain.whole_setup
    assert warm.case == plain.case
    assert list(broken_down([warm, plain], "option:tone")) == [("prosocial", "unset"), ("prosocial", "warm")]


def test_in_a_study_file() -> None:
    """Options of a study and of its arms may have it, and a wrong value is told with its place."""
    study = {"models": ["a/b"], "user": "u/u", "judge": ["j/j"], "benchmarks": ["prosocial"]}
    (entry,) = run_entries(checked_study({**study, "arms": {"kind": {"tone": "warm"}}}, "study.yaml"))
    assert ",tone=warm," in entry
    with pytest.raises(SettingError, match=r"arms\.kind: tone cannot be 'cold'; it must be one of plain, warm"):
        checked_study({**study, "arms": {"kind": {"tone": "cold"}}}, "study.yaml")
    with pytest.raises(SettingError, match="options: judge is no option of an arm"):
        checked_study({**study, "options": {"judge": "a/b"}}, "study.yaml")


def test_in_the_table_of_the_docs() -> None:
    """Its row is made of its name, its default, its line and what it changes."""
    row = f"| `tone=plain` | how the simulated user writes | {Effect.MANNER.value} |\n"
    assert option_table(WithTone).endswith(row)
