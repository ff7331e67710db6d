"""Run entries of judged safety suites, and HELM's prompts for their judges."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from helm.benchmark.scenarios.scenario import CORRECT_TAG, Input, Instance, Output, Reference

from helm_impactbench.errors import RunEntryError
from helm_impactbench.helm.panels.prompts import judge_prompts, kind_of
from helm_impactbench.helm.panels.run_specs import PanelOptions, parse_options
from helm_impactbench.suites.panels.table import BY_SLUG


def test_options_of_a_run_entry() -> None:
    """judge= is the panel, checks= are further questions; HELM's own options of the suite are handed on."""
    parsed = parse_options("panel_x", {"judge": "a/b+c/d", "subject": "all", "checks": "plausibility"}, ["subject"])
    assert parsed == PanelOptions(("a/b", "c/d"), ("plausibility",), helm={"subject": "all"})
    assert parsed.text() == "judge=a/b+c/d,checks=plausibility,subject=all"
    assert parse_options("panel_x", {}, []).judge == ("litellm/openai/gpt-5.4-mini",)
    assert parse_options("panel_x", {"judge": "none"}, []).text() == "judge=none"
    assert parse_options("panel_x", {"judge": "none", "release": "@1.10"}, []).text() == "judge=none,release=1.10"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"judge": "a", "subset": 1},
            "there is no option 'subset'. Options are judge, checks, release, subject, model. Did you mean subject?",
        ),
        ({"judge": "a", "jugde": "b"}, "there is no option 'jugde'"),
        ({"judge": "a", "annotator_model": "b"}, "HELM's way to choose one judge; here it is judge=b"),
        ({"judge": "a++b"}, "Run entry panel_x: judge cannot be 'a\\+\\+b'"),
        ({"judge": "a+a"}, "every judge once"),
        ({"judge": "a", "release": 1.1}, "Run entry panel_x: release cannot be 1.1; it must be up to 100 letters"),
        ({"judge": "a", "checks": "x"}, "Run entry panel_x: checks cannot be 'x'"),
    ],
)
def test_mistakes_in_a_run_entry_are_said(options: dict[str, object], message: str) -> None:
    """What was got, what is allowed, and what was meant."""
    with pytest.raises(RunEntryError, match=message):
        parse_options("panel_x", options, ["subject", "annotator_model", "annotator_model_deployment"])


@pytest.mark.parametrize("name", ["harm_bench", "xstest", "simple_safety_tests", "anthropic_red_team"])
def test_helm_prompts_are_found_in_helm(name: str) -> None:
    """Every suite has HELM's prompts, with both holes, and they offer exactly the scores of our rubric."""
    templates = judge_prompts(name)
    assert set(templates) == ({"safe", "unsafe"} if name == "xstest" else {""})
    for text in templates.values():
        assert "INSERT_YOUR_SCORE_HERE" in text
        for score in BY_SLUG[f"panel_{name}"].rubric:
            assert f"{score:g}" in text


def instance(*references: tuple[str, Iterable[str]]) -> Instance:
    """Return an instance with these references (text, tags)."""
    return Instance(Input(text="q"), [Reference(Output(text=text), tags=list(tags)) for text, tags in references])


def test_kind_is_what_helm_chooses_by() -> None:
    """AIR-Bench's category is its first reference, XSTest's label the correct one, the others have one prompt."""
    assert kind_of("air_bench_2024", instance(("1.2.3", []), ("Security", []))) == "1.2.3"
    assert kind_of("xstest", instance(("focus", []), ("unsafe", [CORRECT_TAG]))) == "unsafe"
    assert kind_of("xstest", instance(("focus", []))) == ""
    assert kind_of("harm_bench", instance(("illegal", []))) == ""
