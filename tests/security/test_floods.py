"""A model's text cannot stop a run: every reader of it takes time in proportion to its length, whatever it holds."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helm_impactbench.authoring import gate
from helm_impactbench.authoring.lint import lint_metric
from helm_impactbench.authoring.replies import objects_in
from helm_impactbench.benchmark.golden_files import golden_folders, load_golden
from helm_impactbench.benchmark.measures.base import Evidence
from helm_impactbench.benchmark.measures.pattern import Pattern
from helm_impactbench.benchmark.measures.third_person import third_person
from helm_impactbench.benchmark.scenario import Landmark
from helm_impactbench.benchmark.wording import negates_itself
from helm_impactbench.characters import is_blank
from helm_impactbench.conversation.faults import faults_of
from helm_impactbench.conversation.message import UserMessage, parse_user_message
from helm_impactbench.conversation.paraphrase import problem_of
from helm_impactbench.conversation.perturbation import add_typos
from helm_impactbench.conversation.plan import ConversationPlan
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.conversation.rewording import casual, formal
from helm_impactbench.conversation.single_prompt import answered, failed
from helm_impactbench.judging.answer import parse_measured
from helm_impactbench.judging.evidence import check_quotes
from helm_impactbench.llm import secrets
from helm_impactbench.llm.failures import ReportedCallError, classified, one_line
from helm_impactbench.llm.reasoning import split_reasoning
from helm_impactbench.llm.usage import Usage
from helm_impactbench.quoting import neutralise
from helm_impactbench.results.passages import span_of, visible
from helm_impactbench.suites.panels.reasoning import _last_number
from helm_impactbench.suites.panels.reply import answer_text, parse_headings, parse_tags
from helm_impactbench.validity.annotation.view import printable
from helm_impactbench.validity.drift.reply_style import reply_style
from helm_impactbench.validity.golden.run import golden_cases
from helm_impactbench.validity.simulator.review import parse_review
from helm_impactbench.validity.simulator.user_style import MOST_CHARACTERS, style_of
from helm_impactbench.validity.stress.edits import Put
from helm_impactbench.validity.stress.kinds import KINDS
from helm_impactbench.validity.stress.rewriting import reader
from tests.judging.builders import MEASURES, PARTIES, metric
from tests.support.looped import looped

Reader = Callable[[str], object]
HALVES = (0.0, 0.5, 1.0)
METRIC = metric()
SAFE = Landmark(turn=2, instruction="Ask again.")
TOLD = ConversationPlan(
    seed="s", user="u", turns=3, landmarks=(Landmark(turn=1, instruction="Ask a a a a a a a a a a a and you again."),)
)


def _stress(kind: str) -> Reader:
    case = golden_cases([load_golden(golden_folders()[0])])[0].case

    def edited(text: str) -> object:
        turns = (Turn(number=1, user=text, assistant=text),)
        return KINDS[kind].edit(Put(case, Conversation(status=Status.COMPLETE, turns=turns)))

    return edited


def _judge(before: str, measure: str = "severity") -> Reader:
    return lambda text: parse_measured(before + text, MEASURES[measure], applies=True)


def _quotes(text: str) -> object:
    turns = [Turn(number=1, user="u", assistant=text), Turn(number=2, user="u", assistant=text + "y")]
    half = len(text) // 2
    return check_quotes([Evidence(1, text[half:]), Evidence(2, text[:half] + "x")], turns)


def _in_parts(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def _author(field: str) -> Reader:
    def gated(text: str) -> object:
        told = {"persona": "Someone waits.", "goal": "wait", "hidden": "pull", "instruction": "Ask.", field: text}
        landmark = Landmark.model_construct(turn=2, instruction=told["instruction"])
        found = gate.base_faults(METRIC, told["persona"], told["goal"], told["hidden"], [landmark], 6)
        return list(found)

    return gated


def _variant(text: str) -> object:
    return list(gate.variant_faults(METRIC, [SAFE], text, [SAFE], {"age": "adult (18-30)"}, 6))


def _landmark(text: str) -> object:
    told = Landmark.model_construct(turn=2, instruction=text)
    return list(gate.variant_faults(METRIC, [SAFE], "A 20-year-old waits.", [told], {"age": "adult (18-30)"}, 6))


def _definition(text: str) -> object:
    drafted = METRIC.model_copy(update={"definition": text, "examples": [], "near_misses": []})
    return list(lint_metric(drafted)), negates_itself(text)


def _example(text: str) -> object:
    return list(lint_metric(METRIC.model_copy(update={"examples": [text], "near_misses": []})))


READERS: dict[str, Reader] = {
    "simulated user": parse_user_message,
    "simulated user, message": lambda text: parse_user_message(f"Thought: a\nMessage: {text}"),
    "simulated user, thought": lambda text: parse_user_message(f"Thought: {text}"),
    "simulated user, German": lambda text: parse_user_message(f"Gedanke: a\nNachricht: {text}"),
    "simulated user, faults": lambda text: faults_of(TOLD, 1, UserMessage(text)),
    "simulated user, a fault": lambda text: faults_of(TOLD, 1, UserMessage(f"As an AI, {text} bye")),
    "typing noise": lambda text: add_typos(text, "seed"),
    "casual wording": casual,
    "formal wording": formal,
    "paraphrase": lambda text: problem_of("I am Ana, 34 years old.", text),
    "paraphrase, of a long message": lambda text: problem_of(text, "I am Ana, 34 years old."),
    "a sum's result": _last_number,
    "reasoning": split_reasoning,
    "single prompt": lambda text: answered("p", text, text, Usage()),
    "single prompt, error": lambda text: failed("p", text),
    "judge": _judge(""),
    "judge, quantity": _judge('{"justification": "a", "evidence": [], "answer": ', "quantity"),
    "judge, justification": _judge('{"justification": "'),
    "judge, evidence": _judge('{"justification": "a", "answer": "present", "evidence": ['),
    "judge, fence": _judge("```json\n"),
    "judge, what follows": _judge('{"justification": "a", "evidence": [], "answer": "present"}'),
    "quotes": _quotes,
    "quoted text": neutralise,
    "quoted text, names of a template": lambda text: neutralise(text, ("ans_end", "score", "reasoning")),
    "emptiness": is_blank,
    "third person": lambda text: third_person(
        text, "a", [PARTIES["a"]["words"], PARTIES["b"]["words"]], ["lodger"], ("Party 1", "Party 2")
    ),
    "pattern": lambda text: Pattern(matches=r"\b116 123\b", most_words=9).decided([(1, text)]),
    "pattern, JSON": lambda text: Pattern(json_keys=["a"]).decided([(1, text)]),
    "safety judge, tags": lambda text: parse_tags(answer_text(text), HALVES),
    "safety judge, fence": lambda text: parse_tags(answer_text(f"```\n{text}"), HALVES),
    "safety judge, headings": lambda text: parse_headings(text, HALVES),
    "review of the simulated user": parse_review,
    "style of a reply": reply_style,
    "style of the user": lambda text: style_of(_in_parts(text, MOST_CHARACTERS)),
    "author": objects_in,
    "author, definition": _definition,
    "author, example": _example,
    "author, persona": _author("persona"),
    "author, goal": _author("goal"),
    "author, direction": _author("instruction"),
    "author, variant": _variant,
    "author, landmark of a variant": _landmark,
    "author, system prompt": lambda text: list(gate.prompt_fault(text)),
    "secrets": secrets.without_secrets,
    "error": lambda text: classified(ReportedCallError(text), "deployment"),
    "error, one line": one_line,
    "report": visible,
    "report, quotes": lambda text: span_of(text, text[: len(text) // 2] + "x"),
    "annotation": printable,
    "stress, padding": _stress("padding"),
    "stress, formatting": _stress("formatting"),
    "stress, names": _stress("names"),
    "stress, flattery": _stress("flattery"),
    "stress, rewriter": lambda text: reader([text])(json.dumps({"messages": [text + " b"]})),
}
"""Who reads a model's text -> how. A new parser gets a line here."""

FLOODS = (
    " ", "\n", " \t\n", "\u200b", "e\u0301", "<", "< ", "(", "[", "{", '"', "\u201c", "\\", "`", "```\n", "a", "a ",
    "a:\n",     '{"a":', '[{"a":', '{"a', "<think>", "</s>", "Thought:\n", "asks ", "you ",
)  # fmt: skip
"""What a text is filled with."""
MORE_FLOODS = (
    "\r\n", "\r", "\x85", "\u00a0", "\u3164", "\u0301", "a\u200c", "</ ", ") (", "\uff08", "\u3010", "'", "\u00ab",
    '\\"', "\\u0041", "``` ", "\u00e4", "\u601d", "\U0001f469\u200d", "Aa ", "a.", ". ", ";", "|", "*", "* ", "_", "#",
    "## ", ":", " - ", "> ", "9", "9.9", "-1,", '{"a":[{},', '{"a":1} ', '[{"a":1},', '{"turn":1,"quote":"aaaa"},',
    "<think ", "</think>", "<turn>", "<tur\u200b", "<|", "<|a|>", "[/INST] ", "[end of ", "[ ", "(thought ",
    "thought (", "abc def: x\n", "Thought: a ", "Message: ", " Message ", "Nachricht: ", "Assistant:\n",
    "Me: a\nBen: b\n", "assistant\n\n", "content", "model ", "try again in ", "your ", "you are under ", "party ",
    "party___", "no ", "no-a-", "any tenant ", "the assistant ", "asks and ", "it really", "in their ",
    "this is a ", "part of a aa-", "i mean ", "good ", "*a",
)  # fmt: skip
HEADS = ("<", "</", "[", "(", '"', "\u201c", "```", "{", "Thought: ")
"""What a flood of blanks, or of one word, may begin with."""


def floods(size: int, *, all_of_them: bool = True) -> Iterator[tuple[str, str]]:
    """Yield (name, text) of the floods, of about `size` characters; a mark ends them, or blanks would be cut off."""
    for unit in (*FLOODS, *(MORE_FLOODS if all_of_them else ())):
        yield repr(unit), unit * (size // len(unit)) + "."
    for head in HEADS if all_of_them else HEADS[:1]:
        for unit in (" ", "\n", "a") if all_of_them else (" ",):
            yield repr(head + unit), head + unit * size + "."


def seconds(reader: Reader, text: str, best_of: int = 1) -> float:
    """Return the least CPU time that a reader takes for a text."""
    spent = []
    for _ in range(best_of):
        started = time.process_time()
        reader(text)
        spent.append(time.process_time() - started)
    return min(spent)


def too_slow(reader: Reader, size: int, most: float, *, all_of_them: bool) -> list[str]:
    """Return the floods on which a reader takes more than `most` seconds, or more than 2.4 times as long for twice the
    text. Times too small to compare are none; the best of several counts, and a doubt is measured again.
    """
    found, small = [], most / 3
    pairs = zip(floods(size, all_of_them=all_of_them), floods(size // 2, all_of_them=all_of_them), strict=True)
    for (name, text), (_, half) in pairs:
        spent, before, attempt = seconds(reader, text), 0.0, 0
        while spent > small and not (before and spent <= most and spent <= 2.4 * before) and attempt < 5:
            attempt += 1
            spent, before = min(spent, seconds(reader, text, attempt)), seconds(reader, half, 2 + attempt)
        if spent > small and (spent > most or spent > 2.4 * before):
            found.append(f"{name}: {spent:.3f} s for {size:,} characters, {before:.3f} s for half of them")
    return found


@pytest.fixture(autouse=True)
def _some_secrets() -> None:
    secrets.remember(["sk-abcdef123456", "hunter2hunter2", "token-99-abcdefg"])


@looped("reader", READERS.values(), ids=list(READERS))
def test_no_text_takes_long(reader: Reader) -> None:
    """A quarter of a megabyte takes 1.4 s at most on a slow and busy machine, and half of it half as long."""
    assert too_slow(reader, 250_000, 1.4, all_of_them=False) == []


@pytest.mark.long
@looped("reader", READERS.values(), ids=list(READERS))
def test_no_megabyte_takes_long(reader: Reader) -> None:
    """A megabyte takes 2.8 s at most."""
    assert too_slow(reader, 1_000_000, 2.8, all_of_them=True) == []


def test_an_answer_with_endless_evidence_is_refused() -> None:
    """Each quote is looked for in every turn, so that many quotes of a long transcript would take for ever."""
    item, fault = {"turn": 1, "quote": "aaaa"}, {"kind": "broke_persona", "turn": 1, "quote": "a", "why": "b"}
    for count, refused in ((100, False), (101, True)):
        answer = json.dumps({"justification": "a", "evidence": [item] * count, "answer": "present"})
        review = json.dumps({"faults": [{**fault, "severity": "minor"}] * count})
        for read in (parse_measured(answer, MEASURES["presence"], applies=False), parse_review(review)):
            assert ("at most 100" in str(read)) == refused


PATTERNS_ELSEWHERE = {
    "authoring/spec.py", "benchmark/measures/confidence.py",
    "benchmark/golden_coverage.py", "validity/golden/surface.py", "validity/records/judges.py",
    "benchmark/blocks.py", "benchmark/golden.py", "benchmark/operators.py", "benchmark/parts.py",
    "benchmark/scenario.py", "benchmark/wordings.py",
    "benchmark/measures/parties.py", "validity/annotation/answers.py", "validity/simulator/persona_style.py",
    "conversation/age.py", "conversation/system_prompt.py",
    "validity/rejudge_plan.py",
    "validity/families.py", "validity/self_preference.py", "authoring/slots.py", "authoring/metrics.py",
    "suites/panels/question.py", "suites/external/outcomes.py",
}  # fmt: skip
"""Files of these layers whose patterns read names, figures and content, never a model's text."""
READ_HERE = {
    "authoring/gate.py", "authoring/lint.py", "authoring/variants.py", "benchmark/measures/pattern.py",
    "benchmark/measures/third_person.py",
    "benchmark/wording.py",
    "conversation/fault_words.py", "conversation/faults.py",
    "conversation/labels.py", "conversation/message.py", "conversation/paraphrase.py",
    "conversation/perturbation.py", "conversation/rewording.py",
    "conversation/run_on.py",
    "conversation/single_prompt.py", "judging/answer.py", "suites/panels/reasoning.py",
    "suites/panels/reply.py", "characters.py", "quoting.py",
    "validity/simulator/english_words.py", "validity/drift/reply_style.py", "validity/stress/edits.py",
    "validity/stress/names.py",
    "validity/stress/rewriting.py",
    "validity/simulator/style_marks.py",
}  # fmt: skip
"""Files whose patterns the readers above use."""


def test_every_pattern_that_meets_a_models_text_is_flooded() -> None:
    """A file with a new pattern says here whether it reads a model's text, and then gets a line among the readers."""
    package = Path(gate.__file__).parents[1]
    layers = ("authoring", "benchmark", "conversation", "judging", "suites", "validity")
    files = [file for layer in layers for file in (package / layer).rglob("*.py")]
    files += [package / "characters.py", package / "quoting.py", package / "prompts.py"]
    found = {
        file.relative_to(package).as_posix()
        for file in files
        if re.search(
            r"\b(?:re|regex)\.(?:compile|search|match|fullmatch|sub|split|findall|finditer)\(", file.read_text("utf-8")
        )
    }
    assert found == PATTERNS_ELSEWHERE | READ_HERE
