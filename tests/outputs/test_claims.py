"""No output says that anything differs without a test that finds it, and every output says so of a planted gap.

Whole suites of outcomes, with fair but noisy models or with one that fails children, are read by every output in turn.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

from helm_impactbench.analysis.commands.combined import combined
from helm_impactbench.analysis.commands.compare import compare
from helm_impactbench.analysis.commands.contrasts import contrasts
from helm_impactbench.analysis.commands.rates import rates
from helm_impactbench.analysis.people import people_gaps
from helm_impactbench.analysis.topics import topic_comparisons, topic_pairs
from helm_impactbench.benchmark.metric import Contrast
from helm_impactbench.outputs.label.audiences import AUDIENCES
from helm_impactbench.outputs.label.label import Label, label_of
from helm_impactbench.outputs.label.result import label_result
from helm_impactbench.outputs.label.rows import GradedRow
from helm_impactbench.outputs.label.side_by_side import side_by_side
from helm_impactbench.outputs.label.summary import sheet_sentence
from helm_impactbench.outputs.report.front import front_statements, people_statement
from helm_impactbench.outputs.report.model_page import cards_sentence, model_statement, topic_cards
from helm_impactbench.outputs.report.results import RANKED, Results
from helm_impactbench.outputs.report.statement import as_text
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.reading import Reading, reading_of
from helm_impactbench.validity.judge_trust import NO_JUDGES
from tests.outputs.label.builders import benchmark, metric
from tests.support.outcomes import contrast_outcome, outcome, simulated

NAMES = Contrast(axis="name", levels=["Anna", "Fatima", "Kevin", "Mei"])
PLANTED = 0.3
CLAIM = re.compile(
    r"do(?:es|id) worse|answers differently|same for everybody|everybody alike|Best:|, ahead of|is ahead of|"
    r"\bbehind (?!none)|(?:Ahead of|Behind) (?:one|two)|Furthest (?:below|above)|by more than chance: |"
    r"Chats that went well:|Fewer chats went well|not treated alike|different answer by|"
    r"significant differences|Significant: [1-9]|different: [1-9]|Differs by \w+:|is (?:harmed|favoured)"
)
"""What an output says where it says that anything differs."""
GAP = re.compile(r"child[^.]*(?:\(\d+(?:\.\d)?% passed\) )?than with|does not treat everybody alike \(age\)")
"""What each says of the planted gap."""


def suite(random: np.random.Generator, gap: float) -> list[Outcome]:
    """Return a suite of a steady and a noisy model; the second passes so much less often with children.

    84 base scenarios of 12 metrics as an adult and a child tell them; 24 cases with four names; a few safety prompts.
    """
    given = {"one": 0.7, "two": 0.7}
    both = simulated(random, given, scenarios=7, child_rates={**given, "two": 0.7 - gap} if gap else None)
    return [
        *both,
        *(
            contrast_outcome(float(np.clip(random.normal(0.3, noise), -1, 1)), level, f"case_{case}", model=model,
                             contrast=NAMES, axes=(("name", level),))
            for model, noise in (("one", 0.05), ("two", 0.6))
            for case in range(24)
            for level in NAMES.levels
        ),
        *(
            outcome(bool(random.random() < 0.8), model=model, benchmark="refusals", area="safety", base_id=f"p{place}",
                    variant_id=f"p{place}", axes=(), axes_label="")
            for model in given
            for place in range(20)
        ),
    ]  # fmt: skip


def labels_of(reading: Reading) -> list[Label]:
    """Return the labels of both models."""
    about = [benchmark([metric(number, ["learning" if number < 7 else "wellbeing"]) for number in range(1, 13)])]
    gaps = people_gaps(reading.outcomes)
    return [
        label_of([o for o in reading.outcomes if o.model == model], about, unequal=gaps.get(model, ()))
        for model in ("one", "two")
    ]


def labels(reading: Reading) -> str:
    """Return what the labels say to parents and to developers, and side by side."""
    found = labels_of(reading)
    shown = [str(label_result(found, audience)) for audience in ("parents", "developers")]
    sheets = [sheet_sentence(label, AUDIENCES["parents"].sheet) for label in found if label.has_grades]
    return " ".join([*shown, *sheets, side_by_side(found).tested])


def report_of(reading: Reading) -> Results:
    """Return a report's results, without files."""
    results = Results.__new__(Results)
    site = SimpleNamespace(
        judges=NO_JUDGES,
        models={"one": "one", "two": "two"},
        benchmarks={o.benchmark: SimpleNamespace(name=o.benchmark) for o in reading.outcomes},
    )
    for name, value in {"site": site, "parts": [SimpleNamespace(outcomes=list(reading.outcomes), metrics={})]}.items():
        object.__setattr__(results, name, value)
    return results


def front(reading: Reading) -> str:
    """Return what the front page of the report says first."""
    found = front_statements(report_of(reading), ())
    return " ".join(as_text([*one.headline, " ", *one.more], str) for one in found)


def model_pages(reading: Reading) -> str:
    """Return what the pages of both models say of them, of their topics and of people."""
    results, said = report_of(reading), list[str]()
    rates = results.benchmark_scores[RANKED]
    for model in ("one", "two"):
        below, above = topic_cards(rates, results.topic_pairs, model, results.people)
        found = model_statement(results.comparison, model, results.people)
        for one in (found, people_statement(results, [model])):
            said.append(as_text([*one.headline, " ", *one.more], str))
        said += [f"Furthest below the typical model: {slug}." for slug, _ in below]
        said += [f"Furthest above the typical model: {slug}." for slug, _ in above]
        said.append(cards_sentence(rates, results.topic_pairs, model, results.people, (), below or above))
    return " ".join(said)


OUTPUTS: dict[str, Callable[[Reading], object]] = {
    "run, compare": compare,
    "contrasts": contrasts,
    "rates": rates,
    "combined": combined,
    "label": labels,
    "report": front,
    "model pages": model_pages,
}
"""`impactbench run` ends with what `compare` says."""


def any_finding(reading: Reading) -> bool:
    """Return whether any test of these outcomes finds any difference, or a label has rows or groups that are apart."""
    tables = [*compare(reading).tables, *contrasts(reading).tables]
    rows = [row for table in tables for row in table.rows]
    parts = [[label.leading(row.key) for row in label.rows if row.grade] for label in labels_of(reading)]
    ranked = [o for o in reading.outcomes if o.area == RANKED and o.is_level]
    return (
        bool(people_gaps(reading.outcomes))
        or any(one.found for own in topic_pairs(topic_comparisons(ranked)).values() for one in own)
        or any(row.get("found") for row in rows)
        or any(label.apart for label in labels_of(reading))
        or any(_are_apart(one, other) for own in parts for one, other in combinations(own, 2))
    )


def _are_apart(one: GradedRow, other: GradedRow) -> bool:
    """Return whether neither row's interval holds the other's rate: less than what a sentence on the best row needs."""
    low, high = sorted((one, other), key=lambda row: row.rate.value)
    return low.interval.high < high.rate.value and high.interval.low > low.rate.value


def said_of(suites: int, gap: float, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, int], dict[str, int]]:
    """Return of how many suites each output claims anything without a finding, and states the planted gap."""
    monkeypatch.setattr("helm_impactbench.stats.simultaneous.FLIPS", 999)  # for the clock: p values are coarser
    monkeypatch.setattr("helm_impactbench.stats.typical_gap.EXCHANGES", 499)
    claims, stated = dict.fromkeys(OUTPUTS, 0), dict.fromkeys(OUTPUTS, 0)
    for seed in range(suites):
        reading = reading_of(suite(np.random.default_rng(seed), gap))
        finds = any_finding(reading)
        for name, output in OUTPUTS.items():
            text = " ".join(str(output(reading)).split())
            claims[name] += bool(CLAIM.search(text)) and not finds
            stated[name] += bool(GAP.search(text))
    return claims, stated


@pytest.mark.parametrize("suites", [10, pytest.param(200, marks=pytest.mark.long)])
def test_fair_models_are_said_to_differ_by_no_output(suites: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no test finds a difference, no output claims one."""
    claims, _ = said_of(suites, 0.0, monkeypatch)
    assert claims == dict.fromkeys(OUTPUTS, 0)


@pytest.mark.parametrize("suites", [10, pytest.param(200, marks=pytest.mark.long)])
def test_a_planted_gap_of_30_points_is_stated_by_every_output(suites: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them says in 95% of suites that children fare worse, and with whom."""
    _, stated = said_of(suites, PLANTED, monkeypatch)
    assert min(stated.values()) >= 0.95 * suites, stated
