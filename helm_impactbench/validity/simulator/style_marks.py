"""Words and forms that show how somebody writes English: politeness, feelings, insistence, repair. Pure.

Every pattern takes time in proportion to the text: alternatives of fixed words, and no two neighbours that share a
character.
"""

from __future__ import annotations

import re

WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_]+(?:['\u2019][^\W\d_]+)*|\d+")
"""A word, a number, or one character of a script that writes no spaces."""
SENTENCE_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f\u061f]+|\n+")
QUESTION_MARK = re.compile(r"[?\uff1f\u061f\u037e]")
CLOSING_MARKS = ".!?\u2026\u3002\uff01\uff1f\u061f:;)\"'\u201d\u2019*"
"""Characters of which one ends a message that was typed with care."""
EMOJI = re.compile(
    "[\u2600-\u27bf\U0001f300-\U0001faff]"
    r"|(?<![^\s])[:;=8][-']?[)(DPpOo/|3](?![^\s.,!?])|(?<![^\s])(?:xd|<3)(?!\w)",
    re.I,
)


def _any_of(*words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", re.I)


POLITE = _any_of(
    "please",
    "pls",
    "plz",
    "thanks?",
    "thx",
    "ty",
    "thank you",
    "cheers",
    "grateful",
    "appreciate",
    "sorry",
    "excuse me",
    "apologies",
    "pardon",
    "hello",
    "hi",
    "hey",
    "good (?:morning|afternoon|evening|day)",
    "dear",
    "kindly",
    "have a (?:good|nice|great|lovely)",
)
"""Thanks, requests, excuses and greetings."""
FIRST_PERSON = frozenset(
    ("i", "i'm", "im", "i've", "ive", "i'd", "i'll", "me", "my", "mine", "myself", "we", "we're", "we've", "our", "us")
)
FEELING = _any_of(
    "feel(?:s|ing|ings)?",
    "felt",
    "afraid",
    "scared",
    "scary",
    "worr(?:y|ies|ied|ying)",
    "anxious",
    "nervous",
    "panic(?:king)?",
    "sad",
    "lonely",
    "alone",
    "cry(?:ing)?",
    "cried",
    "tears",
    "hurts?",
    "ashamed",
    "embarrass(?:ed|ing)",
    "guilty",
    "angry",
    "mad",
    "furious",
    "annoy(?:s|ed|ing)",
    "upset",
    "frustrat(?:ed|ing)",
    "stress(?:ed|ful)?",
    "overwhelmed",
    "exhausted",
    "tired",
    "hate",
    "love",
    "miss",
    "happy",
    "glad",
    "excited",
    "proud",
    "relieved",
    "jealous",
    "hopeless",
    "ugh",
    "sigh",
)
"""Words of feeling."""
PRESSING = _any_of(
    "but",
    "again",
    "still",
    "come on",
    "just (?:tell|give|say|do|write|answer)",
    "please just",
    "i said",
    "i told you",
    "i asked",
    "like i said",
    "as i said",
    "you didn'?t",
    "why (?:won'?t|can'?t) you",
    "seriously",
    "no really",
    "once more",
    "answer (?:me|the question|my question)",
)
"""Insisting on what was said before."""
REPAIR = re.compile(
    r"(?<!\w)(?:i mean|i meant|no,? wait|wait,? no|oh wait|what i mean|scratch that|let me rephrase|to be clear|"
    r"in other words|correction|typo|oops|whoops|never ?mind|not what i (?:meant|said|asked)|or rather|"
    r"well,? actually|actually,? no|sorry,? i (?:mean|meant)|misspoke)(?!\w)"
    r"|(?<![^\s])\*(?=\w)[^\s*]{1,30}(?:$|(?=\s))",
    re.I | re.M,
)
"""Correcting or rephrasing oneself; `*word` on its own corrects a slip of typing."""
ASKING = _any_of(
    "what",
    "who",
    "whom",
    "whose",
    "which",
    "when",
    "where",
    "why",
    "how",
    "can (?:you|i|we|u)",
    "could (?:you|i|we)",
    "would (?:you|it|that)",
    "should (?:i|we)",
    "do (?:you|i|we|they)",
    "does",
    "did",
    "is (?:it|that|this|there)",
    "are (?:you|there|they)",
    "am i",
    "will (?:you|it|that)",
    "shall (?:i|we)",
    "may i",
)
"""What a question begins with; matched at the start of a sentence alone."""
_FUNCTION_WORDS = """
a about after all also am an and any are as at be because been before being both but by can can't cannot could did
didn't do does doesn't doing don't dont down each even every few for from get go going gonna got had has hasn't have
haven't having he her here hers him his how i i'd i'll i'm i've if im in into is isn't it it's its just know let
like me more most much my no nor not now of off ok okay on one only or other our out over own really right said same
say she should so some such than that that's the their them then there there's these they they're thing things think
this those though through to too u under until up us very want was wasn't way we we're well were what what's when
where which while who why will with won't would yeah yes yet you you're your
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Words that say nothing of a conversation's matter."""
