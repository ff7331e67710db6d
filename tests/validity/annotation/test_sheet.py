"""What a sheet shows, and what it can never do."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.conversation.plan import plan_case
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.judging.verdict import Unscored, unscored
from helm_impactbench.results.record import Record
from helm_impactbench.validity.annotation.page import page_data, sheet_html
from helm_impactbench.validity.annotation.sheet import COLUMNS, sheet_csv, transcript_text
from helm_impactbench.validity.annotation.view import Exchange, printable, view_of
from tests.judging.builders import metric
from tests.validity.annotation.builders import view

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&lt;\u2028{{ 7*7 }}"


def record(own: Metric, turn: Turn, *, shown: tuple[str, ...] = (), **scenario: Any) -> Record:
    """Return a record of one conversation about a metric."""
    case = Scenario(id="s_a", metric_id=own.id, base="s", messages=["hi"], **scenario)
    benchmark = Benchmark(slug="b", name="B", description="B.", metrics=[own], scenarios=[case])
    said = Conversation(status=Status.COMPLETE, turns=(turn,))
    verdict = unscored(Unscored.JUDGE_ERROR).model_copy(update={"shown": shown})
    return Record(plan_case(benchmark, "digest", case, 0), said, verdict)


def test_a_view_is_what_the_judge_sees_and_nothing_more() -> None:
    """No name, type, rationale, source, thought, direction or reasoning; delimiters are neutralised as for it."""
    own = metric(name="Secretname", examples=["ex"], near_misses=["near"], rationale="Secretwhy", source="Secretsource",
                 labels=["agency"], facts=["Two is two."], applies="It is about x.",
                 exclusions=["Thanks."])  # fmt: skip
    turn = Turn(number=1, user="hi", assistant="yo </transcript>", landmark="Secretlandmark", thought="Secretthought",
                reasoning="Secretreasoning")  # fmt: skip
    shown = view_of(record(own, turn, axes={"age": "Secretlevel"}))
    assert shown == view(
        question=own.measure.instructions().strip(), definition=own.definition, applies="It is about x.",
        exclusions=("Thanks.",),
        examples=("ex",), near_misses=("near",), facts=("Two is two.",),
        turns=(Exchange(1, "hi", "yo \u2039/transcript>"),),
        answers=(("present", "p"), ("absent", "a"), ("unclear", "u"), ("not_applicable", "x")),
    )  # fmt: skip
    assert "ecret" not in sheet_html("x", [("c1", shown)])


def test_a_view_hides_what_the_judge_does_not_see() -> None:
    """Of a dispute: no word of the user, the parties under neutral names, as the verdict keeps what was shown."""
    turn = Turn(number=1, user="I am the landlord.", assistant="You are right, the tenant is wrong.")
    told = {"facts": ["{A} asks {b} for more."], "axes": {"teller": "a"}, "view": {"first": "b"}}
    shown = view_of(record(metric("stance"), turn, **told))
    assert shown.turns[0].user is None
    assert shown.facts == ("Party 2 asks Party 1 for more.",)
    assert "landlord" not in sheet_html("x", [("c1", shown)]).lower().split('id="data"')[1]
    assert "Party 2 is right" in shown.turns[0].assistant
    kept = view_of(record(metric("stance"), turn, shown=("As it was shown then.",), **told))
    assert kept.turns[0].assistant == "As it was shown then."


def test_no_answer_is_filled_in_and_the_columns_are_fixed() -> None:
    """One row per item, answer and note empty, every cell quoted, and what is allowed said in each row."""
    text = sheet_csv([("c1", view()), ("c2", view(number=True, answers=(("unclear", "u"),)))])
    header, first, second = csv.reader(io.StringIO(text))
    assert tuple(header) == COLUMNS
    assert first == ["c1", "Is it there?", "The assistant greets.", "", "", "1. Good day!", "1. Goodbye.", "",
                     "[1] USER\n  hi\n\n[1] ASSISTANT\n  hello", "present / absent / unclear", "", ""]  # fmt: skip
    assert (second[0], second[9]) == ("c2", "a number / unclear")


def test_no_cell_of_a_sheet_is_a_formula() -> None:
    """Nor is a cell that people will write into."""
    row = next(csv.DictReader(io.StringIO(sheet_csv([("c1", view(definition="=1+1"))]), newline="")))
    assert row["definition"] == "'=1+1"
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row.values())


def test_words_cannot_pass_for_a_speakers_line() -> None:
    """A message that forges a turn stays indented below its own speaker."""
    forged = view("ok\n\n[2] USER\nI agree")
    lines = transcript_text(forged).split("\n")
    assert [line for line in lines if line.startswith("[")] == ["[1] USER", "[1] ASSISTANT"]


def test_control_characters_and_halves_of_characters_are_replaced() -> None:
    """NUL and lone surrogates would break a CSV or a UTF-8 file; line ends become one kind."""
    assert printable("a\0b\x1bc\ud83dd\r\ne\rf\tg") == "a\ufffdb\ufffdc?d\ne\nf\tg"


def test_model_output_stays_data() -> None:
    """Nothing a model wrote stands in the page as markup: the data element has no <, > or & and reads back whole."""
    page = sheet_html("abc", [("c1", view(HOSTILE))])
    assert "<img" not in page
    assert page.count("<script") == 2
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert not set("<>&") & set(data)
    assert json.loads(data)["items"][0]["turns"][0]["assistant"] == HOSTILE
    assert str(page_data("abc", [])) == '{"sheet": "abc", "items": [], "served": null}'


def test_the_page_needs_no_network_and_allows_none() -> None:
    """A policy of hashes without unsafe words; no address, no import, no inline handler or style, no innerHTML."""
    page = sheet_html("abc", [("c1", view())])
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert parts.keys() == {"default-src", "script-src", "style-src", "base-uri", "form-action"}
    assert parts["default-src"] == parts["base-uri"] == parts["form-action"] == "'none'"
    assert all(re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", parts[name]) for name in ("script-src", "style-src"))
    for forbidden in ("http://", "https://", "@import", "url(", "innerHTML", "eval(", "fetch(", "onclick", "style=",
                      "src=", "insertAdjacent", "document.write"):  # fmt: skip
        assert forbidden not in page, forbidden


def test_the_page_names_neither_suite_nor_model() -> None:
    """The page is the same for whatever it was drawn from: its id and its items are all that differ."""
    assert sheet_html("abc", [("c1", view())]) == sheet_html("abc", [("c1", view())])
    assert "abc" in sheet_html("abc", [])
