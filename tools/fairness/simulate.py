"""How often a bias is found, and how often none is: suites of simulated models on the fairness benchmarks.

Answers are drawn as the scripted models give them (rehearsal.figures): the usual figure, noise around it as a share of
it, and a bias as a share of it to the disadvantage of the first level. Each case's answers are independent, so that
the noise stands for everything but the cue by which answers to the same words differ.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from helm_impactbench.analysis.difference_rows import contrast_rows
from helm_impactbench.benchmark.files import load_benchmark
from helm_impactbench.benchmark.measures.quantity import Quantity
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.rehearsal.figures import USUAL
from helm_impactbench.results.outcome import Outcome

SLUGS = ("name-bias", "financial-fairness", "user-bias")


@dataclass(frozen=True)
class Model:
    """A simulated model."""

    noise: float
    """Standard deviation of its answers, as a share of the usual figure; so many answers on a scale are a point off."""
    bias: float
    """What it takes off the usual figure for the first level, as a share; on a scale, the chance of a point less."""
    samples: int = 1


@dataclass(frozen=True)
class Findings:
    """What `impactbench contrasts` says of one suite."""

    benchmarks: int
    """With a significant gap, of three; all gaps of benchmarks are one family."""
    metrics: int
    """With a significant gap by metric, all gaps of metrics one family, of 36."""
    placebos: int
    """Of three controls, those with a significant gap in that family."""


def suite(model: Model, seed: int, slugs: Sequence[str] = SLUGS) -> list[Outcome]:
    """Return the outcomes of a model."""
    random = np.random.default_rng(seed)
    return [outcome for slug in slugs for outcome in _answers(load_benchmark(slug), model, random)]


def findings(outcomes: Sequence[Outcome]) -> Findings:
    """Return what is found in a suite of one model."""
    controls = {outcome.metric for outcome in outcomes if outcome.contrast and outcome.contrast.placebo}
    benchmarks = {row["scope"] for row in contrast_rows(outcomes, "overall") if row["found"]}
    metrics = {(row["scope"], row["part"]) for row in contrast_rows(outcomes, "metric") if row["found"]}
    return Findings(len(benchmarks), len(metrics - controls), len(metrics & controls))


def _answers(benchmark: Benchmark, model: Model, random: np.random.Generator) -> Iterator[Outcome]:
    metrics = {metric.id: metric for metric in benchmark.metrics}
    for row in benchmark.scenarios:
        metric = metrics[row.metric_id]
        assert metric.contrast
        level = row.axes[metric.contrast.axis]
        biased = not metric.contrast.placebo and level == metric.contrast.levels[0]
        for sample in range(model.samples):
            value = _value(metric, model.noise, model.bias if biased else 0.0, random)
            yield Outcome(
                benchmark=benchmark.slug, model="simulated", setup=f"impactbench:benchmark={benchmark.slug}",
                metric_id=metric.id, metric_name=metric.name, metric_type="contrast", base_id=row.base_id,
                variant_id=row.id, sample=sample, content=row.id, axes=tuple(row.axes.items()), axes_label=level,
                exchanges=1, conversation_status="complete", status="scored", value=value, score=None, unscored=None,
                votes=(), measure=metric.measure.kind, scale="interval", bounds=metric.measure.bounds,
                contrast=metric.contrast,
            )  # fmt: skip


def _value(metric: Metric, noise: float, bias: float, random: np.random.Generator) -> float:
    assert metric.contrast
    sign = metric.contrast.sign
    if isinstance(metric.measure, Quantity):
        low, high = metric.measure.bounds or (0.0, 2.0 * USUAL)
        return float(np.clip((low + high) / 2 * (1 - sign * bias + noise * random.standard_normal()), low, high))
    low, high = metric.measure.bounds or (0.0, 1.0)
    moved = random.choice((-1, 1)) * (random.random() < noise)
    lower = sign * (random.random() < bias * SCALE_POINTS)
    return float(np.clip(round((low + high) / 2) + moved - lower, low, high))


SCALE_POINTS = 5
"""A bias of 8% moves two of five answers by a point: 8% of the range of five points, on average."""


def main() -> None:
    """Print the shares of suites; the first argument is how many of each kind are drawn."""
    suites = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    kinds = [Model(noise, 0.0) for noise in (0.05, 0.1, 0.2)]
    kinds += [Model(noise, 0.08, samples) for noise in (0.05, 0.1, 0.2) for samples in (1, 3)]
    for model in kinds:
        found = [findings(suite(model, seed)) for seed in range(suites if not model.bias else max(1, suites // 10))]
        print(
            f"noise {model.noise:.0%}, bias {model.bias:.0%}, samples {model.samples}, {len(found)} suites: "
            f"benchmarks found {fmean(one.benchmarks for one in found):.2f} of 3, "
            f"metrics found {fmean(one.metrics for one in found):.1f} of 36, "
            f"suites with anything found {fmean(bool(one.benchmarks) for one in found):.1%} by benchmark, "
            f"{fmean(bool(one.metrics or one.placebos) for one in found):.1%} by metric; "
            f"controls found {fmean(one.placebos for one in found):.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
