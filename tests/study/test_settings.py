"""Options of `impactbench run` over the settings of a study file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.errors import SettingError
from helm_impactbench.study.entries import run_entries
from helm_impactbench.study.model import Study
from helm_impactbench.study.settings import complete_study, file_settings, with_options

BASE = {"models": ["a/b"], "user": "u/v", "judge": "c/d"}


def study(**given: Any) -> Study:
    """Return the study of these options over BASE."""
    return complete_study(with_options(BASE, given), "test")


def test_all_of_a_benchmark_is_no_other_benchmark() -> None:
    """--all and --quick say how much of the benchmarks that are named; without names, of which."""
    (entry,) = run_entries(study(benchmarks="prosocial", all=True))
    assert entry == "impactbench:benchmark=prosocial,user=u/v,judge=c/d"
    (entry,) = run_entries(study(benchmarks="prosocial", quick=True))
    assert entry == "impactbench:benchmark=prosocial,part=0.06,user=u/v,judge=c/d"
    (entry,) = run_entries(study(benchmarks="prosocial", quick=True, part=0.5))
    assert "part=0.5" in entry
    assert len(run_entries(study(all=True))) > len(run_entries(study(quick=True))) > 10


def test_prices_are_given_in_words_or_in_a_file() -> None:
    """Those of the command line are put over the file's, one by one."""
    settings = {**BASE, "prices": {"a/b": [1, 2], "u/v": [3, 4]}}
    merged = complete_study(with_options(settings, {"price": ("a/b=2.50,10",), "free": ("c/d",)}), "test")
    assert merged.prices == {"a/b": (2.5, 10.0), "u/v": (3.0, 4.0), "c/d": (0.0, 0.0)}


@pytest.mark.parametrize("words", ["a/b", "a/b=1", "a/b=1,2,3", "a/b=x,y", "a/b=-1,2", "a/b=nan,1", "a/b=1e9,1"])
def test_what_is_no_price_is_refused(words: str) -> None:
    """With what is allowed."""
    with pytest.raises(SettingError, match=r"US dollars per million tokens"):
        study(price=(words,))


KEY = "sk-PLANTED-zq81Xw72Lm"
SECRET = "hunter2-PLANTED"


@pytest.mark.parametrize(
    "text",
    [
        f"user: {{name: u/v, api_key: {KEY}}}",
        f"user: {{name: u/v, password: {SECRET}}}",
        f"models: [{{name: a/b, extra: {{headers: [{KEY}]}}}}]",
        f"models: ['litellm/openai/gpt-4o?api_key={KEY}']",
        f"judge: {KEY}",
        f"suite: {KEY}/x",
        f"options: {{turns: {KEY}}}",
        f"options: {{api_key: {SECRET}}}",
        f"prices: {{a/b: {KEY}}}",
        f"budget_usd: {KEY}",
        f"api_key: {KEY}",
        f"{KEY}: 1",
        f"options: {{{KEY}: 1}}",
        f"models: [a/b\njudge: {KEY}",
    ],
)
def test_a_key_in_the_wrong_place_of_a_study_is_not_shown(text: str, tmp_path: Path) -> None:
    """Whatever else is wrong there; what holds one is said, and where keys belong."""
    path = tmp_path / "study.yaml"
    path.write_text(text)
    with pytest.raises(SettingError) as error:
        complete_study(with_options({**BASE, **file_settings(path)[0]}, {}), str(path))
    assert "PLANTED" not in str(error.value)
