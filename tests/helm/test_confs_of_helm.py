"""The shipped confs of HELM's own suites name run specs that the installed HELM has, and suites that we read."""

from __future__ import annotations

import pytest
from helm.benchmark.presentation.run_entry import read_run_entries
from helm.benchmark.run import run_entries_to_run_specs
from helm.benchmark.runner import downsample_eval_instances
from helm.benchmark.scenarios.scenario import Input, Instance, create_scenario

import helm_impactbench.plugin  # noqa: F401
from helm_impactbench.analysis.costs.forecast import PlannedRun
from helm_impactbench.files.resources import shipped
from helm_impactbench.helm.estimate import EstimateRequest, estimated
from helm_impactbench.helm.planned import planned_runs
from helm_impactbench.helm.registration import install
from helm_impactbench.suites.external.mmlu_groups import GROUP_OF
from helm_impactbench.suites.external.table import suite_of
from helm_impactbench.suites.panels.table import BY_SLUG
from tests.conftest import Run

ONLY_IN_HELMS_TABLES = ("real_toxicity_prompts", "bold", "decodingtrust_")
"""Beginnings of groups whose figures have no range from 0 to 1, need a service that few have, or are of many kinds."""
CONFS = sorted(path.name for path in shipped("run_entries").glob("*.conf"))


@pytest.mark.parametrize("conf", ["mmlu", "core", "starter", "attacks"])
def test_every_entry_is_a_run_spec_of_helm_and_of_a_suite_that_is_read(
    conf: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name or an option that HELM does not have would end the run before the first call."""
    install()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    for entry in read_run_entries([str(shipped("run_entries", f"{conf}.conf"))]).entries:
        specs = run_entries_to_run_specs([entry], models_to_run=["rehearsal/mixed"])
        assert specs, entry.description
        assert create_scenario(specs[0].scenario_spec), entry.description
        groups = specs[0].groups
        assert suite_of(groups) or {*groups} & {*BY_SLUG} or groups[0].startswith(ONLY_IN_HELMS_TABLES), groups


@pytest.mark.parametrize("conf", CONFS)
def test_what_every_conf_takes_is_estimated(conf: str, run: Run) -> None:
    """No entry that is shipped is of unknown size, and nothing ends with a traceback."""
    done = run("impactbench", "estimate", shipped("run_entries", conf), "--models-to-run", "rehearsal/mixed")
    assert "Not in this estimate" not in done.stdout + done.stderr
    assert "0.00 US$" in done.stdout or "litellm/" in done.stdout


def test_a_panel_of_unknown_size_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a suite of HELM's is, in place of an error."""
    monkeypatch.setattr("helm_impactbench.helm.planned.prompts_of", lambda *_: None)
    assert planned_runs("panel_harm_bench:judge=none", ["rehearsal/mixed"], 10) == []


def test_an_estimate_takes_as_many_conversations_as_helm_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """With -m the ones that HELM draws, of each benchmark; without it all of them."""
    entry = "impactbench:benchmark=prosocial,user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/mixed"
    assert "1 run, 5 conversations, " in str(estimated(EstimateRequest([entry], most=5)).tables[0].title)
    (every,) = planned_runs(entry, [], 10)
    (drawn,) = planned_runs(entry, [], 10, 5)
    assert isinstance(every, PlannedRun)
    assert isinstance(drawn, PlannedRun)
    assert len(every.cases) > 100
    instances = [Instance(Input(text="x"), [], split="test", id=case.id) for case in every.cases]
    assert [case.id for case in drawn.cases] == [one.id for one in downsample_eval_instances(instances, 5, ["test"])]


def test_the_conf_of_mmlu_has_each_subject_once() -> None:
    """57 of them."""
    text = shipped("run_entries", "mmlu.conf").read_text()
    assert all(text.count(f"subject={subject},") == 1 for subject in GROUP_OF)
    assert text.count("description:") == len(GROUP_OF) == 57
