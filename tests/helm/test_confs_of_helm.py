"""The shipped confs of HELM's own suites name run specs that the installed HELM has, and suites that we read."""

from __future__ import annotations

import pytest
from helm.benchmark.presentation.run_entry import read_run_entries
from helm.benchmark.run_spec_factory import construct_run_specs
from helm.common.object_spec import parse_object_spec

import helm_impactbench.plugin  # noqa: F401
from helm_impactbench.files.resources import shipped
from helm_impactbench.helm.registration import install
from helm_impactbench.suites.external.mmlu_groups import GROUP_OF
from helm_impactbench.suites.external.table import suite_of
from helm_impactbench.suites.panels.table import BY_SLUG

ONLY_IN_HELMS_TABLES = {"real_toxicity_prompts", "bold", "decodingtrust_adv_robustness"}
"""Groups whose figures have no range from 0 to 1, or need a service that few have."""


@pytest.mark.parametrize("conf", ["mmlu", "core", "starter", "attacks"])
def test_every_entry_is_a_run_spec_of_helm_and_of_a_suite_that_is_read(
    conf: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name or an option that HELM does not have would end the run before the first call."""
    install()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    for entry in read_run_entries([str(shipped("run_entries", f"{conf}.conf"))]).entries:
        joint = "," if not entry.description.endswith(":") else ""
        specs = construct_run_specs(parse_object_spec(f"{entry.description}{joint}model=rehearsal/mixed"))
        assert specs, entry.description
        groups = set(specs[0].groups)
        assert suite_of(groups) or groups & ({*BY_SLUG} | ONLY_IN_HELMS_TABLES), entry.description


def test_the_conf_of_mmlu_has_each_subject_once() -> None:
    """57 of them."""
    text = shipped("run_entries", "mmlu.conf").read_text()
    assert all(text.count(f"subject={subject},") == 1 for subject in GROUP_OF)
    assert text.count("description:") == len(GROUP_OF) == 57
