"""Agreement within a panel and between samples."""

from __future__ import annotations

from dataclasses import replace

from helm_impactbench.analysis.agreement import panel_agreement, sample_agreement
from helm_impactbench.results.outcome import Vote
from tests.analysis.builders import FAILED, MISSING, PASSED, row
from tests.support.outcomes import outcome


def test_panel_agreement_counts_only_what_two_have_voted_on() -> None:
    """A single judge is no panel; a judge without a vote is left out of that conversation."""
    assert panel_agreement(row([PASSED, FAILED])) is None
    votes = [(True, True), (False, False), (True, False), (True, None)]
    data = [
        replace(o, votes=(Vote("j", a, None), Vote("k", b, None)))
        for o, (a, b) in zip(row([PASSED] * 4), votes, strict=True)
    ]
    panel = panel_agreement(data)
    assert panel is not None
    assert (panel.judges, panel.conversations, panel.split) == (("j", "k"), 3, 1 / 3)
    assert panel.kappas[0][2].items == 3


def test_sample_agreement() -> None:
    """Over variants with two scored samples; one sample is no repeat."""
    assert sample_agreement(row([PASSED, FAILED])) is None
    data = [outcome(v, sample=i, variant_id=name) for name, verdicts in
            {"a": [PASSED] * 3, "b": [PASSED, FAILED, PASSED], "c": [PASSED, MISSING, MISSING]}.items()
            for i, v in enumerate(verdicts)]  # fmt: skip
    found = sample_agreement(data)
    assert found is not None
    assert (found.samples, found.variants, found.unanimous, found.all_pass) == (3, 2, 0.5, 0.5)
