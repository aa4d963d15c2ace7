"""The known history of a market: the hours for which flow and return are both published, their volatility and the block length."""

import math

from .canonical import rounded

BOUNDS = (0.8, 0.9, 0.95, 0.99)
LAMBDA, SCALE, HOUR = 0.97, 4, 3600
LN_2, SQRT_2 = 0.6931471805599453, 1.4142135623730951


def bucket_of(utilization):
    return sum(utilization >= bound for bound in BOUNDS)


def scaled(returns):
    """Volatility of the next hour, and each return in units of the volatility expected for its hour."""
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


class History:
    """Rows of joint hours: `hour`, `flow`, `growth` of the price, `bucket`, and whether the next row follows without a gap."""

    def __init__(self, exit_inputs, returns):
        sigma, z = scaled(returns["hours"]["return"]) if returns else (0.0, [])
        z_of = dict(zip(returns["hours"]["hour"], z)) if returns else {}
        hours = exit_inputs["hours"]
        places = [place for place, hour in enumerate(hours["hour"]) if not returns or hour in z_of]
        self.hour = [hours["hour"][place] for place in places]
        self.flow = [hours["flow"][place] for place in places]
        self.z = [z_of.get(hour, 0.0) for hour in self.hour]
        self.growth = [1 + max(-1.0, value * sigma) for value in self.z]
        self.bucket = [utilization_bucket(hours["supplied_usd"][place], hours["withdrawable_usd"][place]) for place in places]
        self.follows = [later == hour + HOUR for hour, later in zip(self.hour, self.hour[1:])] + [False] * bool(places)
        known = [length for length in (block_hours(self.flow), block_hours(self.z)) if length is not None]
        self.is_block_assumed = not known
        self.block_hours = rounded(max(known) if known else 24, 2)

    def __len__(self):
        return len(self.hour)


def utilization_bucket(supplied, withdrawable):
    return bucket_of(1 - withdrawable / supplied if supplied > 0 else 1)


def block_hours(values):
    """Block length of Politis and White (2004), corrected in 2009, between 6 and 168 hours; None if the values determine no length."""
    n = len(values)
    if n < 10:
        return None
    total = 0
    for value in values:
        total += value
    centred = [value - total / n for value in values]
    if all(value == 0 for value in centred):
        return None
    log10 = ln(n) / ln(10)
    run = max(5, math.floor(log10))
    max_lag = math.ceil(math.sqrt(n)) + run
    bandwidth = min(max_lag, bandwidth_of(centred, run, max_lag, 2 * math.sqrt(log10 / n)))
    covariance = [cross_product(centred, lag) / n for lag in range(max_lag + 1)]
    slope, variance = 0, covariance[0]
    for lag in range(1, bandwidth + 1):
        weight = 1 if lag / bandwidth <= 0.5 else 2 * (1 - lag / bandwidth)
        term = 2 * weight * covariance[lag]
        slope += term * lag
        variance += term
    ratio = divided(2 * slope * slope, 2 * variance * variance) * n
    length = 0 if ratio == 0 else exp(ln(ratio) / 3)
    if math.isnan(length):
        return None
    return min(168, max(6, min(math.ceil(min(3 * math.sqrt(n), n / 3)), length)))


def cross_product(values, lag):
    total = 0
    for i in range(lag, len(values)):
        total += values[i] * values[i - lag]
    return total


def bandwidth_of(centred, run, max_lag, limit):
    """Twice the first lag after which `run` autocorrelations in a row are negligible."""
    small = []
    for lag in range(max_lag + 1):
        if lag >= run and all(small[lag - run : lag]):
            return 2 * max(lag - run, 1)
        small.append(abs(autocorrelation(centred, lag)) < limit)
    return max_lag


def autocorrelation(centred, lag):
    def squares(values):
        total = 0
        for value in values:
            total += value * value
        return total

    spread = squares(centred[lag + 1 :]) * squares(centred[: max(0, len(centred) - lag - 1)])
    return divided(cross_product(centred, lag), math.sqrt(spread))


def divided(a, b):
    if b != 0:
        return a / b
    return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a)


def ln(x):
    """Logarithm by its series, because libraries differ in the last bit; NaN where undefined."""
    if not 0 < x < math.inf:
        return math.inf if x == math.inf else math.nan
    mantissa, exponent = x, 0
    while mantissa > SQRT_2:
        mantissa, exponent = mantissa / 2, exponent + 1
    while mantissa < SQRT_2 / 2:
        mantissa, exponent = mantissa * 2, exponent - 1
    ratio = (mantissa - 1) / (mantissa + 1)
    total = 0
    for k in range(23, 0, -2):
        total = total * (ratio * ratio) + 1 / k
    return exponent * LN_2 + 2 * ratio * total


def exp(x):
    if math.isnan(x) or x == math.inf:
        return x
    exponent = math.floor(x / LN_2 + 0.5)
    rest = x - exponent * LN_2
    total = 1
    for k in range(18, 0, -1):
        total = 1 + (rest / k) * total
    return math.ldexp(total, exponent)
