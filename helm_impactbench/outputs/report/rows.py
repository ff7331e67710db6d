"""Rows of conversations as HTML, made here and not in a template: a large suite has several hundred thousand.

Every text passes through `text`, which does what a template does to it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup, escape

from helm_impactbench.outputs.people_words import person_words
from helm_impactbench.outputs.report.names import case_name, model_address
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.passages import visible
from helm_impactbench.results.verdict_words import answer, verdict, vote_words

_MARKS = {"passed": "✓", "failed": "✗", "scored": "●", "not_applicable": "∅", "unclear": "?", "unscored": "○"}
NOTHING = "\N{EN DASH}"


@dataclass(frozen=True)
class ReportRow:
    """One conversation in a list."""

    outcome: Outcome
    id: str
    address: str
    aim: str
    """What the person openly wants."""

    @property
    def verdict(self) -> str:
        """One of verdicts.VERDICTS."""
        return verdict(self.outcome)

    @property
    def answer(self) -> str:
        """What the panel answered, or why there is no answer."""
        return answer(self.outcome)

    @property
    def tags(self) -> str:
        """What the filters of a list look at: JSON of name -> value, for an attribute in single quotation marks."""
        found = json.dumps(tags_of(self.outcome), ensure_ascii=False, separators=(",", ":"))
        return text(found).replace("&#34;", '"')  # a third of a large report would be escaped quotation marks


def tags_of(outcome: Outcome) -> dict[str, str]:
    """Return what the filters of a list look at: name -> value."""
    own = {"verdict": verdict(outcome), "model": outcome.model, "metric": outcome.metric_id}
    if outcome.measure != "presence":
        own["answer"] = answer(outcome)
    return {**own, **{name: level for name, level in (*outcome.axes, *outcome.factors) if name not in own}}


def mark(word: str) -> str:
    """Return the sign of a verdict."""
    return _MARKS[word]


@lru_cache(maxsize=20_000)  # ids, aims and votes recur from model to model and from page to page
def text(value: str) -> str:
    """Return a text as a page shows it: escaped, with nothing invisible."""
    return str(escape(visible(value)))


def verdict_cell(row: ReportRow) -> Markup:
    """Return a verdict, with the answer where the verdict does not say it."""
    outcome = row.outcome
    told = bool(outcome.unscored) or (outcome.measure != "presence" and outcome.is_scored)
    return _verdict_cell(row.verdict, row.answer if told else None)


@lru_cache(maxsize=20_000)
def _verdict_cell(word: str, answer: str | None) -> Markup:
    shown = f'<span class="verdict {text(word)}"><span aria-hidden="true">{_MARKS[word]}</span> {_plain(word)}</span>'
    more = "" if answer is None else f' <span class="soft">{_plain(answer)}</span>'
    return Markup(shown + more)  # noqa: S704 - every text in it is escaped


def conversation_rows(
    rows: Iterable[ReportRow], models: Mapping[str, str], root: str, with_model: bool = True
) -> Markup:
    """Return the rows of a list; `models` are their names for people, `root` leads to the report's folder."""
    return Markup("".join(_row(row, models, text(root), with_model) for row in rows))  # noqa: S704 - as above


def _row(row: ReportRow, models: Mapping[str, str], root: str, with_model: bool) -> str:
    outcome = row.outcome
    shown = text(models[outcome.model])
    link = f' href="{root}{text(row.address)}"' if row.address else ""
    model = f'<a href="{root}{text(model_address(outcome.model))}"><bdi>{shown}</bdi></a>' if with_model else ""
    return (
        f"<tr data-tags='{row.tags}'>"
        f'<td class="first">{verdict_cell(row)}</td>\n'
        f'<th scope="row"><a{link} dir="auto">{text(row.aim)}</a>'
        f'<span class="minor">{text(case_name(outcome))}<span class="sr">, conversation of {shown}</span></span></th>\n'
        f'{f"""<td data-heading="Model">{model}</td>""" if with_model else ""}'
        f'<td data-heading="Who"><bdi>{text(person_words(outcome.axes_label or NOTHING))}</bdi></td>\n'
        f'<td data-heading="Behaviour">{text(", ".join(vote_words(outcome)) or NOTHING)}</td></tr>\n'
    )


def _plain(name: str) -> str:
    return text(name.replace("_", " "))
