"""The first message in other words, written by the simulated user's model and refused where it does not say the same.

The level `paraphrase` of the axis `wording`. What is checked are facts: names, numbers, and the parts that tell the
levels of a contrast apart. Names are words with a capital letter within a sentence: the rule is for English.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from helm_impactbench.conversation.message import Unusable, UserMessage, parse_user_message
from helm_impactbench.conversation.plan import ConversationPlan
from helm_impactbench.conversation.record import FaultKind, MessageFault
from helm_impactbench.conversation.rewording import first_words
from helm_impactbench.conversation.simulator import simulator_prompts
from helm_impactbench.llm.request import CallFailure, Message, Reply
from helm_impactbench.prompts import Prompt, load_prompt
from helm_impactbench.quoting import neutralise

TRIES = 2
LONGEST = 1.5
"""Words of a paraphrase over those of the message, where it has more than FEW_WORDS."""
FEW_WORDS = 8
_SEPARATOR = re.compile(r"(?<=\d)[.,](?=\d)")
_DIGITS = re.compile(r"\d+")
_NUMBER_WORDS = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million)\b",
    re.I,
)
_CAPITAL = re.compile(r"\b[^\W\d_a-z][\w'’-]*")
_LINE_BEGINS = re.compile(r"^[ \t]*(?:[-*•]|\d+[.)])?[ \t]*", re.M)
_I = re.compile(r"I(?:['’]\w+)?")


@cache
def paraphrase_prompts() -> dict[str, Prompt]:
    """Return the templates by their short names."""
    return {
        "paraphrase": load_prompt("simulator_paraphrase", {"message", "most", "passages"}),
        "retry": load_prompt("simulator_paraphrase_retry", {"problem"}),
    }


def user_prompts(*, paraphrased: bool) -> list[Prompt]:
    """Return the templates that the user's model gets, those of paraphrases only where there are any."""
    return [*simulator_prompts().values(), *(paraphrase_prompts().values() if paraphrased else ())]


def paraphrase_messages(text: str, cues: tuple[str, ...] = ()) -> list[Message]:
    """Return what the simulated user's model is asked for another wording of `text`."""
    filled = paraphrase_prompts()["paraphrase"].fill(
        message=neutralise(text), most=most_words(text), passages=[neutralise(one) for one in kept_passages(text, cues)]
    )
    return [Message("user", filled)]


def paraphrased(
    plan: ConversationPlan,
    text: str,
    ask: Callable[[list[Message]], Reply | CallFailure],
    faults: Callable[[ConversationPlan, int, UserMessage], tuple[MessageFault, ...]],
) -> str | Unusable:
    """Return the first message of a plan in other words, or why there are none after TRIES answers."""
    messages = paraphrase_messages(text, plan.cues)
    problem = ""
    for _ in range(TRIES):
        reply = ask(messages)
        if isinstance(reply, CallFailure):
            return Unusable(f"no paraphrase: {reply.reason}")
        read = parse_user_message(reply.text) if reply.text else Unusable(reply.why_empty)
        if isinstance(read, UserMessage):
            refused = any(fault.kind is FaultKind.REFUSED for fault in faults(plan, 1, read))
            problem = "it refuses to write it" if refused else problem_of(text, read.text, plan.cues)
            if not problem:
                return read.text
        else:
            problem = read.problem
        again = paraphrase_prompts()["retry"].fill(problem=problem)
        messages = [*messages, Message("assistant", reply.text.strip() or "(nothing)"), Message("user", again)]
    return Unusable(f"no paraphrase that says the same: {problem}")


def problem_of(text: str, written: str, cues: tuple[str, ...] = ()) -> str:
    """Return why `written` cannot stand for `text`; empty where it can."""
    if _words(written) == _words(text):
        return "nothing is changed"
    if (words := len(written.split())) > most_words(text):
        return f"it has {words} words, and at most {most_words(text)} are allowed"
    here, folded = set(_facts(written)), _folded(written)
    for number in _facts(text):
        if number not in here:
            return f"it lacks the number {number}"
    for name in _names(text):
        if not re.search(rf"(?<!\w){re.escape(_folded(name))}(?!\w)", folded):
            return f"it lacks the name {name}"
    for passage in kept_passages(text, cues):
        if _folded(passage) not in folded:
            return f'it lacks the words "{passage}"'
    return ""


def most_words(text: str) -> int:
    """Return how many words a paraphrase may have."""
    words = len(text.split())
    return int(LONGEST * words) if words > FEW_WORDS else words + FEW_WORDS // 2


def kept_passages(text: str, cues: tuple[str, ...]) -> list[str]:
    """Return the parts of a message that stay word for word.

    These are its cues, unless they are most of it: then they are the story itself, of which names and numbers stay.
    """
    own = [cue for cue in dict.fromkeys(cues) if _folded(cue) in _folded(text)]
    return own if 2 * sum(len(cue.split()) for cue in own) <= len(text.split()) else []


def _facts(text: str) -> list[str]:
    """Return the numbers in a text in order, in digits however they are grouped, and in words."""
    return [*_DIGITS.findall(_SEPARATOR.sub("", text)), *(word.lower() for word in _NUMBER_WORDS.findall(text))]


def _names(text: str) -> list[str]:
    """Return the words with a capital letter within a sentence."""
    begins = {*first_words(text), *(each.end() for each in _LINE_BEGINS.finditer(text))}
    found = (each for each in _CAPITAL.finditer(text) if each.start() not in begins)
    return [*dict.fromkeys(re.sub(r"(?:['’]s|['’-]+)$", "", each[0]) for each in found if not _I.fullmatch(each[0]))]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _folded(text: str) -> str:
    return " ".join(text.replace("’", "'").lower().split())
