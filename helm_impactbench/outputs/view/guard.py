"""Who may ask the server, and for what: this machine's browser, from the server's own pages or its address. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from hmac import compare_digest

TOKEN_HEADER = "X-ImpactBench-Token"  # noqa: S105 - the name of a header
"""A request that changes something carries the token here too: no form and no image of another page can."""
POLICY = (
    "default-src 'none'; style-src {styles}; script-src 'self'; img-src 'self' data:; connect-src {connect}; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def policy(*, asks: bool = False, styles_itself: bool = False) -> str:
    """Return the Content-Security-Policy of a page. asks: whether its script may ask the server.

    styles_itself: for a chart's file, which has its colours in a style element and is black without them.
    """
    styles = "'unsafe-inline'" if styles_itself else "'self'"
    return POLICY.format(connect="'self'" if asks else "'none'", styles=styles)


def refusal(method: str, path: str, headers: Mapping[str, str], *, port: int, token: str) -> tuple[int, str] | None:
    """Return (HTTP status, reason) for a request that is refused; None for one that may be answered.

    path: of the request line, with the token as its first part. headers: look-ups ignore case.
    """
    host = headers.get("Host", "")
    if host not in (f"127.0.0.1:{port}", f"localhost:{port}"):
        return 403, "This server answers to 127.0.0.1 and localhost alone."
    origin = headers.get("Origin")
    if origin is not None and origin != f"http://{host}":
        return 403, "Pages of another origin get no answer."
    site = headers.get("Sec-Fetch-Site", "none")
    # A link on another page of this machine, a notebook's for one, may lead here; its scripts may not ask.
    follows_link = site == "same-site" and method == "GET" and headers.get("Sec-Fetch-Mode") == "navigate"
    if site not in ("none", "same-origin") and not follows_link:
        return 403, "Pages of another site get no answer."
    if not _same(path.split("/", 2)[1:2], token):
        return 404, "Nothing is here. The address that the command printed has a token in it."
    if method == "POST" and not _same([headers.get(TOKEN_HEADER, "")], token):
        return 403, "A change needs the token in a header."
    return None


def _same(given: list[str], token: str) -> bool:
    return bool(given) and compare_digest(given[0].encode("utf-8", "replace"), token.encode())
