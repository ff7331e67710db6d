"""A run that draws base scenarios in random order and stops when it has seen enough.

Whole base scenarios are drawn, with all variants and samples. Whether to stop is decided in the order of the draws,
never in the order of completion: quick conversations would have more say than slow ones. So the same answers stop a
run at the same place whatever the number of threads, and after an interruption too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import wait
from dataclasses import replace

from helm.benchmark.adaptation.request_state import RequestState

from helm_impactbench.analysis.sequential import goal_interval, goal_of
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.conversation.draw import Draw
from helm_impactbench.helm.runner.workers import Result
from helm_impactbench.helm.state import case_of, record_in
from helm_impactbench.results.outcome import Outcome, outcome_of
from helm_impactbench.results.record import case_data
from helm_impactbench.stats.sequential import Goal

_ORDER = "order of draws"
"""Makes the order another one than those that other samples are taken in."""
_AHEAD = 10
"""One base scenario in so many may be under way beyond the last one that was looked at: at most these are in vain."""
_LOOKS = 50
"""After so many draws the goal is looked at once for every fiftieth more, not after each: it takes time to compute."""


def in_random_order(states: Sequence[RequestState], goal: Goal) -> list[list[RequestState]]:
    """Return the states of each base scenario, in an order that is random and the same for all targets.

    Each state says where it was drawn. What is drawn first are the first base scenarios by a hash of their ids.
    """
    bases: dict[str, list[RequestState]] = {}
    for state in states:
        bases.setdefault(case_of(state).scenario.base_id, []).append(state)
    slug = case_of(states[0]).benchmark if states else ""
    order = sorted(bases, key=lambda base: content_digest([_ORDER, slug, base]))
    most = max(map(len, bases.values()), default=0)
    return [
        [
            _with_draw(
                state,
                Draw(
                    place=place,
                    of=len(order),
                    size=len(bases[base]),
                    most=most,
                    conversations=len(states),
                    width=goal.width,
                    bar=goal.bar,
                    other_scenarios=goal.other_scenarios,
                ),
            )
            for state in bases[base]
        ]
        for place, base in enumerate(order, start=1)
    ]


def _with_draw(state: RequestState, draw: Draw) -> RequestState:
    case = case_of(state).model_copy(update={"draw": draw})
    return replace(state, instance=replace(state.instance, extra_data=case_data(case)))


def held_until(
    clusters: Sequence[Sequence[RequestState]],
    submit: Callable[[Sequence[RequestState]], list[Result]],
    outcome: Callable[[Result], RequestState],
    conversations_at_once: int,
) -> list[RequestState]:
    """Return the finished states of the base scenarios that were drawn until the goal was reached, in their order.

    `submit` begins some; `outcome` waits for one and raises what ended it. Conversations beyond the stop come home, so
    that their answers are kept, but are no part of the run.
    """
    if not clusters:
        return []
    ahead = min(max(1, len(clusters) // _AHEAD), 1 + conversations_at_once // max(1, len(clusters[0])))
    begun: list[list[Result]] = []
    done: list[RequestState] = []
    outcomes: list[Outcome] = []
    try:
        for place in range(len(clusters)):
            begun += [submit(cluster) for cluster in clusters[len(begun) : place + ahead]]
            found = [outcome(result) for result in begun[place]]
            done += found
            outcomes += [outcome_of(record_in(state), model="", setup="") for state in found]
            if _is_enough(outcomes):
                break
    except BaseException:
        _cancel(begun)
        raise
    wait(_cancel(begun[place + 1 :]))
    return done


def _is_enough(outcomes: Sequence[Outcome]) -> bool:
    draw = outcomes[-1].draw
    if draw is None or draw.place % (draw.place // _LOOKS or 1):
        return False
    return goal_of(draw).is_reached(goal_interval(outcomes, draw))


def _cancel(begun: Sequence[Sequence[Result]]) -> list[Result]:
    """Cancel what has not begun; return what has."""
    return [result for results in begun for result in results if not result.cancel()]
