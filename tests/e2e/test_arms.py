"""Arms of a study from the file to every command: another system prompt, on the same cases, called by its name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from tests.support import builders
from tests.support.browser import chromium, serious_faults
from tests.support.openai_server import Answer, Body, OpenAIServer, default_answer, text_of

KIND = "Always be kind."


def answer(body: Body) -> Answer:
    """Find the behaviour present where the target was told to be kind."""
    if body["model"].startswith("target"):
        told = body["messages"][0]["role"] == "system" and KIND in body["messages"][0]["content"]
        return "That sounds hard, and I am glad you told me." if told else "Noted."
    if body["model"].startswith("judge") and "I am glad you told me" in text_of(body):
        quote = [{"turn": 1, "quote": "I am glad you told me"}]
        return json.dumps({"justification": "It is kind.", "evidence": quote, "answer": "present"})
    return default_answer(body)


def test_two_system_prompts_are_two_arms_everywhere(workdir: Path, run: Any, server: OpenAIServer) -> None:
    """No command pools them; contrasts, compare and the gate pair them by case."""
    server.answer = answer
    builders.write_benchmark_folder(workdir / "benchmarks/mini")
    Path("kind.txt").write_text(KIND)
    Path("study.yaml").write_text(yaml.safe_dump({
        "models": ["litellm/openai/target-a"], "user": "litellm/openai/user-x", "judge": "litellm/openai/judge-x",
        "benchmarks": ["mini"], "suite": "s", "references": 0, "threads": 4, "options": {"turns": 1},
        "arms": {"plain": {}, "kind": {"system_prompt": "kind.txt"}},
    }))  # fmt: skip
    keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url}
    run("impactbench", "run", "study.yaml", "--yes", "--no-report", "--no-anchor-set", **keys)
    targets = server.of("target")
    told = [body for body in targets if KIND in text_of(body)]
    assert len(told) * 2 == len(targets) > 0
    plain, kind = "litellm/openai/target-a#plain", "litellm/openai/target-a#kind"
    for command in ("rates", "compare", "costs"):
        shown = run("impactbench", command, "--suite", "s", "--wide").stdout
        assert "target-a#kind" in shown, command
        assert "target-a#plain" in shown, command
    shown = run("impactbench", "contrasts", "--suite", "s", "--by", "arm").stdout
    assert "kind minus plain" in shown or "plain minus kind" in shown
    gate = run("impactbench", "gate", "--suite", "s", "--model", plain, "--baseline", "s", "--baseline-model", kind,
               "--max-drop", "0.02", ok=False)  # fmt: skip
    assert "Traceback" not in gate.stderr
    assert gate.returncode == 1
    run("impactbench", "summarize", "--suite", "s")
    run("impactbench", "report", "--suite", "s")
    (page,) = Path().rglob("arms.html")
    assert "What the new prompt did" in page.read_text()
    assert "<bdi>kind</bdi> minus <bdi>plain</bdi>" in page.read_text()
    assert "mini/m01" in page.read_text()
    with chromium() as browser:
        for width, scheme in ((1280, "light"), (1280, "dark"), (375, "light"), (375, "dark")):
            screen: Any = {"viewport": {"width": width, "height": 740}, "color_scheme": scheme}
            shown_page = browser.new_context(**screen).new_page()
            shown_page.goto(f"file://{page.resolve()}")
            assert serious_faults(shown_page) == [], (width, scheme)
            assert shown_page.evaluate("document.documentElement.scrollWidth") <= width
            shown_page.context.close()


def test_a_system_prompt_in_a_run_entry(workdir: Path, run: Any, server: OpenAIServer) -> None:
    """The run's name has the file and a digest; a file that is not there is named before the first call."""
    builders.write_benchmark_folder(workdir / "benchmarks/mini")
    Path("kind.txt").write_text(KIND)
    entry = "impactbench:benchmark=mini,user=litellm/openai/user-x,judge=litellm/openai/judge-x,turns=1"
    keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url}
    more = ("--suite", "s", "-m", 100)
    model = ",model=litellm/openai/target-a"
    run("helm-run", "--run-entries", f"{entry},system_prompt=kind.txt{model}", *more, **keys)
    (folder,) = Path("benchmark_output/runs/s").glob("impactbench*")
    assert ",system_prompt=kind-" in folder.name
    assert all(KIND in text_of(body) for body in server.of("target"))
    done = run("helm-run", "--run-entries", f"{entry},system_prompt=no.txt{model}", *more, ok=False, **keys)
    assert "system_prompt cannot be 'no.txt'; it must be the path of a text file, and there is none" in done.stderr
