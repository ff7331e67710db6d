"""What a token costs in a batch."""

from __future__ import annotations

import litellm

from helm_impactbench.llm.prices import Price


def batch_price(model: str, own: Price | None) -> Price | None:
    """Return a model's price in a batch, None when it is unknown.

    `own` is the deployment's own price, which is taken as it is: who states one knows whether batches are cheaper.
    Without one, litellm's price for batches holds; half of its usual price is not assumed.
    """
    if own is not None:
        return own
    try:
        info = litellm.get_model_info(model)
    except Exception:  # litellm raises bare Exception for a model that it does not know
        return None
    prompt, completion = info.get("input_cost_per_token_batches"), info.get("output_cost_per_token_batches")
    return Price(prompt, completion) if prompt and completion else None
