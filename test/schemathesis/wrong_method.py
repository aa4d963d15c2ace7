"""Schemathesis expects 405 if a path does not support a method; this API promises 400 `invalid_request` with `Allow`."""

import schemathesis


@schemathesis.check
def wrong_method(ctx, response, case):
    methods = {name.upper() for name in case.operation.schema[case.operation.path]}
    method = response.request.method.upper()
    if method in methods | {"HEAD", "OPTIONS", "TRACE", "CONNECT"}:
        return
    if response.status_code in (401, 429):
        return
    if response.status_code != 400 or "allow" not in response.headers:
        raise AssertionError(f"{method} returns {response.status_code}, expected 400 with Allow")
