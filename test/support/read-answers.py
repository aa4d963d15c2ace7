"""Sends requests to a server and reads each request and response with openapi-core, by the document that the server publishes.

Standard input: {"url", "requests": [{"method", "target", "headers", "body"}], "are_spoilt"}. Standard output: one object per request, in
their order, with the status and what the reader refused in the request and in the response. `are_spoilt` changes the responses before
they are read: the first its body, the second its headers, the third its status.
"""

import http.client
import json
import sys
import urllib.parse

import yaml
from openapi_core import Config, OpenAPI
from openapi_core.testing import MockRequest, MockResponse


def exchange(connection, method, target, headers, body):
    connection.request(method, target, body, headers)
    response = connection.getresponse()
    return response.status, response.headers, response.read()


def from_yaml(data):
    return yaml.load(data, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def problem_of(read):
    """The reader's refusal with its causes, or None."""
    try:
        read()
    except Exception as error:  # Whatever the reader raises is what it says about the exchange.
        texts = []
        while error is not None:
            errors = getattr(error, "schema_errors", None) or []
            texts += [f"{type(error).__name__}: {error}"]
            texts += [f"/{'/'.join(str(step) for step in one.absolute_path)}: {one.message[:300]}" for one in errors]
            error = error.__cause__
        return "; ".join(texts)
    return None


def spoilt(place, status, answered, data):
    if place == 0:
        return status, answered, data.replace(b'"chain":"', b'"chain":1,"was":"')
    if place == 1:
        return status, {name: value for name, value in answered.items() if name.lower() != "x-request-id"}, data
    return 299, answered, data


def main():
    asked = json.load(sys.stdin)
    host = urllib.parse.urlsplit(asked["url"]).netloc
    connection = http.client.HTTPConnection(host)
    _, _, document = exchange(connection, "GET", "/openapi-public.json", {}, None)
    texts = {media: bytes.decode for media in ("application/x-ndjson", "text/csv")}
    others = {"application/yaml": from_yaml, "application/feed+json": json.loads, "application/ld+json": json.loads}
    config = Config(extra_media_type_deserializers={**texts, **others}, spec_validator_cls=None)
    reader = OpenAPI.from_dict({**json.loads(document), "servers": [{"url": asked["url"]}]}, config=config)
    answers = []
    for place, one in enumerate(asked["requests"]):
        method, target, headers, body = one["method"], one["target"], one["headers"], one.get("body")
        status, answered, data = exchange(connection, method, target, headers, body)
        if asked["are_spoilt"]:
            status, answered, data = spoilt(place, status, answered, data)
        path, _, query = target.partition("?")
        request = MockRequest(
            asked["url"],
            method.lower(),
            path,
            args=urllib.parse.parse_qs(query, keep_blank_values=True),
            headers=headers,
            data=None if body is None else body.encode(),
            content_type=headers.get("Content-Type", "application/json"),
        )
        media = (answered.get("Content-Type") or "").split(";")[0]
        response = MockResponse(data, status_code=status, headers=dict(answered.items()), content_type=media)
        answers.append({
            "method": method,
            "target": target,
            "status": status,
            "request_problem": problem_of(lambda: reader.validate_request(request)),
            "response_problem": problem_of(lambda: reader.validate_response(request, response)),
        })
    json.dump(answers, sys.stdout)


main()
