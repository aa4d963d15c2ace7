"""Verifies deliveries with third-party code. Standard input: a JSON list of {body, headers, secrets, now}, with base64 bodies.

Standard output: for each delivery, the result of the example's verifier and that of the stock Standard Webhooks library (null without it).
"""

import base64
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "webhooks"))
from verify import verify  # noqa: E402

try:
    from standardwebhooks import Webhook
except ImportError:
    Webhook = None


def by_library(body: bytes, headers: dict, secrets: list) -> list:
    results = []
    for secret in secrets:
        try:
            Webhook(secret).verify(body, headers)
            results.append("good")
        except Exception as error:  # the library has one class for everything
            results.append(str(error))
    return results


answers = []
for case in json.load(sys.stdin):
    body = base64.b64decode(case["body"])
    headers = case["headers"]
    ours = verify(body, headers.get("service-signature"), case["secrets"], case["now"])
    answers.append({"ours": ours, "library": Webhook and by_library(body, headers, case["secrets"])})
print(json.dumps(answers))
