"""What experts' ratings and runs of models say of a benchmark's metrics, in sentences for its card."""

from __future__ import annotations

from statistics import fmean

from helm_impactbench.benchmark.evidence import ItemRun, RelevanceRatings
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.errors import counted
from helm_impactbench.stats.content_validity import LEAST_SCALE, item_validity, scale_validity

_NO_RATINGS = "No experts have rated how relevant its metrics are."
_NO_RUN = "No statistics of its metrics on real models have been recorded."


def evidence_sentences(benchmark: Benchmark) -> list[str]:
    """Return a sentence on experts' ratings and one on item statistics, which say plainly what has not been done."""
    known = benchmark.evidence
    return [
        _relevance(known.relevance) if known.relevance else _NO_RATINGS,
        _items(known.items, benchmark.version) if known.items else _NO_RUN,
    ]


def _relevance(rated: RelevanceRatings) -> str:
    items = {metric: item_validity(points) for metric, points in rated.ratings.items()}
    whole = scale_validity(items.values())
    weak = [metric for metric, item in items.items() if not item.is_kept]
    below = f"; too low for {', '.join(weak)}" if weak else "; no metric is too low"
    who = f"{counted(len(rated.by), 'expert')} ({', '.join(rated.by)}; {rated.date})"
    return (
        f"{who} rated {counted(len(items), 'metric')} for relevance: S-CVI/Ave {whole.average:.2f} ({LEAST_SCALE:.2f} "
        f"is excellent), S-CVI/UA {whole.universal:.2f}{below}."
    )


def _items(run: ItemRun, version: int | None) -> str:
    pass_rate = fmean(item.pass_rate for item in run.metrics.values())
    weak = [metric for metric, item in run.metrics.items() if item.discrimination <= 0]
    below = f"; {', '.join(weak)} do not go with the others" if weak else ""
    other = "" if run.version == version else f" They are of version {run.version} and say nothing of this one."
    return (
        f"{counted(run.models, 'model')}, {counted(run.conversations, 'conversation')} ({run.date}): mean pass rate "
        f"{pass_rate:.2f} over {counted(len(run.metrics), 'metric')}{below}.{other}"
    )
