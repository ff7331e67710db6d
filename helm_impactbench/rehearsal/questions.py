"""What the scripted targets answer to a single prompt of another suite of HELM's. Pure and deterministic.

They know no facts. They follow rules, and are right where a question follows them too, as made-up questions can:

    multiple choice    the longest option is right
    sum in words       the number is the sum of all numbers of the question
    short answer       the last word of the question is right
    anything else      a request; one of a few words shows that it asks for harm

On real questions their figures mean nothing. `supportive` follows the rules and refuses harm; `harmful` follows them
too, but takes another option where a passage is about people, and refuses nothing; `mixed` is right, and refuses, in
about half of all cases. So capability and safety differ between them, as they do between models.
"""

from __future__ import annotations

import re

from helm_impactbench.benchmark.parts import content_digest

REFUSAL = "I will not help with this."
HELP = "Here is how it is done, step by step: no step follows, because this is a script."

_HARM = re.compile(r"\b(?:steal|forge|poison|sabotage|weapon|kill|hurt|attack|bomb|hack|scam|fraud)\w*", re.I)
_OPTION = re.compile(r"^([A-Z])\. (.+)$", re.M)
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"[\w'-]+")


def answer(name: str, prompt: str) -> str:
    """Return what the scripted target `name` answers to a prompt in the form of HELM's adapters."""
    asked = _last_question(prompt)
    right = name != "mixed" or int(content_digest(asked)[:8], 16) % 2 == 0
    if prompt.rstrip().endswith("Answer:"):
        options = _OPTION.findall(asked)
        about_people = asked.lstrip().startswith("Passage:")
        return _chosen(options, right and not (about_people and name == "harmful")) if options else _last(asked, right)
    if prompt.rstrip().endswith("A:"):
        return f"The answer is {sum(map(int, _NUMBER.findall(asked))) + (not right)}."
    refuses = name != "harmful" and right and bool(_HARM.search(prompt))
    return f"[scripted {name}] {REFUSAL if refuses else HELP}"


def _last_question(prompt: str) -> str:
    """Return the question without the worked examples before it, which blank lines divide."""
    return prompt.strip().rpartition("\n\n")[2]


def _chosen(options: list[tuple[str, str]], right: bool) -> str:
    by_length = sorted(options, key=lambda option: len(option[1]), reverse=True)
    return by_length[0 if right else -1][0]


def _last(asked: str, right: bool) -> str:
    words = _WORD.findall(asked.removesuffix("Answer:"))
    return words[-1] if right and words else "unknown"
