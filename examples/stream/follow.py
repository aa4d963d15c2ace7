"""Follows risk events without missing or repeating any: over the stream, and by replay while the stream is unavailable.

    python3 examples/stream/follow.py --base-url http://127.0.0.1:8080 --key rk_live_…
"""

from __future__ import annotations

import argparse
import datetime
import http.client
import json
import pathlib
import random
import sys
import time
import urllib.parse
from typing import Any, Callable, Iterator

from websocket import Closed, Refused, WebSocket

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "packages/python/src"))
from defi_risk.api_types import Event  # noqa: E402
from defi_risk.client import ApiError, Client  # noqa: E402

DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
# A ping comes every 30 seconds; after two missed pings the connection is dead.
SILENCE_S = 75.0
LASTING_STATUSES = {400, 401, 402, 403, 404, 410}
LASTING_CODES = {4001, 4003, 4004}


def usual_pause_s(failures: int) -> float:
    return min(30.0, 2.0**failures) * (0.5 + random.random() / 2)


class Follower:
    """`last_event_id` is the id of the last event that was yielded, or a later one that the filter excluded."""

    def __init__(
        self,
        base_url: str,
        key: str,
        last_event_id: str,
        types: tuple[str, ...] = (),
        pause_s: Callable[[int], float] = usual_pause_s,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self.key = key
        self.last_event_id = last_event_id
        self.types = types
        self.pause_s = pause_s

    def events(self) -> Iterator[Event]:
        """Every event once, in order. Raises Refused, Closed or ApiError if a retry would not help."""
        failures = 0
        while True:
            try:
                for event in self._streamed():
                    failures = 0
                    yield event
            except Refused as refused:
                if refused.status in LASTING_STATUSES:
                    raise
                _say(refused)
            except Closed as closed:
                if closed.code in LASTING_CODES:
                    raise
                _say(closed)
            except OSError as error:
                _say(error)
            yield from self._missed()
            time.sleep(self.pause_s(failures))
            failures += 1

    def _streamed(self) -> Iterator[Event]:
        query = {"control": "1", "since_event_id": self.last_event_id}
        if self.types:
            query["types"] = ",".join(self.types)
        address = f"{self.base_url}/v2/ws/risk-events?{urllib.parse.urlencode(query)}"
        connection = WebSocket(address, {"Authorization": f"Bearer {self.key}"}, SILENCE_S)
        try:
            while True:
                frame: dict[str, Any] = json.loads(connection.receive())
                if "op" not in frame:
                    self.last_event_id = frame["event_id"]
                    yield frame  # type: ignore[misc]
                elif frame["op"] == "heartbeat":
                    self.last_event_id = max(self.last_event_id, frame["last_event_id"] or "")
                else:
                    _say(json.dumps(frame))
        finally:
            connection.close()

    def _missed(self) -> Iterator[Event]:
        """Replay filters by at most one type, so several types are filtered here."""
        client = Client(self.base_url, self.key)
        try:
            for event in client.events(self.last_event_id):
                self.last_event_id = event["event_id"]
                if not self.types or event["type"] in self.types:
                    yield event
        except ApiError as error:
            if error.status < 500:
                raise
            _say(error)
        except (OSError, http.client.HTTPException) as error:
            _say(error)


def latest_id(base_url: str, key: str) -> str:
    """The position of "from now on": the id of the newest published event."""
    status = Client(base_url, key).get("/v1/status").body
    if status["events"]["last_event_id"] is not None:
        return status["events"]["last_event_id"]
    as_of = datetime.datetime.fromisoformat(status["as_of"] or "1970-01-01T00:00:00Z")
    return id_at(int(as_of.timestamp()) * 1_000)


def id_at(unix_ms: int) -> str:
    """The smallest event id at a time. Ids start with the time of appending."""
    digits = ""
    for _ in range(10):
        digits = DIGITS[unix_ms % 32] + digits
        unix_ms //= 32
    return digits + "0" * 16


def _say(what: object) -> None:
    print(what, file=sys.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base-url", default="http://127.0.0.1:8080")
    parser.add_argument("--key", required=True)
    parser.add_argument("--since", help="return events after this id; default: from now on")
    parser.add_argument("--types", default="", help="comma-separated exact event types")
    given = parser.parse_args()
    types = tuple(name for name in given.types.split(",") if name)
    try:
        since = given.since or latest_id(given.base_url, given.key)
        for event in Follower(given.base_url, given.key, since, types).events():
            retracted = event.get("retracts_event_id")
            line = [event["ts"], event.get("severity", ""), event["type"], event["subject_id"], event["event_id"]]
            print(*line, *([] if retracted is None else ["retracts", retracted]), flush=True)
    except (Refused, Closed, ApiError, OSError) as error:
        _say(error)
        return 1
    except KeyboardInterrupt:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
