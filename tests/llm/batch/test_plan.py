"""Which calls go into which file of a batch, and how they stand there."""

from __future__ import annotations

from helm_impactbench.llm.batch.plan import WantedBatch, parts, wire_body


def test_parts_hold_everything_once_within_both_limits() -> None:
    """Requests and bytes both end a part; a call larger than the limit goes alone."""
    calls = [WantedBatch(f"r{n}", {"text": "x" * size}, 0.5 if n else None) for n, size in enumerate([1, 1, 1, 900, 1])]
    made = list(parts(calls, most_requests=2, most_bytes=400))
    assert [part.ids for part in made] == [("r0", "r1"), ("r2",), ("r3",), ("r4",)]
    assert [part.most_usd for part in made] == [None, 0.5, 0.5, 0.5]
    assert all(len(part.content.splitlines()) == len(part.ids) for part in made)


def test_a_body_names_what_the_model_names_otherwise() -> None:
    """A reasoning model gets max_completion_tokens and no temperature; parameters of the deployment's own go along."""
    wire = {"model": "openai/o3-mini", "messages": [{"role": "user", "content": "q"}], "temperature": 0.0,
            "max_tokens": 9, "seed": 1, "top_k": 3}  # fmt: skip
    assert wire_body(wire) == {"model": "o3-mini", "messages": [{"role": "user", "content": "q"}],
                               "max_completion_tokens": 9, "seed": 1, "top_k": 3}  # fmt: skip
