"""What the scripted models say. Pure and deterministic: the same messages give the same words, without a model.

They work under the same conditions as real models: the user knows only its prompt, a target only the dialogue, the
judge only definition, lines and transcript. One thing is arranged: the user's first message carries a *cue*, a hash of
its persona and goals, by which a target finds its lines in the installed benchmarks. Whether a behaviour helps or
harms, a target reads from the metric's name ("Avoid ..." or not), never from its type, so that an error of polarity in
a benchmark shows in the scores.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from helm_impactbench.benchmark.measures.confidence import Confidence
from helm_impactbench.benchmark.measures.presence import Presence
from helm_impactbench.benchmark.measures.quantity import Quantity
from helm_impactbench.benchmark.measures.scale import Scale
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.benchmark.wording import AVOID
from helm_impactbench.conversation.age import ADULT, is_minor_level, years_in
from helm_impactbench.llm.request import Message
from helm_impactbench.rehearsal import dialogues
from helm_impactbench.rehearsal.author import author
from helm_impactbench.rehearsal.faulty import spoilt
from helm_impactbench.rehearsal.figures import figure_for, stated_by
from helm_impactbench.rehearsal.installed import case_told, cue_of, first_of, installed_cases
from helm_impactbench.rehearsal.judges import JUDGES, scripted_judge
from helm_impactbench.rehearsal.nulls import says_nothing_new
from helm_impactbench.rehearsal.reading import section
from helm_impactbench.rehearsal.sides import SIDE_TAKERS, takes_side
from helm_impactbench.results.references import BOTS

_CUE = re.compile(r"\(rehearsal cue ([0-9a-f]{12})\)")
_AGE_GROUP = re.compile(r"\bage: ([^\n.]+)", re.IGNORECASE)

Lines = Mapping[str, Metric]
"""Cue -> metric."""

PLAYERS = ("user", "faulty-user")
OTHERS = (*PLAYERS, "author", *SIDE_TAKERS, *BOTS, *JUDGES)
"""Scripted models that say no lines of metrics."""

_NEUTRAL = (
    "Thanks for telling me. Could you say a little more about what is going on?",
    "I see. Let me make sure that I follow you before I say more.",
    "All right. What would you like to look at next?",
)


def script(name: str, messages: Sequence[Message], lines: Lines, schema: Mapping[str, Any] | None = None) -> str:
    """Return what the scripted model `name` (without prefix) answers to `messages`; `schema` is of the answer."""
    if name in PLAYERS and (message := section("words", messages[0].content)):
        return f"Well, {message}"  # the same in other words, by a rule that adds no fact
    if name == "user":
        return _user(messages)
    if name == "faulty-user":
        return spoilt(messages, _user)
    if name in JUDGES:
        return scripted_judge(name, messages, schema)
    if name == "author":
        return author(messages)
    if name in SIDE_TAKERS:
        return takes_side(name, messages, installed_cases())
    if name in BOTS:
        return says_nothing_new(name, messages)
    return _target(name, messages, lines)


def metric_cued(messages: Sequence[Message], lines: Lines) -> Metric | None:
    """Return the metric whose cue is in the dialogue, None without one (a real user model gives none)."""
    opening = first_of(messages, "user")
    found = _CUE.search(opening)
    return lines.get(found.group(1) if found else cue_of(opening))


def _user(messages: Sequence[Message]) -> str:
    prompt, last = messages[0].content, messages[-1].content
    direction = section("direction", last)
    turn = sum(message.role == "assistant" for message in messages) + 1
    if written := _written_for(section("persona", prompt), turn, last):
        return f"Thought: I follow my script.\nMessage: {written}"
    spoken = [f"[scripted user] {direction}"] if direction else []
    if turn == 1:
        about = [section("persona", prompt), section("demographic", prompt), f"I want to: {section('goal', prompt)}"]
        told = (section(tag, prompt) for tag in ("persona", "goal", "hidden_goal"))
        cue = f"(rehearsal cue {cue_of(*told)})"
        spoken = ["[scripted user] About me: " + "\n".join(part for part in about if part), *spoken, cue]
    elif not spoken:
        spoken = [f"[scripted user] I am still thinking about the same thing (message {turn})."]
    return "Thought: I follow my script.\nMessage: " + "\n".join(spoken)


def _written_for(person: str, turn: int, last: str) -> str | None:
    """Return the person's message of a hand-written dialogue; None where there is none that answers `last`."""
    found = dialogues.of_person(person)
    if found is None or turn == 1:
        return found.opening if found else None
    return next((line for one in found.versions if (line := one.user_line(turn, last))), None)


def axes_of(messages: Sequence[Message]) -> Mapping[str, str]:
    """Return the levels of the case that a dialogue comes from; none where its messages are not fixed."""
    case, _ = case_told(messages, installed_cases())
    return case.axes if case else {}


def _target(name: str, messages: Sequence[Message], lines: Lines) -> str:
    turn = sum(message.role == "user" for message in messages)
    if (written := dialogues.of_opening(first_of(messages, "user"))) and turn <= len(written.good.turns):
        harms = (name == "minors-only" and written.minor) or _is_harmful(name, written.opening)
        return (written.bad if harms else written.good).turns[turn - 1][1]
    metric = metric_cued(messages, lines)
    if metric is None:
        return f"[scripted {name}] {_NEUTRAL[turn % len(_NEUTRAL)]}"
    if isinstance(metric.measure, Quantity | Scale):
        opening = first_of(messages, "user")
        harms, told = _is_harmful(name, opening), first_of(messages, "system") + opening
        words = figure_for(name, metric, metric.measure, harms=harms, axes=axes_of(messages), told=told)
        return f"[scripted {name}] {words}"
    if isinstance(metric.measure, Confidence):
        opening = first_of(messages, "user")
        told = first_of(messages, "system") + opening
        right, percent = stated_by(told, harms=_is_harmful(name, opening))
        wrong = metric.near_misses or ("It is something else.",)
        return f"[scripted {name}] {(_showing(metric) if right else wrong)[0]} I am {percent}% sure."
    if not metric.examples and not isinstance(metric.measure, Presence):
        return f"[scripted {name}] {_NEUTRAL[turn % len(_NEUTRAL)]}"
    harmful_behaviour = bool(AVOID.match(metric.name))
    shows = harmful_behaviour == _is_harmful(name, first_of(messages, "user"))
    spoken = (_showing(metric) if shows else metric.near_misses) if turn % 2 else ()
    words = spoken[(turn // 2) % len(spoken)] if spoken else _NEUTRAL[turn % len(_NEUTRAL)]
    return f"[scripted {name}] {words}"


def _showing(metric: Metric) -> Sequence[str]:
    return metric.examples or (f"I am doing exactly this now: {metric.definition}",)


def _is_harmful(name: str, opening: str) -> bool:
    if name == "mixed":
        return int(content_digest(opening)[:8], 16) % 2 == 0
    return name == "harmful" or (name == "minors-only" and is_minor(opening))


def is_minor(opening: str) -> bool:
    """Return whether a person with this introduction is under 18: by the stated age group, else by the age."""
    group = _AGE_GROUP.search(opening)
    if group:
        return is_minor_level(group.group(1))
    years = years_in(opening)
    return years is not None and years < ADULT
