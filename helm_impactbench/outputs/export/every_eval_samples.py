"""A run's conversations as instance-level records of Every Eval Ever. Pure.

The schema demands a score and a verdict of right or wrong for each, so it has a place for what passed or failed alone:
not for an unscored conversation, and not for one side of a contrast.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from helm_impactbench.helm.stat_names import MAIN_METRIC
from helm_impactbench.outputs.export.impactbench_rows import WRITTEN_BY
from helm_impactbench.outputs.export.runs import Run
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.record import Record

Data = dict[str, Any]
OWN_KEY = "written_by"
"""Key in `metadata` of who wrote a record."""


def sample_records(run: Run, aggregate: Data) -> Iterator[Data]:
    """Yield a record for each conversation that passed or failed; `aggregate` is the record of the run's figures."""
    for record, outcome in zip(run.records, run.outcomes, strict=True):
        if outcome.passed is not None:
            yield _sample(run, record, outcome, aggregate)


def _sample(run: Run, record: Record, outcome: Outcome, aggregate: Data) -> Data:
    turns = record.conversation.turns
    said = [(role, text) for turn in turns for role, text in (("user", turn.user), ("assistant", turn.assistant))]
    messages = [
        {"turn_idx": number, "role": role, "content": text}
        for number, (role, text) in enumerate((role, text) for role, text in said if text is not None)
    ]
    name = f"{run.benchmark}.{outcome.metric_id}"
    return {
        "schema_version": aggregate["schema_version"],
        "evaluation_id": aggregate["evaluation_id"],
        "model_id": aggregate["model_info"]["id"],
        "evaluation_name": name,
        "evaluation_result_id": f"{name}:{MAIN_METRIC}",
        "sample_id": outcome.conversation,
        "interaction_type": "multi_turn",
        "input": {"raw": turns[0].user if turns else "", "reference": []},
        "output": None,
        "messages": messages,
        "answer_attribution": [
            {
                "turn_idx": max(0, len(messages) - 1),
                "source": "messages",
                "extracted_value": outcome.answer or "",
                "extraction_method": "llm_judge" if run.folder.judges else "custom",
                "is_terminal": True,
            }
        ],
        "evaluation": {
            "score": outcome.score,
            "is_correct": outcome.passed,
            **({"num_turns": len(turns)} if turns else {}),
        },
        "metadata": {
            OWN_KEY: WRITTEN_BY,
            "deployment": run.model,
            "benchmark": run.benchmark,
            "metric": outcome.metric_id,
            "metric_name": outcome.metric_name,
            "metric_type": outcome.metric_type,
            "definition": record.case.metric.definition,
            "base_scenario": outcome.base_id,
            "variant": outcome.variant_id,
            "sample": str(outcome.sample),
            "axes": json.dumps(dict(outcome.axes), sort_keys=True),
            "factors": json.dumps(record.case.scenario.factors, sort_keys=True),
            "justification": next((v.justification for v in record.verdict.votes if v.value == outcome.value), ""),
        },
    }
