"""The held-out split."""

from __future__ import annotations

from collections import Counter

from helm_impactbench.authoring.splits import held_out_bases


def test_the_split_is_seeded_by_base_and_does_not_depend_on_other_metrics() -> None:
    """A third of each metric's bases; the same for the same seed, whatever else is in the file."""
    ids = [f"m{m:02d}_s{s:03d}" for m in (1, 2) for s in range(1, 7)]
    held_out = held_out_bases(ids, 1 / 3, seed=5)
    assert Counter(name[:3] for name in held_out) == {"m01": 2, "m02": 2}
    assert held_out_bases(ids[:6], 1 / 3, seed=5) == {name for name in held_out if name.startswith("m01")}
    assert any(held_out_bases(ids, 1 / 3, seed=seed) != held_out for seed in range(5))
