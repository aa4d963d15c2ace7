"""A webhook receiver that uses only Python's standard library: checks each delivery, processes each event once, responds at once.

    WEBHOOK_SECRET=whsec_… python3 examples/webhooks/receiver.py [--port 3000]

Accepts several secrets separated by commas: after a rotation, set both the new and the old one.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from verify import check_secret, verify

MAX_BODY_BYTES = 1_048_576
REMEMBERED = 10_000
SECRETS = [secret for secret in os.environ.get("WEBHOOK_SECRET", "").split(",") if secret]

seen: OrderedDict[str, None] = OrderedDict()
lock = threading.Lock()


def on_event(event: dict) -> None:
    """Called once per event. Queue slow work: the service waits 15 s for the response."""
    print(json.dumps(event), flush=True)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        if length > MAX_BODY_BYTES:
            self.close_connection = True
            return self.answer(413)
        body = self.rfile.read(length)
        verdict = verify(body, self.headers.get("Service-Signature"), SECRETS, time.time())
        if verdict != "good":
            return self.answer(401)
        event = json.loads(body)
        # A delivery can arrive twice, or after newer ones: `event_id` identifies the event.
        with lock:
            if event["event_id"] not in seen:
                on_event(event)
                seen[event["event_id"]] = None
                if len(seen) > REMEMBERED:
                    seen.popitem(last=False)
        self.answer(204)

    def answer(self, status: int) -> None:
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Disables the request log: only events are printed."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=3000)
    options = parser.parse_args()
    if not SECRETS:
        sys.exit("Set WEBHOOK_SECRET to the signing secret.")
    for secret in SECRETS:
        try:
            check_secret(secret)
        except ValueError as problem:
            sys.exit(str(problem))
    server = ThreadingHTTPServer(("127.0.0.1", options.port), Receiver)
    print(f"Waiting for events at http://127.0.0.1:{server.server_port}/", file=sys.stderr, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
