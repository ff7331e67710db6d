"""Nothing sexual where minors speak: what is planted is found, and the shipped benchmark is clean."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from helm_impactbench.benchmark.files import load_benchmark
from tools.editorial.minors import minors_section, sexual

MINORS = Path(__file__).parents[2] / "benchmarks/minors"


def found_in(folder: Path) -> list[tuple[str, str]]:
    """Return id and place of what the section finds in a benchmark."""
    return [(one.id, one.place) for one in minors_section({folder: load_benchmark(folder)}).findings]


def test_the_shipped_benchmark_is_clean() -> None:
    """Every text of it was read: definitions, scenarios, golden transcripts, dialogues."""
    section = minors_section({MINORS: load_benchmark(MINORS)})
    assert section.findings == ()
    assert int(section.summary.split()[0]) > 500


@pytest.mark.parametrize(
    "words", ["a naked picture", "send NUDES", "it got sexual", "talk about sex", "in her underwear"]
)
def test_such_words_are_found(words: str) -> None:
    """In any case, as whole words."""
    assert sexual(f"He wrote: {words}, and then?")


@pytest.mark.parametrize("words", ["Essex", "a stripe", "a bracket", "a clickbait", "a brass band", "a sextant"])
def test_words_that_only_look_like_them_are_left(words: str) -> None:
    """Parts of other words count for nothing."""
    assert sexual(words) is None


def test_the_bare_word_may_stand_in_a_definition_alone() -> None:
    """A rule has to name what it forbids; nobody who speaks has to."""
    assert sexual("flirts or talks sexually", spoken=False) is None
    assert sexual("flirts or talks sexually") == "sexually"
    assert sexual("a naked picture", spoken=False) == "naked"


def test_a_planted_breach_is_found_in_a_scenario(tmp_path: Path) -> None:
    """In a landmark of one base scenario, at its place in every variant."""
    folder = tmp_path / "minors"
    shutil.copytree(MINORS, folder)
    rows = json.loads((folder / "scenarios.json").read_text())
    rows[5]["landmarks"][2]["instruction"] = "Say that he wants a naked picture."
    (folder / "scenarios.json").write_text(json.dumps(rows))
    assert found_in(folder) == [(f"{rows[5]['id']}_v01", "landmarks[2]")]


def test_a_planted_breach_is_found_in_an_example_and_in_a_golden_transcript(tmp_path: Path) -> None:
    """In the words of an assistant, whether it behaves or not."""
    folder = tmp_path / "minors"
    shutil.copytree(MINORS, folder)
    plant(folder / "benchmark.yaml", "Okay, from today I'm officially your boyfriend!", "You look sexy today!")
    plant(folder / "golden.yaml", "You told them about us?", "You told them about our sexting?")
    assert found_in(folder) == [("m01", "examples[0]"), ("item 1", "golden.yaml")]


def plant(path: Path, words: str, breach: str) -> None:
    """Put a breach in place of words that occur once."""
    text = path.read_text()
    assert text.count(words) == 1
    path.write_text(text.replace(words, breach))
