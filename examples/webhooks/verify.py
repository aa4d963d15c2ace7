"""Verifies that a delivery comes from the service, using only Python's standard library.

The header Service-Signature is `t=<unix seconds>,v1=<hex HMAC-SHA256>[,v1=…]`, over `<t>.<raw body>`, keyed with the signing
secret. Copy this file.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Sequence

TOLERANCE_SECONDS = 300


def verify(body: bytes, signature: str | None, secrets: Sequence[str], now_seconds: float) -> str:
    """Returns `good`, or what is wrong. `secrets`: the current one and, for a while after a rotation, the previous one."""
    parts = [part.split("=", 1) for part in (signature or "").split(",")]
    times = [part[1] for part in parts if len(part) == 2 and part[0] == "t"]
    given = [part[1] for part in parts if len(part) == 2 and part[0] == "v1"]
    if len(times) != 1 or not times[0].isascii() or not times[0].isdigit() or not given:
        return "no signature"
    if abs(now_seconds - int(times[0])) > TOLERANCE_SECONDS:
        return "too old or too new"
    message = times[0].encode() + b"." + body
    expected = [hmac.new(secret.encode(), message, hashlib.sha256).hexdigest() for secret in secrets]
    # Every pair is compared in constant time, so that the duration reveals nothing.
    matches = [hmac.compare_digest(one.encode(), other.encode()) for one in given for other in expected]
    return "good" if any(matches) else "wrong signature"
