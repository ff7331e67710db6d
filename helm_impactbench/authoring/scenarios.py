"""Phase gen_scenarios: base scenarios for every metric, each through the gate, each expanded over the axes.

The scenarios of a metric are written one after the other (each knows the earlier situations), metrics in parallel. The
result depends only on the inputs and the model's replies, not on threads or time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from helm_impactbench._version import __version__
from helm_impactbench.authoring import gate
from helm_impactbench.authoring.author_client import (
    AuthorClient,
    PhaseResult,
    Rejected,
    opening,
    quoted,
    side_by_side,
    with_feedback,
)
from helm_impactbench.authoring.levels import Levels, chosen
from helm_impactbench.authoring.replies import one_object
from helm_impactbench.authoring.scenario_replies import (
    VariantText,
    first_problem,
    read_base,
    read_variant,
    scenario_prompts,
)
from helm_impactbench.authoring.similarity import diversity, near_duplicates
from helm_impactbench.authoring.slots import BaseScenario, ScenarioOptions, Slot, SlotGap, situations
from helm_impactbench.authoring.splits import held_out_bases
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import BenchmarkFile
from helm_impactbench.benchmark.scenario import Landmark, Provenance, Scenario
from helm_impactbench.llm.request import CallFailure
from helm_impactbench.prompts import prompts_digest

ATTEMPTS = 3
"""Most attempts at a scenario or variant, the first included."""
SIMILARITY = 0.75
"""TF-IDF cosine at which two scenarios count as the same."""
ROUNDS = 2
"""How often near-duplicates are rewritten."""
REVIEW_KEYS = ("isolates", "plausible", "pressure", "no_leak", "matches_demographic")


@dataclass
class _Work:
    """What one metric's chain has made."""

    bases: list[BaseScenario] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)


class ScenarioWriter:
    """Writes the scenarios of one benchmark."""

    def __init__(self, draft: BenchmarkFile, options: ScenarioOptions, author: AuthorClient) -> None:
        self._draft = draft
        self._options = options
        self._author = author
        self._prompts = scenario_prompts()
        self._digest = prompts_digest(self._prompts.values())
        self._wrote_any = False
        """Whether a draft could be read; until then, work is done one by one, so that nonsense ends after few calls."""

    def write(
        self, slots: Sequence[Slot], existing: Sequence[Scenario], gaps: Sequence[SlotGap] = ()
    ) -> tuple[list[Scenario], PhaseResult]:
        """Return the variants for all slots and gaps that could be filled, and how it went."""
        outcome = PhaseResult()
        bases = self._distinct(slots, existing, outcome)
        whole = [SlotGap(base, dict(enumerate(self._combinations(base.metric_id, base.number), 1))) for base in bases]
        expanded = [] if outcome.gave_up else self._expanded([*whole, *gaps], outcome)
        for _, rejected in expanded:
            outcome.rejected += rejected
        rows = [row for variants, _ in expanded for row in variants]
        held_out = held_out_bases([base.id for base in bases], self._options.held_out, self._author.seed)
        held_out |= {row.base_id for row in existing if row.split == "held_out"}
        rows = [row.model_copy(update={"split": "held_out"}) if row.base_id in held_out else row for row in rows]
        expected = sum(len(self._combinations(slot.metric.id, slot.number)) for slot in slots)
        expected += sum(len(gap.missing) for gap in gaps)
        outcome.made, outcome.missing, outcome.usage = len(rows), expected - len(rows), self._author.usage
        outcome.diversity = diversity(_base_texts(existing) + [base.text for base in bases])
        return rows, outcome

    def _distinct(
        self, slots: Sequence[Slot], existing: Sequence[Scenario], outcome: PhaseResult
    ) -> list[BaseScenario]:
        """Return the base scenarios, with near-duplicates of others rewritten."""
        known = _base_texts(existing)
        kept: dict[str, BaseScenario] = {}
        used = {slot.metric.id: situations(existing, slot.metric.id) for slot in slots}
        still_open = list(slots)
        for attempt in range(1 + ROUNDS):
            if outcome.gave_up:
                break
            for base in self._write_bases(still_open, used, attempt, outcome):
                kept[base.id] = base
                used[base.metric_id].append(base.persona)
            twins = _twins(known, list(kept.values()))
            for name, (other, cosine) in twins.items():
                base = kept.pop(name)
                used[base.metric_id].append(other)  # the next draft is told what it must differ from
                problem = f"nearly the same as another scenario (cosine {cosine:.2f}): {other}"
                outcome.rejected.append(Rejected(what=f"base scenario {name}", problem=problem, item=_shown(base)))
            still_open = [slot for slot in slots if slot.name in twins]
            if not still_open:
                break
        order = {slot.name: i for i, slot in enumerate(slots)}
        return sorted(kept.values(), key=lambda base: order[base.id])

    def _write_bases(
        self, slots: Sequence[Slot], used: Mapping[str, Sequence[str]], attempt: int, outcome: PhaseResult
    ) -> list[BaseScenario]:
        by_metric: dict[str, list[Slot]] = {}
        for slot in slots:
            by_metric.setdefault(slot.metric.id, []).append(slot)
        first = _Work()
        if not self._wrote_any and slots:
            metric_id, (slot, *rest) = next(iter(by_metric.items()))
            self._chain([slot], list(used[metric_id]), attempt, first)
            by_metric[metric_id] = rest
        works = [first] if self._gives_up(first.rejected, outcome) else self._chains(by_metric, used, attempt, first)
        for work in works:
            outcome.rejected += work.rejected
        return [base for work in works for base in work.bases]

    def _chains(
        self, by_metric: Mapping[str, Sequence[Slot]], used: Mapping[str, Sequence[str]], attempt: int, first: _Work
    ) -> list[_Work]:
        """Write the base scenarios of all metrics; `first` has what was written of the first one."""
        begun = {next(iter(by_metric), ""): first}
        return side_by_side(
            lambda item: self._chain(item[1], list(used[item[0]]), attempt, begun.get(item[0], _Work())),
            by_metric.items(),
            self._author,
            self._options.concurrency,
        )

    def _expanded(self, gaps: Sequence[SlotGap], outcome: PhaseResult) -> list[tuple[list[Scenario], list[Rejected]]]:
        """Write the variants of all gaps; the first gap's alone as long as no draft could be read."""
        begun = []
        if not self._wrote_any and gaps:
            begun, gaps = [self._expand(gaps[0])], gaps[1:]
            if self._gives_up(begun[0][1], outcome):
                return begun
        return [*begun, *side_by_side(self._expand, gaps, self._author, self._options.concurrency)]

    def _gives_up(self, rejected: Sequence[Rejected], outcome: PhaseResult) -> bool:
        """Return, and note, whether the model was asked often enough and has written nothing that can be read."""
        if not self._wrote_any and len(rejected) >= ATTEMPTS:
            outcome.gave_up = f"nothing in {len(rejected)} replies could be read"
        return bool(outcome.gave_up)

    def _chain(self, slots: Sequence[Slot], used: Sequence[str], attempt: int, work: _Work) -> _Work:
        """Write one metric's base scenarios, each knowing the situations before it."""
        for slot in slots:
            base = self._write_base(slot, [*used, *(base.persona for base in work.bases)], attempt, work)
            if base is not None:
                work.bases.append(base)
        return work

    def _write_base(self, slot: Slot, used: Sequence[str], attempt: int, work: _Work) -> BaseScenario | None:
        metric, turns = slot.metric, self._draft.scenario.turns
        task = self._prompts["scenario"].fill(
            metric_name=metric.name,
            metric_type=metric.type,
            definition=metric.definition,
            setting=self._draft.scenario.user_context,
            used=[quoted(line) for line in used],
            seed_situation=slot.seed.situation if slot.seed else None,
            seed_notes=slot.seed.notes if slot.seed else None,
            turns=turns,
            wants_system_prompt=self._options.system_prompts,
        )
        part = f"scenario/{slot.name}/{attempt}"

        def read(item: dict[str, Any]) -> BaseScenario:
            return read_base(item, slot, self._options.system_prompts)

        def faults(base: BaseScenario) -> Iterable[str]:
            yield from gate.base_faults(metric, base.persona, base.user_goal, base.hidden_goal, base.landmarks, turns)
            yield from gate.prompt_fault(base.target_system_prompt)

        def review(base: BaseScenario) -> str | CallFailure:
            return self._review(metric, base, base.persona, base.landmarks, None, part)

        what = f"base scenario {slot.name}"
        written: BaseScenario | None = self._through_gate(what, part, task, read, faults, review, work.rejected)
        return written

    def _expand(self, gap: SlotGap) -> tuple[list[Scenario], list[Rejected]]:
        """Return the missing variants of a base scenario; an id does not depend on which others could be written."""
        rejected: list[Rejected] = []
        rows = [self._variant(gap.base, i, demographic, rejected) for i, demographic in gap.missing.items()]
        return [row for row in rows if row is not None], rejected

    def _variant(
        self, base: BaseScenario, number: int, demographic: Levels, rejected: list[Rejected]
    ) -> Scenario | None:
        metric = next(metric for metric in self._draft.metrics if metric.id == base.metric_id)
        label = "\n".join(f"{axis}: {value}" for axis, value in demographic.items())
        task = self._prompts["variant"].fill(
            persona=quoted(base.persona),
            user_goal=quoted(base.user_goal),
            hidden_goal=quoted(base.hidden_goal),
            landmarks=quoted(base.landmarks),
            demographic=label,
            has_age="age" in demographic,
            turns_list=", ".join(str(landmark.turn) for landmark in base.landmarks),
        )
        name = f"{base.id}_v{number:02d}"
        part = f"variant/{name}/{base.persona[:40]}"

        def faults(variant: VariantText) -> Iterable[str]:
            yield from gate.variant_faults(
                metric,
                base.landmarks,
                variant.user_persona,
                variant.landmarks,
                demographic,
                self._draft.scenario.turns,
            )

        def review(variant: VariantText) -> str | CallFailure:
            return self._review(metric, base, variant.user_persona, variant.landmarks, label, part)

        variant = self._through_gate(f"variant {name}", part, task, read_variant, faults, review, rejected)
        return None if variant is None else self._row(name, base, metric, variant, demographic)

    def _through_gate(
        self, what: str, part: str, task: str, read: Any, faults: Any, review: Any, rejected: list[Rejected]
    ) -> Any:
        """Request a draft until one passes: parsed, without static faults, and approved by the reviewer."""
        messages = opening(task)
        for _ in range(ATTEMPTS):
            reply = self._author.ask(part, messages)
            if isinstance(reply, CallFailure):
                rejected.append(Rejected(what=what, problem=reply.reason))
                return None
            item, problem = one_object(reply)
            candidate = None
            if item is not None:
                try:
                    candidate = read(item)
                except (ValidationError, KeyError, TypeError) as error:
                    problem = first_problem(error)
            if candidate is not None:
                self._wrote_any = True
                problem = next(iter(faults(candidate)), "")
                if not problem and self._options.review:
                    opinion = review(candidate)
                    if isinstance(opinion, CallFailure):  # not the draft's fault: rewriting it would not help
                        rejected.append(Rejected(what=what, problem=opinion.reason, item=item))
                        return None
                    problem = opinion
                if not problem:
                    return candidate
            rejected.append(Rejected(what=what, problem=problem, item=item))
            messages = with_feedback(messages, reply, problem)
        return None

    def _review(
        self,
        metric: Metric,
        base: BaseScenario,
        persona: str,
        landmarks: Sequence[Landmark],
        demographic: str | None,
        part: str,
    ) -> str | CallFailure:
        """Return why the reviewer refuses, or why there is none; "" when it approves. Nothing passes unreviewed."""
        task = self._prompts["review"].fill(
            metric_name=quoted(metric.name),
            metric_type=metric.type,
            definition=quoted(metric.definition),
            persona=quoted(persona),
            demographic=demographic,
            user_goal=quoted(base.user_goal),
            hidden_goal=quoted(base.hidden_goal),
            landmarks=quoted(landmarks),
        )
        messages, problem = opening(task), ""
        for _ in range(ATTEMPTS):
            reply = self._author.ask(f"review/{part}", messages)
            if isinstance(reply, CallFailure):
                return CallFailure(f"the reviewer gave no answer ({reply.reason})")
            review, problem = one_object(reply)
            if review is not None and all(isinstance(review.get(key), bool) for key in REVIEW_KEYS):
                failed = [key for key in REVIEW_KEYS if not review[key]]
                return f"reviewer: {', '.join(failed)}: {review.get('reason', '')}".strip() if failed else ""
            problem = problem or "a question has no true or false"
            messages = with_feedback(messages, reply, problem)
        return CallFailure(f"the reviewer's answer could not be read ({problem})")

    def _row(
        self, name: str, base: BaseScenario, metric: Metric, variant: VariantText, demographic: Levels
    ) -> Scenario:
        return Scenario(
            id=name,
            metric_id=base.metric_id,
            persona=base.persona,
            user_persona=variant.user_persona,
            user_goal=base.user_goal,
            latent_adversarial_goal=base.hidden_goal,
            landmarks=list(variant.landmarks),
            axes=demographic,
            target_system_prompt=base.target_system_prompt,
            canary=self._draft.canary,
            provenance=Provenance(
                model=self._author.model,
                prompt_digest=self._digest,
                seed=self._author.seed,
                version=__version__,
                metric_digest=metric.aim_digest(),
                seed_author=base.seed.author if base.seed else None,
                seed_situation=base.seed.situation if base.seed else None,
            ),
        )

    def _combinations(self, metric_id: str, number: int) -> list[Levels]:
        return chosen(self._options.axes, self._options.quota, self._author.seed, metric_id, number)


def _base_texts(rows: Sequence[Scenario]) -> list[str]:
    texts = {
        row.base_id: f"{row.persona or row.user_persona} {row.user_goal} {row.latent_adversarial_goal}" for row in rows
    }
    return list(texts.values())


def _twins(known: Sequence[str], bases: Sequence[BaseScenario]) -> dict[str, tuple[str, float]]:
    """Return the names of base scenarios that repeat an earlier one, with that one's text and the cosine."""
    texts = [*known, *(base.text for base in bases)]
    return {
        bases[second - len(known)].id: (texts[first], cosine)
        for first, second, cosine in near_duplicates(texts, SIMILARITY)
        if second >= len(known)
    }


def _shown(base: BaseScenario) -> dict[str, Any]:
    return {"persona": base.persona, "user_goal": base.user_goal, "latent_adversarial_goal": base.hidden_goal}
