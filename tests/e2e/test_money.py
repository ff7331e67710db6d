"""Prices and usage that cannot be true, in a real run under a budget: refused, or unknown and counted in full."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import helm
from tests.support.commands import run_command
from tests.support.openai_server import Body, OpenAIServer, default_answer

ENTRY = "impactbench:benchmark=mini,turns=1,user=own/user-x,judge=own/judge-x,model=own/target-a"
COMMAND = ("helm-run", "--run-entries", ENTRY, "--suite", "s", "-m", 100, "-n", 4)
DEPLOYMENT = """
- name: own/{name}
  model_name: own/{name}
  client_spec:
    class_name: helm_impactbench.helm.litellm_client.LiteLLMClient
    args: {{litellm_model: openai/{name}, api_base: "{url}", input_cost_per_token: {price}, output_cost_per_token: 0}}
"""


def write_deployments(workdir: Path, server: OpenAIServer, price: str) -> None:
    """Write deployments whose price is spelt in a certain way."""
    (workdir / "prod_env").mkdir()
    entries = [DEPLOYMENT.format(name=name, url=server.url, price=price) for name in ("user-x", "judge-x", "target-a")]
    (workdir / "prod_env/model_deployments.yaml").write_text("model_deployments:" + "".join(entries))


def spending(workdir: Path) -> list[dict[str, Any]]:
    """Return the lines of the suite's spend log that book money."""
    lines = map(json.loads, (workdir / "benchmark_output/runs/s/spending.jsonl").read_text().splitlines())
    return [line for line in lines if "cost_usd" in line]


def test_a_price_that_yaml_reads_as_text_is_a_price(mini: Path, workdir: Path, server: OpenAIServer) -> None:
    """1e-6 has no point, so YAML 1.1 makes it a text: every conversation is scored and every call has its price."""
    write_deployments(workdir, server, "1e-6")
    run_command(*COMMAND, cwd=workdir, IMPACTBENCH_MAX_COST_USD="1")
    assert helm.total(helm.run_folder(workdir, "s", "target-a"), "unscored") == (0, 4)
    assert [line["cost_usd"] for line in spending(workdir)] == [pytest.approx(100e-6)] * 12


@pytest.mark.parametrize("price", ["-1", ".nan"])
def test_what_cannot_be_a_price_ends_the_run_before_its_first_call(
    mini: Path, workdir: Path, server: OpenAIServer, price: str
) -> None:
    """It would switch the budget off: exit code 2, the deployment, the value and what is allowed."""
    write_deployments(workdir, server, price)
    done = run_command(*COMMAND, cwd=workdir, ok=False, IMPACTBENCH_MAX_COST_USD="1")
    assert done.returncode == 2
    assert "own/user-x: input_cost_per_token is " in done.stderr
    assert "Set both input_cost_per_token and output_cost_per_token, in US dollars per token" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert server.requests == []


def test_a_usage_that_cannot_be_true_books_no_negative_money(mini: Path, workdir: Path, server: OpenAIServer) -> None:
    """The answers are kept and scored, their cost is unknown, and under a budget they count in full."""

    def answer(body: Body) -> Any:
        usage = {"prompt_tokens": -1_000_000_000, "completion_tokens": 5, "total_tokens": 5}
        good = default_answer(body)
        return {"role": "assistant", "content": good, "usage": usage} if body["model"] == "target-a" else good

    server.answer = answer
    write_deployments(workdir, server, "0.000001")
    done = run_command(*COMMAND, cwd=workdir, IMPACTBENCH_MAX_COST_USD="1")
    run = helm.run_folder(workdir, "s", "target-a")
    assert helm.total(run, "unscored") == (0, 4)
    assert len(server.of("target")) == 4
    booked = spending(workdir)
    assert all(line["cost_usd"] > 0 for line in booked)
    assert sum(line.get("unknown", False) for line in booked) == 4
    assert (done.stdout + done.stderr).count("own/target-a: an answer came without a possible usage") == 1
    costs = run_command("impactbench", "costs", "--suite", "s", cwd=workdir).stdout
    assert "4 calls without a known price" in costs
    assert "in that log are for calls whose cost nobody knows" in costs
