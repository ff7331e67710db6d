"""Labels and cards as HTML fragments, stand-alone pages and Markdown.

Everything is escaped where it is put into a template: benchmarks and model names are other people's text. Fragments
need label.css and nothing else, no script, and can be repeated on a page.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.errors import counted
from helm_impactbench.outputs.label.audiences import AUDIENCES, audience_of
from helm_impactbench.outputs.label.card import GenerationProvenance, counts_of, provenance_of
from helm_impactbench.outputs.label.evidence import evidence_sentences
from helm_impactbench.outputs.label.text import escape_markdown
from helm_impactbench.results.passages import visible

if TYPE_CHECKING:
    from helm_impactbench.outputs.label.label import Label

CSS_FILE = Path(str(files(__package__))) / "label.css"
"""The styles of the fragments; classes begin with nl- and card-."""


def render_label(label: Label, audience: str, card_href: str | None = None) -> Markup:
    """Return the label as a section of HTML: the drawing, and page 2 in the words of an audience (a key of AUDIENCES).

    `card_href` is where the card of a benchmark lies, "cards/{slug}.html"; without it, metrics are not linked. A label
    without a grade is not drawn: it is the sentence that says why. Raises ImpactBenchError for an unknown audience.
    """
    if not label.has_grades:
        return _undrawn(label, audience)
    shown = (
        _environment()
        .get_template("label.html.jinja")
        .render(
            **_shown(label, audience),
            label=label,
            key=audience,
            id=f"nl-{audience}-{content_digest(label.model)[:8]}",
            card_href=card_href,
        )
    )
    return Markup(shown)  # noqa: S704 - rendered with autoescape


def _undrawn(label: Label, audience: str) -> Markup:
    from helm_impactbench.outputs.label.summary import undrawn

    text = escape(visible(undrawn(label, audience_of(audience).sheet)))
    return Markup('<p class="nl-undrawn">{}</p>').format(text)


def label_markdown(label: Label, audience: str) -> str:
    """Return the label as Markdown in the words of an audience; what could be markup in its texts is escaped.

    Raises ValueError for a label without a grade.
    """
    return _folded(_environment().get_template("label.md.jinja").render(**_shown(label, audience)))


def _shown(label: Label, audience: str) -> dict[str, Any]:
    from helm_impactbench.outputs.label import images, phrases, shown

    whole = shown.shown_label(label, audience_of(audience))
    return {
        "shown": whole,
        "audience": whole.audience,
        "drawing": Markup(images.drawn(whole)),  # noqa: S704 - svg.py escapes
        "percent": phrases.percent,
        "span": phrases.span,
    }


def render_card(benchmark: Benchmark, provenance: GenerationProvenance | None = None) -> Markup:
    """Return the card of a benchmark as an article of HTML; provenance is that of its files if not given."""
    return Markup(_card("card.html.jinja", benchmark, provenance))  # noqa: S704 - rendered with autoescape


def card_markdown(benchmark: Benchmark, provenance: GenerationProvenance | None = None) -> str:
    """Return the card of a benchmark as Markdown; what could be markup in its texts is escaped."""
    return _folded(_card("card.md.jinja", benchmark, provenance))


def label_page(label: Label, audiences: Sequence[str], card_href: str | None = None) -> str:
    """Return a stand-alone page with the label for one or several audiences, one of which is shown at a time."""
    panels = {key: render_label(label, key, card_href) for key in audiences}
    return _page(f"Nutrition label: {label.model}", panels)


def side_by_side_page(labels: Sequence[Label], addresses: Mapping[str, str]) -> str:
    """Return a stand-alone page with the labels of several models that have grades, next to each other.

    addresses: model -> its own page.
    """
    from helm_impactbench.outputs.label import images, side_by_side

    found = side_by_side.side_by_side(labels)
    template = _environment().get_template("side_by_side.html.jinja")
    panel = template.render(found=found, words=found.words, addresses=addresses, scale=images.scale)
    return _page(found.words.side_by_side.title, {"models": Markup(panel)})  # noqa: S704 - rendered with autoescape


def card_page(benchmark: Benchmark, provenance: GenerationProvenance | None = None) -> str:
    """Return a stand-alone page with the card of a benchmark."""
    return _page(f"Benchmark card: {benchmark.name}", {"card": render_card(benchmark, provenance)})


def _folded(markdown: str) -> str:
    return re.sub(r"\n{3,}", "\n\n", markdown).strip() + "\n"


def _page(title: str, panels: Mapping[str, Markup]) -> str:
    style = CSS_FILE.read_text(encoding="utf-8")
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        _environment()
        .get_template("page.html.jinja")
        .render(
            title=title,
            names={key: AUDIENCES[key].name for key in panels if key in AUDIENCES},
            panels=panels,
            style=Markup(style),  # noqa: S704 - our own file
            policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
        )
    )


def _card(template: str, benchmark: Benchmark, provenance: GenerationProvenance | None) -> str:
    return (
        _environment()
        .get_template(template)
        .render(
            benchmark=benchmark,
            id=f"card-{benchmark.slug}",
            counts=counts_of(benchmark),
            kind_of=_kind_of,
            evidence=evidence_sentences(benchmark),
            made=provenance or provenance_of(benchmark),
            digest=benchmark.digest(),
        )
    )


def _kind_of(metric: Metric) -> str:
    """Return what is asked, where that is not whether the behaviour is present, and what is compared."""
    asked = "" if metric.measure.kind == "presence" else f", {metric.measure.kind}"
    return asked + (f", by {metric.contrast.axis}" if metric.contrast else "")


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("helm_impactbench.outputs.label", ""),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=select_autoescape(disabled_extensions=("md.jinja",), default=True),
        finalize=_visible,
    )
    environment.filters |= {"md": escape_markdown, "counted": counted}
    return environment


def _visible(value: object) -> object:
    """Return what a template puts in, without characters that turn the text around it or that no file can hold."""
    return visible(value) if type(value) is str else value
