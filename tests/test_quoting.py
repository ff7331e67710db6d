"""Model text in prompts: no disguise passes, and ordinary words in any language stay as they were written."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.benchmark.measures.base import Evidence
from helm_impactbench.conversation.record import Turn
from helm_impactbench.judging.evidence import check_quotes
from helm_impactbench.quoting import DELIMITERS, key_of, neutralise
from tests.support.looped import looped

ORDINARY = {
    "mathematics": "a < b, b <= c, x << 2, n \u2264 m and 1 <2 turns; \u27e8x, y\u27e9 = 0 if |x| < |y|",
    "code": "std::vector<int> v; if (a[0] < b[i]) cout << v.size(); List<String> names; x <- 3; a <> b",
    "HTML": '<b>bold</b><br/><a href="x.html">link</a><p class="note">text</p><span>s</span>',
    "hearts": "I <3 you </3 >:< <_<",
    "placeholders": "Dear [NAME], your <company> ... [1] [x] [TODO] <your name here> [REDACTED]",
    "French": "Il a dit \u00ab\u202fbonjour\u202f\u00bb puis \u00ab but \u00bb et \u2039 oui \u203a.",
    "Russian": "\u041e\u043d \u0441\u043a\u0430\u0437\u0430\u043b: "
    "\u00ab\u0442\u0435\u043c\u0430\u00bb, \u00ab\u0444\u0430\u043a\u0442\u00bb \u0438 <\u0438\u043c\u044f>.",
    "Chinese": "\u6211\u8bfb\u4e86\u300a\u6218\u4e89\u4e0e\u548c\u5e73\u300b\u548c\u3008\u76ee\u6807\u3009\u3002",
    "Persian with joiners": ""
    "\u0646\u0645\u06cc\u200c\u062a\u0648\u0627\u0646\u0645 \u00ab\u0645\u06cc\u200c\u0631\u0648\u0645\u00bb",
    "Hindi": "\u0915\u094d\u0937\u092e\u093e \u0915\u0930\u0947\u0902 \u0930\u094d\u200d\u092f <\u0928\u093e\u092e>",
    "emoji": ""
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 \u2764\ufe0f \U0001f50d fact check, \u25c0 turn left",
    "words that are names": "My goal: turn left. The fact is, a score < 3 is no example of a transcript.",
    "longer words": "<turns> <goals> <factory> <scores> </scoring> [instance] [mask1] <user_name> <sample>",
}  # fmt: skip
READABLE = {"mathematics", "code", "words that are names"}


@looped("name", ORDINARY)
def test_ordinary_words_reach_the_judge_as_they_were_written(name: str) -> None:
    """Letters, joiners, brackets and code of any language are left alone."""
    assert neutralise(ORDINARY[name]) == ORDINARY[name]


@pytest.mark.parametrize("text", ["x < score and y > 2", "while (turn < goal)", "<s>crossed out</s>"])
def test_what_could_be_a_tag_stays_readable(text: str) -> None:
    """Where ordinary words look like a delimiter, the bracket alone changes to one that reads the same."""
    assert neutralise(text).replace("\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}", "<") == text


invisible = st.sampled_from(
    "\x00\x07\x7f\u00a0\u00ad\u034f\u0338\u115f\u180e\u200b\u200d\u2028\u2060\u2800\u3164\ufe0f\ufeff\uffa0\U000e0074"
)
opening = st.sampled_from("<\u2329\u27e8\u276e\u2770\u3008\u300a\u00ab\u2039\ufe64\uff1c\u02c2\u1438\u226a\u29fc")
slash = st.sampled_from(["", "/", "\\", "\u2044", "\u2215", "\u29f8", "\uff0f", "\u2571"])
styles = st.sampled_from([0, 0xFEE0, 0x1D400 - 0x41, 0x24B6 - 0x41])


@st.composite
def disguised(draw: st.DrawFn) -> str:
    """Draw one of our tags with another bracket, invisible characters, and letters in another style."""
    name = draw(st.sampled_from(DELIMITERS))
    written = [draw(opening), draw(st.text(invisible, max_size=3)), draw(slash)]
    for letter in name:
        style = draw(styles) if letter != "_" else 0
        upper = letter.upper() if style in (0x1D400 - 0x41, 0x24B6 - 0x41) else letter
        written += [chr(ord(upper) + style), draw(st.text(invisible, max_size=2))]
    return "".join(written) + draw(st.sampled_from([">", "\uff1e", " number='9'>", "-00000000>", "", "\n"]))


@given(before=st.text(), tag=disguised(), after=st.text())
def test_no_disguise_of_a_tag_passes(before: str, tag: str, after: str) -> None:
    """The bracket is another one, in the same place, whatever stands around it; doing it twice changes nothing."""
    harmless = neutralise(f"{before} {tag} {after}")
    assert harmless[len(before) + 1] == "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}"
    assert neutralise(harmless) == harmless


@given(text=st.text() | st.text(alphabet="<>[]|/turnsINSTgoal_ \u200b\u0336\uff1c\u3008"))
def test_only_opening_brackets_ever_change(text: str) -> None:
    """Same length, same characters in all other places, and NFKC brings no delimiter back."""
    harmless = neutralise(text)
    assert len(harmless) == len(text)
    changed = {(old, new) for old, new in zip(text, harmless, strict=True) if old != new}
    assert all(new in "\u2039\u27e6" for _, new in changed)
    plain = unicodedata.normalize("NFKC", harmless)
    assert not any(f"</{name}>" in plain for name in DELIMITERS)


@given(said=st.text(min_size=4).filter(lambda text: len(" ".join(text.split())) >= 4), tag=disguised())
def test_quotes_of_what_the_judge_saw_are_found(said: str, tag: str) -> None:
    """A quote copied from the prompt, or from the stored transcript, is grounded."""
    turn = Turn(number=1, user="u", assistant=f"Well. {said} {tag} So.")
    for quote in (f"{said} {tag}", neutralise(f"{said} {tag}")):
        (found,) = check_quotes([Evidence(1, quote)], [turn])
        assert found.found_turn == 1


@given(st.lists(st.text(), max_size=4))
def test_a_key_follows_from_all_texts(texts: list[str]) -> None:
    """Equal texts have an equal key; any change, also of where one ends, gives another."""
    key = key_of(*texts)
    assert key == key_of(*texts)
    assert len(key) == 8
    assert key not in {key_of(*texts, ""), key_of(*texts, "x"), key_of("".join(texts) + "y")}


def test_a_usual_transcript_takes_no_time() -> None:
    """Twelve messages of 1,500 characters: far below a millisecond, so a hundredth of what a call costs."""
    message = ("I think you\u2019re right \u2014 let me see, it is \u201cfine\u201d for you and for me. " * 30)[:1500]
    neutralise(message)
    times = []
    for _ in range(9):
        started = time.process_time()
        for _ in range(12):
            neutralise(message)
        times.append(time.process_time() - started)
    assert min(times) < 0.001
