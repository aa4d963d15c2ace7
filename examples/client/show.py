"""Shows what a running service has: its freshness, the worst covered feeds and the first events.

    python3 examples/client/show.py --base-url http://127.0.0.1:8080 --key rk_live_…
"""

from __future__ import annotations

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "packages/python/src"))
from defi_risk.client import ApiError, Client  # noqa: E402


def show(client: Client) -> None:
    manifest = client.get("/v2/data-manifest").body
    feeds = manifest["data"]["feeds"]
    print(f"data as of {manifest['data']['generated_at']}: {manifest['meta']['_agentic']['freshness']['status']}")
    print(f"feeds: {feeds['complete']} of {feeds['total']} have a complete history")
    datasets = client.get("/v2/datasets")
    print(f"datasets requested again: status {client.get('/v2/datasets', etag=datasets.headers['ETag']).status}")
    print("worst covered:")
    for _, row in zip(range(5), client.coverage(limit=3)):
        completeness = row["history_completeness_pct"]
        print(f"  {row['label']}: {'not known' if completeness is None else f'{completeness} %'}")
    print("events:")
    for _, event in zip(range(5), client.events(limit=3)):
        print(f"  {event['ts']} {event['type']} {event['subject_id']}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base-url", default="http://127.0.0.1:8080")
    parser.add_argument("--key")
    given = parser.parse_args()
    try:
        show(Client(given.base_url, given.key))
    except ApiError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
