"""ImpactBench's config.yaml as a study."""

from __future__ import annotations

import os
from typing import Any

import pytest

from helm_impactbench.errors import SettingError
from helm_impactbench.study.impactbench_config import is_impactbench_config, study_settings
from helm_impactbench.study.reader import checked_study

OPENAI = {"model": "gpt-4o", "source": "openai", "apikey": "${OPENAI_API_KEY}"}
CONFIG: dict[str, Any] = {
    "run": {"force": False, "dry_run": False, "verbose": True,
            "concurrency": {"gen_scenarios": 5, "simulate": 30, "evaluate": 20}},
    "user_model": {"model": "claude-sonnet-4-6", "source": "anthropic", "apikey": "${ANTHROPIC_API_KEY}"},
    "evaluator_model": {"model": "gpt-5.4-mini", "source": "openai", "apikey": "${OPENAI_API_KEY}"},
    "generation": {"scenarios_per_metric": 4, "turns": 6},
    "demographics": {"age": ["Child (6-12)", "Adult (18+)"]},
    "perfunctory": True,
    "landmarks": True,
    "targets": [
        {"id": "gpt-4o", **OPENAI},
        {"id": "llama", "model": "meta-llama/Llama-4", "source": "deepinfra", "apikey": "${DEEPINFRA_TOKEN}"},
        {"id": "grok", "model": "grok-4", "source": "openai", "apikey": "${XAI_API_KEY}",
         "base_url": "https://api.x.ai/v1"},
        {"id": "apertus", "model": "openai/swiss", "source": "openai", "base_url": "https://api.example.org/v1"},
    ],
}  # fmt: skip

HOSTS = {"deepinfra": "https://api.deepinfra.com/v1/openai", "xai": "https://api.x.ai/v1",
         "publicai": "https://api.publicai.co/v1"}  # fmt: skip
ORIGINAL: list[dict[str, Any]] = [
    *({"model": name, "source": "openai"} for name in ("gpt-4o", "gpt-5-chat-latest", "gpt-5.1")),
    *({"model": f"claude-{name}-4-6", "source": "anthropic"} for name in ("sonnet", "opus")),
    {"model": "claude-haiku-4-5", "source": "anthropic"},
    *({"model": name, "source": "deepinfra", "apikey": "${DEEPINFRA_TOKEN}"} for name in (
        "meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8", "google/gemma-4-31B-it", "google/gemini-2.5-pro",
        "Qwen/Qwen3-Next-80B-A3B-Instruct")),
    *({"model": name, "source": "deepinfra", "base_url": HOSTS["deepinfra"]} for name in (
        "mistralai/Mistral-Small-3.2-24B-Instruct-2506", "deepseek-ai/DeepSeek-V3.2")),
    *({"model": f"grok-4-1-fast-{name}", "source": "openai", "base_url": HOSTS["xai"]} for name in (
        "non-reasoning", "reasoning")),
    *({"model": f"openai/swiss-ai/apertus-{size}-instruct", "source": "openai", "base_url": HOSTS["publicai"],
       "apikey": "${PUBLICAI_API_KEY}", "extra_headers": {"User-Agent": "Test"}} for size in ("8b", "70b")),
]  # fmt: skip
DEPLOYMENTS = [
    "openai/gpt-4o", "openai/gpt-5-chat-latest", "openai/gpt-5.1", "anthropic/claude-sonnet-4-6",
    "anthropic/claude-opus-4-6", "anthropic/claude-haiku-4-5",
    "deepinfra/meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8", "deepinfra/google/gemma-4-31B-it",
    "deepinfra/google/gemini-2.5-pro", "deepinfra/Qwen/Qwen3-Next-80B-A3B-Instruct",
    "deepinfra/mistralai/Mistral-Small-3.2-24B-Instruct-2506", "deepinfra/deepseek-ai/DeepSeek-V3.2",
    "xai/grok-4-1-fast-non-reasoning", "xai/grok-4-1-fast-reasoning",
    "publicai/swiss-ai/apertus-8b-instruct", "publicai/swiss-ai/apertus-70b-instruct",
]  # fmt: skip


def test_what_maps_is_taken() -> None:
    """Models by their provider, roles, the author, threads, scenarios to write, and options that are not the usual."""
    study = checked_study(study_settings(CONFIG)[0], "config.yaml")
    assert study.models == ("litellm/openai/gpt-4o", "litellm/deepinfra/meta-llama/Llama-4", "litellm/xai/grok-4")
    assert study.user == study.author == "litellm/anthropic/claude-sonnet-4-6"
    assert study.judge == ("litellm/openai/gpt-5.4-mini",)
    assert study.options == {"perfunctory": True}
    assert (study.threads, study.scenarios_per_metric, study.axes) == (30, 4, {"age": ("Child (6-12)", "Adult (18+)")})


def test_each_target_of_the_original_becomes_a_deployment() -> None:
    """All 16: litellm's provider and the model's own name, without the prefix that another source wanted before it."""
    settings, notes = study_settings({"targets": ORIGINAL})
    assert len(ORIGINAL) == len(DEPLOYMENTS) == 16
    assert settings["models"] == [f"litellm/{name}" for name in DEPLOYMENTS]
    assert all("apikey" in note or "extra_headers" in note for note in notes)


def test_one_line_for_each_setting_that_is_not_taken_over() -> None:
    """Keys in other variables, a log, other threads, and a model at an address that only the file knows."""
    _, notes = study_settings(CONFIG)
    named = [note.partition(":")[0] for note in notes]
    assert named == [
        "run.verbose",
        "run.concurrency.gen_scenarios",
        "run.concurrency.evaluate",
        "demographics",
        "targets, apertus",
    ]


def test_a_key_in_the_file_is_neither_used_nor_shown() -> None:
    """The line says where keys belong."""
    settings, notes = study_settings({"targets": [{"id": "a", **OPENAI, "apikey": "sk-very-secret"}]})
    assert any("set OPENAI_API_KEY" in note for note in notes)
    assert "very-secret" not in f"{settings}{notes}"


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"targets": {}}, "targets must be a list"),
        ({"targets": [{"id": "x"}]}, "targets must be a mapping with model and source"),
        ({"user_model": "gpt-4o"}, "user_model must be .*; it is a text"),
        ({"targets": [], "generation": 3}, "generation must be .*; it is a number"),
    ],
)
def test_what_cannot_be_meant_is_refused(config: dict[str, Any], words: str) -> None:
    """One message says which setting it is and what it has to be."""
    with pytest.raises(SettingError, match=words):
        study_settings(config)


def test_a_dry_run_stays_one_and_scripted_models_stay_scripted() -> None:
    """Neither is turned into a run that costs money."""
    scripted = [{"id": "x", "model": "mixed", "source": "rehearsal"}]
    settings, _ = study_settings({"targets": scripted, "run": {"dry_run": True}})
    assert (settings["dry_run"], settings["models"]) == (True, ["rehearsal/mixed"])


def test_switches_are_read_as_the_original_reads_them() -> None:
    """Its YAML has yes, no, on and off; a no is not taken for a yes, and other words are refused."""
    off = {"run": {"dry_run": "no", "force": "No", "verbose": "off"}, "perfunctory": "no", "landmarks": "on"}
    assert study_settings(off) == ({}, [])
    settings, notes = study_settings({"run": {"dry_run": "YES"}, "perfunctory": "on", "landmarks": "Off"})
    assert settings == {"dry_run": True, "options": {"perfunctory": True, "landmarks": False}}
    assert [note.partition(":")[0] for note in notes] == ["landmarks"]
    with pytest.raises(SettingError, match=r"run\.dry_run must be yes or no; it is 'maybe'"):
        study_settings({"run": {"dry_run": "maybe"}})


def test_a_variable_of_the_files_own_name_holds_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is used where the provider's usual one is not set, and never in its place; one that is not set is named."""
    for name in ("OPENAI_API_KEY", "OPENAI_KEY"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)  # so that what the config sets is taken away again
    config = {"targets": [{"id": "a", **OPENAI, "apikey": "${TEAM_KEY}"}]}
    assert any("TEAM_KEY is not set; OPENAI_API_KEY would do" in note for note in study_settings(config)[1])
    monkeypatch.setenv("TEAM_KEY", "sk-team")
    assert study_settings(config)[1] == []
    assert os.environ["OPENAI_API_KEY"] == "sk-team"
    monkeypatch.setenv("TEAM_KEY", "sk-other")
    study_settings(config)
    assert os.environ["OPENAI_API_KEY"] == "sk-team"
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("HOME_FOLDER", "/root")
    assert "HOME_FOLDER is not set" in study_settings({"targets": [{**OPENAI, "apikey": "${HOME_FOLDER}"}]})[1][0]


def test_more_samples_fewer_turns_and_unknown_settings() -> None:
    """What differs from the usual is an option of every run entry; what nobody knows is named."""
    config = {"targets": [], "generation": {"turns": 4, "num_samples": 3, "style": 1}, "landmarks": False, "more": 1,
              "run": {"force": True, "pace": 2}}  # fmt: skip
    settings, notes = study_settings(config)
    assert settings["options"] == {"turns": 4, "samples": 3, "landmarks": False}
    for words in ("generation.style", "run.pace", "run.force", "more: not known", "landmarks: taken"):
        assert any(words in note for note in notes), words


def test_a_study_is_no_config_of_impactbench() -> None:
    """Both are read by the same command and have no setting in common that could be confused."""
    assert is_impactbench_config(CONFIG)
    assert not is_impactbench_config({"models": ["a/b"], "user": "a/b", "judge": "a/b"})
