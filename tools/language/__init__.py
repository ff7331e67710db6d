"""The language of what people read: pages, help, messages and prompts. `python -m tools.language` checks it."""
