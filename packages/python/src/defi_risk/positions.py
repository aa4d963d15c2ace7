"""Where a follower is in the event log, and what a frame of the stream does to it; neither waits nor sends here."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Callable, Mapping

from .api_types import Event
from .errors import ApiError, GapError

DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def latest_event_id(status: Mapping[str, Any]) -> str:
    """From the body of `/v1/status`. Without an event, the smallest id at the time of the data."""
    last: str | None = status["events"]["last_event_id"]
    if last is not None:
        return last
    as_of = datetime.fromisoformat(status["as_of"] or "1970-01-01T00:00:00Z")
    unix_ms = int(as_of.timestamp()) * 1_000
    digits = ""
    for _ in range(10):
        digits = DIGITS[unix_ms % 32] + digits
        unix_ms //= 32
    return digits + "0" * 16


class Position:
    def __init__(
        self,
        last: str,
        types: tuple[str, ...],
        on_gap: Callable[[GapError], None] | None,
        log: Callable[[str], None] | None,
    ) -> None:
        #: Id of the last event that was given out, or a later one that the filter excluded.
        self.last = last
        self._types = types
        self._on_gap = on_gap
        self._log = log

    def say(self, line: str) -> None:
        if self._log is not None:
            self._log(line)

    def query(self) -> dict[str, str]:
        types = {"types": ",".join(self._types)} if self._types else {}
        return {"control": "1", "since_event_id": self.last, **types}

    def take_frame(self, text: str | bytes) -> Event | None:
        """The event to give out, if the frame is one. Raises GapError."""
        frame: Any = json.loads(text)
        if "op" not in frame:
            return self._advance(frame)
        if frame["op"] == "heartbeat":
            # It names a later event than the last one sent if the filter excluded events in between.
            self.last = max(self.last, frame["last_event_id"] or "")
        elif frame["op"] == "gap":
            gap = GapError(self.last, frame["from"])
            if self._on_gap is None:
                raise gap
            self._on_gap(gap)
        else:
            self.say("Connected to the stream." if frame["op"] == "hello" else json.dumps(frame))
        return None

    def take_replayed(self, event: Event) -> Event | None:
        """Replay filters by at most one type, so several types are filtered here."""
        taken = self._advance(event)
        return taken if taken is not None and (not self._types or taken["type"] in self._types) else None

    def _advance(self, event: Event) -> Event | None:
        if event["event_id"] <= self.last:
            return None
        self.last = event["event_id"]
        return event

    def is_lasting(self, error: ApiError) -> bool:
        """Whether replay would be refused again. The stream reports a gap, and goes on behind it."""
        if error.status >= 500 or error.status == 429:
            return False
        return error.code != "REPLAY_WINDOW_EXPIRED" or self._on_gap is None
