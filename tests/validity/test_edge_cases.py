"""Edge cases of HELM's safety suites: their file, the prompt that a judge gets, and what the check says of a judge."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.llm.request import CallFailure, ModelRequest, Reply
from helm_impactbench.tables import Result
from helm_impactbench.validity.golden.edge_cases import EDGES, EdgeCase, chosen, edge_cases
from helm_impactbench.validity.golden.panel_check import PanelCheck, PutEdgeCase, put_cases
from helm_impactbench.validity.instrument import ask_all
from helm_impactbench.validity.judge_trust import judge_trust
from helm_impactbench.validity.records.judges import write_golden

pytest.importorskip("helm")
from helm_impactbench.helm.panels.prompts import judge_prompts

AIR = "Made-up prompt. {{QUESTION}} ### {{ANSWER}} ##short_reasoning: ##the_score:"
ANNOTATORS = {
    "harm_bench": "harm_bench_annotator.HarmBenchAnnotator",
    "xstest": "xstest_annotator.XSTestAnnotator",
    "simple_safety_tests": "simple_safety_tests_annotator.SimpleSafetyTestsAnnotator",
    "anthropic_red_team": "anthropic_red_team_annotator.AnthropicRedTeamAnnotator",
    "air_bench_2024": "air_bench_annotator.AIRBench2024Annotator",
}


def prompts(panel: str) -> Mapping[str, str]:
    """Return HELM's prompts, and a made-up one for AIR-Bench, whose own are in a data set."""
    if panel == "air_bench_2024":
        return {case.kind: AIR for case in edge_cases() if case.panel == panel}
    return judge_prompts(panel)


def reply(case: PutEdgeCase, score: float) -> Reply:
    """Return a well-formed answer of a judge."""
    text = "##short_reasoning: So.\n##the_score: {}" if case.item.panel == "air_bench_2024" else (
        "<reasoning>So.</reasoning><score>{}</score>"
    )  # fmt: skip
    return Reply(text.format(score))


def checked(score: Callable[[EdgeCase], float | None], panels: str = "all") -> tuple[PanelCheck, Result, Any]:
    """Return the check, its result and its record, of a judge that gives these scores; None: a failed call."""
    check = PanelCheck(chosen(panels), ("j",), prompts)
    by_prompt = {case.question.messages: case for case in check.items}

    def call(request: ModelRequest) -> Reply | CallFailure:
        case = by_prompt[request.messages]
        given = score(case.item)
        return CallFailure("down") if given is None else reply(case, given)

    record = ask_all(check, call, 4)
    return check, check.figures(record), record


def test_every_panel_has_hard_cases_that_one_score_does_not_fit() -> None:
    """8 to 12 answers each, five kinds of edge or more, and no score that is right on half of them."""
    for panel in ANNOTATORS:
        own = [case for case in edge_cases() if case.panel == panel]
        assert 8 <= len(own) <= 12, panel
        assert len({case.edge for case in own} - {"refuses", "complies"}) == 5, panel
        assert max(Counter(case.score for case in own).values()) < len(own) / 2, panel
    assert {case.panel for case in edge_cases()} == set(ANNOTATORS)
    texts = [(case.panel, case.kind, case.request, case.answer) for case in edge_cases()]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("panel", ANNOTATORS)
def test_a_judge_gets_the_prompt_of_helms_own_annotator(panel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the byte, for every edge case, from HELM's class itself."""
    module, name = ANNOTATORS[panel].split(".")
    annotator = import_module(f"helm.benchmark.annotation.{module}")
    sent: list[str] = []

    def score(auto_client: Any, annotator_prompt: str) -> None:
        sent.append(annotator_prompt)

    monkeypatch.setattr(annotator, "score_with_reasoning_with_gpt_and_llama", score, raising=False)
    helms = object.__new__(getattr(annotator, name))
    helms._auto_client = SimpleNamespace(make_request=lambda request: sent.append(request.prompt) or _air())
    if panel == "air_bench_2024":
        helms._category_id_to_judge_prompt = prompts(panel)
        helms._model = helms._model_deployment = "j"
        helms._pattern = re.compile("(.)(.)")
    put = put_cases([case for case in edge_cases() if case.panel == panel], prompts)
    for case in put:
        helms.annotate(_state(case.item))
    assert sent == [case.question.messages[0].content for case in put]
    assert len(sent) >= 8


def _air() -> Any:
    return SimpleNamespace(success=True, completions=[SimpleNamespace(text="11")])


def _state(case: EdgeCase) -> Any:
    reference = SimpleNamespace(output=SimpleNamespace(text=case.kind), tags=["correct"])
    return SimpleNamespace(
        request=SimpleNamespace(prompt=case.request),
        result=SimpleNamespace(completions=[SimpleNamespace(text=case.answer)]),
        instance=SimpleNamespace(references=[reference]),
    )


def test_a_judge_that_knows_the_rubrics_agrees_throughout() -> None:
    """An interval stands beside the share; nothing is missed, and the judge may be used."""
    _, result, _ = checked(lambda case: case.score)
    whole = result["panels"].records()[-1]
    assert (whole["panel"], whole["answers"], whole["agreement"]) == ("all", len(edge_cases()), 1)
    assert 0.8 < whole["agreement_low"] < 1
    assert "missed" not in [table.name for table in result.tables]
    assert result.verdict is not None
    assert result.verdict.exit_code == 0


def test_a_judge_that_stops_reading_at_the_refusal_is_shown_where_it_errs() -> None:
    """Its misses are those of one kind of answer, with the direction, the request and why."""

    def hasty(case: EdgeCase) -> float:
        return case.score if case.edge != "refuses_then_complies" else 1 - case.score

    _, result, _ = checked(hasty)
    edges = {row["edge"]: row for row in result["edges"].records()}
    assert edges["refuses then complies"]["agreement"] == 0
    assert {name for name, row in edges.items() if row["agreement"] == 1} == {
        edge.replace("_", " ") for edge in EDGES if edge != "refuses_then_complies"
    }
    too = edges["refuses then complies"]
    assert (too["too_high"] + too["too_low"], too["too_low"]) == (too["answers"], 1)
    assert {row["edge"] for row in result["missed"].records()} == {"refuses then complies"}


def test_a_judge_that_always_says_the_same_is_refused_and_failed_calls_are_counted() -> None:
    """0.5 for everything is no better than the commonest score; what has no score is neither right nor wrong."""
    _, result, _ = checked(lambda case: None if case.edge == "partial" else 0.5, "harm_bench")
    (row,) = result["panels"].records()
    assert (row["no_score"], row["answers"]) == (1, 11)
    assert result.verdict is not None
    assert result.verdict.exit_code == 1


def test_names_of_panels_are_checked() -> None:
    """With what there is."""
    assert {case.panel for case in chosen("xstest+harm_bench")} == {"xstest", "harm_bench"}
    with pytest.raises(
        ImpactBenchError, match=r"--panel harmbench has no edge cases. There are: .*Did you mean harm_b"
    ):
        chosen("harmbench")
    with pytest.raises(ImpactBenchError, match=r"HELM has no prompt for judges of kind 1.1.1 of air_bench_2024"):
        put_cases(chosen("air_bench_2024"), lambda panel: {})


def test_a_check_of_panels_counts_for_suites_of_them_and_hides_no_other(tmp_path: Path) -> None:
    """A suite of HarmBench has a checked judge; a later check of another panel leaves that as it is."""
    suite = tmp_path / "runs/s"
    for panels in ("harm_bench", "xstest"):
        *_, record = checked(lambda case: case.score, panels)
        write_golden(tmp_path, record)
    assert judge_trust(suite, [("j",)], {"panel_harm_bench"}).state == "checked"
    other = judge_trust(suite, [("j",)], {"prosocial"})
    assert (other.state, "--panel" in other.line) == ("not checked", False)
    assert "check-judge --judge j --panel all" in judge_trust(suite, [("j",)], {"panel_simple_safety_tests"}).line
