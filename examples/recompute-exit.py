"""Recomputes an exit Monte Carlo in plain Python from the published inputs alone and compares it with the service's response byte by byte.
The response supplies only the snapshot version and the versions of model and policy. The exit code is 1 if any byte differs."""

import argparse
import hashlib
import json
import sys
import urllib.error
import urllib.parse
import urllib.request

from exit_model.canonical import canonical, sha256, usd
from exit_model.depth import depth_of
from exit_model.figures import MIN_TAIL_HOURS, TAIL_LEVEL, figures_of
from exit_model.history import BOUNDS, HOUR, History, bucket_of
from exit_model.simulation import MIN_ROWS, Market, Rows, parameter_runs, simulate

ENDPOINT = "/v2/liquidity/:id/exit-monte-carlo"
MIN_HOURS = 336
FORTNIGHT_HOURS, ENOUGH_FORTNIGHTS = 336, 13
DEFAULTS = {
    "horizon_hours": 24,
    "paths": 5000,
    "max_slippage_bps": 100,
    "confidence": [0.95, 0.99],
    "strategy": "immediate",
    "initial_utilization": None,
}


def call(url, key, body=None):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers)) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as refused:
        raise SystemExit(f"{url} responds with {refused.code}: {message_in(refused.read())}") from None
    except urllib.error.URLError as failed:
        raise SystemExit(f"{url} cannot be reached: {failed.reason}") from None


def message_in(body):
    """The message of an error in the form of the service; otherwise the beginning of the body."""
    try:
        error = json.loads(body)["error"]
        return error["message"] if isinstance(error, dict) else error
    except (ValueError, KeyError, TypeError):
        return body[:200].decode(errors="replace")


class Inputs:
    """The published documents of one version that an exit is computed from."""

    def __init__(self, base, key, market, version):
        names = json.loads(call(f"{base}/v2/datasets?version={version}", key))["data"]
        self.ids = {entry["id"] for entry in names}
        rows = lambda dataset: self.rows_of(base, key, dataset, version)
        self.exit = next((row for row in rows("exit-inputs") if row["id"] == market), None)
        if self.exit is None:
            raise SystemExit(f"the dataset exit-inputs of version {version} has no market {market}")
        by_symbol = {row["symbol"]: row for row in rows("return-inputs")}
        self.is_priced = by_symbol.__contains__
        self.returns = by_symbol.get(self.exit["loan_symbol"])
        self.backtests = [row for row in rows("exit-backtests") if row["id"] == market] or None
        self.pools = rows("pool-states")

    def rows_of(self, base, key, dataset, version):
        if dataset not in self.ids:
            return []
        return json.loads(call(f"{base}/v2/datasets/{dataset}?version={version}", key))["data"]


def gap(name, subject=None, have=None, need=None):
    return {"gap": name, "subject": subject, "have_hours": have, "need_hours": need, "share": None}


def calibration(backtests, horizon):
    """The verdict over all sizes for the shortest horizon that covers the requested one, and the number of fortnights behind it."""
    rows = [row for row in backtests or [] if row["size"] is None and row["horizon_hours"] >= horizon]
    row = min(rows, key=lambda one: one["horizon_hours"], default=None)
    if row is None or row["calibration"] == "insufficient":
        return None, None
    return row["calibration"], row["calibration_blocks"]


def calibration_gaps(verdict, fortnights):
    if verdict != "pass":
        return [gap("not_calibrated")]
    if fortnights >= ENOUGH_FORTNIGHTS:
        return []
    return [gap("calibration_short", None, fortnights * FORTNIGHT_HOURS, ENOUGH_FORTNIGHTS * FORTNIGHT_HOURS)]


def seed_of(facts):
    """The first 53 bits of the hash of the request's facts."""
    digits = sha256(facts)
    return int(digits[:13], 16) * 2 + int(digits[13], 16) // 8


def bucket_bounds(bucket):
    bounds = (0, *BOUNDS, 1)
    return {"from": bounds[bucket], "to": bounds[bucket + 1]}


def gaps_of(inputs, history, depth, entered, request, verdict):
    """The gaps, in the order of the response."""
    has_depth, is_exact = depth
    known, gaps = len(history), []
    if inputs.returns is None:
        gaps.append(gap("price_unknown", inputs.exit["loan_symbol"]))
    if not is_exact:
        gaps.append(gap("curve_implied" if has_depth else "depth_unknown", inputs.exit["id"]))
    if history.is_block_assumed:
        gaps.append(gap("block_length_assumed"))
    if known < MIN_TAIL_HOURS:
        is_asked = any(level >= TAIL_LEVEL for level in request["confidence"])
        gaps.append(gap("history_short", "confidence" if is_asked else "percentiles", known, MIN_TAIL_HOURS))
    for bucket in sorted(entered):
        if history.bucket.count(bucket) < MIN_ROWS:
            bounds = bucket_bounds(bucket)
            gaps.append(gap("bucket_thin", f"utilization:{bounds['from']}-{bounds['to']}"))
    if history.bucket.count(len(BOUNDS)) == 0:
        gaps.append(gap("no_stress_in_history"))
    return gaps + calibration_gaps(*verdict)


def free_of(exit_inputs):
    """What is supplied and not borrowed; a source may report more as withdrawable."""
    supplied, borrowed = exit_inputs["supplied_usd"], exit_inputs["borrowed_usd"]
    if borrowed is None:
        borrowed = supplied * (exit_inputs["utilization"] or 0)
    return max(0.0, supplied - borrowed)


def result_of(inputs, market, body, named):
    """The response's `data`. `named` holds what only the response can name."""
    request = {**DEFAULTS, **{name: value for name, value in body.items() if name != "seed"}}
    versions = {"model_version": named["model_version"], "policy_version": named["policy_version"]}
    facts = {"endpoint": ENDPOINT, "id": market, "request": request, "snapshot_version": named["snapshot"]["version"], **versions}
    seed = body.get("seed", seed_of(facts))
    exit_inputs, assumed = inputs.exit, request["initial_utilization"]
    supplied = exit_inputs["supplied_usd"]
    reported, free = exit_inputs["withdrawable_usd"], free_of(exit_inputs)
    withdrawable = min(reported, free) if assumed is None else supplied * (1 - assumed)
    is_limited = assumed is None and reported - free > supplied * 1e-9 + 0.005
    depth, pools, is_exact = depth_of(exit_inputs["depth_usd"], inputs.returns, inputs.pools, market.split(":")[0], inputs.is_priced)
    if depth is None:
        raise SystemExit(f"the depth of {exit_inputs['loan_symbol']} is unknown, so the response has no figures to compare")
    history = History(exit_inputs, inputs.returns)
    world = Market(supplied, withdrawable, depth, history)
    rows = Rows(world)
    paths = simulate(world, rows, request, seed, request["paths"])
    scope = {"has_price": inputs.returns is not None, "has_depth": depth is not None, "has_tail": len(history) >= MIN_TAIL_HOURS}
    figures = figures_of(paths, parameter_runs(world, request, seed), request, scope)
    verdict = calibration(inputs.backtests, request["horizon_hours"])
    names = ["withdrawable_limited"] * is_limited + ["calibration_failed"] * (verdict[0] == "fail")
    warnings = [{"warning": name, "level": None, "need_paths": None} for name in names]
    bucket = bucket_of(1 - withdrawable / supplied)
    hashes = {"exit-inputs": exit_inputs, "return-inputs": inputs.returns, "exit-backtests": inputs.backtests}
    return {
        **figures,
        **versions,
        "id": market,
        "seed": seed,
        "snapshot": named["snapshot"],
        # From the dataset `oracle-paths`: nothing that is simulated depends on it, so it is taken over.
        "oracle_doubts": named["oracle_doubts"],
        "inputs_hash": sha256(
            {**{name: sha256(row) for name, row in hashes.items()}, "pool-states": {pool["id"]: sha256(pool) for pool in pools}}
        ),
        "request": request,
        "assumed": [] if assumed is None else ["initial_utilization"],
        "depth_usd": None if depth is None else usd(depth),
        "depth_pools": [pool["id"] for pool in pools],
        "withdrawable_usd": usd(withdrawable),
        "inputs": {
            "hours_known": len(history),
            "from": history.hour[0],
            "to": history.hour[-1] + HOUR,
            "mean_block_hours": history.block_hours,
            "bucket": bucket_bounds(bucket),
            "rows_in_bucket": history.bucket.count(bucket),
            "feeds": inputs.returns["feeds"] if inputs.returns else [],
        },
        "gaps": gaps_of(inputs, history, (depth is not None, is_exact), rows.entered, request, verdict),
        "warnings": warnings + figures["warnings"],
    }


def differences(own, theirs, place=""):
    """The paths at which two values differ, with both values."""
    if isinstance(own, dict) and isinstance(theirs, dict) and own.keys() == theirs.keys():
        return [found for name in own for found in differences(own[name], theirs[name], f"{place}.{name}")]
    if isinstance(own, list) and isinstance(theirs, list) and len(own) == len(theirs):
        return [found for i, pair in enumerate(zip(own, theirs)) for found in differences(*pair, f"{place}.{i}")]
    return [] if canonical(own) == canonical(theirs) else [f"{place[1:]}: {canonical(own)} here, {canonical(theirs)} in the response"]


def main(base, key, market, asked):
    body = json.loads(asked) if asked.startswith("{") else {"position_usd": float(asked)}
    answer = call(base + ENDPOINT.replace(":id", urllib.parse.quote(market, safe="")), key, body)
    data = answer[len('{"data":') : answer.rindex(',"meta":')]
    theirs = json.loads(data)
    if theirs["exit_probability"] is None:
        print("The response has no figures:", ", ".join(entry["gap"] for entry in theirs["gaps"]))
        return 1
    inputs = Inputs(base, key, market, theirs["snapshot"]["version"])
    snapshot_free = {name: value for name, value in body.items() if name != "snapshot_version"}
    own = result_of(inputs, market, snapshot_free, theirs)
    text = canonical(own)
    if text == data:
        print(f"{market}: {len(text)} characters with the SHA-256 {hashlib.sha256(text.encode()).hexdigest()}, the same as in the response")
        return 0
    found = differences(own, theirs)
    print(f"{market}: {len(found)} figures differ", *found[:20], sep="\n  ")
    return 1


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", help="address of the service")
    parser.add_argument("key", help="API key")
    parser.add_argument("market", metavar="chain:market_id")
    parser.add_argument("request", nargs="?", default="1000000", help="position in USD, or the request as JSON; default: %(default)s")
    return parser.parse_args()


if __name__ == "__main__":
    given = arguments()
    sys.exit(main(given.url, given.key, given.market, given.request))
