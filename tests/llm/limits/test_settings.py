"""The file of providers' limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_impactbench.errors import SettingError
from helm_impactbench.llm.limits.rate_limiter import RateLimiters
from helm_impactbench.llm.limits.settings import read_limits
from tests.llm.limits.builders import write_limits


def test_without_a_file_nothing_is_limited(tmp_path: Path) -> None:
    """No limits.yaml, no limiter for any deployment."""
    assert RateLimiters(read_limits(tmp_path)).of("litellm/openai/gpt-4o") is None


def test_the_first_entry_that_matches_counts_and_deployments_share_it(tmp_path: Path) -> None:
    """Two models of one provider are in one limiter, another provider's is in none."""
    text = "limits:\n- {deployments: ['litellm/openai/*', 'openai/*'], max_in_flight: 1}\n"
    limiters = RateLimiters(read_limits(write_limits(tmp_path, text)))
    assert limiters.of("litellm/openai/a") is limiters.of("openai/b")
    assert limiters.of("litellm/openai/a") is not None
    assert limiters.of("anthropic/claude") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("limits: [{deployments: [a], requests_per_minute: fast}]", "requests_per_minute", id="no number"),
        pytest.param("limits: [{deployments: [a], requests: 5}]", "requests", id="unknown name"),
        pytest.param("limits: [{deployments: []}]", "deployments", id="for nobody"),
        pytest.param("limits: [{deployments: [a], max_in_flight: 0}]", "max_in_flight", id="zero"),
        pytest.param("limits: [", "limits.yaml", id="broken YAML"),
        pytest.param("a: &x [1]\nlimits: *x", "alias", id="alias"),
        pytest.param("limits:\n- {deployments: [a], max_in_flight: !!int x}", "yaml:2: has 'x'", id="wrong tag"),
        pytest.param("limits: !!binary x", "yaml:1: has the YAML tag !!binary", id="tag"),
        pytest.param("limits: [{deployments: [a], max_in_flight: 2024-02-30}]", "max_in_flight", id="date"),
        pytest.param("limits: [{deployments: [a], max_in_flight: 1:30}]", "max_in_flight", id="sexagesimal"),
        pytest.param(f"limits: [{{deployments: [a], max_in_flight: {'9' * 6000}}}]", "yaml:1: found a number of 6,000",
                     id="endless number"),
        pytest.param("limits: [{deployments: [a], requests_per_minute: .inf}]", "yaml:1: found the number", id="inf"),
        pytest.param("limits: [{deployments: [a], requests_per_minute: inf}]", "requests_per_minute", id="inf as text"),
        pytest.param("<<: {limits: []}", "yaml:1: has a YAML merge key", id="merge key"),
        pytest.param("1: 2", "yaml:1: has the key 1", id="key that is a number"),
        pytest.param("limits: []\nlimits: []", "yaml:2: has the key 'limits' twice", id="key that stands twice"),
    ],
)  # fmt: skip
def test_a_faulty_limits_file_is_refused_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    """The message names the file, what is wrong and what is allowed."""
    with pytest.raises(SettingError, match=r"limits\.yaml:.*Allowed") as error:
        read_limits(write_limits(tmp_path, text))
    assert said in str(error.value)
