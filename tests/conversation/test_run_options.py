"""The options of a run: what is taken, what is refused, and how it is said."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.benchmark.selection import ScenarioSelection
from helm_impactbench.conversation.run_options import CheckName, RunOptions, parse_options
from helm_impactbench.conversation.usual_roles import usual_judge
from helm_impactbench.errors import RunEntryError
from helm_impactbench.judging.checks import CHECKS
from helm_impactbench.stats.sequential import Goal
from tests.support.looped import looped

GIVEN: dict[str, Any] = {"benchmark": "b", "user": "u/u", "judge": "j/j"}


def test_the_shortest_entry() -> None:
    """Three options are enough; the rest has defaults, which are not written into the run's name."""
    assert parse_options(GIVEN) == RunOptions(benchmark="b", user="u/u", judge=("j/j",))
    assert parse_options(GIVEN).text() == "benchmark=b,user=u/u,judge=j/j"


def test_a_benchmark_of_fixed_messages_needs_no_user() -> None:
    """Whether somebody has to be simulated is known when the benchmark is loaded."""
    parsed = parse_options({"benchmark": "b", "judge": "none"})
    assert parsed == RunOptions(benchmark="b")
    assert parsed.text() == "benchmark=b,judge=none"


def test_everything_set() -> None:
    """HELM hands over strings and numbers."""
    options = {**GIVEN, "judge": "a/a+b/b", "metric": "m01", "turns": 2, "samples": 3, "landmarks": "false",
               "perfunctory": "True", "split": "held_out", "part": "0.5", "pilot": 4, "axes": "age+teller",
               "levels": "65+ years+a", "checks": "teller+plausibility+awareness", "swap": "true",
               "cascade": "0.8"}  # fmt: skip
    parsed = parse_options(options)
    assert parsed == RunOptions(
        benchmark="b", user="u/u", judge=("a/a", "b/b"), metric="m01", turns=2, samples=3,
        landmarks=False, perfunctory=True, split="held_out", part=0.5, pilot=4, axes=("age", "teller"),
        levels="65+ years+a", checks=("awareness", "plausibility", "teller"), swap=True, cascade=0.8,
    )  # fmt: skip
    assert parsed.until is None
    assert parsed.selection == ScenarioSelection("m01", "held_out", 0.5, ("age", "teller"), "65+ years+a", 4)
    assert parsed.text() == (
        "benchmark=b,user=u/u,judge=a/a+b/b,metric=m01,turns=2,samples=3,landmarks=false,perfunctory=true,"
        "split=held_out,part=0.5,pilot=4,axes=age+teller,levels=65+ years+a,checks=awareness+plausibility+teller,"
        "cascade=0.8,swap=true"
    )


@pytest.mark.parametrize(
    ("judge", "cascade", "problem"),
    [("a/a", "0.8", "two judges or more"), ("none", "0.8", "two judges or more"), ("a/a+b/b", "1", "between 0 and 1"),
     ("a/a+b/b", "sure", "between 0 and 1|above 0")],
)  # fmt: skip
def test_a_cascade_needs_two_judges_and_a_threshold(judge: str, cascade: str, problem: str) -> None:
    """One judge has nobody to pass a question on to."""
    with pytest.raises(RunEntryError, match=problem):
        parse_options({**GIVEN, "judge": judge, "cascade": cascade})


@pytest.mark.parametrize("judge", ["none", "a/a", "b/b+a/a"])
def test_a_held_out_judge_is_another_one_than_the_judges(judge: str) -> None:
    """Without a first judge there is nothing to validate; a judge of the panel is no second opinion."""
    with pytest.raises(RunEntryError, match="validate= names a judge besides those of judge=, which are"):
        parse_options({**GIVEN, "judge": judge, "validate": "a/a"})


def test_a_held_out_judge_is_part_of_a_runs_name() -> None:
    """It changes what a run holds."""
    assert parse_options({**GIVEN, "validate": "v/v"}).text() == "benchmark=b,user=u/u,judge=j/j,validate=v/v"


def test_when_a_run_stops_is_no_part_of_its_name() -> None:
    """A run that is to see more continues the one that has seen less."""
    parsed = parse_options({**GIVEN, "until_width": "0.1", "until_decided": 0.8, "until_for": "others"})
    assert parsed.until == Goal(width=0.1, bar=0.8, other_scenarios=True)
    assert parsed.text() == parse_options(GIVEN).text()


@looped(
    ("changes", "message"),
    [
        pytest.param({"until_width": 0}, "until_width cannot be 0; it must be a fraction above 0", id="no width"),
        pytest.param({"until_decided": 1}, "until_decided cannot be 1; it must be a fraction between 0 and 1",
                     id="no bar"),
        pytest.param({"until_decided": 0.8, "until_for": "all"}, "until_for cannot be 'all'; it must be one of list,",
                     id="for"),
        pytest.param({"until_for": "list"}, "until_for= says what until_width= or until_decided=", id="no goal"),
        pytest.param({"judges": "x"},
                     r"there is no option 'judges'. Options are .* Did you mean judge or judge_tokens\?",
                     id="unknown"),
        pytest.param({"turns": 0}, "turns cannot be 0; it must be a whole number from 1 to 100", id="no turns"),
        pytest.param({"turns": "six"}, "turns cannot be 'six'; it must be a whole number", id="a word"),
        pytest.param({"turns": 2.5}, "turns cannot be 2.5; it must be a whole number", id="a fraction"),
        pytest.param({"samples": 10**9}, "samples cannot be 1000000000; it must be a whole number from 1 to 1000",
                     id="many"),
        pytest.param({"landmarks": "yes"}, "landmarks cannot be 'yes'; it must be true or false", id="no flag"),
        pytest.param({"split": "heldout"}, r"it must be one of public, held_out, private, all. Did you mean held_out\?",
                     id="split"),
        pytest.param({"part": "ten"}, "part cannot be 'ten'; it must be a fraction above 0 and up to 1",
                     id="no fraction"),
        pytest.param({"part": 10**400}, "part cannot be 1000.*; it must be a fraction above 0",
                     id="more than a float holds"),
        pytest.param({"turns": 10**5000}, "turns cannot be a number of thousands of digits",
                     id="more than Python writes"),
        pytest.param({"part": 0}, "part cannot be 0; it must be a fraction above 0", id="nothing"),
        pytest.param({"part": 1.5}, "part cannot be 1.5; it must be a fraction above 0", id="more than all"),
        pytest.param({"judge": "a+"}, "judge cannot be 'a[+]'; it must be model deployments", id="blank judge"),
        pytest.param({"judge": "a+a"}, "every judge once", id="the same judge twice"),
        pytest.param({"checks": "awarenes"}, r"it must be awareness[+]plausibility[+]teller, .* Did you "
                     r"mean awareness\?",
                     id="check misspelt"),
        pytest.param({"checks": "awareness+"}, "checks cannot be 'awareness[+]'; it must be", id="blank check"),
        pytest.param({"checks": ""}, "checks cannot be ''; it must be", id="no check"),
        pytest.param({"pilot": 0}, "pilot cannot be 0; it must be a whole number from 1 to 10000",
                     id="a pilot of nothing"),
        pytest.param({"levels": ""}, "levels cannot be ''; it must be text that is not empty", id="no level"),
        pytest.param({"axes": "age+"}, "axes cannot be 'age[+]'; it must be", id="blank axis"),
        pytest.param({"swap": "names"}, "swap cannot be 'names'; it must be true or false", id="no swap"),
        pytest.param({"user": " "}, "user cannot be ' '; it must be text that is not empty", id="blank user"),
    ],
)  # fmt: skip
def test_a_mistake_is_explained(changes: dict[str, Any], message: str) -> None:
    """What was got, what is allowed, what was meant."""
    with pytest.raises(RunEntryError, match=message):
        parse_options({**GIVEN, **changes})


def test_a_missing_benchmark_is_shown_with_an_example() -> None:
    """The message can be copied and completed."""
    with pytest.raises(RunEntryError, match="benchmark= is missing; for example impactbench:benchmark="):
        parse_options({key: value for key, value in GIVEN.items() if key != "benchmark"})


def test_a_judge_that_is_not_named_is_the_environments_or_impactbenchs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run's name says who it is; what the entry names wins."""
    entry = {"benchmark": "prosocial"}
    assert parse_options(entry).text() == f"benchmark=prosocial,judge={usual_judge()}"
    monkeypatch.setenv("IMPACTBENCH_JUDGE", "lab/a+lab/b")
    assert parse_options(entry).judge == ("lab/a", "lab/b")
    assert parse_options({**entry, "judge": "none"}).judge == ()


@pytest.mark.parametrize("order", ["awareness+plausibility", "plausibility+awareness", " plausibility + awareness"])
def test_checks_have_one_order(order: str) -> None:
    """Two ways to write the same run give one name, and one folder."""
    assert parse_options({**GIVEN, "checks": order}).text().endswith("checks=awareness+plausibility")


names = st.sampled_from([*RunOptions.table(), "x"])


@given(st.dictionaries(names, st.text() | st.integers()))
def test_only_our_own_error_is_raised(options: dict[str, Any]) -> None:
    """Any entry is taken or explained; another kind of error would fail this test."""
    with contextlib.suppress(RunEntryError):
        assert parse_options(options).benchmark


def test_every_option_has_a_line_that_explains_it_and_is_read_from_its_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table of the docs is made of these."""
    monkeypatch.chdir(tmp_path)
    Path("prompt.txt").write_text("Be brief.")
    for name, option in RunOptions.table().items():
        assert RunOptions.model_fields[name].description, name
        if option.example and not option.is_named:
            assert RunOptions.read({name: int(option.example) if option.example.isdecimal() else option.example})


def test_the_names_of_checks_are_those_of_the_questions() -> None:
    """An option offers each question that judges can be asked, in the order in which they are asked."""
    assert get_args(CheckName) == tuple(CHECKS)


def test_options_from_python_are_checked_too() -> None:
    """What is built without a run entry is held to the same rules."""
    with pytest.raises(RunEntryError, match="turns cannot be 0"):
        RunOptions(turns=0)
    with pytest.raises(RunEntryError, match=r"no option 'perfunctry'.* Did you mean perfunctory"):
        RunOptions.model_validate({"perfunctry": True})
    assert RunOptions(user=None, axes=("age",)) == RunOptions(axes="age")
