"""Hand-written dialogues: they fit the shipped content, and the scripted models speak them word for word."""

from __future__ import annotations

import json
from typing import Any

from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.benchmark.measures.scale import Scale
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.conversation.age import is_minor_level
from helm_impactbench.judging.question import answer_schema
from helm_impactbench.llm.request import Message
from helm_impactbench.rehearsal import dialogues
from helm_impactbench.rehearsal.dialogues import Dialogue
from helm_impactbench.rehearsal.scripts import script
from tests.support.looped import looped

ADULTS = ("mental-health-safety",)
"""Benchmarks that hold adults alone."""
ALL = [(slug, one) for slug, own in dialogues.dialogues().items() for one in own]


def test_every_benchmark_with_a_simulated_user_has_some() -> None:
    """Thirty scenarios or more, each for a child or teenager and for an adult."""
    fixed = {"financial-fairness", "moral-sycophancy", "name-bias", "user-bias"}
    simulated = {slug for slug in benchmark_paths() if slug not in fixed}
    assert dialogues.dialogues().keys() == simulated
    assert len({(slug, one.variant.rsplit("_", 1)[0]) for slug, one in ALL}) >= 30
    for slug, own in dialogues.dialogues().items():
        assert {one.minor for one in own} == ({False} if slug in ADULTS else {True, False}), slug


def extremes(metric: Metric) -> tuple[str, str]:
    """Return the answers that find nothing, and all there is to find."""
    points = [point.id for point in metric.measure.points] if isinstance(metric.measure, Scale) else []
    return (points[0], points[-1]) if points else ("absent", "present")


def question_of(slug: str, variant: str) -> dict[str, Any]:
    """Return the schema of the question that a judge is asked about a variant."""
    benchmark = load_benchmark(slug)
    (metric,) = [one for one in benchmark.metrics if one.id == variant.split("_")[0]]
    own = metric.measure
    return answer_schema(own.kind, own.answer_schema(applies=bool(metric.applies)), tuple(own.severities))


@looped("slug", dialogues.dialogues())
def test_they_fit_the_scenarios(slug: str) -> None:
    """Persona, age and number of turns are the scenario's; good and bad are told apart by the metric as it is meant."""
    benchmark = load_benchmark(slug)
    metrics = {metric.id: metric for metric in benchmark.metrics}
    scenarios = {scenario.id: scenario for scenario in benchmark.scenarios}
    for one in dialogues.dialogues()[slug]:
        scenario = scenarios[one.variant]
        assert one.person == (scenario.user_persona or scenario.persona), one.variant
        assert one.minor == is_minor_level(scenario.axes["age"])
        least, most = extremes(metrics[scenario.metric_id])
        ends = (least, most) if metrics[scenario.metric_id].type == "negative" else (most, least)
        assert (one.good.answer, one.bad.answer) == ends
        for version in one.versions:
            assert len(version.turns) == (scenario.turns or benchmark.scenario.turns), one.variant
            assert bool(version.quotes) == (version.answer == most)
            for quote in version.quotes:
                assert any(quote in assistant for _, assistant in version.turns), quote


def spoken(one: Dialogue, target: str) -> list[tuple[str, str]]:
    """Return what the scripted user and a scripted target say to each other."""
    prompt = Message("system", f"<persona>\n{one.person}\n</persona>\n<goal>\nx\n</goal>")
    heard = [prompt, Message("user", "The chat window is open and empty.")]
    said: list[Message] = []
    turns = []
    for _ in one.good.turns:
        line = script("user", heard, {}).split("\nMessage: ", 1)[1]
        said.append(Message("user", line))
        reply = script(target, said, {})
        said.append(Message("assistant", reply))
        heard += [
            Message("assistant", line),
            Message("user", f"{reply}\n\n<direction-1a2b3c4d>\nx\n</direction-1a2b3c4d>"),
        ]
        turns.append((line, reply))
    return turns


@looped(("slug", "one"), ALL, ids=[f"{slug}-{one.variant}" for slug, one in ALL])
def test_they_are_spoken_and_judged_as_written(slug: str, one: Dialogue) -> None:
    """A supportive target has the good version, a harmful one the bad; one that harms minors follows the age."""
    versions = {"supportive": one.good, "harmful": one.bad, "minors-only": one.bad if one.minor else one.good}
    for target, version in versions.items():
        turns = spoken(one, target)
        assert turns == list(version.turns)
        transcript = "\n".join(
            f'<turn number="{k}" speaker="assistant">\n{reply}\n</turn>' for k, (_, reply) in enumerate(turns, start=1)
        )
        answer = json.loads(script("judge", [Message("user", transcript)], {}, question_of(slug, one.variant)))
        assert answer["answer"] == version.answer
        assert {quote["quote"] for quote in answer["evidence"]} == set(version.quotes)


def test_another_answer_leads_back_to_the_plain_script() -> None:
    """A real target is not answered with words that were written for another reply."""
    _, one = ALL[0]
    heard = [Message("system", f"<persona>\n{one.person}\n</persona>"), Message("user", "The chat window is empty."),
             Message("assistant", one.opening), Message("user", "Look at it differently.")]  # fmt: skip
    assert "[scripted user]" in script("user", heard, {})


def test_a_dialogue_that_broke_off_shows_nothing() -> None:
    """With fewer turns than were written, the verdict rests on what was said."""
    slug, one = next(
        (slug, one) for slug, one in ALL if one.bad.quotes and one.bad.quotes[0] not in one.bad.turns[0][1]
    )
    words = f'<turn number="1" speaker="assistant">\n{one.bad.turns[0][1]}\n</turn>'
    answer = json.loads(script("judge", [Message("user", words)], {}, question_of(slug, one.variant)))
    assert (answer["answer"], answer["evidence"]) == ("absent", [])
