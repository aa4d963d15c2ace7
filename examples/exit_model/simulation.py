"""The paths of an exit: Philox and xoshiro128**, the bootstrap over the known hours, sales, and the same over resampled histories."""

import math
from dataclasses import dataclass

from .history import bucket_of

MASK, TWO_32, MIN_ROWS = 0xFFFFFFFF, 2**32, 48
RESAMPLES, RESAMPLE_PATHS, MAX_PATHS_WITH_PARAMETERS = 20, 500, 5000
ROWS, RESAMPLED_HISTORIES = 0, 2


@dataclass
class Market:
    supplied: float
    withdrawable: float
    depth: float | None
    history: object


@dataclass
class Path:
    """`hour` of the exit, −1 if there is none; amounts in USD."""

    hour: int
    proceeds: float
    slippage: float
    stranded: float
    price_loss: float
    loss: float


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


def words(seed, path, purpose):
    a, b, c, d = philox((path, purpose, 0, 0), (seed & MASK, seed >> 32))
    while True:
        yield rotated(b * 5 & MASK, 7) * 9 & MASK
        shifted = b << 9 & MASK
        c, d = c ^ a, d ^ b
        b, a = b ^ c, a ^ d
        c, d = c ^ shifted, rotated(d, 11)


class Rows:
    """Rows from which paths are drawn: the known hours in order, or in a resampled order."""

    def __init__(self, market, order=None):
        history = market.history
        self.order = range(len(history)) if order is None else order
        self.change = [market.supplied * history.flow[row] for row in self.order]
        self.growth = [history.growth[row] for row in self.order]
        after = [*self.order[1:], None]
        self.follows = [history.follows[row] and later == row + 1 for row, later in zip(self.order, after)]
        every = range(len(self.order))
        drawn = [[place for place in every if history.bucket[self.order[place]] == bucket] for bucket in range(5)]
        self.drawn = [own if len(own) >= MIN_ROWS else every for own in drawn]
        self.goes_on = 1 - 1 / max(1, history.block_hours)
        self.entered = set()

    def first(self, utilization, word):
        bucket = bucket_of(utilization)
        self.entered.add(bucket)
        choices = self.drawn[bucket]
        return choices[math.floor(word / TWO_32 * len(choices))]


def simulate(market, rows, request, seed, count):
    """Simulates `count` paths."""
    slices = 1 if request["strategy"] == "immediate" else request["strategy"]["twap"]["slices"]
    position, horizon = request["position_usd"], request["horizon_hours"]
    parts = [min(slices, math.floor(hour * slices / horizon) + 1) for hour in range(horizon + 1)]
    due = [position if slices == 1 else min(position, position * part / slices) for part in parts]
    plan = (position, due, *curve(market, request))
    return [simulate_path(market, rows, plan, words(seed, path, ROWS)) for path in range(count)]


def curve(market, request):
    """Reserve of the constant-product pool, and the maximum sale per hour."""
    share = request["max_slippage_bps"] / 10_000
    if market.depth is None:
        return math.inf, math.inf
    reserve = 99 * market.depth
    return max(5e-324, reserve), math.inf if share >= 1 else reserve * share / (1 - share)


def simulate_path(market, rows, plan, random):
    position, due, reserve, limit = plan
    supplied = market.supplied
    free, price, taken, proceeds, slippage, row = market.withdrawable, 1.0, 0.0, 0.0, 0.0, -1
    for hour, wanted in enumerate(due):
        if hour > 0:
            stays = row >= 0 and next(random) / TWO_32 < rows.goes_on
            fresh = next(random)
            row = row + 1 if stays and rows.follows[row] else rows.first(1 - free / supplied, fresh)
            free = min(max(0.0, free + rows.change[row]), supplied)
            price *= rows.growth[row]
        amount = min(wanted - taken, free - taken, limit)
        if amount > 0:
            cost = amount / (reserve + amount)
            proceeds += amount * price * (1 - cost)
            slippage += amount * price * cost
            taken += amount
        if position - taken <= position * 1e-12:
            break
    left = position - taken > position * 1e-12
    stranded = (position - taken) * price if left else 0.0
    price_loss = position - proceeds - slippage - stranded
    loss = price_loss if market.depth is None else price_loss + slippage
    return Path(-1 if left else hour, proceeds, slippage, stranded, price_loss, loss)


def parameter_runs(market, request, seed):
    """The paths over each of twenty resampled histories; None if there are too many paths for that."""
    if request["paths"] > MAX_PATHS_WITH_PARAMETERS:
        return None
    count = min(request["paths"], RESAMPLE_PATHS)
    orders = (resampled(market.history, words(seed, resample, RESAMPLED_HISTORIES)) for resample in range(RESAMPLES))
    return [simulate(market, Rows(market, order), request, seed, count) for order in orders]


def resampled(history, random):
    """Draws as many rows as the history has, in blocks."""
    goes_on, order = 1 - 1 / max(1, history.block_hours), []
    for place in range(len(history)):
        stays = place > 0 and next(random) / TWO_32 < goes_on
        fresh = next(random)
        row = order[-1] + 1 if stays and history.follows[order[-1]] else math.floor(fresh / TWO_32 * len(history))
        order.append(row)
    return order
