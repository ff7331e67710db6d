"""`check-judge`: how well a judge, or a panel, reads transcripts whose verdict is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from helm_impactbench.analysis.latent_rows import shared_sentence
from helm_impactbench.errors import counted
from helm_impactbench.stats.reliability import Reliability
from helm_impactbench.tables import Column, Conclusion, Result, Row, Table
from helm_impactbench.tables.column import any_of, varies
from helm_impactbench.validity.commands.columns import (
    figure_columns,
    figure_fields,
    figure_text,
    presentable,
    text_columns,
    used_sentence,
)
from helm_impactbench.validity.golden.cascade import cascades
from helm_impactbench.validity.golden.confidence import JudgeConfidence, judge_confidence
from helm_impactbench.validity.golden.figures import (
    FEWEST_ITEMS,
    Accuracy,
    JudgeFigures,
    Margin,
    PresenceRates,
    judge_figures,
    of_judge,
)
from helm_impactbench.validity.golden.margins import above_floors
from helm_impactbench.validity.golden.panel import PanelRules, panel_rules
from helm_impactbench.validity.records.answers import JudgedItem
from helm_impactbench.validity.records.judges import GoldenRecord

SHOWN_WRONG = 10
"""Wrong answers on a screen; files have all of them."""
PRESENCE_COLUMNS = (
    Column("Items", "text", "all, a type, a benchmark, or one judge of a panel alone.", "default", key="scope"),
    *figure_columns(
        "sensitivity", "Present found", "Sensitivity: share of present items that it calls present.", kind="share"
    ),
    *figure_columns(
        "specificity", "Absent found", "Specificity: share of absent items that it calls absent.", kind="share"
    ),
    *figure_columns("balanced", "Balanced", "Mean of the two.", kind="share"),
    *figure_columns(
        "not_applicable",
        "Not applicable found",
        "Share of items without an answer that it recognises.",
        "wide",
        "share",
    ),
    Column("Present", "count", "Present items with an answer.", "wide", key="sensitivity_items"),
    Column("Absent", "count", "Absent items with an answer.", "wide", key="specificity_items"),
)
ACCURACY_COLUMNS = (
    *text_columns(("measure", "Measure", "scale, quantity or stance.", "default")),
    *figure_columns("right", "Right", "Share of known answers that it names.", kind="share"),
    Column("Commonest", "share", "What always giving the commonest answer reaches.", "default", key="commonest"),
)
FLOOR_COLUMNS = (
    *text_columns(("goes_by", "Goes by", "What such a judge looks at.", "default")),
    *figure_columns("right", "It is right", "Share of known verdicts on presence.", kind="share"),
    *figure_columns("lead", "The judge's lead", "How much more often the judge is right.", kind="difference"),
    Column("Beaten", "flag", "Whether the interval of the lead lies above 0.", "default", key="beaten"),
)
ENGAGEMENT_COLUMNS = (
    *text_columns(("known", "Known", "Whether the reply takes up the request.", "default")),
    *figure_columns("found", "Found", "Share of these items in which the judge says so.", kind="share"),
    Column("Items", "count", "With an answer.", "default", key="found_items"),
)
CONFIDENCE_COLUMNS = (
    Column("Judge", "model", "Deployment.", "default", varies("judge"), key="judge"),
    Column("Says", "share", "Mean confidence.", "default", key="said"),
    *figure_columns("right", "Is right", "Share that is right.", kind="share"),
    *figure_columns("excess", "Too sure by", "Confidence less share right; below 0 too doubtful.", kind="difference"),
    *figure_columns("error", "Calibration error", "Expected calibration error, without what chance adds.", "wide"),
    Column("By chance", "rate", "Error that an exact confidence would show.", "wide", key="chance"),
    *figure_columns("brier", "Brier score", "Mean squared distance of confidence and right.", "wide"),
    Column("Constant", "rate", "Brier score of always saying the share that is right.", "wide", key="constant"),
    *figure_columns("area", "AUROC", "Of confidence for being right: 0.5 tells nothing, 1 all."),
    Column("Answers", "count", "With a confidence and a known verdict.", "wide", key="answers"),
    Column("Without one", "count", "Answers for which it states none.", "wide", any_of("missing"), key="missing"),
    Column("On borderline", "share", "Mean confidence on borderline items.", "wide", key="on_borderline"),
)
BIN_COLUMNS = (
    Column("Judge", "model", "Deployment.", "wide", varies("judge"), key="judge"),
    Column("It says from", "share", "Least confidence of the bin.", "wide", key="low"),
    Column("to", "share", "Greatest confidence of the bin.", "wide", key="high"),
    Column("On average", "share", "Mean confidence.", "wide", key="said"),
    *figure_columns("right", "It is right", "Share that is right.", "wide", "share"),
    Column("Answers", "count", "In the bin.", "wide", key="answers"),
)
CASCADE_COLUMNS = (
    Column(
        "cascade=",
        "number",
        "Confidence from which the next judge is not asked.",
        "default",
        key="threshold",
        text=lambda row: f"{row['threshold']:g}",
    ),
    *figure_columns("calls", "Judges asked", "Per transcript.", kind="number"),
    *figure_columns("saved", "Dollars saved", "Of always asking the last judge.", kind="share"),
    *figure_columns("right", "Right", "Share of known verdicts that it names."),
    *figure_columns("lost", "Accuracy lost", "To the last judge alone, paired.", kind="difference"),
)
ANSWER_COLUMNS = (
    *text_columns(
        ("benchmark", "Benchmark", "Slug.", "default"),
        ("metric", "Metric", "Id.", "default"),
        ("item", "Item", "Place in golden.yaml, from 1.", "default"),
        ("known", "Known", "The known verdict, or borderline.", "default"),
        ("answer", "Judge says", "The answer, or why there is none.", "default"),
        ("status", "Status", "scored, not_applicable, unclear or unscored.", "file"),
    ),
    Column("Right", "flag", "Whether it is the known verdict.", key="right"),
    Column("Confidence", "share", "Of a single judge.", key="confidence"),
)


def check_judge(record: GoldenRecord, shallow: Mapping[str, Sequence[JudgedItem]] = MappingProxyType({})) -> Result:
    """Return how well a judge or panel reads golden sets: errors, accuracy, confidence, cost, and whether to use it.

    shallow: what judges say who never read a definition, by what they go by (golden.shallow.shallow_answers).
    """
    figures = above_floors(judge_figures(record.items), record.items, shallow)
    confidence = judge_confidence(record.items)
    rules = panel_rules(record.items, record.judges)
    tables = [
        Table(
            "presence",
            PRESENCE_COLUMNS,
            list(_presence_rows(record, figures)),
            f"{record.name} on {counted(len(record.items), 'transcript')} with known verdicts",
        ),
        Table(
            "floors",
            FLOOR_COLUMNS,
            [_floor(one) for one in figures.margins],
            "Beside judges that never read a definition",
        ),
        Table(
            "accuracy",
            ACCURACY_COLUMNS,
            [_accuracy(one) for one in (*figures.accuracy, figures.severity) if one],
            "Other measures: share of known answers that it names",
        ),
        Table("engagement", ENGAGEMENT_COLUMNS, list(_engagement_rows(figures)), "Whether the assistant engaged"),
        Table(
            "confidence",
            CONFIDENCE_COLUMNS,
            [_confidence(one) for one in confidence if one.found],
            "Whether its confidence holds",
        ),
        Table(
            "confidence_bins",
            BIN_COLUMNS,
            list(_bins(confidence)),
            "How often it is right when it is this sure",
            "wide",
        ),
        Table(
            "cascades",
            CASCADE_COLUMNS,
            _cascade_rows(record),
            f"In a cascade (cascade= in a run entry), compared with asking {record.judges[-1]} always",
        ),
        _wrong(record.items),
        Table(
            "answers",
            (*ANSWER_COLUMNS, *_vote_columns(record.judges)),
            [_answer(one) for one in record.items],
            view="file",
        ),
    ]
    return Result(
        presentable(tables),
        (*_missing(figures), *_doubts(record, figures), *_panel_notes(rules, record.judges)),
        tuple(_details(figures, confidence)),
        verdict=judge_conclusion(record.name, figures),
    )


def judge_conclusion(name: str, figures: JudgeFigures) -> Conclusion:
    """Return whether a judge may be used: 1 is the exit code where it may not, or was not checked."""
    if not figures.is_checked:
        counts = [f"{count} of {FEWEST_ITEMS} on {measure}" for measure, count in figures.asked.items()]
        only = f"{sum(figures.asked.values())} of {FEWEST_ITEMS}"
        return Conclusion(f"Not checked: too few transcripts ({', '.join(counts) if len(counts) > 1 else only}).", 1)
    if not figures.may_be_used:
        return Conclusion(f"Do not use {name}.", 1)
    return Conclusion(
        f"{name} is better than chance. Whether it is good enough is for you to say: every share below 1 makes pass "
        "rates wrong."
    )


def _presence_rows(record: GoldenRecord, figures: JudgeFigures) -> Iterator[dict[str, Any]]:
    yield from (_rates(one.scope, one) for one in figures.presence)
    for judge in record.judges if len(record.judges) > 1 else ():
        alone = judge_figures(of_judge(record.items, judge)).presence
        yield from (_rates(f"{judge} alone", one) for one in alone[:1])


def _rates(scope: str, one: PresenceRates) -> dict[str, Any]:
    named = {
        "sensitivity": one.sensitivity,
        "specificity": one.specificity,
        "balanced": one.balanced,
        "not_applicable": one.not_applicable,
    }
    fields = {"scope": scope}
    for key, figure in named.items():
        fields |= figure_fields(key, figure)
    return fields


def _floor(one: Margin) -> dict[str, Any]:
    return {
        "goes_by": one.shallow,
        **figure_fields("right", one.reached),
        **figure_fields("lead", one.gain),
        "beaten": one.is_beaten,
    }


def _accuracy(one: Accuracy) -> dict[str, Any]:
    return {"measure": one.measure, **figure_fields("right", one.right), "commonest": one.commonest}


def _engagement_rows(figures: JudgeFigures) -> Iterator[dict[str, Any]]:
    if figures.engagement is None:
        return
    yield {"known": "engaged", **figure_fields("found", figures.engagement.engaged)}
    yield {"known": "did not engage", **figure_fields("found", figures.engagement.not_engaged)}


def _confidence(one: JudgeConfidence) -> dict[str, Any]:
    found: Reliability = one.found  # type: ignore[assignment]
    fields: dict[str, Any] = {
        "judge": one.judge,
        "said": found.said,
        "chance": found.chance,
        "constant": found.constant,
        "answers": found.answers,
        "missing": one.missing,
        "on_borderline": one.on_borderline,
    }
    for key in ("right", "excess", "error", "brier", "area"):
        fields |= figure_fields(key, getattr(found, key), found.answers)
    return fields


def _bins(confidence: Sequence[JudgeConfidence]) -> Iterator[dict[str, Any]]:
    for one in confidence:
        for group in one.found.bins if one.found else ():
            fields = {"judge": one.judge, "low": group.low, "high": group.high, "said": group.said}
            yield {**fields, **figure_fields("right", group.right, group.answers), "answers": group.answers}


def _cascade_rows(record: GoldenRecord) -> list[dict[str, Any]]:
    rows = []
    for one in cascades(record.items, record.judges):
        fields: dict[str, Any] = {"threshold": one.threshold}
        for key in ("calls", "saved", "right", "lost"):
            fields |= figure_fields(key, getattr(one, key))
        rows.append(fields)
    return rows


def _wrong(items: Sequence[JudgedItem]) -> Table:
    wrong = [one for one in items if one.answer.right is False]
    more = f", the first {SHOWN_WRONG}" if len(wrong) > SHOWN_WRONG else ""
    shown = [_answer(one) for one in wrong[:SHOWN_WRONG]]
    return Table("wrong", ANSWER_COLUMNS, shown, f"Wrong: {counted(len(wrong), 'transcript')}{more}", in_files=False)


def _vote_columns(judges: Sequence[str]) -> Iterator[Column]:
    for judge in judges if len(judges) > 1 else ():
        yield Column(judge, "text", f"What {judge} says.", key=judge)
        yield Column(f"{judge} confidence", "share", f"How sure {judge} is.", key=f"{judge} confidence")


def _answer(one: JudgedItem) -> Row:
    votes: dict[str, Any] = {}
    for judge, (vote, *_) in one.votes.items():
        votes |= {judge: vote.words, f"{judge} confidence": vote.confidence}
    alone = next(iter(one.votes.values()))[0].confidence if len(one.votes) == 1 else None
    return {
        "benchmark": one.benchmark,
        "metric": one.metric,
        "item": one.item,
        "known": one.known,
        "answer": one.answer.words,
        "status": one.answer.status,
        "right": one.answer.right,
        "confidence": alone,
        **votes,
    }


def _doubts(record: GoldenRecord, figures: JudgeFigures) -> Iterator[str]:
    """Yield what speaks against a judge; the shallow judges that it does not beat in one sentence.

    Nothing for one that was not checked, as the verdict says.
    """
    if not figures.is_checked:
        return
    yield from (doubt.text for doubt in judge_figures(record.items).doubts)
    if unknown := [one.shallow for one in figures.margins if not one.gain.interval.is_known]:
        yield f"Too few metrics to compare it with a judge that goes by {' or '.join(unknown)} alone."
    unbeaten = [one.shallow for one in figures.margins if one.gain.interval.is_known and not one.is_beaten]
    if unbeaten:
        yield f"It does not beat a judge that goes by {' or '.join(unbeaten)} alone."


def _missing(figures: JudgeFigures) -> Iterator[str]:
    gaps = figures.unanswered
    yield f"Unclear: {figure_text(gaps.unclear)}. No verdict: {figure_text(gaps.failed)}."


def _panel_notes(rules: PanelRules | None, judges: Sequence[str]) -> Iterator[str]:
    if rules is None:
        return
    if rules.latent is not None and rules.majority is not None and rules.gain is not None:
        yield (
            f"Right on presence, {rules.latent.items} transcripts on which both rules have a verdict: the panel's rule "
            f"{figure_text(rules.majority)}, votes weighed by the error rates that they imply "
            f"{figure_text(rules.latent)}; difference {figure_text(rules.gain, 'difference')}."
        )
    if rules.shared is None:
        yield "No two judges err together more often than their error rates alone explain."
        return
    yield shared_sentence(rules.shared, judges)


def _details(figures: JudgeFigures, confidence: Sequence[JudgeConfidence]) -> Iterator[str]:
    yield f"{used_sentence(figures.cost.total)} Per transcript: {figure_text(figures.cost.usd, 'number')} US$."
    if said := figures.borderline.answers:
        answers = ", ".join(f"{answer} {count}" for answer, count in said.items())
        alike = figures.borderline.unanimous
        panel = "" if alike is None else f"; the judges agree on {alike}"
        yield f"Borderline, not scored ({sum(said.values())}): {answers}{panel}."
    yield from (f"{one.judge} states no confidence." for one in confidence if one.found is None)
    yield "Intervals take metrics as clusters: a judge that misreads a definition errs on all items of that metric."
