"""The asynchronous client: the same as `Client`, to be awaited."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, AsyncIterator, Awaitable, Callable, Mapping, cast

import httpx

from .answers import Answer, History, RawAnswer, answer_of, history_of, read_answer
from .api_types import Event
from .client import Query
from .errors import ClientError, GapError
from .requests import (
    CURSOR_NAMES,
    TIMEOUT_S,
    Memory,
    Request,
    checked_address,
    checked_write,
    filled,
    next_cursor,
    settled,
    write_request,
)
from .retries import RetryRules, pause_after


class AsyncRows:
    """The rows of all pages, asked for as far as they are read."""

    def __init__(self, pages: Callable[[], AsyncIterator[Answer]]) -> None:
        self._pages = pages

    def pages(self) -> AsyncIterator[Answer]:
        """The pages, each with its freshness."""
        return self._pages()

    async def __aiter__(self) -> AsyncIterator[Any]:
        async for page in self._pages():
            for row in page.data:
                yield row

    async def all(self) -> list[Any]:
        return [row async for row in self]


class AsyncClient:
    """Without a key only open endpoints are available. Every method raises ApiError, ConnectionFailed or InvalidAnswer.

    `remembered_answers`: how many answers to remember, which the service then confirms instead of sending them again.
    """

    def __init__(
        self,
        base_url: str,
        key: str | None = None,
        *,
        remembered_answers: int = 0,
        timeout_s: float = TIMEOUT_S,
        retry: RetryRules = RetryRules(),
        wait: Callable[[float], Awaitable[None]] = asyncio.sleep,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.base_url = checked_address(base_url)
        self.key = key
        self._retry = retry
        self._wait = wait
        self._memory = Memory(remembered_answers)
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        # A redirect could send the key elsewhere; the service sends none.
        self._http = httpx.AsyncClient(
            base_url=self.base_url, headers=headers, timeout=timeout_s, follow_redirects=False, transport=transport
        )

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def get(self, path: str, params: Query | None = None, query: Query | None = None) -> Answer:
        return answer_of(*await self._get(filled(path, params, query)))

    async def history(self, path: str, params: Query | None = None, query: Query | None = None) -> History:
        """A history as rows, with its gaps."""
        return history_of(*await self._get(filled(path, params, query)))

    def list(self, path: str, params: Query | None = None, query: Query | None = None) -> AsyncRows:
        """The rows of all pages. All pages are of the version of the first one."""

        async def pages() -> AsyncIterator[Answer]:
            cursor: str | None = None
            while True:
                more = {} if cursor is None else {CURSOR_NAMES.get(path, "cursor"): cursor}
                raw, is_unchanged = await self._get(filled(path, params, {**(query or {}), **more}))
                following = next_cursor(raw, path, cursor)
                yield answer_of(raw, is_unchanged)
                cursor = following
                if cursor is None:
                    return

        return AsyncRows(pages)

    async def receipts(self, protocol: str, as_of: str | None = None) -> Answer:
        """Why a protocol has its overall score: the receipts of the last seven days, newest first."""
        return await self.get("/v2/scores/overall/{protocol}", {"protocol": protocol}, {"as_of": as_of})

    async def evidence(self, event_id: str, as_of: str | None = None) -> Answer:
        """Why an event was reported: its story, the rules, the points around it, and what is missing."""
        return await self.get("/v2/events/{id}/evidence", {"id": event_id}, {"as_of": as_of})

    async def events(self, since_event_id: str | None = None, **filters: Any) -> AsyncIterator[Event]:
        """Past events in the order of the log, after the last one that the caller has."""
        since = since_event_id
        while since != "":
            page = (await self.get("/v2/events/replay", None, {**filters, "since_event_id": since})).body
            for event in page["events"]:
                yield event
            since = page["next_cursor"]

    def follow(
        self,
        since: str | None = None,
        types: tuple[str, ...] = (),
        *,
        on_gap: Callable[[GapError], None] | None = None,
        log: Callable[[str], None] | None = None,
        pause_s: Callable[[int], float] | None = None,
    ) -> AsyncIterator[Event]:
        """Every event once, in order, over the stream and by replay; see `Client.follow`."""
        from .stream import follow_async

        return follow_async(self, since, types, on_gap=on_gap, log=log, pause_s=pause_s)

    async def latest_event_id(self) -> str:
        """The position of "from now on": the id of the newest published event."""
        from .positions import latest_event_id

        return latest_event_id((await self.get("/v1/status")).body)

    async def post(
        self, path: str, params: Query | None = None, *, body: Any = None, idempotency_key: str | None = None
    ) -> Answer:
        return await self._write("POST", path, params, body, idempotency_key)

    async def patch(
        self, path: str, params: Query | None = None, *, body: Any = None, idempotency_key: str | None = None
    ) -> Answer:
        return await self._write("PATCH", path, params, body, idempotency_key)

    async def delete(self, path: str, params: Query | None = None) -> Answer:
        return await self._write("DELETE", path, params, None, None)

    async def download(self, path: str) -> bytes:
        """Any path as bytes, such as `/v2/datasets/pegs.parquet`."""
        return (await self._get(path))[0].content

    async def _get(self, path: str) -> tuple[RawAnswer, bool]:
        return self._memory.resolve(path, await self._exchange(self._memory.get_request(path)))

    async def _write(self, method: str, path: str, params: Query | None, body: Any, key: str | None) -> Answer:
        request = write_request(method, filled(path, params, None), body, key)
        return answer_of(checked_write(await self._exchange(request)))

    async def _exchange(self, request: Request) -> RawAnswer:
        attempt = 1
        while True:
            outcome = await self._send(request)
            pause = pause_after(outcome, attempt, self._retry)
            if pause is None:
                return settled(outcome, attempt)
            await self._wait(pause)
            attempt += 1

    async def _send(self, request: Request) -> RawAnswer | Exception:
        try:
            response = await self._http.request(
                request.method, request.path, headers=request.headers, content=request.content
            )
            headers = cast(Mapping[str, str], response.headers)
            return read_answer(response.status_code, dict(headers), response.content, str(request))
        except (httpx.TransportError, httpx.DecodingError, ClientError) as error:
            return error
