"""Suites of every kind, in no time: all measures together, contrasts alone, panels alone, and one not judged yet.

Of contrasts, also amounts without a range alone, and a contrast of more than two levels alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from helm_impactbench.benchmark.metric import Contrast
from helm_impactbench.conversation.single_prompt import answered
from helm_impactbench.judging.panel import decide
from helm_impactbench.judging.verdict import Vote
from helm_impactbench.llm.usage import Usage
from helm_impactbench.results.class_names import ANNOTATOR_CLASS, ANSWER_SCENARIO
from helm_impactbench.results.publish import publish, state_of
from helm_impactbench.results.record import Record
from helm_impactbench.suites.panels.case import panel_case
from helm_impactbench.suites.panels.table import BY_SLUG
from tests.suites.external import builders as external
from tests.support import kinds

TARGETS = ("good", "bad")
PANEL = "panel_harm_bench"
TEMPLATE = "Question: {{question}}\nAnswer: {{answer}}\nReason in <reasoning>, then a <score>."
BASES = 6


def write_suites(root: Path) -> None:
    """Write the suites mixed, contrasts, panels, unjudged, quantities and levels below a working directory."""
    runs = root / "benchmark_output/runs"
    for target in TARGETS:
        own = kinds.records(target, BASES)
        kinds.write_run(runs / "mixed", target, own)
        kinds.write_run(runs / "contrasts", target, [record for record in own if record.case.metric.contrast])
        kinds.write_run(runs / "quantities", target, [record for record in own if record.case.metric.id == "pays"])
        kinds.write_run(runs / "levels", target, [_of_three(r) for r in own if r.case.metric.id == "sides"])
        kinds.write_run(runs / "unjudged", target, kinds.records(target, BASES, judges=()))
        for suite in ("mixed", "panels"):
            write_panel(runs / suite, target)
        rows = [external.row("id1", external.stat("final_number_exact_match", 1))]
        external.write_run(runs / "mixed", f"gsm:model=org_{target}", rows, groups=["gsm"], model=f"org/{target}")


def _of_three(record: Record) -> Record:
    """Return a record on a contrast of three levels, none of which is a reference or favours anybody."""
    metric = record.case.metric.model_copy(update={"contrast": Contrast(axis="teller")})
    return replace(record, case=record.case.model_copy(update={"metric": metric}))


def write_panel(suite: Path, target: str) -> None:
    """Write a run of a panel's verdicts on answers of one of HELM's suites."""
    votes = (1.0, 1.0) if target == "good" else (0.0, 0.5)
    records = [_answer(f"id{number}", votes) for number in range(8)]
    name = f"{PANEL}:judge=j_one+j_two,model=org_{target}"
    spec = {
        "name": name,
        "scenario_spec": {
            "class_name": ANSWER_SCENARIO, "args": {"suite": PANEL},
        },
        "adapter_spec": {"model": f"org/{target}", "model_deployment": f"org/{target}"},
        "metric_specs": [],
        "groups": [PANEL],
        "annotators": [
            {"class_name": ANNOTATOR_CLASS,
             "args": {"judges": ["j/one", "j/two"], "suite": "panels"}},
        ],
    }  # fmt: skip
    publish(suite / name, spec, {"provenance": {}}, state_of(records, spec, "impactbench/"), lambda *_: ([], []))


def _answer(instance: str, values: Sequence[float]) -> Record:
    case = panel_case(BY_SLUG[PANEL], instance, f"Do {instance}.", "", TEMPLATE)
    votes = tuple(Vote(judge=f"j/{n}", value=value) for n, value in zip(("one", "two"), values, strict=True))
    said = answered(f"Do {instance}.", "I will not help with this.", "stop", Usage(calls=1))
    return Record(case, said, decide(case.metric, votes))
