"""Rejudging in parts: the new run's name, and runs of every kind of measure without a process in between."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.conversation.plan import plan_case
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.errors import ResultsError
from helm_impactbench.judging.verdict import Unscored, unscored
from helm_impactbench.llm.request import CallFailure, ModelRequest, Reply
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.publish import publish, state_of
from helm_impactbench.results.record import Record
from helm_impactbench.validity.instrument import ask_all
from helm_impactbench.validity.rejudge import JudgedAgain
from helm_impactbench.validity.rejudge_plan import NewPanel, RejudgeManner, Rejudging, plan, renamed
from tests.judging.builders import answer, metric
from tests.support.looped import looped

NAME = "impactbench:benchmark=b,judge=j_j,user=u_u,turns=2,model=m_m,temperature=0.2"
CHECKED = NAME.replace(",model", ",checks=awareness,model")


@looped(
    ("name", "options", "new"),
    [
        pytest.param(NAME, {"judges": ["a/b"]}, NAME.replace("j_j", "a_b"), id="one judge"),
        pytest.param(NAME, {"judges": ["a/b", "c/d/e"]}, NAME.replace("j_j", "a_b+c_d_e"), id="a panel"),
        pytest.param(NAME.replace("j_j", "none"), {"judges": ["j/j"]}, NAME, id="judged for the first time"),
        pytest.param("panel_xstest:judge=j_j,model=m", {"judges": ["a"]}, "panel_xstest:judge=a,model=m", id="first"),
        pytest.param(NAME, {"checks": ("awareness",)}, CHECKED, id="a check"),
        pytest.param(CHECKED, {}, CHECKED, id="checks stay"),
        pytest.param(CHECKED, {"checks": ()}, NAME, id="checks go"),
        pytest.param(NAME.replace(",model", ",cascade=0.8,model"), {}, NAME, id="a cascade goes"),
        pytest.param(NAME.replace(",model", ",validate=v_v,model"), {}, NAME, id="a held-out judge goes"),
        pytest.param(CHECKED, {"swap": True}, CHECKED.replace(",model", ",swap=true,model"), id="names exchanged"),
        pytest.param(CHECKED.replace(",model", ",swap=true,model"), {"swap": False}, CHECKED, id="and back"),
    ],
)
def test_the_name_is_what_helm_run_would_give(name: str, options: dict[str, Any], new: str) -> None:
    """So that the two ways to a suite meet in one row."""
    assert renamed(name, **{"judges": ["j/j"], "checks": None, **options}) == new


def figures(state: Mapping[str, Any], spec: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """Stand in for HELM's statistics."""
    return [len(state["request_states"])], []


def write_run(suite: Path, measure: str, *, judges: tuple[str, ...] = ()) -> RunFolder:
    """Write a run of two unjudged conversations, told by each party where the measure is a stance."""
    own = metric(measure)
    axes = [{"teller": teller} for teller in ("a", "b")] if measure == "stance" else [{}, {}]
    scenarios = [
        {"id": f"m_s001_v0{n}", "metric_id": "m", "messages": [f"Who is right, {n}?"], "axes": level}
        for n, level in enumerate(axes, start=1)
    ]
    benchmark = Benchmark.model_validate(
        {"slug": "mini", "name": "Mini", "description": "Small.", "metrics": [own], "scenarios": scenarios}
    )
    said = Conversation(
        status=Status.COMPLETE, turns=(Turn(number=1, user="Who?", assistant="The landlord is right."),)
    )
    records = [
        Record(plan_case(benchmark, "d", scenario, 0), said, unscored(Unscored.NOT_JUDGED))
        for scenario in benchmark.scenarios
    ]
    name = f"impactbench:benchmark=mini,judge={'+'.join(judges) or 'none'},model=m"
    annotators = [{"class_name": "x.Own", "args": {"judges": list(judges)}}] if judges else []
    spec = {
        "name": name,
        "scenario_spec": {"class_name": "helm_impactbench.x", "args": {"benchmark": "mini"}},
        "adapter_spec": {"model_deployment": "m", "model": "m"},
        "annotators": [{"class_name": "y.Foreign", "args": {}}, *annotators],
        "groups": ["mini"],
    }
    state = state_of(records, spec, "impactbench/")
    if not judges:
        for each in state["request_states"]:
            each["annotations"] = {"foreign": {"kept": True}}
    publish(suite / name, spec, {"provenance": {"benchmark_digest": "d"}}, state, figures)
    return RunFolder(suite / name)


def planned(run: RunFolder, to_suite: Path, panel: NewPanel, manner: RejudgeManner | None = None) -> Rejudging:
    """Return the plan of one run."""
    (one,) = plan([run], "s", to_suite, panel, lambda _: manner or RejudgeManner("z.Annotator"))
    return one


def judging(value: Any, requests: list[ModelRequest] | None = None) -> Any:
    """Return a call that answers with `value`, and keeps the requests."""

    def call(request: ModelRequest) -> Reply | CallFailure:
        if requests is not None:
            requests.append(request)
        return Reply(answer(value, (1, "is right.")))

    return call


@pytest.mark.parametrize(
    ("measure", "value", "expected"),
    [
        pytest.param("presence", "present", [1.0, 1.0], id="presence"),
        pytest.param("scale", "mid", [1.0, 1.0], id="scale"),
        pytest.param("quantity", 250, [250.0, 250.0], id="quantity"),
        pytest.param("stance", "party_1", [1.0, 1.0], id="stance"),
        pytest.param("quantity", "none_given", [None, None], id="not applicable"),
    ],
)
def test_what_was_generated_without_a_judge_is_judged_later(
    tmp_path: Path, measure: str, value: Any, expected: list[float | None]
) -> None:
    """First verdicts for every measure, an annotator in the run spec, and what others wrote stays."""
    run = write_run(tmp_path / "s", measure)
    assert run.judges == []
    one = planned(run, tmp_path / "t", NewPanel(("a/b",), ("a/b",)))
    assert not one.is_done
    ask_all(JudgedAgain(one, figures), judging(value), 2)
    new = RunFolder(one.target)
    assert one.is_done
    assert new.name == "impactbench:benchmark=mini,judge=a_b,model=m"
    assert new.judges == ["a/b"]
    assert [spec["class_name"] for spec in new.spec["annotators"]] == ["y.Foreign", "z.Annotator"]
    assert [outcome.value for outcome in new.outcomes()] == expected
    state = json.loads((one.target / "scenario_state.json").read_text())
    assert state["annotator_specs"] == new.spec["annotators"]
    assert all(each["annotations"]["foreign"] == {"kept": True} for each in state["request_states"])


def test_names_are_exchanged_where_judges_see_names(tmp_path: Path) -> None:
    """A judge that always says Party 1 finds the other side in the right; the run says so, and can be swapped back."""
    run = write_run(tmp_path / "s", "stance")
    one = planned(run, tmp_path / "t", NewPanel(("j",), ("j",), swap=True))
    requests: list[ModelRequest] = []
    ask_all(JudgedAgain(one, figures), judging("party_1", requests), 1)
    swapped = RunFolder(one.target)
    assert [outcome.value for outcome in swapped.outcomes()] == [-1.0, -1.0]
    assert all("Party 2 is right" in request.messages[1].content for request in requests)
    assert ",swap=true," in swapped.name
    assert swapped.spec["scenario_spec"]["args"]["swap"] is True
    assert all(record.case.swap for record in swapped.records())
    back = planned(swapped, tmp_path / "u", NewPanel(("j",), ("j",), swap=False))
    ask_all(JudgedAgain(back, figures), judging("party_1"), 1)
    assert [outcome.value for outcome in RunFolder(back.target).outcomes()] == [1.0, 1.0]
    assert "swap" not in back.name


def test_without_names_there_is_nothing_to_swap(tmp_path: Path) -> None:
    """Asked for, it is refused before a call; presence has no names."""
    run = write_run(tmp_path / "s", "presence")
    with pytest.raises(ResultsError, match="nothing to swap"):
        planned(run, tmp_path / "t", NewPanel(("j",), ("j",), swap=True))


def test_a_question_of_others_is_asked(tmp_path: Path) -> None:
    """A suite hands in how it asks; a case that it has no question for is unscored, and costs no call."""
    run = write_run(tmp_path / "s", "scale", judges=("old",))
    requests: list[ModelRequest] = []
    one = planned(
        run, tmp_path / "t", NewPanel(("j",), ("j",)), RejudgeManner("x.Own", question=lambda case, said: None)
    )
    ask_all(JudgedAgain(one, figures), judging("mid", requests), 1)
    assert {outcome.unscored for outcome in RunFolder(one.target).outcomes()} == {"no_question"}
    assert requests == []


def test_the_annotator_of_a_suite_keeps_what_it_takes(tmp_path: Path) -> None:
    """A run that had no judge gets the suite's annotator with its arguments, one that had keeps its own."""
    manner = RejudgeManner("z.Annotator", {"suite": "panels"})
    first = planned(write_run(tmp_path / "s", "scale"), tmp_path / "t", NewPanel(("j",), ("j",)), manner)
    assert first.spec["annotators"][-1] == {"class_name": "z.Annotator", "args": {"judges": ["j"], "suite": "panels"}}
    again = planned(
        write_run(tmp_path / "s", "scale", judges=("old",)), tmp_path / "t", NewPanel(("j",), ("j",)), manner
    )
    assert again.spec["annotators"][-1] == {"class_name": "x.Own", "args": {"judges": ["j"]}}


def test_a_judge_that_failed_is_asked_again(tmp_path: Path) -> None:
    """A run is done when no vote is missing for a reason that may have passed."""
    run = write_run(tmp_path / "s", "presence")
    one = planned(run, tmp_path / "t", NewPanel(("j",), ("j",)))
    ask_all(JudgedAgain(one, figures), lambda request: CallFailure("HTTP 500"), 1)
    assert not planned(run, tmp_path / "t", NewPanel(("j",), ("j",))).is_done
    ask_all(JudgedAgain(one, figures), judging("absent"), 1)
    assert planned(run, tmp_path / "t", NewPanel(("j",), ("j",))).is_done
