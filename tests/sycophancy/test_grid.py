"""The grid: exactly balanced, distinct, the same facts in every arm, and closed at the boundary."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import pytest
import yaml
from helm_impactbench.sycophancy.cells import cells_of, tellings_of, words
from helm_impactbench.sycophancy.files import check_grid, disputes_of, find_grid, load_grid
from helm_impactbench.sycophancy.model import ARMS, Dispute
from helm_impactbench.sycophancy.rules import figures

from helm_impactbench.errors import BenchmarkError
from tests.sycophancy.builders import GRID, PATH, case, dispute

DISPUTES = [pytest.param(found, id=found.id) for found in GRID.disputes]


def test_the_grid_holds_the_rent_triplets_and_five_further_disputes() -> None:
    """36 cells each, three tellings, a card with literature; the file has no fault and no warning."""
    assert [found.id for found in GRID.disputes] == [
        "rent", "neighbours", "flatmates", "siblings", "colleagues", "divorce",
    ]  # fmt: skip
    assert {len(cells_of(found)) for found in GRID.disputes} == {36}
    assert check_grid(PATH).faults == ()
    assert len(GRID.literature) >= 4
    assert GRID.areas == ["societal"]
    assert GRID.canary
    assert GRID.content_note


def test_the_rent_factors_are_those_of_the_study() -> None:
    """Base 600; 50, 200, 500 more; economy, costs, timing; each party's view of the other good or poor."""
    rent = dispute("rent")
    assert [[level.id for level in factor.levels] for factor in rent.factors] == [
        ["50", "200", "500"], ["economy", "costs", "timing"], ["good", "poor"], ["good", "poor"],
    ]  # fmt: skip
    for cell in cells_of(rent):
        increase = int(cell.levels["increase"].id)
        for text in tellings_of(cell, GRID.question).values():
            assert figures(text) == sorted({"600", str(600 + increase), str(increase)})


@pytest.mark.parametrize("found", DISPUTES)
def test_the_grid_is_exactly_balanced(found: Dispute) -> None:
    """Every level, and every pair of levels of two factors, stands in the same number of cells, as Party 1 too."""
    cells = cells_of(found)
    for some in (cells, [cell for cell in cells if cell.is_even]):
        for factor in found.factors:
            assert len(set(Counter(cell.levels[factor.id].id for cell in some).values())) == 1
    assert sum(cell.is_even for cell in cells) == len(cells) / 2
    for one, other in itertools.combinations(found.factors, 2):
        pairs = Counter((cell.levels[one.id].id, cell.levels[other.id].id) for cell in cells)
        assert len(pairs) == len(one.levels) * len(other.levels)
        assert len(set(pairs.values())) == 1


def test_all_tellings_are_distinct() -> None:
    """648 texts, and 36 distinct neutral ones in each dispute: a cell's neutral arm tells the facts of the cell."""
    texts = [cell.telling(arm, GRID.question) for d in GRID.disputes for cell in cells_of(d) for arm in ARMS]
    assert len(set(texts)) == len(texts) == 648
    assert all(text.endswith(f"\n\n{GRID.question}") for text in texts)
    assert not [text for text in texts if "{" in text]


@pytest.mark.parametrize("found", DISPUTES)
def test_the_facts_are_the_same_and_the_sides_as_long(found: Dispute) -> None:
    """The same figures in all three tellings; the sides' words within 10%; no teller names its own role."""
    for cell in cells_of(found):
        told = tellings_of(cell, GRID.question)
        assert figures(told["a"]) == figures(told["b"]) == figures(told["neutral"])
        assert 0.9 <= words(told["a"]) / words(told["b"]) <= 1.1
        for arm, party in (("a", found.parties.a), ("b", found.parties.b)):
            assert not [word for word in party.words if word in told[arm].lower()]  # type: ignore[index]
        assert " I " not in told["neutral"]


@pytest.mark.parametrize("found", DISPUTES)
def test_views_of_each_other_are_in_every_telling(found: Dispute) -> None:
    """Changing one factor changes one sentence in all three tellings and nothing else."""
    first = cells_of(found)[0]
    for factor in range(len(found.factors)):
        places = tuple(place + (i == factor) for i, place in enumerate(first.places))
        (other,) = [cell for cell in cells_of(found) if cell.places == places]
        for arm in ARMS:
            before, after = first.telling(arm, ""), other.telling(arm, "")
            assert len(set(before.split(". ")) ^ set(after.split(". "))) == 2


def test_cells_come_in_the_same_order_with_ids_of_their_levels() -> None:
    """Nothing depends on threads, time or the machine."""
    ids = [cell.id for cell in cells_of(dispute("rent"))]
    assert ids[:3] == ["rent_50_economy_good_good", "rent_50_economy_good_poor", "rent_50_economy_poor_good"]
    assert case("neutral").id == "rent_50_economy_good_good_neutral"
    assert GRID.digest() == load_grid(PATH).digest()


def changed(tmp_path: Path, *steps: str | int, value: object) -> list[str]:
    """Return the faults of the shipped grid with one value changed."""
    data = yaml.safe_load(PATH.read_text())
    place = data
    for step in steps[:-1]:
        place = place[step]
    place[steps[-1]] = value
    path = tmp_path / "grid.yaml"
    path.write_text(yaml.safe_dump(data, sort_keys=False))
    return [str(fault).split("/")[-1] for fault in check_grid(path).faults]


RENT = ("disputes", 0)
LEVEL = (*RENT, "factors", 0, "levels", 0)


@pytest.mark.parametrize(
    ("steps", "value", "message"),
    [
        pytest.param(("extra",), 1, "extra: error: unknown key; allowed: name, description", id="unknown key"),
        pytest.param((*LEVEL, "c"), "x", "unknown key; allowed: id, a, b, neutral", id="unknown key, deep"),
        pytest.param((*LEVEL, "a"), "", "got ''; allowed: text that is not empty", id="empty"),
        pytest.param((*LEVEL, "id"), "5 0", "allowed: 1 to 64 of A-Z", id="bad id"),
        pytest.param((*LEVEL, "id"), "200", "got '200' more than once", id="level twice"),
        pytest.param((*LEVEL, "a"), "I want {more}.", "got {more}; allowed: no hole", id="unknown hole"),
        pytest.param((*LEVEL, "a"), "I want 650, 51 more.", "the tellings give other figures", id="other figures"),
        pytest.param((*LEVEL, "a"), "As landlord I ask 650, 50 more.", "says 'landlord'; allowed: a role", id="role"),
        pytest.param((*LEVEL, "a"), "50 650 " * 20, "words against", id="unequal length"),
        pytest.param((*RENT, "factors", 0, "id"), "A", "allowed: every id once, and none of a, b", id="reserved"),
        pytest.param((*RENT, "tellings", "b"), "Nothing.", "got {increase} 0 times; allowed: every", id="no hole"),
        pytest.param((*RENT, "id"), "divorce", "got 'divorce' more than once", id="dispute twice"),
        pytest.param(("disputes",), [], "allowed: ", id="no dispute"),
    ],
)
def test_a_fault_is_named_with_its_place(
    tmp_path: Path, steps: tuple[str | int, ...], value: object, message: str
) -> None:
    """Strict: what would make the arms differ in more than the teller does not load."""
    faults = changed(tmp_path, *steps, value=value)
    assert any(message in fault and fault.startswith("grid.yaml:") for fault in faults), faults


def test_a_users_own_grid_is_found_first(workdir: Path) -> None:
    """./benchmarks/moral-sycophancy/grid.yaml hides the shipped one, and its faults are told when it is loaded."""
    own = workdir / "benchmarks/moral-sycophancy/grid.yaml"
    own.parent.mkdir(parents=True)
    own.write_text("name: x\n")
    assert find_grid() == Path("benchmarks/moral-sycophancy/grid.yaml")
    with pytest.raises(BenchmarkError, match=r"disputes: error: missing; allowed: a value"):
        load_grid()


def test_an_unknown_dispute_is_explained() -> None:
    """With the nearest one."""
    with pytest.raises(BenchmarkError, match=r"no dispute 'rents'; allowed: rent, .* Did you mean rent"):
        disputes_of(GRID, "rents")
