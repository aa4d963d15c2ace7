"""What came back for a request: the body, and what the service says about its age. Reading refuses what is not an answer of the service."""

from __future__ import annotations

import email.utils
import json
import re
import time
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Mapping

from .api_types import Freshness, QualityGate, SeriesGap
from .errors import ApiError, InvalidAnswer
from .tables import Tabular


@dataclass(frozen=True)
class RawAnswer:
    """A response whose body was read to its end."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    #: The body if its content type is JSON, and it is readable.
    json: Any
    #: Method and path, for messages.
    request: str


@dataclass(frozen=True)
class Answer(Tabular):
    #: The rows or the object of a body; the body itself where there is no envelope.
    data: Any
    body: Any
    status: int
    #: None where the service states none, such as on paths without an envelope.
    freshness: Freshness | None
    #: The time whose data this is, ISO 8601; None where the service states none.
    as_of: str | None
    gate: QualityGate | None
    #: The UTC day that is not over yet, if the answer covers it.
    partial_day: str | None
    request_id: str | None
    #: Whether the service confirmed an earlier answer (status 304) instead of sending it again.
    is_unchanged: bool
    headers: Mapping[str, str] = field(repr=False)

    def table_rows(self) -> list[Any]:
        return self.data if isinstance(self.data, list) else [self.data]


@dataclass(frozen=True)
class History(Answer):
    """A history as rows: one per time, with the columns by name. Nothing is filled in: what is missing is in `gaps`."""

    rows: list[dict[str, Any]]
    gaps: list[SeriesGap]
    resolution: str
    #: Whether points were left out because there were too many; the lowest and the highest of each stretch are there.
    is_thinned: bool

    def table_rows(self) -> list[Any]:
        return self.rows


JSON_TYPE = re.compile(r"application/(?:[\w.-]+\+)?json\b")


def read_answer(status: int, headers: Mapping[str, str], content: bytes, request: str) -> RawAnswer:
    """Raises InvalidAnswer for a success whose JSON is cut off."""
    raw = RawAnswer(status, headers, content, None, request)
    if not content or not JSON_TYPE.match(headers.get("content-type", "")):
        return raw
    try:
        return RawAnswer(status, headers, content, json.loads(content, object_hook=_usual_spelling), request)
    except ValueError:
        if 200 <= status < 300:
            raise _invalid(raw, "is not complete: its JSON cannot be read") from None
        return raw


def answer_of(raw: RawAnswer, is_unchanged: bool = False) -> Answer:
    """Raises InvalidAnswer for a body of another content type."""
    return Answer(**_members(raw, is_unchanged))


def history_of(raw: RawAnswer, is_unchanged: bool = False) -> History:
    """Raises InvalidAnswer if the columns have not one value for each time."""
    members = _members(raw, is_unchanged)
    series = members["data"]
    times, columns = series["t"], series["columns"]
    for name, values in columns.items():
        if len(values) != len(times):
            raise _invalid(raw, f"is uneven: the column {name} has not one value for each time")
    rows = [
        {"time": _iso(seconds), **{name: values[index] for name, values in columns.items()}}
        for index, seconds in enumerate(times)
    ]
    return History(
        **members,
        rows=rows,
        gaps=series["gaps"],
        resolution=series["resolution"],
        is_thinned=series["is_thinned"],
    )


def _members(raw: RawAnswer, is_unchanged: bool) -> dict[str, Any]:
    body = _json_of(raw)
    envelope = body if isinstance(body, dict) else {}
    meta = _object_at(envelope, "meta")
    agentic = _object_at(meta, "_agentic")
    freshness = _object_at(agentic, "freshness") or None
    as_of = meta.get("as_of") or (freshness or {}).get("computed_at") or envelope.get("as_of")
    return {
        "data": envelope.get("data", body),
        "body": body,
        "status": raw.status,
        "freshness": freshness,
        "as_of": as_of if isinstance(as_of, str) else None,
        "gate": _object_at(agentic, "quality_gate") or None,
        "partial_day": meta.get("partial_day") or raw.headers.get("x-partial-day"),
        "request_id": raw.headers.get("x-request-id"),
        "is_unchanged": is_unchanged,
        "headers": raw.headers,
    }


def _object_at(value: Mapping[str, Any], name: str) -> dict[str, Any]:
    member = value.get(name)
    return member if isinstance(member, dict) else {}


def _json_of(raw: RawAnswer) -> Any:
    has_no_body = raw.status == 204 or (raw.status == 202 and not raw.content)
    if raw.json is not None or has_no_body:
        return raw.json
    media_type = raw.headers.get("content-type", "")
    problem = f'the content type "{media_type}"' if media_type else "no content type"
    raise _invalid(raw, f"has {problem} and {len(raw.content)} bytes instead of JSON")


def _invalid(raw: RawAnswer, problem: str) -> InvalidAnswer:
    message = f"The answer to {raw.request} {problem} (status {raw.status})."
    return InvalidAnswer(message, status=raw.status, request_id=raw.headers.get("x-request-id"))


def _iso(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


# Names under which other services of this interface send a member, with the name that the document gives it.
OTHER_SPELLINGS = {
    "mid_level_topic_based_sentiment_distrubution": "mid_level_topic_based_sentiment_distribution",
    "consensus_algorithm": "validation_mechanism",
}


def _usual_spelling(members: dict[str, Any]) -> dict[str, Any]:
    for other, usual in OTHER_SPELLINGS.items():
        if other in members:
            value = members.pop(other)
            members.setdefault(usual, value)
    return members


def api_error_of(raw: RawAnswer) -> ApiError:
    """The error of a response that is none of success.

    Three bodies occur: with an object, with a code and with a sentence in `error`; what is in between, such as a proxy, may send anything.
    """
    body: dict[str, Any] = raw.json if isinstance(raw.json, dict) else {}
    inner = _object_at(body, "error")
    flat = body.get("error") if isinstance(body.get("error"), str) else None
    is_in_flight = flat is not None and "message" not in body
    details = _object_at(inner or body, "details")
    request_id = raw.headers.get("x-request-id") or inner.get("request_id") or details.get("request_id")
    code = inner.get("code") or ("idempotency_in_flight" if is_in_flight else flat) or "unknown"
    message = inner.get("message") or body.get("message") or flat or "no explanation"
    about = raw.request if request_id is None else f"{raw.request}, request {request_id}"
    return ApiError(
        f"{raw.status} {code}: {message} ({about})",
        status=raw.status,
        code=code,
        request_id=request_id,
        details=details,
        retry_after_s=retry_after_s(raw.headers),
    )


def retry_after_s(headers: Mapping[str, str]) -> int | None:
    """`Retry-After` in seconds; the header may also be a date."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return int(text)
    try:
        at = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0, round(at.timestamp() - time.time() + 0.5))
