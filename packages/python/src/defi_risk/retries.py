"""When a request is sent again: 429 and requests in flight after `Retry-After`, 5xx, broken connections and cut bodies after growing pauses,
nothing else. Writes carry an idempotency key, so a retry has no second effect."""

from __future__ import annotations

import random
from dataclasses import dataclass

from .answers import RawAnswer, api_error_of, retry_after_s


@dataclass(frozen=True)
class RetryRules:
    #: Maximum number of requests, including the first.
    attempts: int = 5
    first_pause_s: float = 0.5
    longest_pause_s: float = 30.0
    #: If the service asks for a longer pause than this, the error is raised at once.
    longest_retry_after_s: float = 90.0


def pause_after(outcome: RawAnswer | Exception, attempt: int, rules: RetryRules) -> float | None:
    """Seconds until the next attempt; None if a retry would not help, or was the last."""
    if attempt >= rules.attempts:
        return None
    growing: float = rules.first_pause_s * 2.0 ** (attempt - 1)
    back_off = min(rules.longest_pause_s, growing) * (0.5 + random.random() / 2)
    if isinstance(outcome, Exception):
        return back_off
    asked = retry_after_s(outcome.headers)
    if asked is not None and asked > rules.longest_retry_after_s:
        return None
    if outcome.status >= 500:
        return max(asked or 0.0, back_off)
    if outcome.status == 429:
        return asked
    if outcome.status == 409 and api_error_of(outcome).code == "idempotency_in_flight":
        return asked if asked is not None else rules.first_pause_s
    return None
