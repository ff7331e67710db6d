"""A study as run entries."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.conversation.usual_roles import usual_user
from helm_impactbench.errors import SettingError
from helm_impactbench.files.resources import shipped
from helm_impactbench.llm.limits.settings import read_limits, stating_limits
from helm_impactbench.results.references import BOTS
from helm_impactbench.study.entries import conf_text, helm_run_arguments, reference_entries, run_entries
from helm_impactbench.study.reader import check_arms_differ, checked_study

BASE: dict[str, Any] = {"models": "a/b", "user": "u/v", "judge": "c/d+e/f"}


def entries(**settings: Any) -> list[str]:
    """Return the run entries of a study."""
    return run_entries(checked_study(BASE | settings, "test"))


@pytest.mark.parametrize(("name", "conf"), [("quick", "quick"), ("all", "impactbench"), ("physical", "physical")])
def test_names_of_groups_mean_what_the_shipped_confs_hold(name: str, conf: str) -> None:
    """The same benchmarks, the same part, a user only where messages are not fixed."""
    shipped_entries = re.findall(
        r'description: "impactbench:([^"]+)"', shipped("run_entries", f"{conf}.conf").read_text()
    )
    expected = sorted(re.sub(r"=litellm/[\w./-]+", "", entry) for entry in shipped_entries)
    found = [entry.removeprefix("impactbench:") for entry in entries(benchmarks=name)]
    assert sorted(re.sub(r"(user|judge)=[^,]+", r"\1", entry) for entry in found) == expected


def test_a_user_is_needed_where_messages_end() -> None:
    """Fixed messages need nobody who plays a user; where the conversation is to go on, it is the usual one."""
    assert entries(user=None, benchmarks="moral-sycophancy") == ["impactbench:benchmark=moral-sycophancy,judge=c/d+e/f"]
    for longer in (entries(user=None, benchmarks="moral-sycophancy", options={"turns": 3}),
                   entries(user=None, benchmarks="prosocial")):  # fmt: skip
        assert f"user={usual_user()}" in longer[0]


def test_arms_and_options_are_in_the_entries() -> None:
    """With its name; an arm's option wins over that of all; true and false are written as helm-run reads them."""
    found = entries(benchmarks="prosocial", options={"samples": 2, "part": 0.5},
                    arms={"plain": {}, "hurried": {"perfunctory": True, "samples": 1}})  # fmt: skip
    assert found == [
        "impactbench:benchmark=prosocial,samples=2,part=0.5,arm=plain,user=u/v,judge=c/d+e/f",
        "impactbench:benchmark=prosocial,samples=1,part=0.5,arm=hurried,perfunctory=true,user=u/v,judge=c/d+e/f",
    ]
    assert conf_text(found).count("description") == 2


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"models": []}, "models"),
        ({"arms": {}}, "arms"),
        ({"threads": 0}, "threads cannot be 0"),
        ({"budget_usd": -1}, "budget_usd cannot be -1"),
        ({"options": {"part": [1]}}, "options.part cannot be a list of 1: it must be one text or number"),
        ({"options": 7}, "options cannot be 7: it must be a mapping"),
        ({"user": ""}, "user cannot be '': it is empty"),
        ({"threads": "x"}, "threads cannot be 'x': it must be a whole number"),
        ({"models": [{"release": "v1"}]}, r"models\.0\.name is missing"),
        ({"until_better": True}, "until_better compares models on the same cases, so it needs two models or arms"),
        ({"until_better": True, "models": ["a/b", "c/d"], "options": {"until_width": 0.1}}, "without until_width"),
        ({"judges": "c/d"}, "there is no setting 'judges'.* Did you mean judge"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(settings: dict[str, Any], words: str) -> None:
    """The first fault, with its place and what was got."""
    with pytest.raises(SettingError, match=words):
        entries(**settings)


def test_a_replicate_is_an_option_of_every_entry_from_the_second_one_on() -> None:
    """The first one's entries, and so its runs and answers, are those of a study without the word."""
    assert entries(benchmarks="prosocial", replicate=1) == entries(benchmarks="prosocial")
    (entry,) = entries(benchmarks="prosocial", replicate=3)
    assert entry == "impactbench:benchmark=prosocial,replicate=3,user=u/v,judge=c/d+e/f"


def test_a_share_of_a_study_is_a_share_of_every_entry() -> None:
    """Of its part, and of the default of base scenarios; everything else is as in the whole."""
    study = checked_study(BASE | {"benchmarks": ["prosocial", "moral-sycophancy"], "options": {"samples": 2}}, "test")
    whole, third = run_entries(study), run_entries(study, 1 / 3)
    assert [entry.replace(",part=0.3333", "").replace(",pilot=12", "") for entry in third] == whole
    assert [",pilot=12" in entry for entry in third] == [",benchmark=moral" in f",{entry[12:]}" for entry in third]
    (half,) = run_entries(checked_study(BASE | {"benchmarks": "prosocial", "options": {"part": 0.5}}, "test"), 0.1)
    assert ",part=0.05," in half


def bots(**settings: Any) -> list[str]:
    """Return the run entries of the reference bots of a study."""
    return reference_entries(checked_study(BASE | settings, "test"))


def test_reference_bots_take_a_share_of_what_the_study_takes() -> None:
    """Of its part, arms and default of base scenarios; they never stop early, and none is tested as a model as well."""
    found = bots(benchmarks="prosocial", options={"part": 0.5, "until_width": 0.1})
    assert len(found) == 5
    assert found[1] == ("impactbench:benchmark=prosocial,part=0.05,user=u/v,judge=c/d+e/f,model=rehearsal/refuses-all")
    assert bots(benchmarks="prosocial", references=0) == []
    assert all(",part=0.006," in entry for entry in bots())
    assert all(",pilot=12,part=0.2," in entry for entry in bots(benchmarks="moral-sycophancy", references=0.2))
    assert len(bots(benchmarks="prosocial", models=["a/b", "rehearsal/refuses-all"])) == 4
    assert len(bots(benchmarks="prosocial", arms={"plain": {}, "short": {"turns": 2}})) == 10


def test_with_bots_every_entry_names_its_model() -> None:
    """HELM would put an entry without one to the bots as well."""
    study = checked_study(BASE | {"models": ["a/b", "c/d"], "benchmarks": "prosocial"}, "test")
    beside = reference_entries(study)
    text = conf_text(run_entries(study), study.models, beside)
    assert text.count("description") == text.count(",model=") == 2 + 5
    arguments = helm_run_arguments(study, Path("c"), Path("o"), Path("l"), beside)
    assert arguments[3:10] == ["a/b", "c/d", *(f"rehearsal/{name}" for name in BOTS)]
    assert ",model=" not in conf_text(run_entries(study), study.models)


def test_what_is_still_to_be_written_is_part_of_a_study() -> None:
    """The author, how much is written, and for which levels."""
    study = checked_study(
        {**BASE, "author": "a/w", "metrics": 4, "axes": {"age": ["child (6-12)", "adult (18+)"]}}, "t"
    )
    assert (study.author, study.metrics, study.scenarios_per_metric) == ("a/w", 4, 3)
    assert study.axes == {"age": ("child (6-12)", "adult (18+)")}
    with pytest.raises(SettingError, match="axes"):
        checked_study({**BASE, "axes": ["age"]}, "t")


def test_a_release_is_named_once_or_for_each_model() -> None:
    """It stands in every entry but those of reference bots, and never as what helm-run would read as a number."""
    assert entries(benchmarks="prosocial", release="v2") == [
        "impactbench:benchmark=prosocial,release=v2,user=u/v,judge=c/d+e/f"
    ]
    assert ",release=@12e4567," in entries(benchmarks="prosocial", release="12e4567")[0]
    assert ",release=@1.10," in entries(benchmarks="prosocial", options={"release": "@1.10"})[0]
    several = checked_study(
        {
            **BASE,
            "models": ["a/b", {"name": "a/b", "release": "v1"}, "c/d"],
            "release": "v2",
            "benchmarks": "prosocial",
        },
        "test",
    )
    assert run_entries(several) == [
        "impactbench:benchmark=prosocial,release=v2,user=u/v,judge=c/d+e/f,model=a/b",
        "impactbench:benchmark=prosocial,release=v1,user=u/v,judge=c/d+e/f,model=a/b",
        "impactbench:benchmark=prosocial,release=v2,user=u/v,judge=c/d+e/f,model=c/d",
    ]
    assert several.models == ("a/b", "c/d")
    beside = reference_entries(several)
    assert not any("release=" in entry for entry in beside)
    assert conf_text(run_entries(several), several.models, beside).count("description") == 3 + len(beside)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"release": 1.1}, "release cannot be 1.1: up to 100 letters, digits"),
        ({"release": "a,b"}, "release cannot be 'a,b'"),
        ({"options": {"release": 1.1}}, "options: release cannot be 1.1; it must be up to 100 letters"),
        ({"models": [{"name": "a/b", "release": "a b"}]}, r"models\.0\.release cannot be 'a b'"),
        ({"models": [{"name": "a/b", "relaese": "a"}]}, r"models\.0\.relaese cannot be 'a'"),
        ({"tested": ["a/b"]}, "there is no setting 'tested'"),
    ],
)
def test_a_release_that_cannot_be_one_is_refused(settings: dict[str, Any], words: str) -> None:
    """With its place, before anything is planned."""
    with pytest.raises(SettingError, match=words):
        checked_study(BASE | settings, "test")


def test_a_model_that_is_named_twice_is_run_once() -> None:
    """And two of one name that are set up differently are two."""
    assert len(checked_study(BASE | {"models": ["a/b", "a/b"]}, "test").tested) == 1
    assert len(checked_study(BASE | {"models": ["a/b", {"name": "a/b", "temperature": 0}]}, "test").tested) == 2


def test_equal_arms_are_refused(tmp_path: Path) -> None:
    """Also where their prompts are in two files, which say the same."""
    for name in ("old.txt", "new.txt"):
        (tmp_path / name).write_text("Be kind.")
    arms = {name: {"system_prompt": str(tmp_path / f"{name}.txt")} for name in ("old", "new")}
    with pytest.raises(SettingError, match=r"The arms old and new have the same settings: edit .*new\.txt\."):
        check_arms_differ(checked_study(BASE | {"arms": arms}, "test"))
    (tmp_path / "new.txt").write_text("Be brief.")
    check_arms_differ(checked_study(BASE | {"arms": arms}, "test"))


def test_a_models_own_parameters_are_in_its_entries_alone() -> None:
    """Its limits are in none; models that are set up alike share an entry."""
    plain = {"name": "a/b", "max_in_flight": 2}
    found = entries(benchmarks="prosocial", models=[plain, {"name": "c/d", "temperature": 0, "target_tokens": 80}])
    assert found == [
        "impactbench:benchmark=prosocial,user=u/v,judge=c/d+e/f,model=a/b",
        "impactbench:benchmark=prosocial,target_tokens=80,temperature=0.0,user=u/v,judge=c/d+e/f,model=c/d",
    ]
    both = [{"name": name, "temperature": 0.5} for name in ("a/b", "c/d")]
    assert entries(benchmarks="prosocial", models=both) == [
        "impactbench:benchmark=prosocial,temperature=0.5,user=u/v,judge=c/d+e/f"
    ]


def test_limits_of_a_study_come_before_those_of_the_file(tmp_path: Path) -> None:
    """For this very model, whatever stands in its name; afterwards the file's count again."""
    (tmp_path / "limits.yaml").write_text("limits: [{deployments: ['*'], max_in_flight: 9}]\n")
    study = checked_study({**BASE, "models": [{"name": "a/b[1]", "max_in_flight": 2}, "c/d"]}, "test")
    with stating_limits(study.limits):
        first, second = read_limits(tmp_path)
        assert (first.max_in_flight, first.covers("a/b[1]"), first.covers("a/b1")) == (2, True, False)
        assert second.covers("c/d")
    assert len(read_limits(tmp_path)) == 1
    with pytest.raises(SettingError, match="the limits of one model are said once"):
        checked_study({**BASE, "models": [{"name": "a/b", "max_in_flight": n} for n in (1, 2)]}, "test")
