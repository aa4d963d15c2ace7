"""What can go wrong. Branch on the class and on `code`, which is stable; messages may change."""

from __future__ import annotations

import re
from typing import Any, Mapping


class ClientError(Exception):
    """Every error of this package."""


class ApiError(ClientError):
    """The service refused the request, or failed."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        request_id: str | None,
        details: Mapping[str, Any],
        retry_after_s: int | None,
    ) -> None:
        super().__init__(message)
        self.status = status
        #: The stable code, such as `rate_limit_exceeded`; `unknown` if what answered was not the service, such as a proxy.
        self.code = code
        #: What to name when you report the error.
        self.request_id = request_id
        self.details = details
        #: Seconds after which the service would accept the request again.
        self.retry_after_s = retry_after_s


class ConnectionFailed(ClientError):
    """There was no answer, or only part of one."""


class InvalidAnswer(ClientError):
    """What answered does not speak this interface: another content type, text that is no JSON, pages without an end."""

    def __init__(self, message: str, *, status: int, request_id: str | None) -> None:
        super().__init__(message)
        self.status = status
        self.request_id = request_id


class RefusedError(ClientError):
    """The stream refuses this key, plan or filter: a retry would not help."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The stream refused the connection: {reason}")
        found = re.match(r"(\w+):", reason)
        self.code = found.group(1) if found else "unknown"


class GapError(ClientError):
    """Events between the last one that the caller has and `start` are no longer kept: they are lost to a follower."""

    def __init__(self, since: str, start: str) -> None:
        super().__init__(f"Events after {since} and before {start} are no longer kept.")
        self.since = since
        #: Time of the earliest event that is still kept, ISO 8601.
        self.start = start


class WebhookError(ClientError):
    """A delivery that must not be processed: answer it with 401."""

    def __init__(self, problem: str, message: str) -> None:
        super().__init__(message)
        self.problem = problem
