"""Drawing conversations for people: strata, seeds, order, and a key that says how."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.results.outcome import Outcome
from helm_impactbench.validity.annotation.errors import AnnotationError
from helm_impactbench.validity.annotation.key import load_key
from helm_impactbench.validity.annotation.sampling import draw_sample, name_of, share_out
from tests.support.outcomes import contrast_outcome
from tests.validity.annotation.builders import key_for, many, outcome


def test_places_are_equal_over_metrics_and_over_answers() -> None:
    """Metrics first, answers within; what a scarce answer cannot fill goes to the other of the same metric."""
    outcomes = [*many(50, 50, own="m01"), *many(2, 98, own="m02"), *many(30, 10, own="m03")]
    assert draw_sample(outcomes, 60, 0).drawn == {
        ("mini/m01", "absent"): 10, ("mini/m01", "present"): 10, ("mini/m02", "absent"): 18, ("mini/m02", "present"): 2,
        ("mini/m03", "absent"): 10, ("mini/m03", "present"): 10,
    }  # fmt: skip


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 20), max_size=8), st.integers(0, 100))
def test_places_are_shared_as_equally_as_can_be(capacities: dict[str, int], places: int) -> None:
    """None above its capacity, none lost, and whoever has less than another by two is full."""
    given_ = share_out(capacities, places, str)
    assert sum(given_.values()) == min(places, sum(capacities.values()))
    for name, count in given_.items():
        assert count <= capacities[name]
        assert count == capacities[name] or count >= max(given_.values()) - 1


def test_the_same_seed_draws_the_same_in_any_order_of_files() -> None:
    """Law 5: neither the order of runs nor of conversations matters; another seed draws others."""
    outcomes = [*many(20, 20), *many(20, 20, model="t/b")]
    shuffled = random.Random(1).sample(outcomes, len(outcomes))
    assert draw_sample(outcomes, 12, 7) == draw_sample(shuffled, 12, 7)
    assert {name_of(o) for o in draw_sample(outcomes, 12, 8).outcomes} != {
        name_of(o) for o in draw_sample(outcomes, 12, 7).outcomes
    }


def test_more_places_than_conversations_take_all_of_them_once() -> None:
    """And unscored ones are never drawn: there is no verdict to check."""
    outcomes = many(3, 2)
    unscored = [outcome(number, own="m09", present=None) for number in range(1, 5)]
    sample = draw_sample([*outcomes, *unscored], 120, 0)
    assert Counter(map(name_of, sample.outcomes)) == Counter(map(name_of, outcomes))
    assert sample.judged == 5


def test_every_conversation_of_a_stratum_has_the_same_chance() -> None:
    """Over 400 seeds each of 20 is drawn about as often (5 of 20: 100 times), in any place of the sheet."""
    outcomes = many(20, 0)
    samples = [draw_sample(outcomes, 5, seed).outcomes for seed in range(400)]
    counts = Counter(o.variant_id for sample in samples for o in sample)
    assert min(counts.values()) > 65
    assert max(counts.values()) < 135
    firsts = Counter(sample[0].variant_id for sample in samples)
    assert len(firsts) == 20


def test_the_order_does_not_tell_the_stratum() -> None:
    """Present and absent, and the metrics, are mixed over the sheet."""
    sample = draw_sample([*many(50, 50), *many(50, 50, own="m02", kind="negative")], 100, 0)
    for half in (sample.outcomes[:50], sample.outcomes[50:]):
        assert 15 <= sum(o.value == 1 for o in half) <= 35
        assert 15 <= sum(o.metric_id == "m01" for o in half) <= 35


def test_with_few_places_chance_decides_which_metrics_are_seen() -> None:
    """Six metrics and three places: none twice, and with other seeds every metric has its turn."""
    outcomes = [o for number in range(6) for o in many(5, 5, own=f"m{number:02d}")]
    seen = [{o.metric for o in draw_sample(outcomes, 3, seed).outcomes} for seed in range(40)]
    assert all(len(metrics) == 3 for metrics in seen)
    assert len(set.union(*seen)) == 6


def test_item_ids_tell_nothing_and_survive_spreadsheets() -> None:
    """Opaque, unique, of another seed another id, and never to be read as a number or a date."""
    outcomes = many(30, 30)
    (key, _), (other, _) = key_for(outcomes), key_for(outcomes, seed=1)
    ids = [item.item_id for item in key.items]
    assert len(set(ids)) == 60
    assert all(len(id_) == 12 and id_[0] == "c" and id_.isalnum() for id_ in ids)
    assert not set(ids) & {item.item_id for item in other.items}
    assert key.sheet != other.sheet


def test_the_key_holds_the_weights() -> None:
    """Weight = size / drawn, so that the weights of a stratum add up to its size."""
    key, sample = key_for([*many(40, 8), *many(6, 30, own="m02", kind="negative")], places=20)
    sums: Counter[str] = Counter()
    for item in key.items:
        sums[item.stratum] += item.weight
        assert item.score == (1.0 if item.value == (item.metric_type == "positive") else 0.0)
    assert sums == {"mini/m01 present": 40, "mini/m01 absent": 8, "mini/m02 present": 6, "mini/m02 absent": 30}
    assert {(s.metric, s.answer): s.size for s in key.strata} == sample.sizes


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "No file"),
        ("item_id,answer\n", "is not a key of a sheet"),
        ("{}", "is not a key of a sheet (sheet: Field required)"),
    ],
)
def test_what_is_no_key_is_said_to_be_none(tmp_path: Path, content: str | None, words: str) -> None:
    """Folder or file, with the cure."""
    if content is not None:
        (tmp_path / "key.json").write_text(content)
    with pytest.raises(AnnotationError) as caught:
        load_key(tmp_path)
    assert words in str(caught.value)
    assert "impactbench annotate export" in str(caught.value)


def test_a_key_is_read_back_as_it_was(tmp_path: Path) -> None:
    """Round trip; another format is refused by name."""
    key, _ = key_for(many(3, 3))
    (tmp_path / "key.json").write_text(key.model_dump_json())
    assert load_key(tmp_path) == load_key(tmp_path / "key.json") == key
    (tmp_path / "key.json").write_text(json.dumps({**json.loads(key.model_dump_json()), "format": 1}))
    with pytest.raises(AnnotationError, match="has format 1; this version reads 2"):
        load_key(tmp_path)


def told(seed_values: int = 12) -> list[Outcome]:
    """Return a contrast metric's outcomes: three tellers, two factors, two models, stances on every side."""
    return [
        contrast_outcome(
            (-1.0, 0.0, 1.0)[(base + place) % 3], teller, f"base_{base:02d}", model=model,
            factors=(("hour", ("early", "late")[base % 2]), ("rent", ("low", "high")[base // 2 % 2])),
        )
        for base in range(seed_values)
        for place, teller in enumerate(("a", "b", "neutral"))
        for model in ("t/a", "t/b")
    ]  # fmt: skip


def test_points_are_drawn_by_the_side_that_they_are_on() -> None:
    """As many low as middle as high; a quantity without ends has one stratum; statuses have strata of their own."""
    assert draw_sample(told(), 12, 0).drawn == {
        ("sides/rent", "high"): 4, ("sides/rent", "low"): 4, ("sides/rent", "middle"): 4,
    }  # fmt: skip
    dollars = [contrast_outcome(float(n), "a", f"b{n}", measure="quantity", bounds=None) for n in range(4)]
    assert draw_sample(dollars, 3, 0).drawn == {("sides/rent", "any"): 3}
    silent = [outcome(n, present=None, status=status, unscored=None) for n, status in
              enumerate(["not_applicable"] * 3 + ["unclear"] * 3)]  # fmt: skip
    assert draw_sample(silent, 4, 0).drawn == {("mini/m01", "not_applicable"): 2, ("mini/m01", "unclear"): 2}


@pytest.mark.parametrize("seed", range(5))
def test_levels_factors_and_models_are_balanced(seed: int) -> None:
    """A sheet of twelve of 72 holds four of each teller, six of each model and of each level of each factor."""
    drawn = draw_sample(told(), 12, seed).outcomes
    for levels in (
        Counter(o.axes for o in drawn), Counter(o.model for o in drawn),
        *(Counter(dict(o.factors)[factor] for o in drawn) for factor in ("hour", "rent")),
    ):  # fmt: skip
        assert max(levels.values()) - min(levels.values()) <= 2, levels


def test_a_larger_sheet_of_a_stratum_keeps_the_smaller_one() -> None:
    """So that people who have begun can go on."""
    small, large = (set(map(name_of, draw_sample(told(), places, 3).outcomes)) for places in (9, 30))
    assert small < large
