"""The nutrition label of one model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from helm_impactbench.analysis.people import PeopleGap, in_two_ages, people_gaps
from helm_impactbench.benchmark.areas import LabelRow
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.outputs.label.apart import Apart, rows_apart
from helm_impactbench.outputs.label.doubts import GradeFinding, findings, relatives
from helm_impactbench.outputs.label.floor import Floor, floor_of
from helm_impactbench.outputs.label.groups import GradeGroup, better_side, groups_of, worse_side
from helm_impactbench.outputs.label.rows import FedBy, GradedRow, placed, rows_of
from helm_impactbench.outputs.label.tested import TestedGrade, who_was_tested
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.population import DEFAULT, Population
from helm_impactbench.validity.judge_trust import NO_JUDGES, JudgeTrust

AREA = "impact"
"""What a label is about."""


@dataclass(frozen=True)
class Label:
    """All that a label says, whatever words an audience gets it in."""

    model: str
    """Deployment of the target."""
    rows: tuple[GradedRow, ...]
    """Nine, in the order of rows.ROWS."""
    metrics: tuple[FedBy, ...]
    """The metrics that were measured, by name; each feeds no, one or several rows."""
    tested: TestedGrade
    unequal: tuple[PeopleGap, ...]
    """The model's gaps between groups of people, the widest first."""
    groups: tuple[GradeGroup, ...]
    """People whose results stand beside those of everybody in each row."""
    unplaced: int = 0
    """Conversations whose metric the installed benchmarks do not have, or have otherwise."""
    missing: Mapping[str, int] = field(default_factory=dict)
    """Slug of each benchmark that is not installed, or faulty -> conversations on it, which are in no row."""
    relatives: tuple[str, ...] = ()
    """Judges of the model's family."""
    population: Population = DEFAULT
    """What its intervals, and the grades that they leave open, are for."""
    dated: date | None = None
    """When the last of its runs ended; None where that is not known."""
    judges: JudgeTrust = NO_JUDGES
    """What is known of its judges; nothing where that was not looked up."""
    unfinished: str = ""
    """What its suite lacks, and how to go on; empty where that is finished."""
    floor: Floor | None = None
    """What reference bots get on the same metrics; None where none were run."""

    @property
    def checked(self) -> tuple[str, ...]:
        """How well its judges did on known verdicts, in a sentence or two each."""
        return self.judges.sentences

    def row(self, key: LabelRow) -> GradedRow:
        """Return a row. Raises KeyError for another name."""
        return {row.key: row for row in self.rows}[key]

    def differs(self, key: LabelRow) -> bool:
        """Return whether people fare differently in a row, so that a grade of everybody would hide it.

        They do where the paired test over all benchmarks finds it, and where the row's own rates of two groups differ.
        """
        return bool(self.unequal) or key in self.apart

    def averages(self, part: GradedRow) -> bool:
        """Return whether a part is everybody's in a row in which people fare differently, so that no grade is shown."""
        return part.group is None and part.grade is not None and self.differs(part.key)

    @cached_property
    def apart(self) -> Mapping[LabelRow, Apart]:
        """The rows in which two groups differ, by all situations that each of them was put."""
        return rows_apart({key: list(among.values()) for key, among in self._among.items()})

    def first_group(self, key: LabelRow) -> GradeGroup | None:
        """Return the people whose result leads a row: where people fare differently those who fare worse.

        None for everybody.
        """
        if self.unequal:
            return worse_side(self.unequal[0])
        return self.apart[key].worse.group if key in self.apart else None

    @property
    def pair(self) -> tuple[GradeGroup, GradeGroup] | None:
        """The two groups that are shown side by side: those between whom the gap is widest, or else the two ages.

        The first fares worse, or is younger. None where only one kind of people was played.
        """
        if self.unequal:
            return worse_side(self.unequal[0]), better_side(self.unequal[0])
        return (self.groups[0], self.groups[1]) if len(self.groups) > 1 else None

    def leading(self, key: LabelRow) -> GradedRow:
        """Return the part that leads a row: its grade is the row's."""
        return self.parts(key)[0]

    @property
    def has_grades(self) -> bool:
        """Whether any row has a grade: without one, no label is drawn."""
        return any(self.leading(row.key).grade for row in self.rows)

    def parts(self, key: LabelRow) -> tuple[GradedRow, ...]:
        """Return what a row shows, the leading group's part first and everybody's last, unless everybody leads.

        Where no part has a grade, it is everybody's alone, which has the most conversations.
        """
        row, among, first = self.row(key), self._among[key], self.first_group(key)
        if not any(part.grade for part in (row, *among.values())):
            return (row,)
        if first is None:
            return (row, *among.values())
        return (among[first], *(part for group, part in among.items() if group != first), row)

    @cached_property
    def _among(self) -> dict[LabelRow, dict[GradeGroup, GradedRow]]:
        return {row.key: {group: row.among(group) for group in self.groups} for row in self.rows}

    def findings(self) -> tuple[GradeFinding, ...]:
        """Return where the label is least informative, by the parts that lead its rows, weightiest first."""
        leading = [self.leading(row.key) for row in self.rows]
        return findings(leading, self.unplaced, self.relatives, tuple(self.named_apart), self.missing)

    @property
    def named_apart(self) -> Mapping[LabelRow, Apart]:
        """Those of `apart` that a sentence names: rows that show groups, where no test over all benchmarks does."""
        return {} if self.unequal else {key: pair for key, pair in self.apart.items() if len(self.parts(key)) > 1}


def label_of(
    outcomes: Sequence[Outcome],
    benchmarks: Iterable[Benchmark],
    users: Sequence[str] = (),
    population: Population = DEFAULT,
    dated: date | None = None,
    judges: JudgeTrust = NO_JUDGES,
    unequal: tuple[PeopleGap, ...] | None = None,
    bots: Iterable[Outcome] = (),
) -> Label:
    """Return the label of the one model whose outcomes these are.

    `benchmarks` say which metric feeds which row; `users` are the deployments that played the people (RunFolder.user);
    `dated` is the day of the last run; `judges` is what is known of the judges: nothing is graded where one failed its
    check; `unequal`: its part of people_gaps, where other models are tested with it; `bots`: outcomes of the reference
    bots of its suite.
    The label is about human impact: outcomes of another area, such as safety, are passed over. Raises ValueError for no
    outcome, or outcomes of several models.
    """
    outcomes = in_two_ages([outcome for outcome in outcomes if outcome.area == AREA])
    models = sorted({outcome.model for outcome in outcomes})
    if len(models) != 1:
        raise ValueError(f"a label is about one model; these outcomes are of {len(models)}: {', '.join(models)}")
    by_slug = {benchmark.slug: benchmark for benchmark in benchmarks}
    metrics = tuple(placed(outcomes, by_slug).values())
    rows = rows_of(metrics, population, judge_failed=judges.failed)
    who = who_was_tested(outcomes, by_slug, users)
    missing = Counter(outcome.benchmark for outcome in outcomes if outcome.benchmark not in by_slug)
    unplaced = len(outcomes) - sum(fed.rate.conversations for fed in metrics) - missing.total()
    unequal = people_gaps(outcomes).get(models[0], ()) if unequal is None else unequal
    groups = groups_of(outcomes, unequal)
    return Label(
        models[0],
        rows,
        metrics,
        who,
        unequal,
        groups,
        unplaced,
        relatives=relatives(outcomes),
        missing=dict(sorted(missing.items())),
        population=population,
        dated=dated,
        judges=judges,
        floor=floor_of(bots, metrics),
    )
