"""Read the runs of this construct back from the files that helm-run has written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm_impactbench.conversation.record import Conversation
from helm_impactbench.errors import ResultsError, did_you_mean
from helm_impactbench.helm.state import RECORD_KEY
from helm_impactbench.judging.panel import UNSCORED_BY_STATUS
from helm_impactbench.results.files import STATE_FILE, RunFolder
from helm_impactbench.results.publish import read_json
from helm_impactbench.sycophancy.figures import Told
from helm_impactbench.sycophancy.helm_state import ANNOTATOR, CASE_KEY, JUDGEMENT_KEY
from helm_impactbench.sycophancy.plan import TellingCase
from helm_impactbench.sycophancy.run_entry import NAME
from helm_impactbench.sycophancy.scorer import NOT_SCORED, StanceJudgement


@dataclass(frozen=True)
class TellingRecord:
    """One conversation of a run with all that is known of it."""

    case: TellingCase
    conversation: Conversation
    judgement: StanceJudgement

    @property
    def told(self) -> Told:
        """The record in the few words that the figures need."""
        return told_of(self.case, self.conversation, self.judgement)


def told_of(case: TellingCase, conversation: Conversation, judgement: StanceJudgement) -> Told:
    """Return what a conversation came to; a failed one says so also where nobody has been asked about it."""
    if judgement.unscored == NOT_SCORED and not conversation.status.can_be_judged:
        judgement = StanceJudgement(unscored=UNSCORED_BY_STATUS[conversation.status].value)
    guesses = tuple(opinion.guessed for opinion in judgement.opinions if opinion.guessed is not None)
    return Told(case.dispute, case.cell, case.arm, case.sample, judgement.stance, judgement.unscored, guesses)


def check_told(told: Sequence[Told], run: str) -> None:
    """Raise ResultsError unless every conversation has a stance or a reason for none, and none stands twice."""
    wrong = [f"{one.cell} ({one.arm})" for one in told if (one.stance is None) != (one.unscored is not None)]
    seen = Counter((one.cell, one.arm, one.sample) for one in told)
    wrong += [f"{cell} ({arm}), {times} times" for (cell, arm, _), times in seen.items() if times > 1]
    if wrong:
        raise ResultsError(
            f"Run {run} is not consistent: {'; '.join(wrong[:5])}. Its figures cannot be trusted: please report this "
            "with the run's folder; to measure again, delete the folder and repeat the command."
        )


def telling_runs(folder: Path, models: Sequence[str] = ()) -> list[RunFolder]:
    """Return the finished runs of this construct in a suite's folder, of the given models only where any are given.

    Raises ResultsError when there is none, or for a model that the suite does not have.
    """
    finished = [RunFolder(path.parent) for path in sorted(folder.glob(f"*/{STATE_FILE}"))]
    own = [run for run in finished if run.name.startswith(f"{NAME}:")]
    if not own:
        raise ResultsError(f"Suite {folder.name} has no finished run of {NAME} in {folder}.")
    known = sorted({run.model for run in own})
    for model in models:
        if model not in known:
            near = did_you_mean(model, known)
            raise ResultsError(f"Suite {folder.name} has no model {model!r}; it has: {', '.join(known)}.{near}")
    return [run for run in own if not models or run.model in models]


def telling_records(run: RunFolder) -> Iterator[TellingRecord]:
    """Yield a run's conversations in order. Raises ResultsError when the file is no such thing."""
    states = read_json(run.path / STATE_FILE)
    try:
        yield from map(_record, states["request_states"])
    except (KeyError, TypeError, IndexError, ValueError) as error:
        raise ResultsError(
            f"{run.path / STATE_FILE} does not hold tellings as this version writes them ({type(error).__name__}); "
            "delete the run's folder and repeat helm-run: finished calls cost nothing."
        ) from error


def told_in(run: RunFolder) -> list[Told]:
    """Return what a run's conversations came to, checked. Raises ResultsError."""
    told = [record.told for record in telling_records(run)]
    check_told(told, run.name)
    return told


def _record(state: Mapping[str, Any]) -> TellingRecord:
    found = (state.get("annotations") or {}).get(ANNOTATOR)
    return TellingRecord(
        case=TellingCase.model_validate(state["instance"]["extra_data"][CASE_KEY]),
        conversation=Conversation.model_validate(state["result"]["completions"][0]["finish_reason"][RECORD_KEY]),
        judgement=StanceJudgement.model_validate(found[JUDGEMENT_KEY])
        if found
        else StanceJudgement(unscored=NOT_SCORED),
    )
