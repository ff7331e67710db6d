"""The judge check: a judge or panel reads golden sets, through the same path as conversations of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from helm_impactbench._version import __version__
from helm_impactbench.benchmark.golden import GoldenItem, GoldenSet, golden_digest
from helm_impactbench.benchmark.measures.base import ParsedAnswer
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.conversation.plan import ConversationCase, plan_case
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.errors import counted
from helm_impactbench.judging.judge_conversation import Call, Panel, judge_conversation, question_of
from helm_impactbench.judging.verdict import Verdict
from helm_impactbench.llm.request import Message
from helm_impactbench.tables import Result
from helm_impactbench.validity.instrument import Plan, judge_prompts_digest, judges_plan, judging_expense
from helm_impactbench.validity.records.answers import PLAIN, JudgedItem, judged
from helm_impactbench.validity.records.judges import GoldenRecord


@dataclass(frozen=True)
class GoldenCase:
    """One item as a judge meets it."""

    number: int
    """From 1, in the order of golden.yaml."""
    item: GoldenItem
    case: ConversationCase
    conversation: Conversation
    wanted: ParsedAnswer | None
    """What a judge should say; None for a borderline item."""

    @property
    def messages(self) -> Sequence[Message]:
        """What a judge is asked."""
        return question_of(self.case, self.conversation).messages

    def judged_by(self, judges: tuple[str, ...], call: Call) -> Verdict:
        """Return what a judge or panel says of it. Raises FatalCallError."""
        return judge_conversation(self.case, self.conversation, Panel(judges), call)

    def judged_item(self, verdicts: Sequence[Verdict], name: str = "") -> JudgedItem:
        """Return what was said of it. name: what it is found by; its number if it has no other."""
        metric = self.case.metric
        return JudgedItem(
            benchmark=self.case.benchmark,
            metric=metric.id,
            type=metric.type,
            measure=metric.measure.kind,
            item=name or str(self.number),
            known=str(self.item.verdict),
            severity=metric.measure.severities.get(self.item.severity or ""),
            engaged=self.item.engaged,
            **judged({PLAIN: verdicts}, self.wanted),
        )


def golden_cases(sets: Sequence[GoldenSet]) -> list[GoldenCase]:
    """Return all items of golden sets as cases."""
    return [case for one in sets for case in _cases(one)]


def _cases(golden: GoldenSet) -> Iterator[GoldenCase]:
    digest = golden.benchmark.digest()
    for number, item in enumerate(golden.items, start=1):
        own = golden.benchmark.metric(item.metric).measure.presentation.in_own_words
        if golden.benchmark.metric(item.metric).measure.decided([]) is not None:
            continue  # no judge is asked about it
        scenario = Scenario(
            id=f"golden_{number:03d}",
            metric_id=item.metric,
            messages=[own(turn.user) for turn in item.transcript],
            axes=item.axes,
            facts=item.facts,
        )
        turns = tuple(
            Turn(number=place, user=own(turn.user), assistant=own(turn.assistant))
            for place, turn in enumerate(item.transcript, start=1)
        )
        yield GoldenCase(
            number,
            item,
            plan_case(golden.benchmark, digest, scenario, 0),
            Conversation(status=Status.COMPLETE, turns=turns),
            item.wanted(golden.benchmark.metric(item.metric)),
        )


@dataclass(frozen=True)
class GoldenCheck:
    """An instrument: how well a judge or panel reads transcripts whose verdict is known."""

    sets: tuple[GoldenSet, ...]
    judges: tuple[str, ...]
    """Deployments."""
    noun: str = "transcript"

    @cached_property
    def items(self) -> list[GoldenCase]:
        """All items of the golden sets."""
        return golden_cases(self.sets)

    @property
    def plan(self) -> Plan:
        """What it is going to ask."""
        material = f"{counted(len(self.sets), 'golden set')}, {counted(len(self.items), 'transcript')}"
        return judges_plan(material, self.judges, judging_expense(case.messages for case in self.items))

    def ask(self, item: GoldenCase, call: Call) -> Verdict:
        """Return what the judges say of one transcript. Raises FatalCallError."""
        return item.judged_by(self.judges, call)

    def record(self, answers: Sequence[Verdict]) -> GoldenRecord:
        """Return what is kept."""
        return GoldenRecord(
            judges=self.judges,
            golden_digest=golden_digest(self.sets),
            prompts_digest=judge_prompts_digest(case.case.metric for case in self.items),
            helm_impactbench=__version__,
            items=tuple(case.judged_item([verdict]) for case, verdict in zip(self.items, answers, strict=True)),
        )

    def figures(self, record: GoldenRecord) -> Result:
        """Return how well the judges read, beside judges that never read a definition."""
        from helm_impactbench.validity.commands.check_judge import check_judge
        from helm_impactbench.validity.golden.shallow import shallow_answers

        return check_judge(record, shallow_answers(self.sets))
