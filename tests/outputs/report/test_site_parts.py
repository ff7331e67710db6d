"""The pure parts of the report: names, visible text, highlighted evidence, redaction, its folder, escaping."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.benchmark.measures.base import Evidence
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.judging.evidence import CheckedQuote, check_quotes
from helm_impactbench.judging.verdict import CheckResult, NoVote, Unscored, Verdict, Vote, unscored
from helm_impactbench.outputs.report import names, pages
from helm_impactbench.outputs.report.folder import MARKER, check_place, new_folder
from helm_impactbench.outputs.report.plots import PlotBar, PlotPoint, gap_plot, label_heights, scatter_plot
from helm_impactbench.outputs.report.redaction import redaction
from helm_impactbench.outputs.report.results import filters
from helm_impactbench.results.passages import Segment, segments, visible
from helm_impactbench.results.shown import shown_conversation
from helm_impactbench.results.verdict_words import VERDICTS, verdict, vote_words
from helm_impactbench.stats.intervals import UNKNOWN, Interval
from helm_impactbench.validity.judge_trust import NO_JUDGES
from tests.support.looped import looped
from tests.support.outcomes import contrast_outcome, outcome


@looped(
    ("name", "expected"),
    [
        ("openai/gpt-4o-mini", "openai~gpt-4o-mini"),
        ("m01_s001_v01", "m01_s001_v01"),
        ("meta/Llama-3", r"meta-llama-3-[0-9a-f]{8}"),
        ("../../etc/passwd", r"etc-passwd-[0-9a-f]{8}"),
        ("a/../b", r"a-\.\.-b-[0-9a-f]{8}"),
        ("..", r"x-[0-9a-f]{8}"),
        ("", r"x-[0-9a-f]{8}"),
        ("con", r"con-[0-9a-f]{8}"),
        ("a/nul.txt", r"a-nul.txt-[0-9a-f]{8}"),
        ("index", r"index-[0-9a-f]{8}"),
        ("trailing.", r"trailing-[0-9a-f]{8}"),
        ("a~b", r"a-b-[0-9a-f]{8}"),
        ("модель", r"x-[0-9a-f]{8}"),
        ("x" * 300, r"x{60}-[0-9a-f]{8}"),
    ],
)
def test_file_names_are_safe_and_stable(name: str, expected: str) -> None:
    """Plain names stay as they are; all others are made plain and carry their hash."""
    assert re.fullmatch(expected, names.file_name(name))


@given(st.lists(st.text(max_size=20), min_size=2, max_size=6, unique=True))
def test_different_names_give_different_files(given_names: list[str]) -> None:
    """No two models, benchmarks or ids share a file, on a file system that ignores case either."""
    found = [names.file_name(name) for name in given_names]
    assert len({name.casefold() for name in found}) == len(found)
    assert all(re.fullmatch(r"[a-z0-9._~-]+", name) and not name.startswith("..") for name in found)


def test_addresses_lead_back_to_the_root() -> None:
    """A conversation's address names its set-up only where it is given one, and its root is as deep as it is."""
    plain = names.conversation_address("mini", "openai/a", "m01_s001_v01")
    assert plain == "conversation.html?of=mini/openai~a/m01_s001_v01"
    several = names.conversation_address("mini", "openai/a", "m01_s001_v01", "impactbench:benchmark=mini,turns=3")
    assert re.fullmatch(r"conversation\.html\?of=mini/openai~a/[0-9a-f]{8}/m01_s001_v01", several)
    assert (names.root_of("index.html"), names.root_of("metrics/mini/m01.html")) == ("", "../../")
    assert names.conversation_id(outcome(sample=2)) == "m01_s001_v01_r03"
    assert names.case_name(outcome(sample=2)) == "Case 1, repeat 3"
    assert names.case_name(outcome(metric_id="rent", base_id="rent_50_economy_good")) == "Case 50 economy good"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\n\ttext", "plain\n\ttext"),
        ("a\x00b", "a␀b"),
        ("\x1b[31mred\x7f", "␛[31mred␡"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("abc\u202edef", "abc[U+202E]def"),
        ("\u200fright", "[U+200F]right"),
        ("\U000e0041hidden", "[U+E0041]hidden"),
        ("half \ud800", "half [U+D800]"),
        ("می‌خواهم 👩‍👧", "می‌خواهم 👩‍👧"),
    ],
    ids=["plain", "nul", "escape", "returns", "override", "mark", "tag", "surrogate", "joiners stay"],
)
def test_nothing_hides(text: str, shown: str) -> None:
    """What cannot be seen, or turns other text, is written out; joiners that scripts need stay."""
    assert visible(text) == shown


def test_a_quote_is_highlighted_across_lines() -> None:
    """White space is folded as the judge's checker folds it; the text itself is not changed."""
    text = "Well.\nYou only\n\n  need   me, sweetheart. Bye."
    assert segments(text, [(1, "need me, sweetheart."), (2, "only need me")]) == (
        Segment("Well.\nYou "),
        Segment("only\n\n  ", (2,), (2,), ()),
        Segment("need   me", (1, 2), (1,), (2,)),
        Segment(", sweetheart.", (1,), (), (1,)),
        Segment(" Bye."),
    )


@given(
    st.text(alphabet="ab <\n\t/turn", max_size=60), st.lists(st.text(alphabet="ab <\n/turn", max_size=12), max_size=4)
)
def test_segments_join_to_the_text(text: str, quotes: list[str]) -> None:
    """Whatever is quoted, nothing is lost, doubled or moved; what the checker finds is highlighted."""
    found = segments(text, list(enumerate(quotes)))
    assert "".join(segment.text for segment in found) == text
    turn = Turn(number=1, user="u", assistant=text)
    for number, quote in enumerate(quotes):
        (checked,) = check_quotes([Evidence(turn=1, quote=quote)], [turn])
        if checked.found_turn and quote.strip():
            assert any(number in segment.quotes for segment in found)


def conversation(*replies: str) -> Conversation:
    """Return a whole conversation with these replies."""
    turns = [Turn(number=i, user=f"question {i}", assistant=reply) for i, reply in enumerate(replies, start=1)]
    return Conversation(status=Status.COMPLETE, turns=tuple(turns))


def quote(text: str, turn: int, found_turn: int | None) -> CheckedQuote:
    """Return a checked quote."""
    return CheckedQuote(turn=turn, quote=text, found_turn=found_turn)


def voted(judge: str, answer: str, value: float, *quotes: CheckedQuote) -> Vote:
    """Return a vote with its evidence."""
    return Vote(judge=judge, answer=answer, value=value, evidence=quotes)


def test_evidence_of_several_judges_and_checks_is_numbered_through() -> None:
    """Each quote gets a number of its own, is highlighted in the turn it stands in, on its speaker's side."""
    found = Verdict(
        status="scored",
        answer="present",
        value=1.0,
        score=0.0,
        votes=(
            voted("a", "present", 1.0, quote("word one", 2, 1), quote("never said", 1, None)),
            Vote(judge="b", status="no_vote", no_vote=NoVote.UNPARSABLE, problem="no object"),
        ),
        checks={"plausibility": CheckResult(answer=False, votes=(voted("a", "no", 0.0, quote("question 2", 2, 2)),))},
    )
    shown = shown_conversation(conversation("with word one", "second"), found)
    first, failed = shown.votes
    assert [(q.number, q.highlighted) for q in first.quotes] == [(1, True), (2, False)]
    assert (first.answer, failed.answer, failed.quotes) == ("present", "no vote (judge_unparsable)", ())
    assert shown.turns[0].assistant is not None
    assert shown.turns[0].assistant.segments[1] == Segment("word one", (1,), (1,), (1,))
    assert shown.turns[1].user.segments == (Segment("question 2", (3,), (3,), (3,)),)
    ((meaning, answer, (checked,)),) = shown.checks
    assert (answer, checked.answer, checked.speaker) == ("no", "no", "user")
    assert "a real person" in meaning


def test_a_broken_off_turn_has_one_side() -> None:
    """A conversation that broke off is shown as far as it went."""
    broken = Conversation(status=Status.TARGET_ERROR, reason="no reply", turns=(Turn(number=1, user="hello"),))
    shown = shown_conversation(broken, unscored(Unscored.TARGET_ERROR))
    assert (len(shown.turns), shown.turns[0].assistant, shown.votes) == (1, None, ())


def test_evidence_is_highlighted_in_the_words_that_the_judge_saw() -> None:
    """Where these are not the words as written, they stand beside them; a turn that was not changed stands once."""
    found = Verdict(
        status="scored",
        answer="party_1",
        value=1.0,
        votes=(voted("a", "party_1", 1.0, quote("Party 1 is right", 1, 1), quote("Goodbye", 2, 2)),),
        shown=("Well, Party 1 is right.", "Goodbye."),
        checks={"awareness": CheckResult(answer=True, votes=(voted("a", "yes", 1.0, quote("you are", 1, 1)),))},
    )
    first, second = shown_conversation(conversation("Well, you are right.", "Goodbye."), found).turns
    assert first.assistant is not None
    assert [segment.text for segment in first.assistant.segments if segment.quotes] == ["you are"]
    assert first.seen is not None
    assert [segment.text for segment in first.seen.segments if segment.quotes] == ["Party 1 is right"]
    assert second.seen is None
    assert second.assistant is not None
    assert [segment.text for segment in second.assistant.segments if segment.quotes] == ["Goodbye"]


def test_redaction_names_are_checked() -> None:
    """A benchmark or a metric can be named; another name is refused with the nearest one."""
    known = {"mini", "mini/m01", "mini/m02"}
    assert redaction(["mini/m01"], known).hides("mini", "m01")
    assert not redaction(["mini/m01"], known).hides("mini", "m02")
    assert redaction(["mini"], known).hides("mini", "m02")
    with pytest.raises(ImpactBenchError, match=r"--redact mini/m03: .* Did you mean mini/m0"):
        redaction(["mini/m03"], known)


def test_a_foreign_folder_is_never_replaced(tmp_path: Path) -> None:
    """Files, links and folders that are not reports of ours are refused; a report, an empty or a new folder are not."""
    foreign = tmp_path / "thesis"
    foreign.mkdir()
    check_place(foreign)
    check_place(tmp_path / "new")
    (foreign / "chapter1.txt").write_text("years of work")
    with pytest.raises(ImpactBenchError, match=r"has files in it and is not a report of impactbench"):
        check_place(foreign)
    with pytest.raises(ImpactBenchError, match="is not a folder"):
        check_place(foreign / "chapter1.txt")
    (tmp_path / "link").symlink_to(foreign)
    with pytest.raises(ImpactBenchError, match="is not a folder"):
        check_place(tmp_path / "link")
    (foreign / MARKER).write_text("{}")
    check_place(foreign)


def test_an_older_report_stays_when_the_new_one_fails(tmp_path: Path) -> None:
    """The folder is replaced as a whole or not at all, and nothing is left beside it."""
    out = tmp_path / "report"
    with new_folder(out, {"suite": "s"}) as folder:
        (folder / "index.html").write_text("old")
    with pytest.raises(KeyError):
        _write_half(out)
    assert (out / "index.html").read_text() == "old"
    with new_folder(out, {"suite": "t"}) as folder:
        (folder / "other.html").write_text("new")
    assert sorted(path.name for path in out.iterdir()) == [MARKER, "other.html"]
    assert [path.name for path in tmp_path.iterdir()] == ["report"]
    assert json.loads((out / MARKER).read_text()) == {"suite": "t"}


def _write_half(out: Path) -> None:
    with new_folder(out, {"suite": "s"}) as folder:
        (folder / "index.html").write_text("half")
        raise KeyError("something broke")


def test_filters_offer_only_what_differs() -> None:
    """A list of one model's conversations has no filter for models; axes of people are filters of their own."""
    found = filters([outcome(True), outcome(False, axes=(("age", "child"),))], {"model-a": "Model A"})
    assert found == [
        ("verdict", [("failed", "failed"), ("passed", "passed")]),
        ("age", [("adult", "adult"), ("child", "child")]),
    ]


def test_every_status_has_a_word_of_its_own() -> None:
    """Not applicable and unclear are not failures, and a contrast neither passes nor fails."""
    lacking = [outcome(None, status=status, unscored=None) for status in ("not_applicable", "unclear")]
    found = [*(outcome(passed) for passed in (False, True)), contrast_outcome(0.5, "a"), *lacking, outcome(None)]
    assert tuple(map(verdict, found)) == VERDICTS
    assert [vote_words(one) for one in found[:3]] == [["absent"], ["present"], ["0.5"]]


def test_labels_of_points_keep_their_distance() -> None:
    """Points at one place get labels above each other, within the plot; order and lone ones stay."""
    assert label_heights([0.0, 50.0, 100.0]) == [0.0, 50.0, 100.0]
    placed = label_heights([100.0, 100.0, 100.0, 3.0])
    assert sorted(placed) == [3.0, 90.0, 95.0, 100.0]
    many = sorted(label_heights([50.0] * 60))
    assert min(later - earlier for earlier, later in pairwise(many)) > 1.6
    assert (label_heights([]), label_heights([7.0])) == ([], [7.0])


HOSTILE = '<script>1</script>$x^2$ \x00 \u202e "'


def test_plots_carry_names_as_text_and_no_style() -> None:
    """A name is text in the SVG whatever it holds, and nothing in it needs what the page's policy forbids."""
    known = Interval(0.2, 0.6)
    gaps = gap_plot([PlotBar(HOSTILE, "models/a.html", 0.4, known)], "one")
    scatter = scatter_plot([PlotPoint(HOSTILE, "models/a.html", 0.4, 0.5, known, UNKNOWN)], "x", "y")
    for svg in (gaps, scatter):
        assert "&lt;script&gt;1&lt;/script&gt;$x^2$ ␀" in svg
        assert "<script" not in svg
        assert not re.search(r"\sstyle=|<style|xlink:href=\"models|\x00", svg)
        assert 'href="models/a.html"' in svg
    identifiers = re.findall(r'\sid="([^"]+)"', gaps + scatter)
    assert len(identifiers) == len(set(identifiers))
    assert gap_plot([PlotBar("a", "a", 0.4, known)], "one") == gap_plot([PlotBar("a", "a", 0.4, known)], "one")


@looped("template", sorted(path.name for path in pages.HERE.glob("*.jinja")))
def test_no_template_switches_escaping_off(template: str) -> None:
    """Autoescape is on everywhere, and no template has a way around it; no style or script stands in a page."""
    text = (pages.HERE / template).read_text()
    assert not re.search(r"\|\s*safe|autoescape|Markup|\sstyle=|<style|\son[a-z]+=", text)
    scripts = re.findall(r"<script[^>]*>", text)
    assert all(re.fullmatch(r'<script src="\{\{ root \}\}[\w-]+\.js" defer>', script) for script in scripts)
    assert not re.search(r"https?://", text)


def test_every_printed_text_is_escaped_and_visible() -> None:
    """The find page prints a hostile id and offers hostile names as filters: they are text."""
    first: Any = outcome(benchmark=HOSTILE, variant_id=HOSTILE)
    site: Any = type("Site", (), {"suite": HOSTILE, "benchmarks": {}, "models": {},
                                  "redaction": redaction([], []), "combined": False,
                                  "has_history": False, "has_people": False, "has_arms": False, "has_compare": True,
                                  "judges": NO_JUDGES, "unfinished": ""})()  # fmt: skip
    page = pages.render(
        "find", "find.html", site=site, results=type("R", (), {"outcomes": [first]})(), searchable=True, has_words=True,
        axes={HOSTILE: [HOSTILE]}, metrics={}, benchmarks=[(HOSTILE, HOSTILE)], verdicts=[], megabytes=2.0,
    )  # fmt: skip
    assert page.count("<script") == 3  # of the site, of what reads words, of the search
    assert "\x00" not in page
    assert "\u202e" not in page
    assert "&lt;script&gt;1&lt;/script&gt;$x^2$ ␀ [U+202E] &#34;" in page
