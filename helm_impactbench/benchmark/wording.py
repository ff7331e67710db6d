"""Find two faults in the wording of a benchmark that change what its figures mean.

Patterns over plain English; tests/benchmark/test_wording.py has the sentences that they must and must not match.
"""

from __future__ import annotations

import re

AVOID = re.compile(r"^(?:avoid|never|do(?:es)? not|don't|no|not|refrain)\b", re.IGNORECASE)
"""A metric's name that promises the absence of a behaviour."""

_MOMENT = r"(?:turn|point|time|moment|message|reply|place|stage)s?"
_WHEN = rf"(?:(?:in|at|during) (?:any|every|each|all|one|at least one|\w+ or more) {_MOMENT},? )?"
_SUBJECT = (
    r"(?:the |an? |its )?(?:(?:ai|target) )?"
    r"(?:assistant|model|ai|chatbot|bot|system|agent|it"
    r"|(?:assistant's )?(?:reply|replies|responses?|answers?|messages?))"
)
_ASIDE = r"(?:, [^,.]{1,60},)?"
_ADVERB = r"(?: (?:\w+ly|always|also|ever|should|must|will|would|can))*"
_NEGATION = (
    r"(?:(?:do|does|did|is|are|should|must|will|would|can|could|may) ?(?:not|n't)|cannot|can't|won't|not|never"
    r"|neither|(?:is|are|stays?|remains?) free of"
    r"|avoid\w*|refrain\w*|abstain\w*|steers? clear"
    r"|(?:contains?|uses?|makes?|gives?|shows?|includes?|offers?|has|have) no)"
)
_SELF_NEGATING = re.compile(
    rf"^(?:{_WHEN}(?:{_SUBJECT}{_ASIDE}{_ADVERB} )?{_NEGATION}|(?:in|at|during) no {_MOMENT}|no(?! later than\b)"
    rf"|without|absence of|lack of|free of)\b",
    re.IGNORECASE,
)

_YOU = (
    r"(?:you|your \w+(?: \w+)?|th(?:is|e) (?:model|assistant|ai|system|chatbot|bot)(?:'s \w+)?"
    r"|this (?:conversation|chat|dialogue|session|exchange))"
)
_JUDGED = (
    r"(?:evaluated|assessed|tested|benchmarked|audited|graded|judged|scored|rated|examined|probed|studied"
    r"|red[- ]?teamed|measured)"
)
_ASSISTANT = r"(?:you\b|(?:the|an?|this) (?:assistant|ai|model|chatbot|system|bot)\b)"
_JUDGING = r"evaluating|testing|assessing|benchmarking|auditing|scoring|judging|grading|measuring|studying|probing"
_EVALUATION = r"(?:test|evaluation|benchmark|audit|experiment|assessment|red[- ]?team\w*|trial|study|stress[- ]test)"
_NOT_A_PRODUCT = r"(?![- ]?(?:prep|cent(?:re|er)|question|kit|result|book|lab|drive|engineer|tutor|coach|skill|hall))"
_TELLS = [
    rf"{_YOU} (?:are|is|will be|may be|might be|can be|gets?) (?:\w+ly )?(?:being |now |here )*{_JUDGED}\b",
    r"(?:you|this (?:model|assistant|ai|system)) (?:are|is) under (?:test|evaluation|assessment|audit|observation)",
    rf"this(?: \w+){{0,2}} (?:is|forms|serves as) (?:only |just |really |part of )*(?:an? |the |our )"
    rf"(?:\w+[- ]){{0,3}}?{_EVALUATION}\b{_NOT_A_PRODUCT}",
    r"this (?:conversation|chat|dialogue|session|user|person) is (?:a )?(?:simulat\w+|scripted|staged|role[- ]?play)",
    rf"part of (?:an?|the|our|this) (?:\w+[- ]){{0,3}}?{_EVALUATION}\b{_NOT_A_PRODUCT}",
    rf"(?:tak\w+ part|participat\w+) in (?:an?|the|our|this) (?:\w+[- ]){{0,4}}?{_EVALUATION}\b",
    rf"this {_EVALUATION} (?:\w+ ){{0,2}}?(?:evaluates|tests|measures|assesses|checks|examines|probes|looks|asks|aims)",
    r"(?:evaluation|benchmark|red[- ]?team(?:ing)?|safety[- ]test(?:ing)?) "
    r"(?:scenario|setting|conversation|run|harness|environment|exercise|purposes|session|context|mode)",
    r"for (?:testing|evaluation|benchmarking) purposes",
    rf"(?:evaluat|test|assess|benchmark|audit|scor|judg|grad|measur|study|prob)ing (?:how |whether |if )?{_ASSISTANT}",
    rf"(?:evaluate|test|assess|measure|check|probe|examine|study)s? (?:how|whether|if) (?:well |far )?{_ASSISTANT}",
    r"(?:evaluate|assess|audit|benchmark|grade|score)s? (?:your|the (?:assistant|ai|model|chatbot)'s)\b",
    rf"(?:evaluate|assess|audit|benchmark|grade|red[- ]?team)s? {_ASSISTANT}",
    r"(?:an?|the|our|your|human|independent|expert) (?:evaluator|grader|rater|red[- ]?teamer|judge model|auditor)s? "
    r"(?:will|is|are|may|reads?|checks?|scores?|measures?|evaluates?)",
    r"simulated (?:user|person|human|conversation|teen\w*|child|customer|patient)",
    r"users? (?:is|are) (?:simulated|not real|not a real|an? (?:ai|llm|language model|simulator|actor)|actors)",
    r"users? (?:is|are) played by",
    r"users? (?:is|are) (?:an? )?simulations?",
    rf"(?:we|they|researchers|experts|evaluators) (?:are|will be) (?:\w+ly )?(?:{_JUDGING}) "
    rf"(?:ai|model|assistant|safety|behaviou?r|{_ASSISTANT})",
    r"(?:during|throughout|in) this (?:evaluation|benchmark|test|assessment|audit|experiment)\b",
    r"(?:reviewed|read|rated|scored|graded|judged|checked) by (?:\w+ )?(?:evaluators|graders|judges|raters|auditors)",
    r"test subject",
    r"impact ?bench",
]
_TELLS_OF_EVALUATION = re.compile(rf"\b(?:{'|'.join(_TELLS)})", re.IGNORECASE)


def negates_itself(definition: str) -> bool:
    """Return whether a definition describes the absence of a behaviour ("The assistant avoids ...", "Does not ...").

    Judged on the opening words alone: a later "does not count", or "tells the user that they do not need anyone", is
    part of describing a behaviour.
    """
    return bool(_SELF_NEGATING.match(_plain(definition)))


def tells_of_evaluation(prompt: str) -> str | None:
    """Return the words of a system prompt that tell the target that it is being evaluated, None if there are none."""
    found = _TELLS_OF_EVALUATION.search(_plain(prompt))
    return found.group(0) if found else None


def _plain(text: str) -> str:
    """Return `text` on one line, with contractions written out."""
    plain = " ".join(text.split()).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    plain = re.sub(r"\b(you|we|they)'re\b", r"\1 are", plain, flags=re.IGNORECASE)
    return re.sub(r"\b(you|we|they)'ll\b", r"\1 will", plain, flags=re.IGNORECASE)
