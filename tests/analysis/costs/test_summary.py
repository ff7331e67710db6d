"""Which calls of stored conversations were the same call."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from helm_impactbench.analysis.costs.recorded import Purchase
from helm_impactbench.analysis.costs.summary import purchases
from helm_impactbench.benchmark.measures.registry import built
from helm_impactbench.benchmark.metric import Contrast, Metric
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.conversation.plan import ConversationCase, ConversationPlan
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.judging.verdict import Verdict, Vote
from helm_impactbench.llm.usage import Usage
from helm_impactbench.results.record import Record

PARTY = {"label": "the landlord", "words": ["landlord"]}
STANCE = Metric(
    id="rent", name="Rent", type="contrast", definition="It takes a side.", contrast=Contrast(axis="teller"),
    measure=built({"kind": "stance", "parties": {"a": PARTY, "b": {"label": "the tenant", "words": ["tenant"]}}}),
)  # fmt: skip
PRESENCE = Metric(id="m01", name="Does it", type="positive", definition="It does the thing.")
ONCE = Usage(calls=1, cost_usd=1.0)


@dataclass(frozen=True)
class Run:
    """As much of a run's folder as costs look at."""

    model: str = "t"

    @property
    def adapter(self) -> dict[str, Any]:
        """HELM's adapter spec."""
        return {"temperature": 1.0, "max_tokens": 10}


def record(metric: Metric, level: str = "a", user: str = "hello", seen: str = "") -> Record:
    """Return a judged conversation of one exchange; `seen` is what the judge was shown in place of the answer."""
    scenario = Scenario(id=f"x_{level}", metric_id=metric.id, messages=[user], axes={"teller": level}, base="x")
    plan = ConversationPlan(seed=f"mini/x_{level}/0", user="", turns=1, messages=(user,))
    case = ConversationCase(
        benchmark="mini", benchmark_digest="", metric=metric, scenario=scenario, sample=0, plan=plan
    )
    turn = Turn(number=1, user=user, assistant="You are right.")
    held = Conversation(status=Status.COMPLETE, turns=(turn,), opening_usage=Usage(), target_usage=ONCE)
    vote = Vote(judge="j", value=1.0, usage=ONCE)
    return Record(case, held, Verdict(status="scored", value=1.0, votes=(vote,), shown=(seen,) if seen else ()))


def bought(one: Record, model: str = "t") -> dict[str, Purchase]:
    """Return role -> purchase."""
    return {purchase.role: purchase for purchase in purchases(Run(model), one)}  # type: ignore[arg-type]


def test_nobody_is_paid_for_fixed_messages() -> None:
    """A conversation whose messages are given has a target and a judge, and no user."""
    assert set(bought(record(PRESENCE))) == {"target", "judge"}


def test_a_judge_who_does_not_see_who_asked_is_paid_once() -> None:
    """Two tellers whose answers read alike in the third person are one call to the judge, and two to the target."""
    a, b = (bought(record(STANCE, level, user=level, seen="Party 1 is right.")) for level in ("a", "b"))
    assert a["judge"].key == b["judge"].key
    assert a["target"].key != b["target"].key
    other = bought(record(STANCE, "b", seen="Party 2 is right."))
    assert other["judge"].key != a["judge"].key


def test_a_judge_who_sees_the_user_is_paid_for_each() -> None:
    """Where the user's words are shown, other words are another question; the same ones are not, whoever answered."""
    first, second = bought(record(PRESENCE, user="one")), bought(record(PRESENCE, user="two"))
    assert first["judge"].key != second["judge"].key
    elsewhere = bought(record(PRESENCE, user="one"), model="t2")
    assert elsewhere["judge"].key == first["judge"].key
    assert elsewhere["target"].key != first["target"].key


def test_a_first_draft_that_is_typed_in_another_way_is_paid_once() -> None:
    """The simulated user was asked once; the target got two messages."""
    keys = []
    for wording, sent, draft in (("as written", "I am ill.", ""), ("casual", "i'm ill", "I am ill.")):
        one = record(PRESENCE)
        plan = one.case.plan.model_copy(update={"messages": (), "user": "u", "wording": wording})
        turn = Turn(number=1, user=sent, draft=draft, assistant="Rest.")
        held = one.conversation.model_copy(update={"turns": (turn,), "opening_usage": ONCE, "user_usage": ONCE})
        keys.append(bought(replace(one, case=one.case.model_copy(update={"plan": plan}), conversation=held)))
    assert keys[0]["user"].key == keys[1]["user"].key
    assert keys[0]["target"].key != keys[1]["target"].key


def test_a_paraphrase_is_paid_once_for_all_targets() -> None:
    """It is a purchase of its own, and what the user writes later is another one."""
    one = record(PRESENCE)
    plan = one.case.plan.model_copy(update={"messages": (), "user": "u", "wording": "paraphrase"})
    turn = Turn(number=1, user="I feel ill.", draft="I am ill.", assistant="Rest.")
    usages = {"opening_usage": ONCE, "paraphrase_usage": ONCE, "user_usage": ONCE + ONCE}
    held = one.conversation.model_copy(update={"turns": (turn,), **usages})
    whole = replace(one, case=one.case.model_copy(update={"plan": plan}), conversation=held)
    found = []
    for model in ("t1", "t2"):
        every = purchases(Run(model), whole)  # type: ignore[arg-type]
        found.append([each.key for each in every if each.role == "user"])
    assert found[0] == found[1]
    assert len({*found[0]}) == 2


def test_another_question_is_another_call() -> None:
    """The same conversation judged by another definition, or with names exchanged, is asked again."""
    one = record(PRESENCE)
    reworded = replace(
        one, case=one.case.model_copy(update={"metric": PRESENCE.model_copy(update={"definition": "X"})})
    )
    swapped = replace(one, case=one.case.model_copy(update={"swap": True}))
    assert len({bought(each)["judge"].key for each in (one, reworded, swapped)}) == 3
