"""The synchronous client: lists row by row, histories as rows, and events without gaps."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any, Callable, Iterator, Mapping, cast

import httpx

from .answers import Answer, History, RawAnswer, answer_of, history_of, read_answer
from .api_types import Event
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
from .tables import Tabular

Query = Mapping[str, Any]


class Rows(Tabular):
    """The rows of all pages, asked for as far as they are read."""

    def __init__(self, pages: Callable[[], Iterator[Answer]]) -> None:
        self._pages = pages

    def pages(self) -> Iterator[Answer]:
        """The pages, each with its freshness."""
        return self._pages()

    def __iter__(self) -> Iterator[Any]:
        for page in self._pages():
            yield from page.data

    def table_rows(self) -> list[Any]:
        return list(self)


class Client:
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
        wait: Callable[[float], None] = time.sleep,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.base_url = checked_address(base_url)
        self.key = key
        self._retry = retry
        self._wait = wait
        self._memory = Memory(remembered_answers)
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        # A redirect could send the key elsewhere; the service sends none.
        self._http = httpx.Client(
            base_url=self.base_url, headers=headers, timeout=timeout_s, follow_redirects=False, transport=transport
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def get(self, path: str, params: Query | None = None, query: Query | None = None) -> Answer:
        return answer_of(*self._get(filled(path, params, query)))

    def history(self, path: str, params: Query | None = None, query: Query | None = None) -> History:
        """A history as rows, with its gaps."""
        return history_of(*self._get(filled(path, params, query)))

    def list(self, path: str, params: Query | None = None, query: Query | None = None) -> Rows:
        """The rows of all pages. All pages are of the version of the first one."""

        def pages() -> Iterator[Answer]:
            cursor: str | None = None
            while True:
                more = {} if cursor is None else {CURSOR_NAMES.get(path, "cursor"): cursor}
                raw, is_unchanged = self._get(filled(path, params, {**(query or {}), **more}))
                following = next_cursor(raw, path, cursor)
                yield answer_of(raw, is_unchanged)
                cursor = following
                if cursor is None:
                    return

        return Rows(pages)

    def receipts(self, protocol: str, as_of: str | None = None) -> Answer:
        """Why a protocol has its overall score: the receipts of the last seven days, newest first."""
        return self.get("/v2/scores/overall/{protocol}", {"protocol": protocol}, {"as_of": as_of})

    def evidence(self, event_id: str, as_of: str | None = None) -> Answer:
        """Why an event was reported: its story, the rules, the points around it, and what is missing."""
        return self.get("/v2/events/{id}/evidence", {"id": event_id}, {"as_of": as_of})

    def events(self, since_event_id: str | None = None, **filters: Any) -> Iterator[Event]:
        """Past events in the order of the log, after the last one that the caller has."""
        since = since_event_id
        while since != "":
            page = self.get("/v2/events/replay", None, {**filters, "since_event_id": since}).body
            yield from page["events"]
            since = page["next_cursor"]

    def follow(
        self,
        since: str | None = None,
        types: tuple[str, ...] = (),
        *,
        on_gap: Callable[[GapError], None] | None = None,
        log: Callable[[str], None] | None = None,
        pause_s: Callable[[int], float] | None = None,
    ) -> Iterator[Event]:
        """Every event once, in order, over the stream and by replay; needs the extra `stream`.

        `since`: events after this id; default: from now on. `on_gap` is called when events are lost because they are no longer kept;
        without it, GapError is raised. Raises RefusedError too.
        """
        from .stream import follow

        return follow(self, since, types, on_gap=on_gap, log=log, pause_s=pause_s)

    def latest_event_id(self) -> str:
        """The position of "from now on": the id of the newest published event."""
        from .positions import latest_event_id

        return latest_event_id(self.get("/v1/status").body)

    def post(
        self, path: str, params: Query | None = None, *, body: Any = None, idempotency_key: str | None = None
    ) -> Answer:
        return self._write("POST", path, params, body, idempotency_key)

    def patch(
        self, path: str, params: Query | None = None, *, body: Any = None, idempotency_key: str | None = None
    ) -> Answer:
        return self._write("PATCH", path, params, body, idempotency_key)

    def delete(self, path: str, params: Query | None = None) -> Answer:
        return self._write("DELETE", path, params, None, None)

    def download(self, path: str) -> bytes:
        """Any path as bytes, such as `/v2/datasets/pegs.parquet`."""
        return self._get(path)[0].content

    def _get(self, path: str) -> tuple[RawAnswer, bool]:
        return self._memory.resolve(path, self._exchange(self._memory.get_request(path)))

    def _write(self, method: str, path: str, params: Query | None, body: Any, key: str | None) -> Answer:
        request = write_request(method, filled(path, params, None), body, key)
        return answer_of(checked_write(self._exchange(request)))

    def _exchange(self, request: Request) -> RawAnswer:
        attempt = 1
        while True:
            outcome = self._send(request)
            pause = pause_after(outcome, attempt, self._retry)
            if pause is None:
                return settled(outcome, attempt)
            self._wait(pause)
            attempt += 1

    def _send(self, request: Request) -> RawAnswer | Exception:
        try:
            response = self._http.request(
                request.method, request.path, headers=request.headers, content=request.content
            )
            headers = cast(Mapping[str, str], response.headers)
            return read_answer(response.status_code, dict(headers), response.content, str(request))
        except (httpx.TransportError, httpx.DecodingError, ClientError) as error:
            return error
