"""The result of one conversation: the one record that every analysis reads."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

from helm_impactbench.benchmark.metric import Contrast, Metric, score_of
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.conversation.draw import Draw
from helm_impactbench.conversation.option import Effect
from helm_impactbench.conversation.plan import MANNER, ConversationCase
from helm_impactbench.conversation.run_options import RunOptions
from helm_impactbench.judging.panel import decide
from helm_impactbench.judging.verdict import NoVote, Verdict, Vote
from helm_impactbench.results.record import Record

Case = tuple[str, str, int, str]
"""Benchmark, variant, sample and hash of the content."""
_CHOICE = re.compile(rf",(?:{'|'.join(RunOptions.with_effect(Effect.CHOICE))})=[^,]*")
"""Options of a run entry of ours that choose cases, and change nothing in any of them."""
_RELEASE = re.compile(r",release=([^,]*)")
_ARM = re.compile(r",(?:arm|system_prompt|target_tokens|temperature)=([^,]*)")
_TARGETS_OWN = re.compile(rf",(?:{'|'.join(RunOptions.with_effect(Effect.TARGET))}|temperature)=[^,]*")
"""Options of a run entry that say which target answers, and change nothing in what is put to it."""


@dataclass(frozen=True)
class JudgeVote:
    """One judge's vote, in short."""

    judge: str
    value: float | None
    """None without an answer."""
    status: str
    """answered, not_applicable, unclear or no_vote."""
    grounded: bool | None
    """Whether its quotes are in the transcript; None where none was needed."""
    confidence: float | None = None
    """How probable it thinks that a second reader answers the same, from 0 to 1; None where it does not say."""
    engaged: bool = True
    """Whether it says that the assistant takes up the request."""


@dataclass(frozen=True)
class Withheld:
    """What the panel says where votes whose quotes are not in the transcript do not count."""

    status: str
    """As that of an outcome."""
    value: float | None
    score: float | None
    unscored: str | None
    answer: str | None
    severity: float | None
    engaged: bool = True


@dataclass(frozen=True)
class Outcome:
    """One conversation and its verdict."""

    benchmark: str
    model: str
    """Deployment of the target."""
    setup: str
    """The run's name without its target: equal for runs that differ in nothing but the model."""
    metric_id: str
    metric_name: str
    metric_type: str
    """positive, negative or contrast."""
    base_id: str
    """Id of the base scenario: the cluster that its variants and samples form."""
    variant_id: str
    sample: int
    """From 0."""
    content: str
    """Hash of behaviour and scenario: a variant that was rewritten under its old id is another case."""
    axes: tuple[tuple[str, str], ...]
    """(axis, level) pairs."""
    axes_label: str | None
    """The same as one text: HELM's sub-split."""
    exchanges: int
    """Turns that have both sides."""
    conversation_status: str
    """How the conversation ended."""
    status: str
    """scored, not_applicable, unclear or unscored."""
    value: float | None
    """The panel's answer as a number; None unless scored."""
    score: float | None
    """How good it is, from 0 to 1; None unless scored, and for a contrast."""
    unscored: str | None
    """The reason; None unless unscored."""
    votes: tuple[JudgeVote, ...]
    answer: str | None = None
    """The panel's answer in words; None unless scored."""
    severity: float | None = None
    """From 0 to 1, where it was asked and the behaviour is present."""
    measure: str = "presence"
    """Kind of the measure."""
    scale: str = "nominal"
    """Whether values are only alike or not (nominal), or differ by a distance (interval)."""
    bounds: tuple[float, float] | None = (0.0, 1.0)
    """The least and the greatest value there can be; None where there is no limit."""
    contrast: Contrast | None = None
    """What a contrast metric compares; None for other types."""
    factors: tuple[tuple[str, str], ...] = ()
    """(factor, level) pairs of what varies between base scenarios, and how persistent the simulated user is."""
    checks: tuple[tuple[str, bool | None], ...] = ()
    """(check, whether its answer is yes) pairs; None where the judges' answers are undecided."""
    withheld: Withheld | None = None
    """What ungrounded votes leave, if they are withheld; None where no vote is ungrounded."""
    area: str = "impact"
    """What the benchmark is about: impact, safety or capability. Figures of different areas are never averaged."""
    user: str = ""
    """Deployment of the simulated user; empty where nobody is simulated."""
    draw: Draw | None = None
    """How its base scenario was drawn in a run that may stop early; None in one that takes all."""
    cascade: float | None = None
    """In a cascade of judges: how sure a judge had to be for the next one not to be asked."""
    marked: bool = False
    """Whether a message of the simulated user has a fault and was sent nevertheless."""
    refused: bool = False
    """Whether the model behind the simulated user would not play the person, once or for good."""
    calls: tuple[str, ...] = ()
    """Which calls gave the target's answers (`Turn.call`), as far as that is known."""
    seconds: tuple[float, ...] = ()
    """That each of `calls` took (`Turn.seconds`), in the same order; 0 where it is not known."""
    engaged: bool = True
    """Whether the assistant takes up the request at all, by most judges; where not, the score is 0."""
    validation: JudgeVote | None = None
    """Of a judge that was also asked because the scenario is held out; it has no part in status, value or score."""

    @property
    def metric(self) -> str:
        """The metric's name across benchmarks: slug/id."""
        return f"{self.benchmark}/{self.metric_id}"

    @property
    def conversation(self) -> str:
        """Its id within its run, which is HELM's instance id."""
        return self.variant_id if self.sample == 0 else f"{self.variant_id}_r{self.sample + 1:02d}"

    @property
    def cluster(self) -> tuple[str, str]:
        """The base scenario across benchmarks."""
        return self.benchmark, self.base_id

    @property
    def run(self) -> tuple[str, str, str]:
        """The run that it belongs to: benchmark, target, set-up."""
        return self.benchmark, self.model, self.setup

    @property
    def release(self) -> str:
        """Which release of the target answered; empty where none was named."""
        return release_in(self.setup)

    @property
    def whole_setup(self) -> str:
        """The set-up without what only chooses cases, and without the target's release and arm: equal for a case of a
        part and of the whole, for two releases, and for two system prompts."""
        return whole_setup(self.setup)

    @property
    def case(self) -> Case:
        """What was put to the model; equal for all models, judges and simulated users that met the same case."""
        return self.benchmark, self.variant_id, self.sample, self.content

    @property
    def is_level(self) -> bool:
        """Whether a single conversation is good or bad: a positive or negative metric, not a contrast."""
        return self.metric_type != "contrast"

    @property
    def is_scored(self) -> bool:
        """Whether there is a value."""
        return self.status == "scored"

    @property
    def is_binary(self) -> bool:
        """Whether there are two values that are only alike or not: 1 for present, 0 for absent."""
        return self.scale == "nominal" and self.bounds == (0.0, 1.0)

    @property
    def is_missing(self) -> bool:
        """Whether a value could be there and is not: unclear or unscored. What is not applicable is not missing."""
        return self.status in ("unclear", "unscored")

    @property
    def why_missing(self) -> str | None:
        """The status without a value, by its reason where there is one; None when scored."""
        return None if self.is_scored else self.unscored or self.status

    @property
    def passed(self) -> bool | None:
        """Whether it passes; None without a score, or with one between fail (0) and pass (1)."""
        return {0.0: False, 1.0: True}.get(self.score) if self.score is not None else None


@cache
def whole_setup(setup: str) -> str:
    """Return a set-up without the target's release and arm and, in ImpactBench's own suite, without what only chooses
    cases."""
    setup = _TARGETS_OWN.sub("", setup)
    return _CHOICE.sub("", setup) if setup.startswith("impactbench:") else setup


def release_in(setup: str) -> str:
    """Return the release of the target that a set-up names; empty without one."""
    found = _RELEASE.search(setup)
    return found.group(1) if found else ""


def arm_in(setup: str) -> tuple[str, ...]:
    """Return what sets a set-up's target apart: the arm's name, its system prompt, its limit of tokens, and its
    temperature."""
    return tuple(_ARM.findall(setup))


def choice(setup: str) -> str:
    """Return what of a set-up only chooses cases, `part=0.25,samples=2`; empty where all are taken once."""
    return "".join(_CHOICE.findall(setup))[1:] if setup.startswith("impactbench:") else ""


PERSISTENCE = "persistence"
"""The factor of how long the simulated user holds on."""
UNGROUNDED = "judge_ungrounded"
"""Why a conversation has no verdict where ungrounded votes are withheld."""


def _withheld(metric: Metric, verdict: Verdict) -> Withheld | None:
    """Return the panel's verdict without its ungrounded votes, each of which counts like one that cannot be read."""
    if all(vote.grounded is not False for vote in verdict.votes):
        return None
    silent = (
        Vote(judge=vote.judge, status="no_vote", no_vote=NoVote.UNPARSABLE) if vote.grounded is False else vote
        for vote in verdict.votes
    )
    left = decide(metric, tuple(silent), cascade=verdict.cascade)
    unscored = UNGROUNDED if left.status == "unscored" else None
    return Withheld(left.status, left.value, left.score, unscored, left.answer, left.severity, left.engaged)


def without_ungrounded(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return outcomes in which votes do not count whose quotes are not in the transcript."""
    heard = (
        replace(outcome, validation=_heard(outcome.validation)) if outcome.validation else outcome
        for outcome in outcomes
    )
    return [
        outcome
        if outcome.withheld is None
        else replace(
            outcome,
            **vars(outcome.withheld),
            withheld=None,
            votes=tuple(map(_heard, outcome.votes)),
        )
        for outcome in heard
    ]


def _heard(vote: JudgeVote) -> JudgeVote:
    """Return a vote, as none where its quotes are not in the transcript."""
    return replace(vote, value=None, status="no_vote") if vote.grounded is False else vote


def by_words_alone(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return outcomes in which it does not matter whether the assistant engaged: silence shows what silence shows."""
    return [
        outcome
        if outcome.engaged or outcome.value is None
        else replace(outcome, score=score_of(outcome.value, outcome.metric_type, outcome.bounds), engaged=True)
        for outcome in outcomes
    ]


def _factors(case: ConversationCase) -> tuple[tuple[str, str], ...]:
    persistence = {PERSISTENCE: case.plan.persistence} if case.plan.persistence else {}
    return tuple(sorted({**persistence, **case.scenario.factors}.items()))


MARKED = "user_marked"
"""Why a conversation has no verdict where marked ones are withheld."""


def without_marked(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return outcomes in which no conversation with a faulty simulated user has a verdict."""
    return [
        outcome
        if not outcome.marked
        else replace(
            outcome,
            status="unscored",
            value=None,
            score=None,
            unscored=outcome.unscored or MARKED,
            answer=None,
            severity=None,
            withheld=None,
            marked=False,
            engaged=True,
            votes=tuple(replace(vote, value=None, status="no_vote") for vote in outcome.votes),
            validation=outcome.validation and replace(outcome.validation, value=None, status="no_vote"),
            checks=tuple((name, None) for name, _ in outcome.checks),
        )
        for outcome in outcomes
    ]


def outcome_of(record: Record, *, model: str, setup: str) -> Outcome:
    """Return the outcome of a conversation of `model` in a run whose name without its model is `setup`."""
    case, verdict = record.case, record.verdict
    metric, scenario = case.metric, case.scenario
    return Outcome(
        benchmark=case.benchmark,
        model=model,
        setup=setup,
        metric_id=metric.id,
        metric_name=metric.name,
        metric_type=metric.type,
        base_id=scenario.base_id,
        variant_id=scenario.id,
        sample=case.sample,
        content=content_digest(case.plan.model_dump(mode="json", exclude=MANNER))[:16],
        axes=tuple(sorted(scenario.axes.items())),
        axes_label=scenario.axes_label,
        exchanges=len(record.conversation.exchanges),
        conversation_status=record.conversation.status.value,
        status=verdict.status,
        value=verdict.value,
        score=verdict.score,
        unscored=verdict.unscored.value if verdict.unscored else None,
        votes=tuple(map(_in_short, verdict.votes)),
        answer=verdict.answer,
        severity=verdict.severity,
        measure=metric.measure.kind,
        scale=metric.measure.scale,
        bounds=metric.measure.bounds,
        contrast=metric.contrast,
        factors=_factors(case),
        checks=tuple((name, check.answer) for name, check in sorted(verdict.checks.items())),
        withheld=_withheld(metric, verdict),
        area=case.area,
        user=case.plan.user,
        draw=case.draw,
        cascade=verdict.cascade,
        marked=record.conversation.marked,
        refused=record.conversation.refused,
        calls=tuple(turn.call for turn in record.conversation.turns if turn.call),
        seconds=tuple(turn.seconds for turn in record.conversation.turns if turn.call),
        engaged=verdict.engaged,
        validation=_in_short(verdict.validation) if verdict.validation else None,
    )


def _in_short(vote: Vote) -> JudgeVote:
    return JudgeVote(vote.judge, vote.value, vote.status, vote.grounded, vote.confidence, vote.engaged)
