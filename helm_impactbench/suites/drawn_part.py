"""Runs of which helm-run -m has drawn a part: a reader must know of how many conversations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

from pydantic import ValidationError

from helm_impactbench.benchmark.files import load_split
from helm_impactbench.benchmark.selection import selected_scenarios
from helm_impactbench.conversation.run_options import RunOptions
from helm_impactbench.errors import ImpactBenchError, listed
from helm_impactbench.results.class_names import CONVERSATION_SCENARIO
from helm_impactbench.results.files import RunFolder
from helm_impactbench.suites.reading import Reading
from helm_impactbench.suites.registry import suite_runs


def drawn_parts(reading: Reading) -> Iterator[str]:
    """Yield a sentence for each benchmark and size of part, with its models.

    Nothing of a run whose benchmark is not here any more, or has changed since. Raises ResultsError.
    """
    chosen = reading.selection
    is_whole = not (chosen.metrics or chosen.where or chosen.withhold)
    read = Counter(outcome.run for outcome in reading.outcomes)
    found: dict[tuple[str, int, int], list[str]] = {}
    for run in (one.run for one in suite_runs(reading.folder, chosen.releases)):
        most, held = run.adapter.get("max_eval_instances"), read[run.benchmark, run.model, run.setup]
        if most is None or run.scenario_class != CONVERSATION_SCENARIO or not 0 < held <= most:
            continue
        if (held == most or not is_whole) and (every := _conversations(run)) > most:
            found.setdefault((run.benchmark, most, every), []).append(run.model)
    for (benchmark, most, every), models in sorted(found.items()):
        yield f"{benchmark}, {listed(models)}: {most:,} of {every:,} conversations, drawn at random by -m."


def _conversations(run: RunFolder) -> int:
    """Return how many conversations a run would have without -m; 0 where that is not known."""
    arguments = {name: value for name, value in run.options.items() if name != "content"}
    with suppress(ImpactBenchError, ValidationError):
        options = RunOptions.model_validate(arguments)
        benchmark = load_split(options.benchmark, options.split)
        if benchmark.digest() == run.provenance.get("benchmark_digest"):
            return len(selected_scenarios(benchmark, options.selection)) * options.samples
    return 0
