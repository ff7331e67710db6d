"""The editor's pass: planted faults are found at their place, sound texts pass, and the shipped benchmarks hold."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Scenario
from tests.support.builders import BENCHMARK, scenario, write_benchmark_folder
from tests.support.looped import looped
from tools.editorial import ages, balance, names, overlap, people, places, reading, spelling
from tools.editorial.allowed import EDITORIAL_FILE, Allowed, read_allowed
from tools.editorial.passages import Passage, passages
from tools.editorial.review import as_data, review
from tools.editorial.section import Finding, Section

ROOT = Path(__file__).parents[2]
MINOR = "child or teenager (6-17)"


def benchmark(*rows: dict[str, Any], slug: str = "mini", **changes: Any) -> Benchmark:
    """Return the tiny benchmark with these scenarios."""
    content = copy.deepcopy(BENCHMARK)
    return Benchmark.model_validate({**content, "slug": slug, "scenarios": list(rows), **changes})


def variant(persona: str, age: str = "adult (18+)", **changes: Any) -> Scenario:
    """Return one scenario that is played as `persona`."""
    return Scenario.model_validate(scenario(age=age, user_persona=persona, **changes))


def directions(*texts: str) -> list[dict[str, Any]]:
    """Return landmarks on turns 2, 3, ..."""
    return [{"turn": turn, "instruction": text} for turn, text in enumerate(texts, 2)]


# Shipped benchmarks


@pytest.fixture(scope="module")
def shipped() -> dict[str, Section]:
    """The sections over all shipped benchmarks."""
    return {section.name: section for section in review(list(benchmark_paths([ROOT / "benchmarks"]).values()))}


def test_scenarios_of_different_metrics_are_unlike(shipped: dict[str, Section]) -> None:
    """Over all shipped benchmarks and within each, the maximum cosine is below 0.6 and the mean below 0.2."""
    figures = shipped["similarity"].figures
    assert set(figures) == {"all", "across benchmarks", *benchmark_paths([ROOT / "benchmarks"])}
    assert all(row["maximum"] < 0.6 and row["mean"] < 0.2 for row in figures.values())
    assert figures["all"]["pairs"] > 100_000


def test_the_shipped_benchmarks_pass_the_review(shipped: dict[str, Section]) -> None:
    """No section has an error; ages, names, spelling and the linter have no finding."""
    assert [str(finding) for section in shipped.values() for finding in section.findings if section.errors] == []
    silent = ("linter", "ages", "names", "spelling")
    assert [str(finding) for name in silent for finding in shipped[name].findings] == []


def test_every_shipped_benchmark_has_a_version() -> None:
    """Results of two versions are never mixed, and rules for rewritten content hold for all."""
    assert [slug for slug in benchmark_paths([ROOT / "benchmarks"]) if load_benchmark(slug).version is None] == []


def test_every_shipped_persona_states_its_age_and_nearly_all_a_known_place(shipped: dict[str, Section]) -> None:
    """The patterns read what is there: all ages, and 99% of the places."""
    whole = shipped["balance"].figures["all"]
    stated = {name: 1 - counts.get("unstated", 0) / sum(counts.values()) for name, counts in whole.items()}
    assert stated["age"] == 1
    assert stated["place"] > 0.99


# Similarity

TWIN = {"persona": "Someone who grows tomatoes", "user_goal": "Find out why the leaves curl", "landmarks": [],
        "latent_adversarial_goal": "Press for a spray"}  # fmt: skip


def test_a_near_copy_under_another_metric_is_found_with_its_pair() -> None:
    """Within a benchmark and across benchmarks; the cosine of equal texts is 1."""
    one = benchmark(scenario("m01", 1, **TWIN), scenario("m02", 1, **TWIN), slug="one")
    two = benchmark(scenario("m01", 2, **TWIN), scenario("m02", 2), slug="two")
    section = overlap.overlap_section([one, two])
    pairs = [(f.slug, f.id, f.message.partition(";")[0]) for f in section.findings if f.place == "scenario"]
    assert pairs == [
        ("one", "m01_s001", "nearly the same as one m02_s001 (cosine 1.00)"),
        ("one", "m01_s001", "nearly the same as two m01_s002 (cosine 1.00)"),
        ("one", "m02_s001", "nearly the same as two m01_s002 (cosine 1.00)"),
    ]
    assert section.errors >= 3


def test_scenarios_of_one_metric_may_be_alike() -> None:
    """Only pairs of different metrics count; variants of one base scenario are one text."""
    section = overlap.overlap_section([benchmark(scenario("m01", 1, **TWIN), scenario("m01", 1, 2, **TWIN),
                                                 scenario("m01", 2, **TWIN))])  # fmt: skip
    assert (section.findings, section.figures["all"]["pairs"]) == ((), 0)


def test_one_scenario_alone_has_no_figure() -> None:
    """No mean of nothing."""
    assert overlap.overlap_section([benchmark(scenario())]).figures["all"]["mean"] is None


# Reading level


@looped(("word", "count"), [
    ("cat", 1), ("table", 2), ("looked", 1), ("wanted", 2), ("mother's", 2), ("question", 2), ("piano", 3),
    ("beautiful", 3), ("safely", 2), ("the", 1), ("m\N{LATIN SMALL LETTER U WITH DIAERESIS}", 1), ("creative", 3),
])  # fmt: skip
def test_syllables_of_a_word(word: str, count: int) -> None:
    """Vowel groups, without silent letters and with split ones."""
    assert reading.syllables(word) == count


def test_the_grade_is_kincaids_formula() -> None:
    """0.39 x words per sentence + 11.8 x syllables per word - 15.59: here 6 words, 2 sentences, 7 syllables."""
    assert reading.grade("The cat sat. The table shook.") == pytest.approx(0.39 * 3 + 11.8 * 7 / 6 - 15.59)
    assert reading.grade("...") is None


def test_what_is_said_is_read_without_its_frame() -> None:
    """One direction with two acts is two things said."""
    row = variant("A 9-year-old.", landmarks=directions("Say that the boat is red, and ask whether it can swim."))
    assert reading.said(row) == "the boat is red. it can swim."


HARD = "Say that institutional accountability necessitates comprehensive interdisciplinary documentation."


def test_words_too_hard_for_a_child_are_warned_of() -> None:
    """The same words from an adult are not."""
    rows = [scenario(user_persona="A 9-year-old.", age=MINOR, landmarks=directions(HARD)),
            scenario(variant=2, user_persona="A 40-year-old.", landmarks=directions(HARD))]  # fmt: skip
    section = reading.reading_section([benchmark(*rows)])
    assert [(f.id, f.place, f.severity) for f in section.findings] == [("m01_s001_v01", "landmarks", "warning")]
    assert "at the age of 9, words of grade" in section.findings[0].message


def test_children_who_speak_harder_than_adults_are_warned_of() -> None:
    """By the means of a benchmark, also where no single child is above its own year."""
    hard, easy = directions("Say that the entire calculation seems unconvincing."), directions("Say that cats are fat.")
    rows = [scenario(user_persona="A 17-year-old.", age=MINOR, landmarks=hard),
            scenario(variant=2, user_persona="A 40-year-old.", landmarks=easy)]  # fmt: skip
    found = [f.message for f in reading.reading_section([benchmark(*rows)]).findings]
    assert any(message.startswith("children speak in harder words than adults") for message in found)


# Ages


@pytest.mark.parametrize(("persona", "group", "texts", "expected"), [
    ("A 12-year-old in Lima, Peru.", MINOR, ["Say that you are 12 and bored."], []),
    ("A 19-year-old in Lima, Peru.", MINOR, [], [("user_persona", "error")]),
    ("A 12-year-old in Lima, Peru.", "adult (18+)", [], [("user_persona", "error")]),
    ("Somebody in Lima, Peru.", MINOR, [], [("user_persona", "warning")]),
    ("A 44-year-old in Lima, Peru.", "adult (18+)", ["Go on.", "Say that you're only 15, so what."],
     [("landmarks[1]", "error")]),
    ("A 12-year-old in Lima, Peru.", MINOR, ["Say that you are 13, nearly grown up."], [("landmarks[0]", "warning")]),
    ("A 16-year-old.", MINOR, ["Say that the money has to last until you are 26, no longer."], []),
    ("A 16-year-old.", MINOR, ["Say that you are 20 minutes late."], []),
])  # fmt: skip
def test_ages_against_the_group(persona: str, group: str, texts: list[str], expected: list[Any]) -> None:
    """An age outside the variant's group is an error, wherever it is stated; other contradictions are warnings."""
    row = scenario(user_persona=persona, age=group, landmarks=directions(*texts))
    assert [(f.place, f.severity) for f in ages.ages_section([benchmark(row)]).findings] == expected


def test_a_demographic_without_an_age_is_not_checked() -> None:
    """Benchmarks may have other axes."""
    row = scenario(user_persona="A 12-year-old.", axes={"role": "customer"})
    assert ages.ages_section([benchmark(row)]).findings == ()


# Balance


@pytest.mark.parametrize(("persona", "trade"), [
    ("A 44-year-old dental technician in Lisbon, Portugal, who sings.", "dental technician"),
    ("An 80-year-old former tram driver who fishes.", "tram driver"),
    ("A 38-year-old Muslim bus mechanic in Winnipeg, Canada.", "bus mechanic"),
    ("A 30-year-old in Denver, a dental receptionist who helps at the hall.", "dental receptionist"),
    ("A 48-year-old man in Cuenca, Ecuador, dental technician, who leads a group.", "dental technician"),
    ("A 57-year-old non-binary person near Porto, Portugal, who borrowed a welder.", None),
    ("A 60-year-old in Osaka, Japan, often alone, who sings.", None),
    ("Someone who writes.", None),
])  # fmt: skip
def test_occupation_of_a_persona(persona: str, trade: str | None) -> None:
    """What stands behind the age or behind the place; nothing is guessed."""
    assert people.occupation(persona) == trade


@pytest.mark.parametrize(("persona", "expected"), [
    ("A 44-year-old woman in Lisbon, whose husband cooks.", "woman or girl"),
    ("A 15-year-old schoolboy who reads.", "man or boy"),
    ("A 30-year-old non-binary person near Porto.", "non-binary"),
    ("A 44-year-old baker whose mother sings.", None),
])  # fmt: skip
def test_gender_of_a_persona(persona: str, expected: str | None) -> None:
    """Only words of the opening about the person itself; relatives do not count."""
    assert people.gender(variant(persona)) == expected


def test_gender_of_an_axis_comes_first() -> None:
    """Where the demographic says it, the persona is not read."""
    row = variant("A 44-year-old baker.", axes={"age": "adult (18+)", "gender": "woman or girl"})
    assert people.gender(row) == "woman or girl"


@looped(("persona", "country"), [
    ("A 9-year-old on a farm near Hamilton, New Zealand, who sings.", "New Zealand"),
    ("A 42-year-old in Luxembourg, who packs shelves.", "Luxembourg"),
    ("A 44-year-old in Tbilisi, Georgia, proofreader.", "Georgia"),
    ("A 16-year-old from Graz who wants to earn money.", "Austria"),
    ("A 55-year-old letter carrier in mid Wales whose round is short.", "United Kingdom"),
    ("A 12-year-old in Hobart, Tasmania, planning a hunt.", "Australia"),
    ("A 13-year-old on the Norwegian coast.", "Norway"),
    ("A 10-year-old from Odesa who now lives in Setubal.", "Ukraine"),
    ("A 40-year-old baker who sings.", None),
    ("A 40-year-old baker who sings. Likes Peru.", None),
])  # fmt: skip
def test_country_of_a_persona(persona: str, country: str | None) -> None:
    """The first place of the first sentence, its country before its town."""
    assert places.country_of(persona) == country


def test_one_value_that_holds_too_much_is_warned_of() -> None:
    """Twelve bakers in Lima: place and occupation; ages are judged within minors and adults."""
    rows = [scenario(base=i, user_persona=f"A {20 + 4 * i}-year-old baker in Lima, Peru.") for i in range(1, 13)]
    section = balance.balance_section([benchmark(*rows)])
    assert [(f.place, f.message) for f in section.findings] == [
        ("place", "12 of 12 variants that state it are 'Peru' (100%)"),
        ("occupation", "12 of 12 variants that state it are 'baker' (100%)"),
    ]
    assert section.figures["mini"]["gender"] == {"unstated": 12}


def test_few_variants_are_not_judged() -> None:
    """A share of three says nothing."""
    rows = [scenario(base=i, user_persona="A 40-year-old baker in Lima, Peru.") for i in range(1, 4)]
    assert balance.balance_section([benchmark(*rows)]).findings == ()


@pytest.mark.parametrize(("age", "name"), [(6, "up to 8"), (9, "9-11"), (17, "15-17"), (18, "18-29"), (99, "75+")])
def test_bands_of_ages(age: int, name: str) -> None:
    """Both ends of a band belong to it."""
    assert balance.band(age) == name


# Real persons


@looped(("text", "found"), [
    ("Ask what Taylor Swift would do.", ["Taylor Swift"]),
    ("Ask whether Putin's men came.", ["Putin"]),
    ("Say that you saw it on TikTok, on an iPhone.", []),
    ("A town called Obamaville.", []),
])  # fmt: skip
def test_names_in_a_text(text: str, found: list[str]) -> None:
    """Persons, as whole words with their capitals; brands may be named."""
    assert list(names.names_in(text)) == found


def test_a_real_person_is_an_error_unless_the_editor_let_it_stand() -> None:
    """In scenarios, metrics and the benchmark's own texts; not among the scholars of the construct."""
    content = benchmark(scenario(user_goal="Sing like Rihanna."), description="About Messi.",
                        construct="Studies of Messi.")  # fmt: skip
    found = names.names_section([content], {}).findings
    assert [(f.id, f.place, f.severity) for f in found] == [
        ("benchmark", "description", "error"), ("m01_s001_v01", "user_goal", "error"),
    ]  # fmt: skip
    allowed = {"mini": Allowed(names=["Messi", "Rihanna"])}
    assert names.names_section([content], allowed).findings == ()


# Spelling


@looped("word", ["colour", "color", "organise", "organization", "travelled", "traveler", "centre",
    "programme", "aluminium", "paediatric", "kerb", "mother's", "don't", "fulfil", "analyse", "jewellery"])  # fmt: skip
def test_british_and_american_are_both_right(word: str) -> None:
    """The dictionary is American; British forms follow from rules and words.txt."""
    assert spelling.is_known(word)


@pytest.mark.parametrize("word", ["recieve", "seperate", "definately", "becuase", "thier", "occured", "wich", "untill"])
def test_misspellings_are_unknown(word: str) -> None:
    """Frequent mistakes of the language."""
    assert not spelling.is_known(word)


def test_names_are_not_spelled() -> None:
    """A capital inside a sentence is a name, and so is that word at the beginning of another."""
    texts = ["Ask what Zsuzsa said.", "Zsuzsa's dog barks, Wouter laughs.", "Teh end."]
    known = spelling.names_of(texts)
    found = [word for text in texts for word in spelling.unknown_words(Passage("s", "i", "p", text), known)]
    assert found == ["teh"]


def test_unknown_words_are_counted_per_benchmark() -> None:
    """With their first place; words that the editor let stand are left out, also with a possessive s."""
    content = benchmark(
        scenario(user_goal="Recieve a pierogi.", latent_adversarial_goal="I recieve the the pierogi's.")
    )
    found = spelling.spelling_section([content], {"mini": Allowed(words=["Pierogi"])}).findings
    told = [(f.id, f.place, f.message) for f in found if f.id == "m01_s001_v01" and f.place != "user_persona"]
    assert told == [
        ("m01_s001_v01", "latent_adversarial_goal", "the word 'the' is repeated"),
        ("m01_s001_v01", "user_goal", "unknown word 'recieve' (2 times)"),
    ]


# Files and texts


def test_texts_that_variants_share_are_read_once() -> None:
    """The neutral persona of two variants is one passage; literature is none."""
    content = benchmark(scenario(), scenario(variant=2), literature=["Doe, J. (2020). Facebook."])
    found = [(passage.id, passage.place) for passage in passages(content)]
    assert found.count(("m01_s001_v01", "persona")) == 1
    assert ("m01_s001_v02", "persona") not in found
    assert all("literature" not in place for _, place in found)
    assert {("m01", "examples[1]"), ("m01", "near_misses[0]"), ("benchmark", "scenario.user_context")} <= set(found)


def test_fixed_messages_are_read_and_describe_nobody() -> None:
    """They are passages and take part in similarity; nobody's age, gender or place is counted as unstated."""
    rows = [scenario("m01", messages=["Rye bread rises slowly."]), scenario("m02", messages=["Sopranos rise slowly."])]
    content = benchmark(*rows)
    assert [p.text for p in passages(content) if p.place == "messages[0]"] == [row["messages"][0] for row in rows]
    assert [base.text for base in overlap.base_scenarios([content])] == [row["messages"][0] for row in rows]
    assert balance.people(content) == []


def test_no_editorial_file_allows_nothing(tmp_path: Path) -> None:
    """The file is optional."""
    assert read_allowed(tmp_path) == Allowed()


@pytest.mark.parametrize("text", ["wrods: [a]", "words: [1]", "words: [true]", "- a", "words: [a", "words: x"])
def test_a_faulty_editorial_file_is_refused(tmp_path: Path, text: str) -> None:
    """Unknown keys and everything that is not a list of texts, with the file's name."""
    (tmp_path / EDITORIAL_FILE).write_text(text)
    with pytest.raises(Exception, match=EDITORIAL_FILE):
        read_allowed(tmp_path)


def test_a_review_hands_over_plain_data(tmp_path: Path) -> None:
    """Every section by name, with its verdict, figures and findings."""
    folder = write_benchmark_folder(tmp_path / "mini")
    data = as_data(review([folder]))
    assert list(data) == [
        *(
            "linter",
            "definitions",
            "golden",
            "variants",
            "landmarks",
            "quotas",
            "voices",
            "world",
            "similarity",
            "reading",
            "ages",
            "balance",
        ),
        *("names", "english", "minors", "spelling"),
    ]
    assert data["ages"]["warnings"] == 4
    assert data["ages"]["findings"][0] == vars(
        Finding("mini", "m01_s001_v01", "user_persona", f"states no age in years; give one inside {MINOR!r}")
    )
    assert load_benchmark(folder).slug == "mini"
