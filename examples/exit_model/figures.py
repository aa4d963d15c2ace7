"""Every figure of a response, computed from the simulated paths, rounded and named as published."""

import math

from .canonical import parts_rounded, share, usd
from .estimates import expected_shortfall, mean, quantile, quantile_interval, wilson

TAIL_LEVEL, MIN_TAIL_HOURS = 0.99, 720


def interval(ends, rounding):
    return {"from": rounding(ends[0]), "to": rounding(ends[1])}


def figures_of(paths, runs, request, scope):
    """`runs`: the paths over each resampled history, or None. `scope`: `has_price`, `has_depth`, `has_tail`."""
    exited = [sum(path.hour == hour for path in paths) for hour in range(request["horizon_hours"] + 1)]
    losses = sorted(path.loss for path in paths) if scope["has_price"] else None
    bps = [path.slippage / (path.proceeds + path.slippage) * 10_000 for path in paths if path.proceeds + path.slippage > 0]
    tail = {"p01": 0.01 if scope["has_tail"] else None, "p99": 0.99 if scope["has_tail"] else None}
    priced = lambda values: values if scope["has_price"] else None
    return {
        "exit_probability": exit_probability(paths, runs),
        "exit_probability_by_hour": by_hour(exited, len(paths)),
        "time_to_exit_hours": time_to_exit(exited, len(paths)),
        "slippage_bps": percentiles(bps if scope["has_depth"] else None, {"p50": 0.5, "p95": 0.95, "p99": tail["p99"]}),
        "proceeds_usd": percentiles(priced([path.proceeds for path in paths]), {"p01": tail["p01"], "p05": 0.05, "p50": 0.5}),
        "stranded_usd": percentiles(priced([path.stranded for path in paths]), {"p95": 0.95}),
        "histogram": None if losses is None else histogram(losses),
        "attribution": attribution(paths, request, scope),
        "confidence": [confidence(level, losses, runs, scope) for level in request["confidence"]],
        "warnings": [] if losses is None else few_tail_paths(losses, request, scope),
    }


def exits(paths):
    return sum(path.hour >= 0 for path in paths)


def exit_probability(paths, runs):
    found = [exits(run) / len(run) for run in runs or []]
    return {
        "value": share(exits(paths) / len(paths)),
        "ci95": interval(wilson(exits(paths), len(paths)), share),
        "parameter_ci": interval((min(found), max(found)), share) if found else None,
    }


def by_hour(exited, paths):
    count, made = 0, []
    for hour, own in enumerate(exited):
        count += own
        made.append({"hour": hour, "value": share(count / paths), "ci95": interval(wilson(count, paths), share)})
    return made


def time_to_exit(exited, paths):
    hours = [hour for hour, own in enumerate(exited) for _ in range(own)]
    censored = paths - len(hours)
    ascending = hours + [None] * censored
    ends = lambda level: dict(zip(("from", "to"), quantile_interval(ascending, level)))
    return {
        "p50": quantile(ascending, 0.5),
        "p95": quantile(ascending, 0.95),
        "censored_share": share(censored / paths),
        "ci95": {"p50": ends(0.5), "p95": ends(0.95), "censored_share": interval(wilson(censored, paths), share)},
    }


def percentiles(values, levels):
    """Mean and percentiles to two decimals. A level of None is not reported."""
    if not values:
        nothing = dict.fromkeys(levels)
        return {"mean": None, "standard_error": None, **nothing, "ci95": nothing}
    ascending = sorted(values)
    middle, error = mean(values)
    known = lambda level, of: None if level is None else of(level)
    return {
        "mean": usd(middle),
        "standard_error": usd(error),
        **{name: known(level, lambda own: usd(quantile(ascending, own))) for name, level in levels.items()},
        "ci95": {name: known(level, lambda own: interval(quantile_interval(ascending, own), usd)) for name, level in levels.items()},
    }


def histogram(losses):
    low, high = losses[0], losses[-1]
    parts = 20 if high > low else 1
    width = (high - low) / parts
    counts = [0] * parts
    for loss in losses:
        counts[min(parts - 1, math.floor((loss - low) / width)) if width > 0 else 0] += 1
    end = lambda part: usd(high) if part == parts - 1 else usd(low + (part + 1) * width)
    return [{"from_usd": usd(low + part * width), "to_usd": end(part), "paths": own} for part, own in enumerate(counts)]


def attribution(paths, request, scope):
    if not scope["has_price"]:
        return {"price_usd": None, "slippage_usd": None, "stranded_usd": None}
    of = lambda name: mean([getattr(path, name) for path in paths])[0]
    rest = usd(request["position_usd"]) - usd(of("proceeds"))
    names = ["price_loss", "stranded"] + ["slippage"] * scope["has_depth"]
    price, stranded, *slippage = parts_rounded(rest, [of(name) for name in names])
    return {"price_usd": price, "slippage_usd": slippage[0] if slippage else None, "stranded_usd": stranded}


def confidence(level, losses, runs, scope):
    if losses is None or not is_reported(level, scope):
        return {"level": level, "var_usd": None, "cvar_usd": None}
    value, error = expected_shortfall(losses, level)
    of_runs = [sorted(path.loss for path in run) for run in runs or []]
    spread = lambda found: interval((min(found), max(found)), usd) if found else None
    return {
        "level": level,
        "var_usd": {
            "value": usd(quantile(losses, level)),
            "ci95": interval(quantile_interval(losses, level), usd),
            "parameter_ci": spread([quantile(run, level) for run in of_runs]),
        },
        "cvar_usd": {
            "value": usd(value),
            "standard_error": usd(error),
            "parameter_ci": spread([expected_shortfall(run, level)[0] for run in of_runs]),
        },
    }


def is_reported(level, scope):
    return scope["has_tail"] or level < TAIL_LEVEL


def few_tail_paths(losses, request, scope):
    """Warnings for tails whose error exceeds a tenth of their value. The error falls with the square root of the number of paths."""
    made = []
    for level in filter(lambda own: is_reported(own, scope), request["confidence"]):
        value, error = expected_shortfall(losses, level)
        if value > 0 and error > value / 10:
            ratio = error / (value / 10)
            need = min(2**53 - 1, math.ceil(request["paths"] * ratio * ratio))
            made.append({"warning": "few_tail_paths", "level": level, "need_paths": need})
    return made
