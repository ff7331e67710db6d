"""What helm-server shows of a run of ours, taken from its JSON as it stands, in a tenth of HELM's time.

HELM makes objects of every request and writes them again; of our runs, what is written is what was read. A run that has
anything of which that is not so is left to HELM (write_pages returns False).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from helm_impactbench.files.atomic_write import write_whole
from helm_impactbench.helm.json_text import dumps
from helm_impactbench.results.files import PER_INSTANCE_FILE, STATE_FILE

INSTANCES, PREDICTIONS, REQUESTS = "instances.json", "display_predictions.json", "display_requests.json"
PAGES = (INSTANCES, PREDICTIONS, REQUESTS)
_CHANGED = {"output_mapping", "request_mode"}
"""Of a state: HELM does something with these."""

Data = dict[str, Any]


class _NotOursError(Exception):
    """A run has something that only HELM writes as HELM does."""


@dataclass(frozen=True)
class RequestForm:
    """How HELM writes a request."""

    fields: tuple[str, ...]
    """In their order."""
    defaults: Data
    """Of fields that may be missing in what is read, and never in what is written."""

    def whole(self, request: Data) -> Data:
        """Return a request with all that HELM writes of it."""
        found = {**self.defaults, **request}
        return {name: found[name] for name in self.fields if name in found}


def write_pages(folder: Path, metrics: Collection[str], form: RequestForm) -> bool:
    """Write the three files of a run's pages, and return whether that was possible.

    metrics: names of the statistics that are shown.
    """
    try:
        states = from_json((folder / STATE_FILE).read_bytes(), cache_strings="keys")["request_states"]
        stats = _stats(from_json((folder / PER_INSTANCE_FILE).read_bytes(), cache_strings="keys"), metrics)
        shown = [_shown(state, stats, form) for state in states]
        contents = {
            INSTANCES: list({state["instance"]["id"]: state["instance"] for state in states}.values()),
            PREDICTIONS: [prediction for prediction, _ in shown],
            REQUESTS: [request for _, request in shown],
        }
        texts = {name: dumps(content, indent=2) for name, content in contents.items()}
    except (_NotOursError, ValueError, LookupError, TypeError, AttributeError, OSError, RecursionError):
        return False
    for name, text in texts.items():
        write_whole(folder / name, text, durable=False)
    return True


def first_state(folder: Path) -> Data:
    """Return the first conversation of a run. Raises ValueError, LookupError, TypeError or OSError."""
    found: Data = from_json((folder / STATE_FILE).read_bytes())["request_states"][0]
    return found


def _stats(found: list[Data], metrics: Collection[str]) -> dict[tuple[str, int], dict[str, float]]:
    """Return (instance, trial) -> name of a statistic -> its mean."""
    stats: dict[tuple[str, int], dict[str, float]] = {}
    for one in found:
        if one.get("perturbation") is not None:
            raise _NotOursError
        stats.setdefault((one["instance_id"], one["train_trial_index"]), {}).update(
            (name, float(stat["mean"]))
            for stat in one["stats"]
            if (name := stat["name"]["name"]) in metrics and stat.get("mean") is not None
        )
    return stats


def _shown(
    state: Mapping[str, Any], stats: Mapping[tuple[str, int], dict[str, float]], form: RequestForm
) -> tuple[Data, Data]:
    """Return HELM's DisplayPrediction and DisplayRequest of a conversation, without what is None."""
    instance, output = state["instance"], state["result"]["completions"][0]
    if "perturbation" in instance or _CHANGED & state.keys() or "multimodal_content" in output:
        raise _NotOursError
    key = {"instance_id": instance["id"], "train_trial_index": state["train_trial_index"]}
    prediction = {
        **key,
        "predicted_text": output["text"],
        "base64_images": [],
        "reference_index": state.get("reference_index"),
        "stats": stats.get((instance["id"], state["train_trial_index"]), {}),
        "annotations": state.get("annotations"),
        "thinking_text": output["thinking"]["text"] if "thinking" in output else None,
    }
    kept = {name: value for name, value in prediction.items() if value is not None}
    return kept, {**key, "request": form.whole(state["request"])}
