"""What both clients send, and what they remember; neither waits nor sends here."""

from __future__ import annotations

import json
import re
import urllib.parse
import uuid
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Any, Mapping

from .answers import RawAnswer, api_error_of
from .errors import ConnectionFailed, InvalidAnswer

TIMEOUT_S = 30.0
NOT_MODIFIED = 304

# The list of yields takes the cursor under another name than the others.
CURSOR_NAMES = {"/v2/yield/opportunities": "page[cursor]"}


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def filled(path: str, params: Mapping[str, Any] | None, query: Mapping[str, Any] | None) -> str:
    """The path with its parameters and its query. Raises ValueError for a parameter that is missing or empty."""

    def value_of(match: re.Match[str]) -> str:
        value = (params or {}).get(match.group(1))
        if value is None or value == "":
            raise ValueError(f"{path} needs the parameter {match.group(1)}.")
        return urllib.parse.quote(str(value), safe="")

    whole = re.sub(r"\{(\w+)\}", value_of, path)
    text = urllib.parse.urlencode({name: _text(value) for name, value in (query or {}).items() if value is not None})
    return f"{whole}{'&' if '?' in whole else '?'}{text}" if text else whole


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def write_request(method: str, path: str, body: Any, idempotency_key: str | None) -> Request:
    headers = {} if method == "DELETE" else {"X-Idempotency-Key": idempotency_key or str(uuid.uuid4())}
    if body is None:
        return Request(method, path, headers)
    return Request(method, path, {**headers, "Content-Type": "application/json"}, json.dumps(body).encode())


def checked_address(base_url: str) -> str:
    if not re.match(r"https?://[^/?#]+", base_url):
        raise ValueError(f'"{base_url}" is not the address of a service: it must begin with https:// or http://.')
    return base_url.rstrip("/")


def settled(outcome: RawAnswer | Exception, attempts: int) -> RawAnswer:
    """Raises ConnectionFailed or InvalidAnswer if there was no answer."""
    if isinstance(outcome, RawAnswer):
        return outcome
    if isinstance(outcome, InvalidAnswer):
        raise outcome
    reason = str(outcome) or type(outcome).__name__
    raise ConnectionFailed(f"The service cannot be reached, in {attempts} attempts: {reason}") from outcome


def next_cursor(page: RawAnswer, path: str, cursor: str | None) -> str | None:
    """Raises InvalidAnswer for a page that does not lead on."""
    meta = page.json.get("meta") if isinstance(page.json, dict) else None
    found = (meta or {}).get("cursor")
    problem = None
    if found is None and (meta or {}).get("has_more") is True:
        problem = f"{path} has more rows than this page, and no cursor to them: ask for fewer, or with a larger limit."
    if found is not None and found == cursor:
        problem = f"The pages of {path} do not end: a cursor leads to itself."
    if problem is not None:
        raise InvalidAnswer(problem, status=page.status, request_id=page.headers.get("x-request-id"))
    return found


class Memory:
    """The newest answers by path, with the tag by which the service knows them."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._answers: OrderedDict[str, RawAnswer] = OrderedDict()

    def get_request(self, path: str) -> Request:
        known = self._answers.get(path)
        return Request("GET", path, {} if known is None else {"If-None-Match": known.headers["etag"]})

    def resolve(self, path: str, raw: RawAnswer) -> tuple[RawAnswer, bool]:
        """The answer, and whether it is an earlier one that the service confirmed. Raises ApiError."""
        known = self._answers.get(path)
        if raw.status == NOT_MODIFIED and known is not None:
            return replace(known, headers={**known.headers, **raw.headers}), True
        if raw.status >= 300:
            raise api_error_of(raw)
        if self._size > 0 and "etag" in raw.headers:
            self._answers[path] = raw
            self._answers.move_to_end(path)
            if len(self._answers) > self._size:
                self._answers.popitem(last=False)
        return raw, False


def checked_write(raw: RawAnswer) -> RawAnswer:
    """Raises ApiError for what is not a success."""
    if raw.status >= 300:
        raise api_error_of(raw)
    return raw
