"""An API client that uses only Python's standard library, with the retries and paging that the API specifies."""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Callable, Iterator, Mapping, NamedTuple

from .api_types import CoverageRow, Event

# Names under which other services of this interface send a member, with the name that the document gives it.
OTHER_SPELLINGS = {
    "mid_level_topic_based_sentiment_distrubution": "mid_level_topic_based_sentiment_distribution",
    "consensus_algorithm": "validation_mechanism",
}
ATTEMPTS = 5
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
TIMEOUT_S = 30.0


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: Any


class ApiError(Exception):
    """Branch on `code`: messages may change."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(f"The service returned status {answer.status}: {json.dumps(answer.body)}")
        self.status = answer.status
        self.body = answer.body
        error = answer.body.get("error") if isinstance(answer.body, dict) else None
        self.code = error.get("code") if isinstance(error, dict) else error


class Client:
    def __init__(
        self, base_url: str, key: str | None = None, wait: Callable[[float], None] = time.sleep
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self.key = key
        self.wait = wait

    def get(self, path: str, query: Mapping[str, Any] | None = None, etag: str | None = None) -> Answer:
        """`etag` is that of an earlier response: status 304 without a body means that the response is still current."""
        headers = {} if etag is None else {"If-None-Match": etag}
        text = urllib.parse.urlencode({k: v for k, v in (query or {}).items() if v is not None})
        return self.send("GET", path + ("?" + text if text else ""), headers=headers)

    def send(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Raises ApiError when the response is neither a success nor 304."""
        own = dict(headers or {})
        if method in ("POST", "PATCH"):
            own.setdefault("X-Idempotency-Key", str(uuid.uuid4()))
        for attempt in range(1, ATTEMPTS + 1):
            answer = self._try(method, path, body, own)
            pause = _pause_after(answer, attempt) if attempt < ATTEMPTS else None
            if pause is None:
                break
            self.wait(pause)
        if not isinstance(answer, Answer):
            raise answer
        if answer.status >= 400:
            raise ApiError(answer)
        return answer

    def _try(
        self, method: str, path: str, body: Any, headers: Mapping[str, str]
    ) -> Answer | OSError | http.client.HTTPException:
        """Raises when the response is incomplete."""
        sent = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base_url + path, data=sent, method=method)
        for name, value in headers.items():
            request.add_header(name, value)
        if sent is not None:
            request.add_header("Content-Type", "application/json")
        if self.key is not None:
            request.add_header("Authorization", f"Bearer {self.key}")
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
                return _answer(response.status, response.headers, response.read())
        except urllib.error.HTTPError as error:
            with error:
                return _answer(error.code, error.headers, error.read())
        except (OSError, http.client.HTTPException) as error:
            return error

    def coverage(self, **filters: Any) -> Iterator[CoverageRow]:
        """Coverage rows of all pages, worst covered first."""
        return self._rows("/v2/data-manifest/coverage", filters, "cursor")

    def _rows(self, path: str, filters: Mapping[str, Any], cursor_name: str) -> Iterator[Any]:
        cursor = None
        while True:
            page = self.get(path, {**filters, cursor_name: cursor}).body
            yield from page["data"]
            cursor = page["meta"]["cursor"]
            if cursor is None:
                return

    def events(self, last_event_id: str | None = None, **filters: Any) -> Iterator[Event]:
        """Past events of all pages, in order. Store the last `event_id` to continue from there."""
        since = last_event_id
        while since != "":
            page = self.get("/v2/events/replay", {**filters, "since_event_id": since}).body
            yield from page["events"]
            since = page["next_cursor"]


def _answer(status: int, headers: Mapping[str, str], raw: bytes) -> Answer:
    is_json = raw and "json" in (headers.get("Content-Type") or "")
    return Answer(status, headers, json.loads(raw, object_hook=_usual_spelling) if is_json else raw)


def _usual_spelling(members: dict[str, Any]) -> dict[str, Any]:
    for other, usual in OTHER_SPELLINGS.items():
        if other in members:
            members.setdefault(usual, members.pop(other))
            members.pop(other, None)
    return members


def _pause_after(answer: Answer | OSError | http.client.HTTPException, attempt: int) -> float | None:
    """Seconds until the next attempt; None if a retry would not help."""
    back_off = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** (attempt - 1)) * (0.5 + random.random() / 2)
    if not isinstance(answer, Answer):
        return back_off
    asked = answer.headers.get("Retry-After")
    asked_s = float(asked) if asked is not None and asked.isdigit() else None
    if answer.status >= 500:
        return max(asked_s or 0.0, back_off)
    if answer.status == 429:
        return asked_s
    # Of the two kinds of 409, only a request in flight resolves on its own: its `error` is a string.
    if answer.status == 409 and isinstance(answer.body.get("error"), str):
        return asked_s if asked_s is not None else FIRST_PAUSE_S
    return None
