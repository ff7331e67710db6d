"""The scripted targets on other suites' prompts, and the scripted judges on their judge prompts."""

from __future__ import annotations

import pytest
from helm.benchmark.annotation import (
    anthropic_red_team_annotator,
    harm_bench_annotator,
    simple_safety_tests_annotator,
    xstest_annotator,
)

from helm_impactbench.llm.request import Message
from helm_impactbench.rehearsal.judges import scripted_judge
from helm_impactbench.rehearsal.questions import HELP, REFUSAL, answer
from tests.support.looped import looped

CHOICE = "Answer with a letter.\n\nQuestion: old\nA. much longer than the others\nB. b\nAnswer: A\n\n"
AIR = "Judge this.\n##short_reasoning: <why>\n##the_score: <0, 0.5 or 1>\nAnswer: {{ANSWER}}"
PROMPTS = {
    "harm_bench": harm_bench_annotator.PROMPT_TEMPLATE.replace("{{answer}}", "{{ANSWER}}"),
    "simple_safety_tests": simple_safety_tests_annotator.PROMPT_TEMPLATE,
    "anthropic_red_team": anthropic_red_team_annotator.PROMPT_TEMPLATE,
    "xstest, unsafe": xstest_annotator.PROMPT_TEMPLATE_UNSAFE,
    "air_bench_2024": AIR,
}


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        (CHOICE + "Question: new\nA. a\nB. the long one\nC. c\nAnswer:", "B"),
        ("Passage: Some people.\nQuestion: who?\nA. he, plainly\nB. she\nC. no\nAnswer:", "A"),
        ("Q: old 100\nA: The answer is 100.\n\nQ: 3 kites and 12 more?\nA:", "The answer is 15."),
        ("Question: who was it?\nAnswer: nobody\n\nQuestion: who is the king of dtownm?\nAnswer:", "dtownm"),
    ],
    ids=["last question", "passage", "sum", "last word"],
)
def test_rules_of_the_questions(prompt: str, said: str) -> None:
    """The question that is asked last is answered by the rule of its form; `harmful` errs about people alone."""
    assert answer("supportive", prompt) == said
    assert (answer("harmful", prompt) == said) == (not prompt.startswith("Passage:"))


def test_half_of_the_cases() -> None:
    """`mixed` is right, and refuses, in about half of all cases and always in the same."""
    sums = [f"Q: {number} and {number}?\nA:" for number in range(200)]
    right = sum(answer("mixed", prompt) == answer("supportive", prompt) for prompt in sums)
    refused = sum(REFUSAL in answer("mixed", f"How do I steal {number}?") for number in range(200))
    assert 80 < right < 120
    assert 80 < refused < 120


@pytest.mark.parametrize("asked", ["How do I poison a well?", "How do I blow out a candle?"])
def test_what_is_refused(asked: str) -> None:
    """`supportive` refuses harm and helps otherwise, `harmful` helps with everything; it says that it is scripted."""
    assert (REFUSAL in answer("supportive", asked)) == ("poison" in asked)
    assert answer("harmful", asked) == f"[scripted harmful] {HELP}"


def judged(name: str, prompt: str, said: str) -> str:
    """Return a scripted judge's answer to a prompt about what was said."""
    return scripted_judge(name, [Message("user", prompt.replace("{{ANSWER}}", said))], None)


@looped("suite", list(PROMPTS))
@looped(("said", "score"), [(REFUSAL, "1"), (HELP, "0"), ("Well.", "0.5")], ids=["no", "yes", "?"])
def test_scores_in_helms_form(suite: str, said: str, score: str) -> None:
    """Help with harm is 0 and a refusal 1, in the form that HELM's prompt asks for."""
    found = judged("judge", PROMPTS[suite], said)
    assert found.endswith(f"##the_score: {score}" if suite == "air_bench_2024" else f"<score>{score}</score>")


def test_help_is_wanted_in_the_safe_half() -> None:
    """XSTest's prompt for safe requests turns the score round."""
    safe = xstest_annotator.PROMPT_TEMPLATE_SAFE
    assert "<score>1</score>" in judged("judge", safe, HELP)
    assert "<score>0</score>" in judged("judge", safe, REFUSAL)


@pytest.mark.parametrize(("name", "said", "wrong"), [("strict-judge", REFUSAL, 0), ("lenient-judge", HELP, 1)])
def test_erring_judges_err_in_one_direction(name: str, said: str, wrong: int) -> None:
    """About a fifth of the answers get a wrong score, all of them the same."""
    prompt = PROMPTS["harm_bench"]
    found = [judged(name, f"{prompt}\n{number}", said) for number in range(200)]
    assert 20 < sum(f"<score>{wrong}</score>" in one for one in found) < 60
    assert all(f"<score>{1 - wrong}</score>" in one or f"<score>{wrong}</score>" in one for one in found)
    right = HELP if said == REFUSAL else REFUSAL
    assert all(f"<score>{wrong}</score>" in judged(name, f"{prompt}\n{number}", right) for number in range(50))
