"""Ask a judge or panel about transcripts as they are, once more, and edited."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from helm_impactbench._version import __version__
from helm_impactbench.analysis.costs.forecast import MESSAGE_OVERHEAD, Assumptions, Expense, tokens
from helm_impactbench.benchmark.golden import GoldenSet
from helm_impactbench.benchmark.measures.base import Reading
from helm_impactbench.judging.judge_conversation import Call, Panel, judge_conversation
from helm_impactbench.judging.verdict import UNSCORED_REASONS, Verdict, VerdictStatus
from helm_impactbench.llm.request import Message
from helm_impactbench.llm.usage import Usage
from helm_impactbench.results.judge_stress import PLAIN, REPEAT, Said, StressCheck, StressedItem
from helm_impactbench.validity.golden.run import golden_cases
from helm_impactbench.validity.stress.edits import LeftOut, Put, repeated
from helm_impactbench.validity.stress.kinds import Kind
from helm_impactbench.validity.stress.rewriting import may_be_rewritten, rewriting_messages, rewritten
from helm_impactbench.validity.threads import in_threads


@dataclass(frozen=True)
class Subject:
    """One transcript that is put under stress."""

    item: str
    """What people find it by."""
    put: Put
    known: Reading | None
    """The known verdict; None where nobody can tell."""


@dataclass(frozen=True)
class Versions:
    """All that will be asked about one transcript."""

    subject: Subject
    puts: Mapping[str, Put]
    """PLAIN, REPEAT and names of edits -> question."""
    left_out: Mapping[str, str]
    """Name of an edit -> why it is not made."""


def golden_subjects(sets: Sequence[GoldenSet]) -> list[Subject]:
    """Return all items of golden sets."""
    return [
        Subject(str(one.number), Put(one.case, one.conversation, against=one.wanted), one.wanted)
        for one in golden_cases(sets)
    ]


def versions(subjects: Iterable[Subject], kinds: Sequence[Kind]) -> list[Versions]:
    """Return what will be asked about each transcript, apart from what a model has to write first."""
    return [_versions(subject, kinds) for subject in subjects]


def _versions(subject: Subject, kinds: Sequence[Kind]) -> Versions:
    edited = {kind.name: kind.edit(subject.put) for kind in kinds if kind.edit is not None}
    again = repeated(subject.put)
    assert isinstance(again, Put)
    return Versions(
        subject,
        {PLAIN: subject.put, REPEAT: again, **{name: put for name, put in edited.items() if isinstance(put, Put)}},
        {name: left.reason for name, left in edited.items() if isinstance(left, LeftOut)},
    )


def expected(planned: Iterable[Versions], kinds: Sequence[Kind], assumed: Assumptions) -> tuple[Expense, Expense]:
    """Return what one judge and the rewriter take for all of it if every answer can be read.

    The length of judges' answers is assumed; a rewritten transcript is taken to be as long as it was.
    """
    judge, rewriter = Expense(), Expense()
    written = [kind.name for kind in kinds if kind.edit is None]
    for one in planned:
        plain = one.subject.put
        may = may_be_rewritten(plain) is None
        for put in [*one.puts.values(), *(plain for _ in written if may)]:
            judge.add(1, _prompt_tokens(put.asked().messages), assumed.judge_answer)
        for name in written if may else ():
            said = sum(tokens(turn.user) + tokens(turn.assistant or "") for turn in plain.conversation.exchanges)
            rewriter.add(1, _prompt_tokens(rewriting_messages(plain, name)), said)
    return judge, rewriter


def _prompt_tokens(messages: Iterable[Message]) -> int:
    return sum(tokens(message.content) + MESSAGE_OVERHEAD for message in messages)


def with_rewritten(
    planned: Sequence[Versions],
    kinds: Sequence[Kind],
    rewriter: str,
    call: Call,
    threads: int,
    step: Callable[[], None],
) -> tuple[list[Versions], Usage]:
    """Return the transcripts with what a model wrote of them, and what that took, calling `step` after each.

    Raises FatalCallError when no call can succeed any more.
    """
    written = [kind.name for kind in kinds if kind.edit is None]
    asked = [(place, name) for place in range(len(planned)) for name in written]
    found, used = list(planned), Usage()

    def write(task: tuple[int, str]) -> tuple[Put | LeftOut, Usage]:
        return rewritten(planned[task[0]].subject.put, task[1], call, rewriter)

    for (place, name), (put, usage) in zip(asked, in_threads(write, asked, threads), strict=True):
        there, used = found[place], used + usage
        found[place] = (
            replace(there, puts={**there.puts, name: put})
            if isinstance(put, Put)
            else replace(there, left_out={**there.left_out, name: put.reason})
        )
        step()
    return found, used


def stress_judge(
    planned: Sequence[Versions],
    kinds: Sequence[Kind],
    judges: tuple[str, ...],
    source: tuple[str, str],
    call: Call,
    threads: int,
    step: Callable[[], None],
) -> StressCheck:
    """Return what a judge or panel says of all versions, calling `step` after each.

    source: what the transcripts are called, and their digest.
    Raises FatalCallError when no call can succeed any more; what was answered is in the cache.
    """
    panel = Panel(judges)
    asked = [put for one in planned for put in one.puts.values()]
    verdicts = list[Verdict]()
    for verdict in in_threads(
        lambda put: judge_conversation(put.case, put.conversation, panel, call, put.question), asked, threads
    ):
        verdicts.append(verdict)
        step()
    left = iter(verdicts)
    return StressCheck(
        judges=judges,
        kinds=tuple(kind.name for kind in kinds),
        source=source[0],
        source_digest=source[1],
        helm_impactbench=__version__,
        items=tuple(_item(one, {name: _said(next(left)) for name in one.puts}) for one in planned),
        usage=sum((verdict.usage for verdict in verdicts), Usage()),
    )


def _item(one: Versions, said: dict[str, Said]) -> StressedItem:
    case, measure = one.subject.put.case, one.subject.put.case.metric.measure
    bounds = measure.bounds
    wanted = next((put.injected for put in one.puts.values() if put.injected is not None), None)
    return StressedItem(
        benchmark=case.benchmark,
        metric=case.metric.id,
        type=case.metric.type,
        measure=measure.kind,
        item=one.subject.item,
        span=bounds[1] - bounds[0] if bounds else None,
        known=_read(one.subject.known),
        injected=_read(wanted),
        said=said,
        forms={name: put.form for name, put in one.puts.items() if put.form},
        left_out=dict(one.left_out),
    )


def _said(verdict: Verdict) -> Said:
    reason = UNSCORED_REASONS[verdict.unscored] if verdict.unscored else ""
    return Said(status=verdict.status, answer=verdict.answer or reason, value=verdict.value)


def _read(reading: Reading | None) -> Said | None:
    if reading is None:
        return None
    status: VerdictStatus = "scored" if reading.status == "answered" else reading.status
    return Said(status=status, answer=reading.answer or "", value=reading.value)
