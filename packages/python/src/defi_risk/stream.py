"""Follows risk events without missing or repeating any: over the stream, and by replay while the stream is unavailable."""

from __future__ import annotations

import asyncio
import json
import random
import time
import urllib.parse
from typing import TYPE_CHECKING, AsyncIterator, Callable, Iterator

from websockets.asyncio.client import connect as connect_async
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.sync.client import connect

from .api_types import Event
from .errors import ApiError, ConnectionFailed, GapError, RefusedError
from .positions import Position

if TYPE_CHECKING:
    from .async_client import AsyncClient
    from .client import Client

# A heartbeat comes every 30 seconds; after two missed ones the connection is dead.
SILENCE_S = 75.0
OPEN_TIMEOUT_S = 30.0
LASTING_STATUSES = {400, 401, 402, 403, 404, 410}
LASTING_CODES = {4001, 4003, 4004}


def usual_pause_s(failures: int) -> float:
    return min(30.0, 2.0**failures) * (0.5 + random.random() / 2)


def follow(
    client: Client,
    since: str | None,
    types: tuple[str, ...],
    *,
    on_gap: Callable[[GapError], None] | None,
    log: Callable[[str], None] | None,
    pause_s: Callable[[int], float] | None,
) -> Iterator[Event]:
    position = Position(client.latest_event_id() if since is None else since, types, on_gap, log)
    failures = 0
    while True:
        try:
            for event in _streamed(client, position):
                failures = 0
                yield event
        except (WebSocketException, OSError) as error:
            _raise_if_lasting(error)
            position.say(f"No stream: {error}")
        try:
            for event in client.events(position.last):
                taken = position.take_replayed(event)
                if taken is not None:
                    yield taken
        except (ApiError, ConnectionFailed) as error:
            if isinstance(error, ApiError) and position.is_lasting(error):
                raise
            position.say(f"No replay: {error}")
        time.sleep((pause_s or usual_pause_s)(failures))
        failures += 1


def _streamed(client: Client, position: Position) -> Iterator[Event]:
    with connect(_address(client, position), additional_headers=_headers(client), open_timeout=OPEN_TIMEOUT_S) as socket:
        while True:
            event = position.take_frame(socket.recv(timeout=SILENCE_S))
            if event is not None:
                yield event


async def follow_async(
    client: AsyncClient,
    since: str | None,
    types: tuple[str, ...],
    *,
    on_gap: Callable[[GapError], None] | None,
    log: Callable[[str], None] | None,
    pause_s: Callable[[int], float] | None,
) -> AsyncIterator[Event]:
    position = Position(await client.latest_event_id() if since is None else since, types, on_gap, log)
    failures = 0
    while True:
        try:
            async for event in _streamed_async(client, position):
                failures = 0
                yield event
        except (WebSocketException, OSError) as error:
            _raise_if_lasting(error)
            position.say(f"No stream: {error}")
        try:
            async for event in client.events(position.last):
                taken = position.take_replayed(event)
                if taken is not None:
                    yield taken
        except (ApiError, ConnectionFailed) as error:
            if isinstance(error, ApiError) and position.is_lasting(error):
                raise
            position.say(f"No replay: {error}")
        await asyncio.sleep((pause_s or usual_pause_s)(failures))
        failures += 1


async def _streamed_async(client: AsyncClient, position: Position) -> AsyncIterator[Event]:
    address = _address(client, position)
    async with connect_async(address, additional_headers=_headers(client), open_timeout=OPEN_TIMEOUT_S) as socket:
        while True:
            event = position.take_frame(await asyncio.wait_for(socket.recv(), SILENCE_S))
            if event is not None:
                yield event


def _address(client: Client | AsyncClient, position: Position) -> str:
    base = "ws" + client.base_url.removeprefix("http")
    return f"{base}/v2/ws/risk-events?{urllib.parse.urlencode(position.query())}"


def _headers(client: Client | AsyncClient) -> dict[str, str]:
    return {} if client.key is None else {"Authorization": f"Bearer {client.key}"}


def _raise_if_lasting(error: Exception) -> None:
    """Raises RefusedError for what would be refused again: the key, the plan or the filter are wrong."""
    if isinstance(error, InvalidStatus) and error.response.status_code in LASTING_STATUSES:
        raise RefusedError(_reason(error.response.status_code, error.response.body)) from error
    closing = error.rcvd if isinstance(error, ConnectionClosed) else None
    if closing is not None and closing.code in LASTING_CODES:
        raise RefusedError(closing.reason or f"code {closing.code}") from error


def _reason(status: int, body: bytes | bytearray | None) -> str:
    try:
        answer = json.loads(body or b"")
        error = answer["error"]
        return f"{error}: {answer['message']}" if isinstance(error, str) else f"{error['code']}: {error['message']}"
    except (ValueError, KeyError, TypeError):
        return f"status {status}"
