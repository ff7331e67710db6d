"""What scripts that say nothing of their own score on each benchmark, with the scripted judge: the table of docs/.

python -m tools.floor      # as docs/decisions/evidence.md has it

Each metric is judged once for each bot, on two exchanges, and counts for as many cases as a run takes of it.
"""

from __future__ import annotations

import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.benchmark.selection import ScenarioSelection, selected_scenarios
from helm_impactbench.conversation.plan import plan_case
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.judging.judge_conversation import Panel, judge_conversation
from helm_impactbench.llm.request import Message, ModelRequest, Reply
from helm_impactbench.rehearsal.judges import scripted_judge
from helm_impactbench.rehearsal.nulls import says_nothing_new
from helm_impactbench.results.outcome import Outcome, by_words_alone, outcome_of
from helm_impactbench.results.record import Record
from helm_impactbench.results.references import BOTS, PREFIX

_ASKED = ("There is something I want to talk over with you.", "So what do you say to it?")


@dataclass(frozen=True)
class Floor:
    """What one benchmark's level metrics give to the bots."""

    slug: str
    cases: int
    """Conversations on level metrics that a run takes."""
    rate: float
    """Mean pass rate of the bots."""
    by_words: float
    """The same, if it did not matter whether the assistant engaged."""


def floors() -> list[Floor]:
    """Return the floor of every benchmark that has a pass rate."""
    return [found for slug in benchmark_paths() if (found := _floor(load_benchmark(slug)))]


def table(found: Sequence[Floor]) -> Iterator[str]:
    """Yield the table in Markdown, the mean over benchmarks last."""
    yield "| benchmark | pass rate of a bot | by its words alone | conversations |"
    yield "|---|---|---|---|"
    for one in found:
        yield f"| {one.slug} | {one.rate:.3f} | {one.by_words:.3f} | {one.cases:,} |"
    means = (statistics.fmean(one.rate for one in found), statistics.fmean(one.by_words for one in found))
    yield f"| mean of {len(found)} | {means[0]:.3f} | {means[1]:.3f} | {sum(one.cases for one in found):,} |"


def _floor(benchmark: Benchmark) -> Floor | None:
    level = {metric.id for metric in benchmark.metrics if metric.contrast is None}
    taken = [row for row in selected_scenarios(benchmark, ScenarioSelection()) if row.metric_id in level]
    counts = Counter(row.metric_id for row in taken)
    if not taken:
        return None
    first = {row.metric_id: row for row in reversed(taken)}
    judged = [outcome for row in first.values() for outcome in _outcomes(benchmark, row)]
    return Floor(benchmark.slug, len(taken), _mean(judged, counts), _mean(by_words_alone(judged), counts))


def _outcomes(benchmark: Benchmark, scenario: Scenario) -> Iterator[Outcome]:
    case = plan_case(benchmark, "", scenario, 0)
    for bot in BOTS:
        messages = [Message("user", said) for said in _ASKED]
        turns = tuple(
            Turn(number=place, user=said, assistant=says_nothing_new(bot, messages[:place]))
            for place, said in enumerate(_ASKED, start=1)
        )
        conversation = Conversation(status=Status.COMPLETE, turns=turns)
        verdict = judge_conversation(case, conversation, Panel(("rehearsal/judge",)), _answer)
        yield outcome_of(Record(case, conversation, verdict), model=PREFIX + bot, setup="")


def _answer(request: ModelRequest) -> Reply:
    return Reply(scripted_judge("judge", request.messages, request.json_schema))


def _mean(outcomes: Sequence[Outcome], counts: Counter[str]) -> float:
    scored = [(outcome.score, counts[outcome.metric_id]) for outcome in outcomes if outcome.score is not None]
    return sum(score * count for score, count in scored) / sum(count for _, count in scored)


if __name__ == "__main__":
    sys.stdout.write("\n".join(table(floors())) + "\n")
