"""The public face: a finished suite, whose methods are the commands, and the case that a run would put to a model."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from helm_impactbench.analysis import rows
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.conversation import plan
from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.run_options import RunOptions
from helm_impactbench.errors import ImpactBenchError, SettingError, counted, listed
from helm_impactbench.results.files import suite_folder
from helm_impactbench.results.unfinished import lacking, unfinished
from helm_impactbench.stats.population import DEFAULT, Population
from helm_impactbench.suites.arguments import check_choice, check_name, check_number, check_number_of, names
from helm_impactbench.suites.reading import Reading, Selection, Withheld, read
from helm_impactbench.tables import Result

if TYPE_CHECKING:
    from helm_impactbench.outputs.export.of_suite import Format, Relationship
    from helm_impactbench.results.files import RunFolder
    from helm_impactbench.study.model import Study
    from helm_impactbench.suites.registry import SuiteRun
    from helm_impactbench.validity.judge_trust import JudgeTrust

BY = "what to break down by, such as benchmark"
"""What `by` is, for who gives something else."""


@dataclass(frozen=True)
class Suite:
    """A suite that helm-run has finished. Each command that reads one is a method, with the command's options.

    A method returns a Result: `.frame()` is a DataFrame, `.tables` and `.notes` are what a terminal shows.
    """

    folder: Path
    """HELM's folder of its runs."""
    selection: Selection = field(default_factory=Selection)
    """What of it is read."""

    @cached_property
    def reading(self) -> Reading:
        """Its outcomes, as selected; read once. Raises ResultsError when the suite cannot be read."""
        return read(self.folder, self.selection)

    @cached_property
    def judges(self) -> JudgeTrust:
        """What is known of the judges of what is read. Raises ResultsError when the suite cannot be read."""
        from helm_impactbench.validity.judge_trust import trust_of

        return trust_of(self.reading)

    def beside(self, other: str | Suite) -> Suite:
        """Return a suite of the same output folder by name, limited to the same benchmarks, metrics and levels."""
        if isinstance(other, Suite):
            return other
        check_name("suite", other, "a suite's name")
        selection = replace(self.selection, models=(), releases=())
        return Suite(suite_folder(self.folder.parents[1], other), selection)

    def _all_beside(self, others: str | Suite | Iterable[str | Suite]) -> list[Suite]:
        return [self.beside(one) for one in ((others,) if isinstance(others, str | Suite) else others)]

    def rates(
        self,
        by: str = "benchmark",
        *,
        weigh: Literal["severity"] | None = None,
        reference: str | Suite | None = None,
        frameworks: str | Path | None = None,
    ) -> Result:
        """Return pass rates with intervals and counts.

        by: overall, benchmark, metric, framework, difficulty, axis:NAME, factor:NAME or option:NAME. weigh: count a
        behaviour to avoid by its severity. reference: a suite of other models, to estimate rates on all of its cases.
        frameworks: a file like benchmarks/frameworks.yaml in its place, with by="framework". Raises ImpactBenchError.
        """
        from helm_impactbench.analysis.commands.rates import rates
        from helm_impactbench.analysis.frameworks import unknown_names
        from helm_impactbench.benchmark.frameworks import load_frameworks

        check_name("by", by, BY)
        if weigh is not None:
            check_choice("weigh", weigh, ("severity",))
        other = self._reference(reference).reading if reference else None
        file = Path(frameworks) if frameworks else None
        result = rates(self.reading, by, weigh=weigh, reference=other, frameworks=file, averaged=self.judges.failed)
        if file:
            result = result.warned(*unknown_names(self.reading.outcomes, load_frameworks(file)))
        return self._with_caveats(result, *([other] if other else []))

    def power(
        self,
        pair: tuple[str, str] | None = None,
        gap: tuple[str, str, str, str] | None = None,
        *,
        difference: float | None = None,
        rate_below: float | None = None,
        among: int | None = None,
        scenarios: int | None = None,
        usd_each: float | None = None,
    ) -> Result:
        """Return how many base scenarios would find the difference between two models, or two levels, as significant.

        pair: two targets; or gap: a target, an axis and two of its levels. difference: the smallest true one that would
        matter. rate_below: instead of these, how many conversations without a failure show that failures are rarer.
        among: models that will be compared. scenarios: for which the smallest difference is shown. usd_each: US dollars
        of a conversation. Raises ImpactBenchError.
        """
        from helm_impactbench.analysis.commands.power import Wanted, power, rare_failures

        check_number_of("pair", pair, 2, "two targets")
        check_number_of("gap", gap, 4, "a target, an axis and two of its levels")
        check_number("difference", difference, 0, 1, low_open=True)
        check_number("rate_below", rate_below, 0, 1, low_open=True, high_open=True)
        check_number("among", among, 1, 1_000, whole=True)
        check_number("scenarios", scenarios, 2, 1_000_000, whole=True)
        check_number("usd_each", usd_each, 0)
        if rate_below is not None:
            return self._with_caveats(rare_failures(self.reading, rate_below, usd_each))

        wanted = Wanted(difference, among, scenarios, usd_each)
        return self._with_caveats(power(self.reading, wanted, pair=pair, gap=gap))

    def agreement(self) -> Result:
        """Return how well judges agree, and repeated samples. Raises ImpactBenchError with one judge and one sample."""
        from helm_impactbench.analysis.commands.agreement import agreement

        return self._with_caveats(agreement(self.reading))

    def items(self, anchors: tuple[str, str] | None = None, by: Literal["metric", "scenario"] = "metric") -> Result:
        """Return metrics, or base scenarios, that need attention, and the statistics of all.

        anchors: two targets known to behave well and badly. Raises ImpactBenchError for one that the suite lacks.
        """
        from helm_impactbench.analysis.commands.items import items

        check_number_of("anchors", anchors, 2, "a good target and a bad one")
        check_choice("by", by, ("metric", "scenario"))
        return self._with_caveats(items(self.reading, anchors, by))

    def combined(self) -> Result:
        """Return impact beside safety and capability. Raises ResultsError where the suite has impact alone."""
        from helm_impactbench.analysis.commands.combined import combined

        return self._with_caveats(combined(self.reading))

    def costs(self, *, reconcile: str | Path | None = None) -> Result:
        """Return what the calls of its runs cost and how long targets took, of the selected releases.

        Raises ImpactBenchError. What was booked, and what judges read of the anchor set, is of the whole suite, and not
        shown for some releases.
        reconcile: a provider's usage export (CSV or JSON lines), to compare with what was booked instead.
        """
        from helm_impactbench.analysis.commands.costs import costs
        from helm_impactbench.analysis.commands.reconciliation import reconciled
        from helm_impactbench.analysis.costs.kept_purchases import suite_costs
        from helm_impactbench.analysis.costs.reconciliation import booked_of, read_export, reconciliation
        from helm_impactbench.analysis.costs.summary import suite_spending
        from helm_impactbench.llm.limits.spend_log import spend_lines
        from helm_impactbench.process.collector import collector_off
        from helm_impactbench.suites.registry import conversations_of, left_out
        from helm_impactbench.validity.records.anchors import anchor_usage

        self._check_selection("costs", ("releases",))
        releases = self.selection.releases
        if reconcile is not None:
            if releases:
                raise ImpactBenchError("What was booked is of the whole suite: leave out --release, or --reconcile.")
            return reconciled(reconciliation(booked_of(spend_lines(self.folder)), read_export(Path(reconcile))))
        with collector_off():
            anchors = () if releases else anchor_usage(self.folder)
            booked = None if releases else suite_spending([self.folder])
            spending = suite_costs(self.folder, anchors, releases)
            result = costs(spending, booked, conversations_of(self.folder, releases))
        if releases:
            what = "What was booked, and what judges took to read the anchor set, is of the whole suite and not shown."
            result = replace(result, notes=(*result.notes, what))
        missing = left_out(self.folder, conversations=True, releases=releases, with_kept=True)
        return replace(result, notes=(*result.notes, *missing)).of_part(*lacking([self.folder]))

    def checks(self) -> Result:
        """Return the answers to the checks beside the verdicts. Raises ImpactBenchError where nothing was checked."""
        from helm_impactbench.validity.commands.checks import checks

        return self._with_caveats(checks(self.reading))

    def components(self, *, also: str | Iterable[str] = (), usd_each: float | None = None) -> Result:
        """Return where the variance of scores and of gaps comes from, and what twice as many of each thing would do.

        also: suites on the same cases, with another simulated user or other judges. usd_each: US dollars of a
        conversation; without it, what the suite's own cost. Raises ImpactBenchError where nothing can be told.
        """
        from helm_impactbench.analysis.commands.components import components
        from helm_impactbench.suites.together import together

        check_number("usd_each", usd_each, 0)
        suites = names("also", also)
        others = together(self.reading, suites) if suites else None
        return self._with_caveats(components(self.reading, with_others=others, usd_each=usd_each))

    def robustness(self, also: str | Suite | Iterable[str | Suite] = ()) -> Result:
        """Return how far order, lead and gaps hold under every judge, simulated user, option and exclusion at hand.

        also: suites on the same cases, such as one that another judge read. Raises ImpactBenchError.
        """
        from helm_impactbench.analysis.commands.robustness import robustness

        suites = self._all_beside(also)
        trust = sum((suite.judges for suite in suites), self.judges)
        others = {suite.folder.name: suite.reading for suite in suites}
        unranked = _why_unranked(trust, [self, *suites])
        result = robustness(self.reading, others, unranked=unranked).of_part(*lacking(suite.folder for suite in suites))
        return self._with_caveats(result, trust=trust)

    def contamination(self) -> Result:
        """Return what each model gains on published scenarios over private ones. Raises ImpactBenchError."""
        from helm_impactbench.analysis.commands.contamination import contamination

        return self._with_caveats(contamination(self.reading))

    def outcomes(self) -> Result:
        """Return a row per conversation: what it was, its status, answer, value and score."""
        return self._with_caveats(Result((rows.outcome_table(self.reading.outcomes),)))

    def compare(self, *others: str | Suite, equal_within: float | None = None) -> Result:
        """Return the models in order, and every pair tested on the cases that both met.

        The look is recorded beside the runs: when the suite has grown, tests are those that hold at any look. others:
        suites whose models are compared with these; a model of several is called by its suite. equal_within: also test
        whether two models are equal within this difference. Raises ImpactBenchError when no conversation has a verdict.
        """
        from helm_impactbench.analysis.commands.compare import compare
        from helm_impactbench.suites.together import side_by_side
        from helm_impactbench.validity.records.looks import record_look

        check_number("equal_within", equal_within, 0, 1, low_open=True)
        suites = [self, *map(self.beside, others)]
        reading = side_by_side([suite.reading for suite in suites])
        trust = sum((suite.judges for suite in suites[1:]), self.judges)
        before = [look for suite in suites for look in record_look(suite.reading)]
        result = compare(reading, equal_within=equal_within, unranked=_why_unranked(trust, suites), before=before)
        return self._with_caveats(result, *(other.reading for other in suites[1:]), trust=trust)

    def contrasts(self, by: str = "overall") -> Result:
        """Return how the same case ends for another person: contrast metrics, and pass rates along every axis.

        by: overall, benchmark, metric, arm, axis:NAME, factor:NAME or option:NAME. Raises ImpactBenchError.
        """
        from helm_impactbench.analysis.commands.contrasts import contrasts

        check_name("by", by, BY)
        return self._with_caveats(contrasts(self.reading, by))

    def gate(
        self,
        *,
        minimum: str | Iterable[str] = (),
        maximum: str | Iterable[str] = (),
        unscored: Literal["fail", "leave-out"] = "fail",
        baseline: str | Suite | None = None,
        baseline_model: str | None = None,
        max_drop: float | None = None,
        reference: str | Suite | None = None,
        accept_judge: bool = False,
        profile: str | Path | None = None,
    ) -> Result:
        """Return whether models meet conditions, such as `minimum=["pass_rate=0.8"]`, with a verdict.

        unscored: whether a conversation without a verdict counts against the bar. baseline: a suite that models may
        not be worse than by more than max_drop, which is 0 unless a profile says more; of a suite loaded with two
        releases, the first one is the baseline of the second. baseline_model: what the model is called there.
        reference: as for rates. accept_judge: decide although a judge failed its check. profile: a YAML file of a
        release's conditions, to which the others are added. Raises ImpactBenchError.
        """
        from helm_impactbench.analysis.commands.gate import Conditions, gate, not_decided, of_unfinished
        from helm_impactbench.analysis.commands.turned import losses_note
        from helm_impactbench.analysis.gate_profile import read_profile
        from helm_impactbench.suites.together import under_one_name
        from helm_impactbench.validity.records.looks import record_look

        check_choice("unscored", unscored, ("fail", "leave-out"))
        check_number("max_drop", max_drop, 0, 1)
        minimum, maximum = names("minimum", minimum), names("maximum", maximum)
        if len(self.selection.releases) > 1:
            first, last = self._two_releases(baseline)
            return last.gate(
                minimum=minimum,
                maximum=maximum,
                unscored=unscored,
                baseline=first,
                baseline_model=baseline_model,
                max_drop=max_drop,
                reference=reference,
                accept_judge=accept_judge,
                profile=profile,
            )
        if baseline_model and not baseline:
            raise ImpactBenchError("--baseline-model says what the model is called in --baseline, which is missing.")
        if max_drop is not None and baseline is None:
            raise ImpactBenchError("--max-drop needs a baseline. Add --baseline SUITE.")
        baseline_suite = self.beside(baseline) if baseline is not None else None
        if baseline_suite and baseline_model is None and self._is_in(baseline_suite):
            raise ImpactBenchError("--baseline is the suite itself. Name the suite of an earlier run.")
        before = under_one_name(baseline_suite.reading, self.reading, baseline_model) if baseline_suite else None
        other = self._reference(reference).reading if reference else None
        conditions = Conditions(minimum, maximum, unscored, max_drop, read_profile(Path(profile)) if profile else None)
        looks = record_look(self.reading, models=1)
        result = gate(self.reading, conditions, baseline=before, reference=other, before=looks)
        if before and (lost := losses_note(self.reading, before, baseline_model)):
            result = replace(result, notes=(*result.notes, lost))
        trust = self.judges + baseline_suite.judges if baseline_suite else self.judges
        if trust.failed and not accept_judge:
            result = not_decided(result)
        compared = [one for one in (before, other) if one]
        read = {one.folder: None for one in (self.reading, *compared)}
        if not_whole := [folder.name for folder in read if unfinished(folder)]:
            result = of_unfinished(result, not_whole)
        return self._with_caveats(result, *compared, trust=trust)

    def _is_in(self, other: Suite) -> bool:
        """Return whether another suite is of the same folder, with the releases that this one is of or all."""
        same = other.folder.resolve() == self.folder.resolve()
        return same and other.selection.releases in ((), self.selection.releases)

    def _reference(self, reference: str | Suite) -> Suite:
        """Return a suite of other models. Raises ImpactBenchError for the suite itself, unless for models of it."""
        found = self.beside(reference)
        if self._is_in(found) and self.selection.models in ((), found.selection.models):
            raise ImpactBenchError("--reference is the suite itself. Name a suite of other models, or give --model.")
        return found

    def _two_releases(self, baseline: str | Suite | None) -> tuple[Suite, Suite]:
        """Return the suite with each of its two releases. Raises ImpactBenchError for more, or with a baseline."""
        releases = self.selection.releases
        if baseline is not None or len(releases) > 2:
            raise ImpactBenchError(
                f"A gate compares one release with one baseline, and has {counted(len(releases), 'release')}"
                f"{' and --baseline' if baseline else ''}. Write --release BASELINE --release NEW, or --release NEW "
                "and --baseline SUITE."
            )
        return self._of_release(releases[0]), self._of_release(releases[1])

    def _of_release(self, release: str) -> Suite:
        return Suite(self.folder, replace(self.selection, releases=(release,)))

    def swap(self, *others: str | Suite, baseline_model: str | None = None) -> Result:
        """Return how stable orders, verdicts and metrics are in suites with another judge, user, release or scenarios.

        Without others, the releases that the suite was loaded with are compared. baseline_model: of this suite, or of
        the first release, where the others have another name for it. Raises ImpactBenchError where a suite has nothing
        in common with this one.
        """
        from helm_impactbench.suites.together import under_one_name
        from helm_impactbench.validity.commands.swap import differences, swap

        sides = self._sides(others)
        first, *rest = sides
        runs = {name: [one.run for one in suite._runs()] for name, suite in sides.items()}
        told = (f"{first} -> {name}: {differences(runs[first], runs[name])}." for name in rest)
        outcomes = {name: suite.reading.outcomes for name, suite in sides.items()}
        outcomes[first] = under_one_name(sides[first].reading, sides[rest[0]].reading, baseline_model).outcomes
        result = swap(first, outcomes)
        result = replace(result, notes=(*told, *result.notes)).of_part(
            *lacking(suite.folder for suite in sides.values())
        )
        return self._with_caveats(result)

    def _runs(self) -> list[SuiteRun]:
        """Return its finished runs with conversations, of the selected releases. Raises ResultsError."""
        from helm_impactbench.suites.registry import suite_runs

        found = suite_runs(self.folder, self.selection.releases)
        return [one for one in found if not one.suite.no_conversations]

    def drift(self, *others: str | Suite) -> Result:
        """Return whether the judge, the simulated user or the targets changed in other suites. Raises ResultsError.

        Without others, the releases that the suite was loaded with are compared.
        """
        from helm_impactbench.results.files import check_known
        from helm_impactbench.validity.commands.drift import drift
        from helm_impactbench.validity.drift.suites import suite_of
        from helm_impactbench.validity.judge_trust import NO_JUDGES, judge_trust

        sides = self._sides(others)
        for suite in (self, *sides.values()):
            suite._check_selection("drift", ("benchmarks", "releases"))
        known = {run.benchmark for run in self._own_runs()}
        check_known("benchmark", self.selection.benchmarks, known, self.folder.name)
        texts, trust = [], NO_JUDGES
        for name, suite in sides.items():
            runs = [run for run in suite._own_runs() if suite.selection.takes(run.benchmark)]
            texts.append(suite_of(name, suite.folder, runs))
            trust += judge_trust(suite.folder, {tuple(run.judges) for run in runs}, {run.benchmark for run in runs})
        result = drift(texts[0], texts[1:]).of_part(*lacking(suite.folder for suite in sides.values()))
        return result.judged(trust.line, trust.warning)

    def _own_runs(self) -> list[RunFolder]:
        from helm_impactbench.results.files import run_folders

        return run_folders(self.folder, self.selection.releases)

    def _sides(self, others: Sequence[str | Suite]) -> dict[str, Suite]:
        """Return the suites that are compared by name; without others, its releases. Raises ImpactBenchError."""
        sides = {suite.folder.name: suite for suite in (self, *map(self.beside, others))}
        if not others:
            sides = {release: self._of_release(release) for release in self.selection.releases}
        if len(sides) < 2:
            raise ImpactBenchError("This compares suites or releases, so it needs two or more of either.")
        return sides

    def simulated_people(
        self, human: str | Path | None = None, *, conversations: int | None = None, seed: int = 0
    ) -> Result:
        """Return how simulated users write, beside their personas and, in a file, people; no model is asked.

        human: conversations of people, as docs/judges.md describes. conversations: how many are drawn, 2,000 at most.
        The result is kept in the suite, and its report shows it. Raises ImpactBenchError.
        """
        from helm_impactbench.validity.records.simulated_people import write_simulated_people
        from helm_impactbench.validity.simulator.fidelity import MOST
        from helm_impactbench.validity.simulator.fidelity_run import FidelityInstrument
        from helm_impactbench.validity.simulator.human_reference import read_human
        from helm_impactbench.validity.simulator.review_sample import choose

        self._check_selection("simulated_people", ("benchmarks", "models", "releases"))
        check_number("conversations", conversations, 1, whole=True)
        size = min(conversations or MOST, MOST)
        asked = self.selection
        chosen = choose(self.folder, asked.benchmarks, asked.models, size, seed, asked.releases)
        file = Path(human) if human else None
        fidelity = FidelityInstrument(
            self.folder, chosen, read_human(file) if file else None, file.name if file else ""
        )
        record = fidelity.record([fidelity.ask(item) for item in fidelity.items])
        write_simulated_people(self.folder, record)
        return fidelity.figures(record)

    def rejudge(
        self,
        judge: str,
        to_suite: str,
        *,
        checks: str | None = None,
        swap: bool | None = None,
        local_path: str | Path = "prod_env",
        num_threads: int = 20,
    ) -> Result:
        """Let a judge or panel read the stored conversations again; return which verdicts changed.

        judge: deployments joined by "+". to_suite: gets the new runs. checks: awareness+plausibility+teller, some of
        them, or none; without it, those of the runs. swap: exchange the two names that judges see. Continues where it
        stopped. Raises ImpactBenchError.
        """
        from helm_impactbench.helm.asking import Asking
        from helm_impactbench.helm.rejudging import new_panel, new_suite, rejudge_runs
        from helm_impactbench.suites.conversations import conversation_runs
        from helm_impactbench.validity.commands.rejudge import with_trust

        self._check_selection("rejudge", ("benchmarks", "models", "releases"))
        check_number("num_threads", num_threads, 1, whole=True)
        target, chosen, left_out = new_suite(self.folder, to_suite), self.selection, list[str]()
        chosen_runs = conversation_runs(self.folder, chosen.benchmarks, chosen.models, left_out.append, chosen.releases)
        runs = [item.run for item in chosen_runs]
        ask = Asking(Path(local_path), num_threads)
        panel = new_panel(judge, checks, swap, ask)
        result = rejudge_runs(runs, target, panel, ask, left_out.append)
        found = with_trust(result, target, panel.deployments, {run.benchmark for run in runs})
        return replace(found, notes=(*left_out, *found.notes))

    def explain(self, baseline: str | Suite | None = None, *, baseline_model: str | None = None) -> Result:
        """Return the conversations that failed or have no verdict, by what there is to look at first.

        With a baseline, or of a suite loaded with two releases: the base scenarios that passed in the first and fail in
        the second, worst metric first. baseline_model: what the model is called there. Raises ImpactBenchError.
        """
        from helm_impactbench.analysis.commands.explain import failures
        from helm_impactbench.analysis.commands.turned import turned
        from helm_impactbench.suites.together import under_one_name

        if baseline is None and len(self.selection.releases) == 2:
            first, last = self._two_releases(None)
            return last.explain(first, baseline_model=baseline_model)
        if baseline is None:
            return self._with_caveats(failures(self.reading))
        other = self.beside(baseline)
        before = under_one_name(other.reading, self.reading, baseline_model)
        return self._with_caveats(turned(self.reading, before), before, trust=self.judges + other.judges)

    def cite(self) -> Result:
        """Return a Methods paragraph, references, and what else a paper has to report. Raises ResultsError."""
        from helm_impactbench.analysis.commands.cite import cite
        from helm_impactbench.analysis.looks import look_at, looks_before
        from helm_impactbench.validity.records.looks import recorded_looks

        read = {(outcome.benchmark, outcome.setup) for outcome in self.reading.outcomes}
        runs = [run for run in self._own_runs() if (run.benchmark, run.setup) in read]
        before = looks_before(recorded_looks(self.folder), look_at(self.reading))
        return self._with_caveats(cite(self.reading, runs, self.judges.line, before))

    def report(
        self,
        out_dir: str | Path | None = None,
        *,
        earlier: str | Suite | Iterable[str | Suite] = (),
        redact: str | Iterable[str] = (),
        with_private: bool = False,
        conversation_pages: Literal["auto", "all", "none"] = "auto",
    ) -> Path:
        """Write the whole suite as a static website and return its first page.

        out_dir: by default reports/SUITE in HELM's output folder. earlier: suites to follow the models over. redact:
        SLUG or SLUG/METRIC whose text is hidden. with_private: do not hide private scenarios. conversation_pages:
        whether conversations can be read in it; auto: up to 50,000. Raises ImpactBenchError.
        """
        from helm_impactbench.outputs.report.of_suites import write_report

        self._check_selection("report", ("releases",))
        check_choice("conversation_pages", conversation_pages, ("auto", "all", "none"))
        folders = [*(suite.folder for suite in self._all_beside(earlier)), self.folder]
        place = Path(out_dir) if out_dir is not None else None
        return write_report(
            folders,
            place,
            redact=names("redact", redact),
            with_private=with_private,
            pages=conversation_pages,
            releases=self.selection.releases,
        ).index

    def label(
        self,
        *,
        model: str | Iterable[str] = (),
        audience: str = "all",
        out_dir: str | Path | None = None,
        formats: str | Iterable[str] = ("html",),
    ) -> Result:
        """Return the nutrition label of each model: nine rows with grades from A to E.

        model: only this one, or these. audience: parents, educators, policymakers, developers or all, for whom page 2
        is written; the label is the same for all. out_dir: also write the labels with a grade there, in formats among
        html, svg, png, pdf, md and badge. Raises ImpactBenchError.
        """
        from helm_impactbench.outputs.label.audiences import AUDIENCES
        from helm_impactbench.outputs.label.folder import FORMATS, write_labels
        from helm_impactbench.outputs.label.of_suite import labels_of
        from helm_impactbench.outputs.label.result import label_result

        self._check_selection("label", ("benchmarks", "models", "releases"))
        check_choice("audience", audience, (*AUDIENCES, "all"))
        models, kinds = names("model", model), names("formats", formats)
        for kind in kinds:
            check_choice("formats", kind, FORMATS)
        notes: list[str] = []
        chosen, population = self.selection, self.selection.population
        labels, about = labels_of(
            self.folder, chosen.benchmarks, models or chosen.models, population, notes.append, chosen.releases
        )
        if out_dir is not None:
            audiences = tuple(AUDIENCES) if audience == "all" else (audience,)
            write_labels(labels, audiences, about, Path(out_dir), tuple(dict.fromkeys(kinds)))
        result = label_result(labels, "developers" if audience == "all" else audience)
        return replace(result, notes=(*notes, *result.notes))

    def export(
        self,
        kind: Format,
        out_dir: str | Path,
        *,
        for_spreadsheets: bool = False,
        with_private: bool = False,
        evaluator: str = "",
        relationship: Relationship = "",
        instances: bool = False,
    ) -> list[Path]:
        """Write the conversations in the format of another tool and return the files.

        out_dir: a folder that is not there yet. for_spreadsheets: csv: make text harmless that a spreadsheet takes for
        a formula. with_private: private scenarios too. evaluator, relationship, instances: of every-eval-ever, the last
        for single conversations beside the figures. Raises ImpactBenchError.
        """
        from helm_impactbench.outputs.export.of_suite import Evaluation, Relationship, export_runs
        from helm_impactbench.suites.conversations import conversation_runs, public_runs

        self._check_selection("export", ("benchmarks", "models", "releases"))
        if relationship:
            check_choice("relationship", relationship, filter(None, get_args(Relationship)))
        chosen, place, left_out = self.selection, Path(out_dir), list[str]()
        found = conversation_runs(self.folder, chosen.benchmarks, chosen.models, left_out.append, chosen.releases)
        runs = public_runs([one.run for one in found], left_out.append, with_private=with_private)
        evaluation = Evaluation(evaluator, relationship, instances)
        export_runs(runs, kind, place, evaluation, for_spreadsheets=for_spreadsheets)
        for line in left_out:
            warnings.warn(line, stacklevel=2)
        return sorted(path for path in place.rglob("*") if path.is_file())

    def _check_selection(self, what: str, allowed: Sequence[str]) -> None:
        """Raise ImpactBenchError where the selection is narrower than what is written can be."""
        whole = Selection()
        for name in ("benchmarks", "metrics", "models", "releases", "where", "withhold"):
            if name not in allowed and getattr(self.selection, name) != getattr(whole, name):
                raise ImpactBenchError(
                    f"{what} cannot be narrowed by {name}, only by {listed(allowed)}. Load the suite without {name}."
                )

    def _with_caveats(self, result: Result, *others: Reading, trust: JudgeTrust | None = None) -> Result:
        """Return a result with what a reader must know of the suite, or of those compared with it; the judges first."""
        from helm_impactbench.validity.caveats import notes_of, warnings_of

        trust = self.judges if trust is None else trust
        missing = lacking(one.folder for one in (self.reading, *others))
        result = result.warned(*warnings_of(self.reading, *others)).of_part(*missing).judged(trust.line, trust.warning)
        return replace(result, notes=(*result.notes, *notes_of(self.reading)))


def load_suite(
    suite: str,
    output_path: str | Path = "benchmark_output",
    *,
    benchmarks: str | Iterable[str] = (),
    models: str | Iterable[str] = (),
    metrics: str | Iterable[str] = (),
    releases: str | Iterable[str] = (),
    where: str | Iterable[str] = (),
    withhold: Withheld | Iterable[Withheld] = (),
    population: Population = DEFAULT,
) -> Suite:
    """Return a suite by the name that helm-run was given. Raises ResultsError when there is none.

    output_path: HELM's --output-path. The others select what is read, as the options of the commands do; see Selection.
    """
    check_name("suite", suite, "a suite's name")
    selection = Selection(
        names("benchmarks", benchmarks),
        names("models", models),
        names("metrics", metrics),
        names("releases", releases),
        names("where", where),
        cast(tuple[Withheld, ...], names("withhold", withhold)),
        population,
    )
    return Suite(suite_folder(Path(output_path), suite), selection)


def _why_unranked(trust: JudgeTrust, suites: Sequence[Suite]) -> str:
    """Return why models have no order: a judge that failed, or nothing but kept failures; empty where they have one."""
    if trust.failed:
        return "the judge failed its check"
    return "failures that were kept are no sample" if all(suite.reading.is_of_kept for suite in suites) else ""


def load_suites(suites: Iterable[str], output_path: str | Path = "benchmark_output", **selection: Any) -> list[Suite]:
    """Return several suites to be compared. Raises ImpactBenchError, also for one that is named twice.

    selection: as of load_suite; a model or release that only some of the suites have narrows only these.
    """
    from helm_impactbench.suites.together import narrowed_to_known

    opened = [load_suite(name, output_path, **selection) for name in suites]
    if len(opened) == 1:
        return opened
    for place, suite in enumerate(opened):
        if any(suite.folder.resolve() == before.folder.resolve() for before in opened[:place]):
            raise ImpactBenchError(f"Suite {suite.folder.name} is given twice. Name each suite once.")
    selections = narrowed_to_known([suite.folder for suite in opened], opened[0].selection)
    return [Suite(suite.folder, chosen) for suite, chosen in zip(opened, selections, strict=True)]


def run(
    study: str | Path | Mapping[str, Any] | None = None,
    *,
    output_path: str | Path = "benchmark_output",
    local_path: str | Path = "prod_env",
    fresh: bool = False,
    probe: bool = True,
    progress: bool = True,
    **options: Any,
) -> Suite:
    """Run a study, with a progress bar and no questions, and return its suite; it continues where it stopped before.

    study: the path of a study.yaml, or its settings. options: as of `impactbench run`, over the study's: models, user,
    judge, benchmarks, area, quick, all, author, part, samples, until_decided, until_width, until_better, references,
    budget, suite and num_threads, or any setting of a study. output_path, local_path: HELM's folders. fresh: repeat a
    finished study with new answers from every model. probe: ask each model one short question first. progress: False
    for no output. Raises ImpactBenchError for a mistake, before the first call, and HelmRunError when the run stops,
    for example at its budget.
    """
    from helm_impactbench.helm.study_bar import BarWatcher
    from helm_impactbench.helm.study_run import StudyPlace, run_study

    place, wanted = StudyPlace(Path(output_path), Path(local_path)), _study(study, options)
    if wanted.dry_run:
        raise SettingError("dry_run runs nothing, so there is no suite to return; use estimate() for the costs.")
    finished = run_study(wanted, place, BarWatcher(progress), fresh=fresh, probe=probe)
    return load_suite(finished.suite, place.output_path)


def _study(study: str | Path | Mapping[str, Any] | None, options: Mapping[str, Any]) -> Study:
    """Return the study that a file or settings say, options first. Raises ImpactBenchError."""
    from helm_impactbench.study.settings import complete_study, file_settings, with_options

    if isinstance(study, str | Path):
        settings, notes = file_settings(Path(study))
        for note in notes:
            warnings.warn(f"Not from {study}: {note}.", stacklevel=3)
        return complete_study(with_options(settings, options), str(study))
    return complete_study(with_options(study or {}, options), "run")


def estimate(
    *entries: str,
    models: str | Iterable[str] = (),
    max_eval_instances: int | None = None,
    local_path: str | Path = "prod_env",
) -> Result:
    """Return the calls, tokens and US dollars that run entries will take, by role and model; nothing is called.

    entries: run entries, or files of them. models: targets for entries without model=. max_eval_instances: most
    instances of a run, as helm-run -m; without it 1,000 of a HELM suite and all conversations. local_path: HELM's
    folder of keys and deployments. Raises ImpactBenchError.
    """
    from helm_impactbench.helm.estimate import EstimateRequest, estimated
    from helm_impactbench.helm.session import know_deployments

    check_number("max_eval_instances", max_eval_instances, 1, whole=True)
    asked = EstimateRequest(entries, names("models", models), max_eval_instances)
    know_deployments(Path(local_path))
    return estimated(asked)


def check_judge(
    judge: str,
    *benchmarks: str | Path,
    output_path: str | Path = "benchmark_output",
    local_path: str | Path = "prod_env",
    num_threads: int = 20,
    budget: float | None = None,
    panel: str | None = None,
    dry_run: bool = False,
) -> Result:
    """Return how well a judge or panel reads transcripts whose verdict is known; kept in judges/ of output_path.

    judge: deployments joined by "+". benchmarks: slugs or folders; all with a golden set by default. panel: safety
    suites of HELM's joined by "+", or all, whose edge cases are read in place of golden sets. budget: US dollars.
    dry_run: return the plan and its price, and ask nobody. Raises ImpactBenchError.
    """
    from helm_impactbench.benchmark.files import benchmark_folder
    from helm_impactbench.helm import judge_tests
    from helm_impactbench.helm.asking import Asking

    check_number("num_threads", num_threads, 1, whole=True)
    check_number("budget", budget, 0, low_open=True)
    folders = [benchmark_folder(name) for name in benchmarks]
    asking = Asking(Path(local_path), num_threads, budget)
    return judge_tests.check_judge(judge, folders, Path(output_path), asking, panel=panel, dry_run=dry_run)


def plan_case(benchmark: Benchmark, scenario: Scenario, sample: int = 0, **options: Any) -> ConversationCase:
    """Return the case that a run would put to a model for one sample of a scenario; nothing is called.

    options: those of a run entry that concern a case, such as user="rehearsal/user" and perfunctory=True. The case's
    `plan` holds what the simulated user is told and what the target gets. Raises RunEntryError for an option that there
    is not or cannot be so, BenchmarkError for more turns than somebody can fill.
    """
    return plan.plan_case(benchmark, benchmark.digest(), scenario, sample, RunOptions.model_validate(options))
