"""Shows what a running service has: its freshness, the worst covered feeds and the first events.

    pip install ./packages/python
    python3 examples/client/show.py --base-url http://127.0.0.1:8080 --key rk_live_…
"""

from __future__ import annotations

import argparse
import sys
from itertools import islice

from defi_risk import ApiError, Client


def show(client: Client) -> None:
    manifest = client.get("/v2/data-manifest")
    feeds = manifest.data["feeds"]
    print(f"data as of {manifest.data['generated_at']}: {manifest.freshness['status']}")
    print(f"feeds: {feeds['complete']} of {feeds['total']} have a complete history")
    client.get("/v2/datasets")
    is_unchanged = client.get("/v2/datasets").is_unchanged
    print(f"datasets requested again: {'unchanged, not sent again' if is_unchanged else 'changed'}")
    print("worst covered:")
    for row in islice(client.list("/v2/data-manifest/coverage", query={"limit": 3}), 5):
        completeness = row["history_completeness_pct"]
        print(f"  {row['label']}: {'not known' if completeness is None else f'{completeness} %'}")
    print("events:")
    for event in islice(client.events(limit=3), 5):
        print(f"  {event['ts']} {event['type']} {event['subject_id']}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base-url", default="http://127.0.0.1:8080")
    parser.add_argument("--key")
    given = parser.parse_args()
    try:
        show(Client(given.base_url, given.key, remembered_answers=10))
    except ApiError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
