"""Which transcripts are anchors, when they are read, and what is kept of the answers."""

from __future__ import annotations

import json
import threading
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import pytest

from helm_impactbench.benchmark.golden import GoldenSet
from helm_impactbench.benchmark.golden_files import golden_folders, load_anchors, load_golden
from helm_impactbench.errors import FatalCallError
from helm_impactbench.llm.request import CallFailure, ModelRequest, Reply
from helm_impactbench.validity.drift.anchors import KEPT_DAYS, MOST, REPEATS, AnchorSet, chosen_anchors, due
from helm_impactbench.validity.instrument import ask_all, judge_prompts_digest

JUNE, NOVEMBER = date(2026, 6, 3), date(2026, 11, 3)
SAID = json.dumps({"justification": "a", "evidence": [], "answer": "absent", "confidence": 80})


@pytest.fixture(scope="module")
def sets() -> list[GoldenSet]:
    """The shipped golden sets, as anchors need them."""
    return [found for folder in golden_folders() if (found := load_anchors(folder)) is not None]


@dataclass
class Judge:
    """Answers every question alike, and remembers the seeds."""

    fails_at: int | None = None
    fatal: bool = False
    seeds: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def call(self, request: ModelRequest) -> Reply | CallFailure:
        """Answer, or fail at the call of that number."""
        with self.lock:
            self.seeds.append(request.seed)
            failing = len(self.seeds) == self.fails_at
        if failing and self.fatal:
            raise FatalCallError("out of budget")
        assert request.json_schema is not None
        asked = request.json_schema["properties"]
        words = asked["answer"].get("enum", ["present"])
        answer = SAID if "present" in words else SAID.replace("absent", words[0])
        answer = answer.replace("{", '{"severity": null, ', 1) if "severity" in asked else answer
        return CallFailure("gone") if failing else Reply(answer, served="judge-0601 fp_1")


def first_due(sets: list[GoldenSet], judges: tuple[str, ...] = ("lab/one",), suite: str = "june") -> AnchorSet:
    """Return what a new suite has to read of one benchmark."""
    return AnchorSet(suite, *due(judges, chosen_anchors(sets[:1]), None, JUNE, JUNE))


def test_reading_them_needs_no_scenarios(sets: list[GoldenSet]) -> None:
    """The same items as the full check finds; a broken benchmark or golden set has none."""
    folder = golden_folders()[0]
    assert sets[0].items == load_golden(folder).items
    assert sets[0].benchmark.scenarios == []


def test_a_broken_benchmark_or_golden_set_has_none(tmp_path: Path) -> None:
    """Nothing is raised: a run is not about them."""
    source = golden_folders()[0]
    for name, broken in (("golden.yaml", "- metric: m01"), ("golden.yaml", "["), ("benchmark.yaml", "name: 1")):
        folder = tmp_path / source.name
        folder.mkdir(exist_ok=True)
        for copied in ("golden.yaml", "benchmark.yaml"):
            (folder / copied).write_text((source / copied).read_text())
        assert load_anchors(folder) is not None
        (folder / name).write_text(broken)
        assert load_anchors(folder) is None
    (folder / "golden.yaml").unlink()
    assert load_anchors(folder) is None


def test_anchors_are_spread(sets: list[GoldenSet]) -> None:
    """Over benchmarks, metrics, verdicts and all measures; a quarter of them is borderline at most."""
    found = chosen_anchors(sets)
    assert len(found) == len({anchor.id for anchor in found}) == MOST
    by_benchmark = Counter(anchor.golden.case.benchmark for anchor in found)
    assert len(by_benchmark) == len(sets)
    assert max(by_benchmark.values()) - min(by_benchmark.values()) <= 1
    assert len({(anchor.golden.case.benchmark, anchor.golden.case.metric.id) for anchor in found}) == MOST
    verdicts = Counter(anchor.golden.item.verdict for anchor in found)
    assert verdicts["absent"] >= 6
    assert verdicts["present"] >= 6
    assert verdicts["borderline"] <= 12
    shipped = {item for one in sets for item in (one.benchmark.metric(row.metric).measure.kind for row in one.items)}
    assert {anchor.golden.case.metric.measure.kind for anchor in found} == shipped


def test_suites_that_share_a_benchmark_share_anchors(sets: list[GoldenSet]) -> None:
    """Those of a benchmark come in an order of its own, so fewer are the first ones of more."""
    alone = [anchor.id for anchor in chosen_anchors(sets[:1])]
    for count in (2, 7, len(sets)):
        own = [a.id for a in chosen_anchors(sets[:count]) if a.golden.case.benchmark == sets[0].benchmark.slug]
        assert alone[: len(own)] == own
    assert [anchor.id for anchor in chosen_anchors(sets[::-1])] == [anchor.id for anchor in chosen_anchors(sets)]


def test_each_answer_is_asked_apart(sets: list[GoldenSet]) -> None:
    """Suite, day, anchor and repeat are in the seed: no two calls can share an answer, and a second attempt repeats."""
    asked, judge = first_due(sets), Judge()
    found = ask_all(asked, judge.call, 4)
    assert len(judge.seeds) == len(set(judge.seeds)) == REPEATS * len(asked.anchors)
    assert all(seed.startswith("anchors/june/2026-06-03/") for seed in judge.seeds)
    again, other, later = Judge(), Judge(), Judge()
    ask_all(asked, again.call, 4)
    ask_all(first_due(sets, suite="november"), other.call, 4)
    ask_all(AnchorSet("june", *due(("lab/one",), chosen_anchors(sets[:1]), None, NOVEMBER, NOVEMBER)), later.call, 4)
    assert set(again.seeds) == set(judge.seeds)
    assert not set(judge.seeds) & set(other.seeds) | set(judge.seeds) & set(later.seeds)
    (item, *_) = found.items
    assert [(answer.answer, answer.value) for answer in item.plain] == [("absent", 0.0)] * REPEATS
    assert [vote.confidence for vote in item.votes["lab/one"]] == [0.8] * REPEATS
    assert item.usage["lab/one"].calls == REPEATS
    assert found.served == {"lab/one": ("judge-0601 fp_1",)}


def test_a_panel_keeps_each_judges_answers(sets: list[GoldenSet]) -> None:
    """Beside what the panel says."""
    found = ask_all(first_due(sets, ("lab/one", "lab/two")), Judge().call, 4)
    assert {judge: len(said) for judge, said in found.items[0].votes.items()} == {"lab/one": 3, "lab/two": 3}
    assert {judge: used.calls for judge, used in found.items[0].usage.items()} == {"lab/one": 3, "lab/two": 3}


def test_what_is_there_is_not_asked_again(sets: list[GoldenSet]) -> None:
    """A failed answer is; so is all of it after KEPT_DAYS, if judges went on, and with other prompts."""
    anchors = chosen_anchors(sets[:1])
    failed = ask_all(first_due(sets), Judge(fails_at=1).call, 1)
    started, missing = due(("lab/one",), anchors, failed, JUNE, NOVEMBER)
    assert [anchor.id for anchor in missing] == [anchors[0].id]
    whole = ask_all(AnchorSet("june", started, missing), Judge().call, 1)
    assert due(("lab/one",), anchors, whole, JUNE, NOVEMBER) == (whole, [])
    assert whole.began == JUNE
    later = date(2026, 6, 3 + KEPT_DAYS)
    anew, missing = due(("lab/one",), anchors, whole, later, later)
    assert (anew.began, len(missing)) == (later, len(anchors))
    other_prompts = whole.model_copy(update={"prompts_digest": "other"})
    assert len(due(("lab/one",), anchors, other_prompts, JUNE, JUNE)[1]) == len(anchors)
    two = chosen_anchors(sets[:2])
    same_prompts = judge_prompts_digest(anchor.golden.case.metric for anchor in two)
    _, more = due(("lab/one",), two, whole.model_copy(update={"prompts_digest": same_prompts}), JUNE, JUNE)
    assert {anchor.golden.case.benchmark for anchor in more} == {sets[1].benchmark.slug}


def test_a_call_that_can_never_succeed_ends_it(sets: list[GoldenSet]) -> None:
    """As anywhere else."""
    with pytest.raises(FatalCallError, match="out of budget"):
        ask_all(first_due(sets), Judge(fails_at=5, fatal=True).call, 1)
