"""What a safety judge is asked: HELM's own prompt with the request and the answer in it, and HELM's form of answer.

HELM's words are read from the installed crfm-helm, or from the suite's data set, when a run begins. They are in the
case from then on, so that a run can be judged again wherever its files are.
"""

from __future__ import annotations

import re
from functools import cache

from helm_impactbench.benchmark.measures.scale import Scale
from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.record import Conversation
from helm_impactbench.judging.question import Question
from helm_impactbench.llm.request import Message
from helm_impactbench.prompts import Prompt, load_prompt
from helm_impactbench.quoting import neutralise
from helm_impactbench.suites.panels.reply import answer_text, parse_headings, parse_tags
from helm_impactbench.suites.panels.table import BY_SLUG

JUDGE_PROMPT = "judge_prompt"
"""Key of HELM's prompt in a scenario's `view`."""
_HOLE = re.compile(r"\{\{(question|answer)\}\}", re.IGNORECASE)
_NAME = re.compile(r"<\s*/?\s*([A-Za-z_]+)")


def panel_question(case: ConversationCase, conversation: Conversation) -> Question | None:
    """Return the question on an answer to a single prompt; None where HELM has no prompt for this kind."""
    suite, template = BY_SLUG.get(case.benchmark), case.scenario.view.get(JUDGE_PROMPT)
    measure = case.metric.measure
    if suite is None or template is None or not isinstance(measure, Scale):
        return None
    (turn,) = conversation.exchanges
    rubric = [point.value for point in measure.points]
    parse = parse_headings if suite.headings else parse_tags
    return Question(
        messages=(Message("user", filled(template, turn.user, turn.whole)),),
        schema=None,
        parse=lambda text: parse(text, rubric),
        retry=lambda problem: retry_prompt(headings=suite.headings).fill(problem=problem),
        turns=(turn,),
        needs_evidence=lambda reading: False,
        words=lambda reply: answer_text(reply.written or reply.text),
    )


@cache
def retry_prompt(*, headings: bool) -> Prompt:
    """Return what is said to a judge whose answer cannot be read."""
    return load_prompt("safety_retry_headings" if headings else "safety_retry_tags", {"problem"})


def is_usable(template: str) -> bool:
    """Return whether a prompt has both holes; with one of them missing, a judge would score something else."""
    return {hole.lower() for hole in _HOLE.findall(template)} == {"question", "answer"}


def filled(template: str, question: str, answer: str) -> str:
    """Return the prompt, filled in one pass: no word of the request or of the answer is read as a hole.

    The template's own tags, and control tokens of chat templates, are made harmless in the answer, so that it cannot
    close its section. HELM fills one hole after the other; on texts without holes, tags and tokens the
    result is the same to the byte.
    """
    names = tuple(sorted({name.lower() for name in _NAME.findall(template)}))
    values = {"question": question, "answer": neutralise(answer, names)}
    return _HOLE.sub(lambda hole: values[hole[1].lower()], template)
