"""Our cache and HELM's: keys, files, and what HELM is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helm.common.cache import BlackHoleCacheConfig, Cache, SqliteCacheConfig, cache_stats
from helm.common.key_value_store import request_to_key

from helm_impactbench.helm.request_cache import HelmCache, cache_file
from helm_impactbench.llm.cache.request_cache import cache_key


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"model": "m", "messages": [{"role": "user", "content": "\u00fc \u4f60 \ud83d \x00 \"'\\"}], "random": None},
        {"b": 1.0, "a": [True, 1e-300, -0.0, float("inf")], "c": {"z": 1, "y": {"x": 2}}},
    ],
    ids=["empty", "letters", "numbers"],
)
def test_keys_are_helms(request_: dict[str, Any]) -> None:
    """What HELM tells apart is told apart here, and nothing else."""
    assert cache_key(request_) == request_to_key(request_)


def test_helms_clients_and_ours_work_beside_each_other(tmp_path: Path) -> None:
    """HELM's own client of the same provider has its cache open and ours has one, too: nothing is locked out."""
    config = SqliteCacheConfig(str(tmp_path / "openai.sqlite"))
    ours, helms = HelmCache(config), Cache(config)
    assert ours.get({"a": 1}, lambda: {"v": "ours"}) == ({"v": "ours"}, False)
    assert helms.get({"a": 1}, lambda: {"v": "helm's"}) == ({"v": "helm's"}, False)
    assert ours.get({"a": 1}, lambda: {"v": "new"}) == ({"v": "ours"}, True)
    assert cache_file(config.path).is_file()


def test_helm_counts_queries_and_computations(tmp_path: Path) -> None:
    """HELM prints both at the end of a run."""
    config = SqliteCacheConfig(str(tmp_path / "counted.sqlite"))
    cache = HelmCache(config)
    for _ in range(3):
        cache.get({"a": 1}, lambda: {"v": 1})
    name = config.cache_stats_key
    assert (cache_stats.num_queries[name], cache_stats.num_computes[name]) == (3, 1)


def test_a_disabled_cache_keeps_nothing() -> None:
    """--disable-cache: every call is made."""
    cache = HelmCache(BlackHoleCacheConfig())
    assert cache.get({"a": 1}, lambda: {"v": 1}) == ({"v": 1}, False)
    assert cache.get({"a": 1}, lambda: {"v": 2}) == ({"v": 2}, False)
