"""The loop of the exit simulation in numpy, vectorised over paths, for the benchmark `analytics`. It draws from numpy's own generator, so its
sums agree only statistically. Prints the milliseconds of CPU of each run and the sums. Usage: exit-kernel.py <tables> <paths> <runs>."""

import sys
import time

import numpy as np


def read(path):
    data = open(path, "rb").read()
    supplied, withdrawable, position, reserve, limit, goes_on_below = np.frombuffer(data, np.float64, 6)
    rows, horizon, seed, _ = np.frombuffer(data, np.int32, 4, 48)
    at = 64
    steps = np.frombuffer(data, np.float64, 2 * rows, at)
    at += 16 * rows
    due = np.frombuffer(data, np.float64, horizon + 1, at)
    at += 8 * (horizon + 1)
    counts = np.frombuffer(data, np.int32, 5, at)
    starts = np.frombuffer(data, np.int32, 5, at + 20)
    at += 40
    drawn = np.frombuffer(data, np.int32, counts.sum(), at)
    last = np.frombuffer(data, np.uint8, rows, at + 4 * counts.sum()) != 0
    goes_on = goes_on_below / 2**32
    return supplied, withdrawable, position, reserve, limit, goes_on, steps[::2].copy(), steps[1::2].copy(), due, counts, starts, drawn, last, seed


def run(tables, paths):
    supplied, start, position, reserve, limit, goes_on, step, growth, due, counts, starts, drawn, last, seed = tables
    random = np.random.Generator(np.random.PCG64(seed))
    bounds = np.array([0.8, 0.9, 0.95, 0.99])
    withdrawable = np.full(paths, start)
    price = np.ones(paths)
    taken, proceeds, slippage = np.zeros(paths), np.zeros(paths), np.zeros(paths)
    row = np.zeros(paths, np.int64)
    for hour in range(len(due)):
        amount = np.minimum(np.minimum(due[hour] - taken, withdrawable - taken), limit)
        np.maximum(amount, 0, out=amount)
        value = amount * price
        cost = amount / (reserve + amount)
        proceeds += value * (1 - cost)
        slippage += value * cost
        taken += amount
        if hour == len(due) - 1:
            break
        fresh = last[row] | (random.random(paths) >= goes_on) if hour > 0 else np.ones(paths, bool)
        row += 1
        which = np.flatnonzero(fresh)
        bucket = np.searchsorted(bounds, 1 - withdrawable[which] / supplied, side="right")
        row[which] = drawn[starts[bucket] + (random.random(len(which)) * counts[bucket]).astype(np.int64)]
        withdrawable += step[row]
        np.clip(withdrawable, 0, supplied, out=withdrawable)
        price *= growth[row]
    return proceeds.sum(), slippage.sum(), ((position - taken) * price).sum()


if __name__ == "__main__":
    tables = read(sys.argv[1])
    for _ in range(int(sys.argv[3])):
        begun = time.process_time()
        sums = run(tables, int(sys.argv[2]))
        print(f"{(time.process_time() - begun) * 1e3:.3f}", *(f"{each:.17g}" for each in sums))
