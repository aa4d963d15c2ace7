"""Computes one exit Monte Carlo again from the published inputs, in plain Python, and compares it with the service's response. Nothing here
comes from the service's code: generator, volatility, buckets and bootstrap follow docs/analytics.md. The mean block length and the depth are
taken from the response. Exit code 1 when any figure differs. Usage: python3 recompute-exit.py <url> <API key> <chain:market_id> [position in USD]."""

import json
import math
import sys
import urllib.parse
import urllib.request

MASK = 0xFFFFFFFF
BOUNDS = (0.8, 0.9, 0.95, 0.99)
LAMBDA, SCALE, MIN_ROWS, HOUR = 0.97, 4, 48, 3600


def call(url, key, body=None):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, headers)) as answer:
        return json.load(answer)


def document(base, key, dataset, version, fits):
    """The row of a dataset that fits; None where there is none."""
    url = f"{base}/v2/datasets/{dataset}?version={version}"
    rows = call(url, key)
    rows = rows["data"] if isinstance(rows, dict) else rows
    return next((row for row in rows if fits(row)), None)


def philox(counter, key):
    a, b, c, d = counter
    k0, k1 = key
    for _ in range(10):
        p, q = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = (q >> 32) ^ b ^ k0, q & MASK, (p >> 32) ^ d ^ k1, p & MASK
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return [a, b, c, d] if a | b | c | d else [1, 0, 0, 0]


def rotated(x, k):
    return ((x << k) | (x >> (32 - k))) & MASK


def words(seed, path):
    a, b, c, d = philox((path, 0, 0, 0), (seed & MASK, seed >> 32))
    while True:
        yield rotated(b * 5 & MASK, 7) * 9 & MASK
        shifted = b << 9 & MASK
        c, d = c ^ a, d ^ b
        b, a = b ^ c, a ^ d
        c, d = c ^ shifted, rotated(d, 11)


def bucket_of(utilization):
    return sum(utilization >= bound for bound in BOUNDS)


def scaled(returns):
    """Volatility over the next hour, and each return in units of it."""
    first = returns[:30]
    total = 0.0
    for value in first:
        total += value * value
    variance = total / max(1, len(first))
    deviations = []
    for value in returns:
        deviations.append(math.sqrt(variance))
        variance = LAMBDA * variance + (1 - LAMBDA) * value * value
    now = math.sqrt(variance)
    z = []
    for value, then in zip(returns, deviations):
        scale = SCALE if then == 0 else min(SCALE, max(1 / SCALE, now / then))
        z.append(0.0 if value == 0 or now == 0 else value * scale / now)
    return now, z


def nested(row, name):
    """Datasets list the hours as columns or as one object, by form."""
    return row["hours"][name] if "hours" in row else row[f"hours_{name}"]


def rows_of(exit_inputs, returns):
    sigma, z = scaled(nested(returns, "return")) if returns else (0.0, [])
    z_of = dict(zip(nested(returns, "hour"), z)) if returns else {}
    names = ("hour", "flow", "supplied_usd", "withdrawable_usd")
    rows = []
    for hour, flow, supplied, free in zip(*(nested(exit_inputs, name) for name in names)):
        if returns and hour not in z_of:
            continue
        bucket = bucket_of(1 - free / supplied if supplied > 0 else 1)
        rows.append((hour, flow, 1 + max(-1.0, z_of.get(hour, 0.0) * sigma), bucket))
    return rows


def simulate(result, exit_inputs, rows):
    request, seed = result["request"], result["seed"]
    supplied, position, horizon = exit_inputs["supplied_usd"], request["position_usd"], request["horizon_hours"]
    depth, share = result["depth_usd"], request["max_slippage_bps"] / 10_000
    reserve = math.inf if depth is None else 99 * depth
    limit = math.inf if depth is None or share >= 1 else reserve * share / (1 - share)
    strategy = request["strategy"]
    slices = 1 if strategy == "immediate" else strategy["twap"]["slices"]
    goes_on = 1 - 1 / max(1, result["inputs"]["mean_block_hours"])
    every = list(range(len(rows)))
    drawn = [[i for i in every if rows[i][3] == bucket] for bucket in range(5)]
    drawn = [own if len(own) >= MIN_ROWS else every for own in drawn]
    follows = [i + 1 < len(rows) and rows[i + 1][0] == rows[i][0] + HOUR for i in every]
    start = min(exit_inputs["withdrawable_usd"], supplied)
    if request["initial_utilization"] is not None:
        start = supplied * (1 - request["initial_utilization"])
    for path in range(request["paths"]):
        random = words(seed, path)
        free, price, taken, proceeds, slippage, row = start, 1.0, 0.0, 0.0, 0.0, -1
        for hour in range(horizon + 1):
            if hour > 0:
                stays = row >= 0 and next(random) / 2**32 < goes_on
                fresh = next(random)
                if stays and follows[row]:
                    row += 1
                else:
                    choices = drawn[bucket_of(1 - free / supplied)]
                    row = choices[math.floor(fresh / 2**32 * len(choices))]
                free = min(max(0.0, free + supplied * rows[row][1]), supplied)
                price *= rows[row][2]
            part = min(slices, math.floor(hour * slices / horizon) + 1)
            due = position if slices == 1 else min(position, position * part / slices)
            amount = min(due - taken, free - taken, limit)
            if amount > 0:
                cost = amount / (reserve + amount)
                proceeds += amount * price * (1 - cost)
                slippage += amount * price * cost
                taken += amount
            if position - taken <= position * 1e-12:
                break
        left = position - taken > position * 1e-12
        stranded = (position - taken) * price if left else 0.0
        yield (-1 if left else hour), proceeds, stranded


def rounded(value, digits):
    units = math.floor(abs(value) * 10**digits + 0.5) / 10**digits
    return -units if value < 0 and units > 0 else units


def percentile(values, level):
    return sorted(values)[max(1, math.ceil(level * len(values) - 1e-9)) - 1]


def figures(paths, result):
    """What is compared, by its place in the response."""
    hours, proceeds, stranded = zip(*paths)
    count = len(hours)
    total = 0.0
    for value in proceeds:
        total += value
    made = {"exit_probability.value": rounded(sum(hour >= 0 for hour in hours) / count, 6)}
    for i, entry in enumerate(result["exit_probability_by_hour"]):
        by_then = sum(0 <= hour <= entry["hour"] for hour in hours)
        made[f"exit_probability_by_hour.{i}.value"] = rounded(by_then / count, 6)
    if result["proceeds_usd"]["mean"] is not None:
        made["proceeds_usd.mean"] = rounded(total / count, 2)
        made["proceeds_usd.p05"] = rounded(percentile(proceeds, 0.05), 2)
        made["proceeds_usd.p50"] = rounded(percentile(proceeds, 0.5), 2)
        made["stranded_usd.p95"] = rounded(percentile(stranded, 0.95), 2)
    return made


def at(value, place):
    for name in place.split("."):
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


def main(base, key, market, position="1000000"):
    url = f"{base}/v2/liquidity/{urllib.parse.quote(market, safe='')}/exit-monte-carlo"
    result = call(url, key, {"position_usd": float(position), "paths": 2000})["data"]
    if result["exit_probability"] is None:
        print("The response has no figures:", ", ".join(gap["gap"] for gap in result["gaps"]))
        return 1
    version = result["snapshot"]["version"]
    exit_inputs = document(base, key, "exit-inputs", version, lambda row: row["id"] == market)
    symbol = exit_inputs["loan_symbol"]
    returns = document(base, key, "return-inputs", version, lambda row: row["symbol"] == symbol)
    rows = rows_of(exit_inputs, returns)
    made = figures(list(simulate(result, exit_inputs, rows)), result)
    differing = {place: (value, at(result, place)) for place, value in made.items() if value != at(result, place)}
    print(f"{market}: {len(made)} figures computed from {len(rows)} hours with seed {result['seed']}, {len(differing)} differ")
    for place, (own, theirs) in differing.items():
        print(f"  {place}: {own} here, {theirs} in the response")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
