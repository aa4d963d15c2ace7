"""Verifies deliveries by the signatures of Standard Webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Mapping, Sequence, cast

from .api_types import Event
from .errors import WebhookError

TOLERANCE_S = 300
MIN_BYTES = 24
MAX_BYTES = 64
SECRET = re.compile(r"whsec_([A-Za-z0-9+/]+={0,2})")


def verify_webhook(
    headers: Mapping[str, str],
    body: bytes,
    secrets: Sequence[str],
    *,
    now_s: float | None = None,
    tolerance_s: float = TOLERANCE_S,
) -> Event:
    """The event of a delivery. Raises WebhookError; ValueError for what is not a secret.

    `body`: the raw bytes, neither parsed nor reserialised. `secrets`: the current one and, after a rotation, the previous one.
    """
    if isinstance(secrets, str) or not secrets:
        raise ValueError("Give the signing secrets to verify with as a list of at least one.")
    keys = [_key_of(secret) for secret in secrets]
    named = {name.lower(): value for name, value in headers.items()}
    message_id, sent = named.get("webhook-id", ""), named.get("webhook-timestamp", "")
    given = [part[3:] for part in named.get("webhook-signature", "").split(" ") if part.startswith("v1,")]
    if message_id == "" or not given:
        raise WebhookError("no signature", "The delivery is not signed.")
    if not re.fullmatch(r"[0-9]{1,12}", sent):
        raise WebhookError("no timestamp", "The delivery does not say when it was sent.")
    age_s = (time.time() if now_s is None else now_s) - int(sent)
    if age_s > tolerance_s:
        raise WebhookError("too old", "The delivery is too old.")
    if age_s < -tolerance_s:
        raise WebhookError("too new", "The delivery is from the future: one of the clocks is wrong.")
    message = f"{message_id}.{sent}.".encode() + body
    expected = [base64.b64encode(hmac.new(key, message, hashlib.sha256).digest()) for key in keys]
    # Every pair is compared in constant time, so that the duration reveals nothing.
    matches = [hmac.compare_digest(one.encode(), other) for one in given for other in expected]
    if not any(matches):
        raise WebhookError("wrong signature", "The delivery was not signed with any of the secrets.")
    return _event_of(body)


def _event_of(body: bytes) -> Event:
    try:
        event = json.loads(body)
    except ValueError:
        event = None
    if not isinstance(event, dict):
        raise WebhookError("no event", "The body of the delivery is not an event.")
    return cast(Event, event)


def check_secret(secret: str) -> None:
    """Raises ValueError for what is not a signing secret: with an empty or a short one, a forged signature could verify.

    Call it at start, so that a pasted mistake shows before the first delivery. The message does not repeat the secret.
    """
    _key_of(secret)


def _key_of(secret: str) -> bytes:
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
        key = base64.b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error:
        key = b""
    if not MIN_BYTES <= len(key) <= MAX_BYTES:
        raise ValueError(
            f'The signing secret is not "whsec_" and the base64 of {MIN_BYTES} to {MAX_BYTES} bytes: copy it again.'
        )
    return key
