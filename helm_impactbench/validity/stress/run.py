"""Stress: a judge or panel reads transcripts as they are, once more, and edited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from helm_impactbench._version import __version__
from helm_impactbench.analysis.costs.forecast import Expense
from helm_impactbench.errors import counted
from helm_impactbench.judging.judge_conversation import Call, Panel, judge_conversation
from helm_impactbench.judging.verdict import Verdict
from helm_impactbench.llm.tokenizer import tokens
from helm_impactbench.llm.usage import NO_USAGE, Usage, total
from helm_impactbench.tables import Result
from helm_impactbench.validity.commands.stress import stress
from helm_impactbench.validity.instrument import (
    Plan,
    judge_prompts_digest,
    judges_plan,
    judging_expense,
    prompt_tokens,
)
from helm_impactbench.validity.records.answers import StressedItem, judged, parsed_answer
from helm_impactbench.validity.records.judges import StressRecord
from helm_impactbench.validity.stress.edits import LeftOut, Put
from helm_impactbench.validity.stress.kinds import StressKind
from helm_impactbench.validity.stress.rewriting import may_be_rewritten, rewriting_messages, rewritten
from helm_impactbench.validity.stress.versions import Material, Versions


def stress_plan(
    planned: Sequence[Versions], kinds: Sequence[StressKind], judges: Sequence[str], rewriter: str | None
) -> Plan:
    """Return what the judges and the rewriter are going to be asked.

    A rewritten transcript is taken to be as long as it was.
    """
    written = [kind.name for kind in kinds if kind.edit is None]
    may = [one.subject.put for one in planned if may_be_rewritten(one.subject.put) is None]
    puts = [*(put for one in planned for put in one.puts.values()), *(put for put in may for _ in written)]
    asked = Counter(name for one in planned for name in one.puts) + Counter(dict.fromkeys(written, len(may)))
    shown = ", ".join(f"{name} {count}" for name, count in asked.items())
    each = judging_expense(put.asked().messages for put in puts)
    plan = judges_plan(f"{counted(len(planned), 'transcript')} ({shown})", judges, each)
    if rewriter is None or not written:
        return plan
    writing = Expense()
    for put in may:
        length = sum(tokens(turn.user) + tokens(turn.assistant or "") for turn in put.conversation.exchanges)
        for name in written:
            writing.add(1, prompt_tokens(rewriting_messages(put, name)), length)
    return replace(plan, expenses={**plan.expenses, ("rewriter", rewriter): writing})


@dataclass(frozen=True)
class Rewriting:
    """Has a model write the edits that need one."""

    planned: Sequence[Versions]
    kinds: Sequence[StressKind]
    rewriter: str
    """Deployment."""
    noun: str = "rewriting"

    @property
    def items(self) -> list[tuple[int, str]]:
        """Place of a transcript and name of an edit."""
        written = [kind.name for kind in self.kinds if kind.edit is None]
        return [(place, name) for place in range(len(self.planned)) for name in written]

    def ask(self, item: tuple[int, str], call: Call) -> tuple[Put | LeftOut, Usage]:
        """Return what the model wrote, or why there is nothing, and what that took. Raises FatalCallError."""
        place, name = item
        return rewritten(self.planned[place].subject.put, name, call, self.rewriter)

    def record(self, answers: Sequence[tuple[Put | LeftOut, Usage]]) -> tuple[list[Versions], Usage]:
        """Return the transcripts with what was written of them, and what it took."""
        versions = list(self.planned)
        for (place, name), (edit, _) in zip(self.items, answers, strict=True):
            versions[place] = versions[place].with_edit(name, edit)
        return versions, total(usage for _, usage in answers)


@dataclass(frozen=True)
class Stress:
    """An instrument: whether verdicts move with edits that must not move them."""

    planned: Sequence[Versions]
    kinds: Sequence[StressKind]
    judges: tuple[str, ...]
    """Deployments."""
    material: Material
    rewriter: str | None = None
    rewriting: Usage = NO_USAGE
    noun: str = "question"

    @property
    def items(self) -> list[Put]:
        """All versions of all transcripts."""
        return [put for one in self.planned for put in one.puts.values()]

    def ask(self, item: Put, call: Call) -> Verdict:
        """Return what the judges say of one version. Raises FatalCallError."""
        return judge_conversation(item.case, item.conversation, Panel(self.judges), call, item.question)

    def record(self, answers: Sequence[Verdict]) -> StressRecord:
        """Return what is kept."""
        verdicts = iter(answers)
        return StressRecord(
            judges=self.judges,
            prompts_digest=judge_prompts_digest(one.subject.put.case.metric for one in self.planned),
            helm_impactbench=__version__,
            kinds=tuple(kind.name for kind in self.kinds),
            rewriter=self.rewriter,
            source=self.material.source,
            source_digest=self.material.digest,
            items=tuple(_item(one, {name: next(verdicts) for name in one.puts}) for one in self.planned),
            rewriting=self.rewriting,
        )

    def figures(self, record: StressRecord) -> Result:
        """Return whether verdicts move."""
        return stress(record, self.planned)


def _item(one: Versions, verdicts: Mapping[str, Verdict]) -> StressedItem:
    case, measure = one.subject.put.case, one.subject.put.case.metric.measure
    bounds = measure.bounds
    wanted = next((put.injected for put in one.puts.values() if put.injected is not None), None)
    return StressedItem(
        benchmark=case.benchmark,
        metric=case.metric.id,
        type=case.metric.type,
        measure=measure.kind,
        item=one.subject.item,
        known=one.subject.verdict,
        span=bounds[1] - bounds[0] if bounds else None,
        injected=parsed_answer(wanted),
        forms={name: put.form for name, put in one.puts.items() if put.form},
        left_out=dict(one.left_out),
        **judged({name: [verdict] for name, verdict in verdicts.items()}, one.subject.known),
    )
