"""Verifies that a delivery comes from the service, using only Python's standard library.

The header Service-Signature is `t=<unix seconds>,v1=<hex HMAC-SHA256>[,v1=…]`, over `<t>.<raw body>`, keyed with the signing
secret. Copy this file.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from typing import Sequence

TOLERANCE_SECONDS = 300
SECRET = re.compile(r"whsec_([A-Za-z0-9+/]+={0,2})")


def check_secret(secret: str) -> None:
    """Raises ValueError for what is not a signing secret: with an empty one, a forged signature would verify.

    Call it at start, so that a pasted mistake shows before the first delivery. The message does not repeat the secret.
    """
    if secret == "":
        raise ValueError("The signing secret is empty.")
    if secret != secret.strip():
        raise ValueError("The signing secret has spaces or line ends around it: remove them.")
    if secret[0] in "\"'" or secret[-1] in "\"'":
        raise ValueError("The signing secret is in quotes: remove them.")
    if secret == "v1" or secret.startswith("v1,"):
        raise ValueError('The signing secret begins with "v1,", as a signature does: use only the part from "whsec_" on.')
    match = SECRET.fullmatch(secret)
    text = match.group(1).rstrip("=") if match else ""
    try:
        size = len(base64.b64decode(text + "=" * (-len(text) % 4)))
    except ValueError:
        size = 0
    if not 24 <= size <= 64:
        raise ValueError('The signing secret is not "whsec_" and the base64 of 24 to 64 bytes: copy it again.')


def verify(body: bytes, signature: str | None, secrets: Sequence[str], now_seconds: float) -> str:
    """Returns `good`, or what is wrong. `secrets`: the current one and, for a while after a rotation, the previous one.

    Raises ValueError for what is not a secret.
    """
    if not secrets:
        raise ValueError("There is no signing secret to verify with.")
    for secret in secrets:
        check_secret(secret)
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
