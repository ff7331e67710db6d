"""Each case counts once, whatever the number of runs of a suite that hold it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from helm_impactbench.conversation.draw import Draw
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.outcome import Outcome, arm_in, choice, whole_setup
from helm_impactbench.results.repeats import repeats, repeats_line
from tests.support.outcomes import outcome

ROLES = "user=u,judge=j"


def made(*runs: tuple[str, list[Outcome]]) -> tuple[list[RunFolder], dict[RunFolder, list[Outcome]]]:
    """Return runs that are named `options` and model, with their outcomes."""
    found: dict[RunFolder, list[Outcome]] = {}
    for number, (name, outcomes) in enumerate(runs):
        run = RunFolder(Path(f"run-{number}"))
        model = name.partition("model=")[2]
        run.__dict__["spec"] = {"name": f"impactbench:benchmark=mini,{name}", "groups": ["mini"],
                                "adapter_spec": {"model_deployment": model}}  # fmt: skip
        found[run] = outcomes
    return list(found), found


def cases(*numbers: int, **changes: Any) -> list[Outcome]:
    """Return outcomes of variants with these numbers."""
    return [outcome(variant_id=f"v{number}", base_id=f"s{number}", **changes) for number in numbers]


def left(*runs: tuple[str, list[Outcome]]) -> list[list[str]]:
    """Return the variants and samples that count, a list for each run."""
    folders, outcomes = made(*runs)
    found = repeats(folders, outcomes.__getitem__)
    return [
        [f"{one.variant_id}.{one.sample}" for one in outcomes[run] if run not in found or found[run].leaves(one)]
        for run in folders
    ]


def test_options_that_choose_cases_are_no_part_of_how_a_case_is_put() -> None:
    """part, pilot, samples, metric, levels and split choose; everything else stays, and other suites' names do."""
    plain = f"impactbench:benchmark=mini,{ROLES}"
    assert whole_setup(f"{plain},metric=m01,samples=2,split=public,part=0.25,pilot=4,levels=a+b") == plain
    assert choice(f"{plain},samples=2,turns=4,part=0.25") == "samples=2,part=0.25"
    for kept in ("turns=4", "axes=age", "replicate=2", "swap=true", "checks=teller", "cascade=0.8"):
        assert whole_setup(f"{plain},{kept}") == f"{plain},{kept}"
    assert whole_setup(f"{plain},target_tokens=80,temperature=0.5") == plain, "these set the target apart, as an arm"
    assert arm_in(f"{plain},target_tokens=80,temperature=0.5") == ("80", "0.5")
    assert whole_setup("gsm:judge=j,part=2") == "gsm:judge=j,part=2"
    assert (choice(plain), choice("gsm:judge=j,part=2")) == ("", "")


def test_a_part_does_not_count_beside_the_whole() -> None:
    """The whole run counts, wherever it stands; a run that stands alone is not even read."""
    part, whole = (f"{ROLES},part=0.5,model=a", cases(1, 2)), (f"{ROLES},model=a", cases(1, 2, 3, 4))
    assert left(part, whole) == [[], ["v1.0", "v2.0", "v3.0", "v4.0"]]
    assert left(whole, part) == [["v1.0", "v2.0", "v3.0", "v4.0"], []]
    alone, _ = made(part, (f"{ROLES},part=0.5,model=b", cases(1)))
    assert repeats(alone, lambda run: 1 / 0) == {}


def test_of_runs_that_overlap_the_larger_counts_and_the_rest_of_the_smaller() -> None:
    """Every case is there once, also further samples; of equally large runs the one whose name comes first counts."""
    whole = (f"{ROLES},model=a", cases(1, 2, 3))
    twice = (f"{ROLES},samples=2,part=0.02,model=a", [*cases(1), *cases(1, sample=1)])
    other = (f"{ROLES},part=0.5,model=a", cases(3, 4))
    assert left(twice, other, whole) == [["v1.1"], ["v4.0"], ["v1.0", "v2.0", "v3.0"]]
    first, second = (f"{ROLES},part=0.1,model=a", cases(1, 2)), (f"{ROLES},part=0.2,model=a", cases(2, 3))
    assert left(first, second) == [["v1.0", "v2.0"], ["v3.0"]]
    assert left(second, first) == [["v3.0"], ["v1.0", "v2.0"]]


def test_other_conditions_models_and_contents_stay_apart() -> None:
    """Another user, judge, option or model, or a variant that was rewritten, is another case."""
    whole = (f"{ROLES},model=a", cases(1, 2))
    for name in ("user=w,judge=j,model=a", "user=u,judge=k,model=a", f"{ROLES},replicate=2,model=a",
                 f"{ROLES},axes=age,model=a", f"{ROLES},turns=3,model=a", f"{ROLES},model=b"):  # fmt: skip
        assert left(whole, (name, cases(1))) == [["v1.0", "v2.0"], ["v1.0"]]
    assert left(whole, (f"{ROLES},part=0.5,model=a", cases(1, content="old"))) == [["v1.0", "v2.0"], ["v1.0"]]


def test_what_a_run_has_drawn_counts_as_a_whole_or_not_at_all() -> None:
    """Base scenarios that a run has drawn in turn say nothing when some are missing."""
    draw = Draw(place=1, of=2, size=1, most=1, conversations=2, width=0.1)
    drawn = [replace(one, draw=replace_place(draw, place)) for place, one in enumerate(cases(3, 4), start=1)]
    whole = (f"{ROLES},part=0.5,model=a", cases(1, 2, 3))
    assert left(whole, (f"{ROLES},model=a", drawn)) == [["v1.0", "v2.0", "v3.0"], []]


def replace_place(draw: Draw, place: int) -> Draw:
    """Return a draw at another place."""
    return draw.model_copy(update={"place": place})


def test_one_line_says_what_is_not_counted() -> None:
    """How many conversations of how many runs, and what these are; no line where everything counts."""
    runs, outcomes = made(
        (f"{ROLES},part=0.5,model=a", cases(1, 2)), (f"{ROLES},model=a", cases(1, 2, 3)),
        (f"{ROLES},part=0.5,model=b", cases(1)), (f"{ROLES},model=b", cases(1, 2)),
    )  # fmt: skip
    assert repeats_line(repeats(runs, outcomes.__getitem__).values()) == (
        "3 conversations of 2 runs not counted, since another run of this suite has the same cases: mini with part=0.5."
    )
    assert repeats_line([]) == ""
