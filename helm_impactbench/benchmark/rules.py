"""Content rules that a schema cannot hold: what parts of a benchmark must mean beside each other.

Every rule yields (place, message, severity) and looks at parts that are valid on their own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from helm_impactbench.benchmark.model import Metric, Scenario, Setting
from helm_impactbench.benchmark.source import Place
from helm_impactbench.errors import did_you_mean

Finding = tuple[Place, str, str]
"""Place, message, severity."""

_SUBJECT = (
    r"(?:the\s+|an?\s+)?(?:(?:ai|target)\s+)?"
    r"(?:assistant|model|ai|chatbot|bot|system|agent|it|(?:assistant's\s+)?(?:reply|replies|responses?|answers?|messages?))"
)
_ADVERB = r"(?:\s+(?:\w+ly|always|also|ever|should|must|will|would|can))*"
_NEGATION = (
    r"(?:(?:do|does|did|is|are|should|must|will|would|can|could|may)\s*(?:not|n['’]t)|cannot|can['’]t|won['’]t|not|never"
    r"|avoid\w*|refrain\w*|abstain\w*|steers?\s+clear"
    r"|(?:contains?|uses?|makes?|gives?|shows?|includes?|offers?|has|have)\s+no\b)"
)
_SELF_NEGATING = re.compile(rf"^(?:{_SUBJECT}{_ADVERB}\s+)?{_NEGATION}\b", re.IGNORECASE)
_STARTS_WITH_ABSENCE = re.compile(r"^(?:no|not|never|without|absence\s+of|lack\s+of|free\s+of)\b", re.IGNORECASE)
AVOID = re.compile(r"^(?:avoid|never|do(?:es)?\s+not|don['’]t|no|not|refrain)\b", re.IGNORECASE)
"""A metric's name that promises the absence of a behaviour."""

_BEING = r"(?:evaluat|assess|test|benchmark|audit|grad|judg|scor|red[- ]?team|monitor|stud(?:y|i)|examin)\w*"
_TELLS_OF_EVALUATION = [
    # "you are being evaluated", "your replies will be graded", "this model is under test"
    rf"\b(?:you|your\s+\w+|this\s+(?:model|assistant|ai|system))\s+(?:are|is|will\s+be|may\s+be|can\s+be|get)\s+"
    rf"(?:\w+ly\s+)?(?:being\s+|now\s+)?(?:{_BEING}ed|{_BEING}d|{_BEING})\b(?!\s+(?:preparation|prep|coach|tutor|helper))",
    r"\b(?:you|this\s+(?:model|assistant|ai|system))\s+(?:are|is)\s+under\s+(?:test|evaluation|assessment|audit)",
    # "this is a test", "this conversation is part of a benchmark"
    r"\bthis\s+(?:\w+\s+){0,3}?(?:is|serves\s+as)\s+(?:\w+\s+){0,3}?(?:an?\s+|the\s+)?(?:\w+[- ]){0,2}"
    r"(?:test|evaluation|benchmark|simulation|audit|experiment|red[- ]?team\w*|assessment)\b(?!\s+(?:prep|centre|center))",
    r"\bpart\s+of\s+(?:an?|the|our|this)\s+(?:\w+[- ]){0,2}(?:test|evaluation|benchmark|audit|experiment|red[- ]?team\w*)\b",
    r"\b(?:evaluation|benchmark|red[- ]?team(?:ing)?|safety[- ]test(?:ing)?)\s+"
    r"(?:scenario|setting|conversation|run|harness|environment|exercise|purposes)\b",
    # "we are evaluating how you ...", "the evaluator will ..."
    rf"\b(?:evaluating|testing|assessing|benchmarking|auditing|scoring|judging|grading)\s+(?:you\b|your\b|how\s+you|whether\s+you|the\s+(?:assistant|model|ai)\b)",
    r"\b(?:evaluator|grader|judge\s+model|red[- ]?teamer|benchmark)s?\s+(?:will|is|are|may|reads?|checks?|scores?|measures?|evaluates?)\b",
    # "the user is simulated", "a simulated user"
    r"\bsimulated\s+(?:user|person|human|conversation)",
    r"\buser\s+is\s+(?:simulated|not\s+real|not\s+a\s+real|an?\s+(?:ai|language\s+model|simulator)|played\s+by)",
    r"\bimpact\s?bench\b",
]
_EVALUATION = re.compile("|".join(_TELLS_OF_EVALUATION), re.IGNORECASE)


def negates_itself(definition: str) -> bool:
    """Return whether a definition describes the absence of a behaviour ("The assistant avoids ...", "Does not ...").

    Judged on the opening words alone: a later "does not count" or "tells the user that they do not need anyone" is
    part of describing a behaviour.
    """
    opening = definition.strip()
    return bool(_SELF_NEGATING.match(opening) or _STARTS_WITH_ABSENCE.match(opening))


def tells_of_evaluation(prompt: str) -> str | None:
    """Return the words of a system prompt that tell the target that it is being evaluated, None if there are none."""
    found = _EVALUATION.search(prompt)
    return found.group(0) if found else None


def metric_findings(metrics: Mapping[int, Metric]) -> Iterator[Finding]:
    """Yield what is wrong with metrics; `metrics` maps the position in the file to the metric."""
    for i, metric in metrics.items():
        avoids = bool(AVOID.match(metric.name))
        if (avoids or metric.type == "negative") and negates_itself(metric.definition):
            yield (
                ("metrics", i, "definition"),
                f"negates itself under the name {metric.name!r}: got {_head(metric.definition)!r}; allowed: the behaviour "
                "itself (\"The assistant tells ...\"), so that present means that it happened",
                "error",
            )
        if avoids and metric.type == "positive":
            yield (
                ("metrics", i, "type"),
                f"got 'positive' under the name {metric.name!r}, which promises an absence; allowed: 'negative' for a "
                "behaviour to avoid, or another name",
                "warning",
            )
        if not avoids and metric.type == "negative":
            yield (
                ("metrics", i, "name"),
                f"got {metric.name!r} for a negative metric; allowed: a name that begins with \"Avoid\"",
                "warning",
            )
        if not metric.examples:
            yield ("metrics", i, "examples"), "got none; a judge applies a definition better with 3 to 5", "warning"


def prompt_finding(place: Place, prompt: str | None) -> Iterator[Finding]:
    """Yield a finding when a system prompt tells the target that it is being evaluated."""
    words = tells_of_evaluation(prompt) if prompt else None
    if words:
        yield (
            place,
            f"tells the target that it is being evaluated: got {words!r}; allowed: what a real product would say",
            "error",
        )


def scenario_findings(
    scenarios: Mapping[int, Scenario], metric_ids: Sequence[str], setting: Setting
) -> Iterator[Finding]:
    """Yield what is wrong with scenarios; `scenarios` maps the position in the file to the scenario."""
    for i, scenario in scenarios.items():
        if scenario.metric_id not in metric_ids:
            yield (
                (i, "metric_id"),
                f"got {scenario.metric_id!r}, a metric that benchmark.yaml does not have; allowed: "
                f"{', '.join(metric_ids) or 'none yet'}.{did_you_mean(scenario.metric_id, metric_ids)}",
                "error",
            )
        for k, landmark in enumerate(scenario.landmarks):
            if landmark.turn > setting.turns:
                yield (
                    (i, "landmarks", k, "turn"),
                    f"got turn {landmark.turn}, beyond the last turn; allowed: 1 to {setting.turns} "
                    "(scenario.turns in benchmark.yaml)",
                    "error",
                )
        yield from prompt_finding((i, "target_system_prompt"), scenario.target_system_prompt)
        yield from _unset_persona(i, scenario)


def duplicate_ids(items: Sequence[object], place: Callable[[int], Place]) -> Iterator[Finding]:
    """Yield every second and later use of an id in a list of mappings."""
    ids = [item.get("id") if isinstance(item, Mapping) else None for item in items]
    counts = Counter(value for value in ids if isinstance(value, str))
    first: set[str] = set()
    for i, value in enumerate(ids):
        if isinstance(value, str) and counts[value] > 1:
            if value in first:
                yield (*place(i), "id"), f"got {value!r} again; allowed: every id once", "error"
            first.add(value)


def _unset_persona(i: int, scenario: Scenario) -> Iterator[Finding]:
    if scenario.demographic and scenario.user_persona is None:
        yield (
            (i, "user_persona"),
            f"missing although the scenario is a variant ({scenario.demographic_label}): the simulator will play the "
            "neutral persona",
            "warning",
        )


def _head(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[:most].rstrip() + "..."
