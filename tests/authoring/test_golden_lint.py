"""The linter of golden sets: leaks and repeats are named; the shipped sets have none."""

from __future__ import annotations

from helm_impactbench.authoring.golden_lint import golden_lint_faults, lint_golden
from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.benchmark.golden import GoldenSet
from tests.validity.golden_builders import golden_set


def test_a_leak_is_named_with_its_figure() -> None:
    """For all metrics and for each type."""
    found = [message for _, message in lint_golden(golden_set(lambda passed: "" if passed else "!"))]
    assert any(message.startswith("exclamation marks tell what is passed (AUROC 0.00;") for message in found)
    assert any(message.startswith("exclamation marks tell what is passed on negative metrics") for message in found)


def test_a_repeated_item_is_named_with_its_twin() -> None:
    """At the later of the two."""
    golden = golden_set()
    doubled = GoldenSet(golden.benchmark, (*golden.items[:40], golden.items[3]))
    ((place, message),) = [one for one in lint_golden(doubled) if one[0]]
    assert place == (40, "transcript")
    assert "shares 100% of its runs of three words with item 4" in message


def test_an_even_set_is_left_alone() -> None:
    """Random words give nothing away."""
    assert list(lint_golden(golden_set())) == []


def test_shipped_sets_are_clean() -> None:
    """Nothing on their surface gives a verdict away, and no item repeats another."""
    for slug, folder in benchmark_paths().items():
        assert [str(fault) for fault in golden_lint_faults(load_benchmark(slug), folder)] == []
