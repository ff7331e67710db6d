"""How long a provider asks to wait."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from helm_impactbench.llm.retry_after import retry_after_seconds
from tests.llm.builders import ProviderError
from tests.support.looped import looped

NOW = 1_700_000_000


@looped(
    ("headers", "words", "seconds"),
    [
        pytest.param({"Retry-After": "7"}, "", 7, id="seconds"),
        pytest.param({"retry-after": "0.5"}, "", 0.5, id="part of a second"),
        pytest.param({"Retry-After": formatdate(NOW + 30, usegmt=True), "Date": formatdate(NOW, usegmt=True)}, "", 30,
                     id="date, by the provider's clock"),
        pytest.param({"Retry-After": formatdate(NOW - 30, usegmt=True), "Date": formatdate(NOW, usegmt=True)}, "", 0,
                     id="date that has passed"),
        pytest.param({"retry-after-ms": "1500"}, "", 1.5, id="milliseconds"),
        pytest.param({"Retry-After": "2"}, "try again in 9s", 2, id="the header goes first"),
        pytest.param({}, "Please try again in 1m20s.", 80, id="words"),
        pytest.param({}, "Please try again in 120ms.", 0.12, id="words, milliseconds"),
        pytest.param({}, '"retryDelay": "36s"', 36, id="field"),
        pytest.param({}, "Please retry in 12.3s.", 12.3, id="words, part of a second"),
        pytest.param({"Retry-After": "soon"}, "", 0, id="no number"),
        pytest.param({"Retry-After": "inf"}, "", 0, id="endless"),
        pytest.param({"Retry-After": "nan"}, "", 0, id="nan"),
        pytest.param({"Retry-After": "-5"}, "", 0, id="negative"),
        pytest.param({"Retry-After": "Mon, 01 Jan 2024 00:00:00 +999999999999999"}, "", 0, id="date, absurd offset"),
        pytest.param({"Retry-After": "Mon, 01 Jan 2024 00:00:00 +999999999999999"}, "try again in 9s", 9,
                     id="words, beside an absurd date"),
        pytest.param({"Retry-After": formatdate(NOW, usegmt=True), "Date": "Mon, 01 Jan 2024 00:00 +9999999999"}, "", 0,
                     id="the provider's clock is absurd"),
        pytest.param({}, f"try again in {'9' * 400}s", 0, id="words, endless"),
        pytest.param({}, "try again later", 0, id="no time"),
    ],
)  # fmt: skip
def test_the_wait_that_a_provider_asks_for_is_read(headers: dict[str, str], words: str, seconds: float) -> None:
    """In a header as seconds or as a date, or in words."""
    assert retry_after_seconds(ProviderError(429, words, headers), words) == pytest.approx(seconds)


def test_a_date_without_the_providers_clock_counts_from_ours() -> None:
    """Whole seconds are all that a date holds."""
    headers = {"Retry-After": formatdate(time.time() + 20, usegmt=True)}
    assert 17 < retry_after_seconds(ProviderError(429, "", headers), "") <= 20
