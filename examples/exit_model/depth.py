"""How much of a coin can be sold at 100 bps of slippage: the depth a market source reports, or that of the published pools together."""

import math

from .canonical import usd

RESERVES_PER_DEPTH = 99
SLIPPAGE = 1 / (RESERVES_PER_DEPTH + 1)
ETHER_CHAINS = (
    "ethereum abstract arbitrum base blast ink linea mode optimism polygon-zkevm scroll soneium taiko unichain worldchain zksync zora"
)
CHAINS_BY_COIN = {
    "ETH": ETHER_CHAINS, "BNB": "bsc opbnb", "AVAX": "avalanche", "MATIC": "polygon", "POL": "polygon", "FTM": "fantom", "S": "sonic",
    "GLMR": "moonbeam", "CRO": "cronos", "HYPE": "hyperliquid hyperevm", "SOL": "solana",
}


def unwrapped(symbol, chain):
    """The symbol whose price an asset has: that of the native coin where it is wrapped on its own chain, and not behind a bridge."""
    symbol = symbol.upper()
    coin = symbol[1:]
    return coin if symbol[:1] == "W" and chain in CHAINS_BY_COIN.get(coin, "").split() else symbol


def depth_of(reported, returns, pools, chain, is_priced):
    """Depth in USD or None, the pools it comes from or could come from, and whether all of them are constant-product pools."""
    used = [] if returns is None else list(pools_of(unwrapped(returns["symbol"], chain), pools, is_priced))
    if used and returns["price_usd"] is not None:
        coins = 0
        for _, own in used:
            coins += own
        pooled = usd(coins * returns["price_usd"])
        if pooled > (-1 if reported is None else reported):
            return pooled, [pool for pool, _ in used], all(pool["kind"] == "product" for pool, _ in used)
    return reported, [pool for pool, _ in used], False


def pools_of(symbol, pools, is_priced):
    """Each pool that pays a coin with a known price for this one, with the amount of this coin it takes."""
    for pool in sorted(pools, key=lambda one: one["id"]):
        symbols = [unwrapped(own, pool["chain"]) for own in pool["symbols"]]
        others = set(symbols) - {symbol}
        if symbol not in symbols or not others or not all(is_priced(other) for other in others):
            continue
        balances = [float(f"{digits}e-{decimals}") for digits, decimals in zip(pool["reserves"], pool["decimals"])]
        if not all(balance > 0 for balance in balances):
            continue
        coins = coins_at_depth(pool, balances, symbols.index(symbol))
        if coins is not None:
            yield pool, coins


def coins_at_depth(pool, balances, place):
    if pool["kind"] == "product":
        return balances[place] / RESERVES_PER_DEPTH
    if pool["kind"] == "ticks":
        return range_depth(pool, balances, place)
    return None if pool["amplification"] is None else stable_depth(pool["amplification"], balances, place)


def stable_depth(amplification, balances, place):
    """Against the coin for which the pool takes the most: the amount whose mean price is 1 % below the marginal price."""
    n = len(balances)
    ann = n * amplification
    d = invariant(ann, balances)
    k = d
    for balance in balances:
        k = k * d / (n * balance)
    worths = [ann + k / balance for balance in balances]
    depths = [0]
    for to in range(n):
        if to == place:
            continue
        price = worths[place] / worths[to] * (1 - SLIPPAGE)
        low, high = 0, in_order(balances)
        for _ in range(100):
            amount = (low + high) / 2
            if stable_out(ann, d, balances, place, to, amount) >= price * amount:
                low = amount
            else:
                high = amount
        depths.append(low)
    return max(depths)


def in_order(values):
    """Sums one after the other: `sum` of newer Pythons is more exact than the service."""
    total = 0
    for value in values:
        total += value
    return total


def invariant(ann, balances):
    n, total = len(balances), in_order(balances)
    d = total
    for _ in range(255):
        product = d
        for balance in balances:
            product = product * d / (n * balance)
        following = (ann * total + n * product) * d / ((ann - 1) * d + (n + 1) * product)
        if abs(following - d) <= 1e-15 * total:
            return following
        d = following
    return d


def stable_out(ann, d, balances, place, to, amount):
    n, total, c = len(balances), 0, d
    for i, balance in enumerate(balances):
        if i == to:
            continue
        own = balance + amount if i == place else balance
        total += own
        c = c * d / (n * own)
    b = total + d / ann - d
    c = c * d / (n * ann)
    root = math.sqrt(b * b / 4 + c)
    return balances[to] - (c / (root + b / 2) if b > 0 else root - b / 2)


def range_depth(pool, balances, place):
    root = float(pool["sqrt_price_x96"] or 0) / 2**96
    liquidity = float(pool["liquidity"] or 0)
    if not (root > 0 and liquidity > 0):
        return None
    own, other = pool["decimals"] if place == 0 else pool["decimals"][::-1]
    reserve = (liquidity / root if place == 0 else liquidity * root) * float(f"1e-{own}")
    received = (liquidity * root if place == 0 else liquidity / root) * float(f"1e-{other}")
    held = balances[1 - place]
    payable = reserve * held / (received - held) if held < received else math.inf
    return min(reserve / RESERVES_PER_DEPTH, payable)
