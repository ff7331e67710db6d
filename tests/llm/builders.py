"""What tests of calls share."""

from __future__ import annotations


class ProviderError(Exception):
    """An error as the SDKs raise it."""

    def __init__(self, status_code: int, text: str = "text", headers: dict[str, str] | None = None) -> None:
        super().__init__(text)
        self.status_code = status_code
        self.headers = headers or {}
