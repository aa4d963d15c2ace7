"""Quantiles, means and shares with their errors, from values in ascending order."""

import math

Z_95 = 1.959963984540054


def quantile(ascending, level):
    return ascending[min(len(ascending), max(1, math.ceil(level * len(ascending) - 1e-9))) - 1]


def quantile_interval(ascending, level):
    n = len(ascending)
    half = Z_95 * math.sqrt(n * level * (1 - level))
    place = lambda rank: ascending[min(n, max(1, rank)) - 1]
    return place(math.floor(n * level - half)), place(math.ceil(n * level + half))


def mean(values):
    """Mean of values, summed in order, with its standard error."""
    total = 0
    for value in values:
        total += value
    middle, n = total / len(values), len(values)
    return middle, math.sqrt(squares(values, middle) / (n - 1) / n) if n > 1 else 0


def squares(values, middle):
    total = 0
    for value in values:
        total += (value - middle) * (value - middle)
    return total


def expected_shortfall(ascending, level):
    """Expected shortfall with the standard error of Manistre and Hancock (2005)."""
    n = len(ascending)
    tail = ascending[min(n, max(1, math.ceil(level * n - 1e-9))) - 1 :]
    total = 0
    for value in tail:
        total += value
    value, count = total / len(tail), len(tail)
    variance = squares(tail, value) / (count - 1) if count > 1 else 0
    distance = value - tail[0]
    return value, math.sqrt((variance + (1 - count / n) * distance * distance) / count)


def wilson(successes, trials):
    part, z2 = successes / trials, Z_95 * Z_95
    centre = (part + z2 / (2 * trials)) / (1 + z2 / trials)
    half = Z_95 / (1 + z2 / trials) * math.sqrt(part * (1 - part) / trials + z2 / (4 * trials * trials))
    return max(0, centre - half), min(1, centre + half)
