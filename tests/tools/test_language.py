"""The language check finds what it is made for, and its exceptions are reasoned and needed."""

from __future__ import annotations

from helm_impactbench.cli import main as impactbench
from tools.language.__main__ import SPELLED, misspelt
from tools.language.rules import (
    MOST_IN_HELP,
    MOST_WORDS,
    Exceptions,
    long_sentences,
    odd_words,
    read_exceptions,
    read_words,
)
from tools.language.texts import ROOT, Passage, help_texts, messages, pages, prompts

NONE = Exceptions({}, [], [])


def test_a_word_of_the_list_is_found_with_what_to_write() -> None:
    """A pattern of words.yaml is found whatever the capitals, with its advice."""
    (found,) = odd_words([Passage("page:1", "Shares of These Very cases.")], NONE)
    assert (found.place, found.text, found.advice) == ("page:1", "These Very", "these")


def test_a_long_sentence_is_named_with_its_length() -> None:
    """One word more than allowed is a finding; a colon begins a new count."""
    allowed = " ".join(["word"] * MOST_WORDS)
    assert not list(long_sentences([Passage("p", f"{allowed}. {allowed}: {allowed}")], NONE))
    (found,) = long_sentences([Passage("p", f"{allowed} more.")], NONE)
    assert found.advice == f"{MOST_WORDS + 1} words; allowed: {MOST_WORDS}"


def test_a_sentence_of_help_is_short_and_a_colon_does_not_end_it() -> None:
    """What stands in --help is read in a hurry."""
    allowed = f"{' '.join(['word'] * (MOST_IN_HELP - 5))}: and five words more here"
    assert not list(long_sentences([Passage("p", f"{allowed}. {allowed}.")], NONE, of_help=True))
    (found,) = long_sentences([Passage("p", f"{allowed} now.")], NONE, of_help=True)
    assert found.advice == f"{MOST_IN_HELP + 1} words; allowed: {MOST_IN_HELP}"


def test_all_that_people_read_is_collected() -> None:
    """Pages, prompts, the help of commands in groups and messages of the code are among the passages; code is not."""
    assert any(one.place.startswith("docs/statistics-reference.md") for one in pages())
    assert not any("```" in one.text for one in pages())
    assert {one.place.split(":")[0] for one in prompts()} >= {
        "prompts/judge_system.txt",
        "prompts/simulator_system.txt",
    }
    assert any(one.place == "impactbench annotate export --help" for one in help_texts(impactbench))
    said = {one.text for one in messages()}
    assert any("Raise the budget and run the same command again" in text for text in said)
    assert {"Base scenarios on which both models have values.", "Difference in distance"} <= said, "texts of columns"
    assert any("Not broken down by CODE" in text for text in said), "notes of commands"


def test_every_exception_has_a_reason_and_is_needed() -> None:
    """Without an exception its rule would object."""
    accepted = read_exceptions()
    passages = [*pages(), *prompts(), *help_texts(impactbench), *messages()]
    spelled = "\n".join(misspelt(NONE)).lower()
    assert all(reason for reason in accepted.words.values())
    assert not [word for word in accepted.words if f" {word} ==>" not in spelled]
    for one in accepted.phrases:
        assert one["why"]
        assert any(one["text"] in passage.text for passage in passages)
    for one in accepted.long:
        assert one["why"]
        assert any(found.text.startswith(one["begins"]) for found in long_sentences(passages, NONE))


def test_rules_name_what_exists() -> None:
    """Every pattern has advice, and every folder that is spelled is there."""
    assert all(read_words().values())
    assert all((ROOT / name).exists() for name in SPELLED)
