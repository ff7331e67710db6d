"""The words of earlier suites, so that answers of then and now stand side by side; they have no other pages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from helm_impactbench.analysis.rates import grouped
from helm_impactbench.outputs.report.names import conversation_id, file_name, setup_digest, setups_apart, words_address
from helm_impactbench.outputs.report.redaction import Redaction
from helm_impactbench.outputs.report.run_script import has_words, run_script
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.passages import visible
from helm_impactbench.results.verdict_words import VERDICTS, verdict

EARLIER = "search/earlier.js"


def write_earlier(
    folder: Path, suites: Mapping[str, Sequence[RunFolder]], now: Sequence[Outcome], redaction: Redaction
) -> None:
    """Write the list of the conversations of earlier suites, and the words of each of their runs.

    suites: name -> runs. now: what the report is of; a case whose content was another one then is marked.
    """
    contents = {(outcome.benchmark, conversation_id(outcome)): outcome.content for outcome in now}
    listed = [
        _written(folder, suite, run, contents, redaction) | {"apart": visible(apart[run.setup])}
        for suite, runs in suites.items()
        for own in grouped(runs, lambda run: run.benchmark).values()
        for apart in (setups_apart(run.setup for run in own),)
        for run in own
    ]
    script = f"globalThis.impactbenchEarlier = {json.dumps(listed, separators=(',', ':'))};\n"
    (folder / EARLIER).write_text(script, encoding="utf-8")


def _written(
    folder: Path, suite: str, run: RunFolder, contents: Mapping[tuple[str, str], str], redaction: Redaction
) -> dict[str, Any]:
    """Write the words of a run and return its entry.

    Conversations are id, verdict, whether the case has changed, and the name that its words have.
    """
    records, outcomes = run.read()
    address = words_address(run.benchmark, run.model, run.setup)
    address = f"search/earlier/{file_name(suite)}/{address.removeprefix('conversations/')}"
    is_searched = has_words(records, redaction)
    if is_searched:
        (folder / address).parent.mkdir(parents=True, exist_ok=True)
        (folder / address).write_text(run_script(address, records, redaction), encoding="utf-8")
    return {
        "suite": visible(suite),
        "model": run.model,
        "setup": setup_digest(run.setup),
        "benchmark": run.benchmark,
        "words": address if is_searched else "",
        "conversations": [
            [
                conversation_id(outcome),
                VERDICTS.index(verdict(outcome)),
                contents.get((outcome.benchmark, conversation_id(outcome))) != outcome.content,
                file_name(conversation_id(outcome)),
            ]
            for outcome in outcomes
        ],
    }
