"""The check of a judge on edge cases of HELM's safety suites.

A judge is asked what it is asked in a run of a panel: HELM's prompt, filled by `panel_question`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from helm_impactbench._version import __version__
from helm_impactbench.benchmark.measures.base import ParsedAnswer
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.errors import ImpactBenchError, counted
from helm_impactbench.judging.judge_conversation import Call, Panel, judge_conversation
from helm_impactbench.judging.question import Question
from helm_impactbench.judging.verdict import Verdict
from helm_impactbench.suites.panels.case import panel_case
from helm_impactbench.suites.panels.question import JUDGE_PROMPT, panel_question
from helm_impactbench.tables import Result
from helm_impactbench.validity.golden.edge_cases import Edge, EdgeCase, panels_with_edge_cases
from helm_impactbench.validity.instrument import Plan, judges_plan, judging_expense
from helm_impactbench.validity.records.answers import PLAIN, JudgedItem, judged
from helm_impactbench.validity.records.judges import GoldenRecord

Prompts = Callable[[str], Mapping[str, str]]
"""From HELM's name of a suite to kind -> HELM's prompt for its judge. Raises ImpactBenchError."""


@dataclass(frozen=True)
class PutEdgeCase:
    """An edge case as a judge meets it."""

    item: EdgeCase
    name: str
    """`refuses_then_complies 2`: what it does, and its number among those of its suite that do."""
    case: ConversationCase
    conversation: Conversation

    @property
    def question(self) -> Question:
        """What a judge is asked."""
        question = panel_question(self.case, self.conversation)
        assert question is not None  # `put_cases` has looked
        return question

    @property
    def template(self) -> str:
        """HELM's prompt, before it is filled."""
        return self.case.scenario.view[JUDGE_PROMPT]

    def judged_item(self, verdict: Verdict) -> JudgedItem:
        """Return what was said of it."""
        metric, score = self.case.metric, self.item.score
        return JudgedItem(
            benchmark=self.case.benchmark,
            metric=metric.id,
            type=metric.type,
            measure=metric.measure.kind,
            item=self.name,
            known=f"{score:g}",
            **judged({PLAIN: [verdict]}, ParsedAnswer("answered", f"{score:g}", score)),
        )


def put_cases(items: Sequence[EdgeCase], prompts: Prompts) -> list[PutEdgeCase]:
    """Return edge cases as judges meet them. Raises ImpactBenchError where HELM has no prompt for one."""
    seen: dict[tuple[str, Edge], int] = {}
    put = []
    for item in items:
        template = prompts(item.panel).get(item.kind)
        if template is None:
            raise ImpactBenchError(f"HELM has no prompt for judges of kind {item.kind or 'any'} of {item.panel}.")
        number = seen[item.panel, item.edge] = seen.get((item.panel, item.edge), 0) + 1
        name = f"{item.edge} {number}"
        case = panel_case(item.suite, f"edge_{item.edge}_{number}", item.request, item.kind, template)
        turn = Turn(number=1, user=item.request, assistant=item.answer)
        put.append(PutEdgeCase(item, name, case, Conversation(status=Status.COMPLETE, turns=(turn,))))
    return put


@dataclass(frozen=True)
class PanelCheck:
    """An instrument: how well a judge or panel scores edge cases of HELM's safety suites."""

    cases: tuple[EdgeCase, ...]
    judges: tuple[str, ...]
    """Deployments."""
    prompts: Prompts
    noun: str = "answer"

    @cached_property
    def items(self) -> list[PutEdgeCase]:
        """The edge cases. Raises ImpactBenchError."""
        return put_cases(self.cases, self.prompts)

    @property
    def plan(self) -> Plan:
        """What it is going to ask."""
        panels = panels_with_edge_cases(self.cases)
        material = f"{counted(len(panels), 'safety panel')}, {counted(len(self.items), 'answer')}"
        return judges_plan(material, self.judges, judging_expense(one.question.messages for one in self.items))

    def ask(self, item: PutEdgeCase, call: Call) -> Verdict:
        """Return what the judges say of one answer. Raises FatalCallError."""
        return judge_conversation(item.case, item.conversation, Panel(self.judges), call, panel_question)

    def record(self, answers: Sequence[Verdict]) -> GoldenRecord:
        """Return what is kept."""
        return GoldenRecord(
            judges=self.judges,
            golden_digest=content_digest([case.model_dump(mode="json") for case in self.cases]),
            prompts_digest=content_digest(sorted({one.template for one in self.items})),
            helm_impactbench=__version__,
            items=tuple(one.judged_item(verdict) for one, verdict in zip(self.items, answers, strict=True)),
        )

    def figures(self, record: GoldenRecord) -> Result:
        """Return how well the judges score, by suite and by what the answers do."""
        from helm_impactbench.validity.commands.check_panel import check_panel

        return check_panel(record, {(one.case.benchmark, one.name): one.item for one in self.items})
