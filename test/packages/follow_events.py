"""Follows events with the Python client, and prints their ids: follow_events.py URL KEY SINCE [TYPE…]."""

import sys

from defi_risk import Client

url, key, since, *types = sys.argv[1:]
try:
    for event in Client(url, key).follow(since, tuple(types), pause_s=lambda failures: 0.02):
        print(event["event_id"], flush=True)
except KeyboardInterrupt:
    sys.exit(0)
