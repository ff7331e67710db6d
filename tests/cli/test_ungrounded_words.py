"""What `rates` says of withholding votes whose quotes are not in the transcript: which way it moves rates."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from click.testing import CliRunner

from helm_impactbench.cli import main
from helm_impactbench.judging.panel import decide
from helm_impactbench.results.record import Record
from tests.support.kinds import records, write_run


def misquoted(record: Record) -> Record:
    """Return the record with quotes of nothing in every second base scenario where a behaviour is present."""
    doubted = int(record.case.scenario.id.split("_s")[1][:3]) % 2
    votes = tuple(
        vote.model_copy(update={"grounded": False}) if doubted and vote.evidence else vote
        for vote in record.verdict.votes
    )
    return replace(record, verdict=decide(record.case.metric, votes))


def test_it_moves_rates_on_wanted_and_unwanted_behaviours_in_opposite_directions(workdir: Path) -> None:
    """Only an answer that a behaviour is present has quotes, so that none other is ever withheld."""
    folder = workdir / "benchmark_output/runs/s"
    folder.mkdir(parents=True)
    own = {target: records(target, 6) for target in ("good", "bad")}
    mixed = [(own["good"] if int(one.case.scenario.id.split("_s")[1][:3]) < 4 else own["bad"])[place]
             for place, one in enumerate(own["good"])]  # fmt: skip
    write_run(folder, "some", [misquoted(one) for one in mixed if one.case.metric.id in ("helps", "harms")])
    done = CliRunner().invoke(main, ["rates", "--suite", "s", "--by", "metric", "--wide", "--out", "r.json"])
    rows = {row["part"]: row for row in json.loads(Path("r.json").read_text())}
    assert rows["harms"]["rate_if_ungrounded_withheld"] > rows["harms"]["pass_rate"]
    assert rows["helps"]["rate_if_ungrounded_withheld"] < rows["helps"]["pass_rate"]
    assert "which raises rates on behaviours to avoid and lowers those on wanted ones" in done.output
