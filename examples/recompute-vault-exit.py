"""Recomputes the exit from one or several vaults from the published rows of `vaults` and `vault-holdings` alone, in exact fractions and with a
flow algorithm of its own, and compares every figure in units of an asset with the response of the service. The exit code is 1 if one differs."""

import argparse
import json
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections import defaultdict, deque
from fractions import Fraction

SOURCE, SINK = "source", "sink"
ROUNDING = Fraction(1, 10**9)
FIGURES = ("alone_sum", "together", "shortfall", "position", "held_twice", "for_cash", "for_allocator", "unbacked")


def call(url, key):
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
            return json.loads(answer.read(), parse_float=Fraction, parse_int=Fraction)["data"]
    except urllib.error.HTTPError as refused:
        raise SystemExit(f"{url} responds with {refused.code}: {refused.read()[:300].decode(errors='replace')}") from None
    except urllib.error.URLError as failed:
        raise SystemExit(f"{url} cannot be reached: {failed.reason}") from None


class Vaults:
    """Published vaults by `<chain>:<address>`, and the newest cash of each market: the lowest of one time."""

    def __init__(self, rows, holdings):
        name = lambda row: f"{row['chain']}:{row['vault_address']}"
        self.rows = {name(row): row for row in rows}
        own = {name(row): row for row in holdings}
        self.held = {one: own[one]["holdings"] if self.is_of_state(one, own) else None for one in self.rows}
        readings = {}
        for one, held in self.held.items():
            for it in held or []:
                if it["held_kind"] == "market" and it["market_cash"] is not None:
                    market, read = self.inner(one, it), (-self.rows[one]["state_at"], it["market_cash"])
                    readings[market] = min(read, readings.get(market, read))
        self.cash = {market: cash for market, (_, cash) in readings.items()}

    def is_of_state(self, one, own):
        return one in own and own[one]["state_at"] == self.rows[one]["state_at"]

    def inner(self, vault, holding):
        return f"{self.rows[vault]['chain']}:{holding['held']}"

    def reached(self, vault):
        """What ordinary withdrawals take from."""
        is_second = self.rows[vault]["kind"] == "morpho_v2"
        is_used = lambda it: it["is_liquidity"] is True if is_second else it["queue_index"] is not None
        return [it for it in self.held[vault] or [] if it["assets"] != 0 and is_used(it)]

    def could_pay(self, vault):
        """At once, by its positions; what it states itself may be less."""
        limit = lambda it: self.cash.get(self.inner(vault, it), 0) if it["held_kind"] == "market" else self.stated(self.inner(vault, it))
        return (self.rows[vault]["idle_assets"] or 0) + sum(min(it["assets"] or 0, limit(it)) for it in self.reached(vault))

    def stated(self, vault):
        return self.rows[vault]["withdrawable_assets"] or 0 if vault in self.rows else 0


def flow(vaults, leaves, repaid=False, everything=False, quoted=False, more=None):
    """The most that leaves the vaults, of each at most `leaves`. `more`: a market with one unit of cash in addition."""
    edges = defaultdict(dict)
    unlimited = sum(leaves.values()) + 1

    def edge(start, end, capacity):
        edges[start][end] = edges[start].get(end, 0) + capacity
        edges[end].setdefault(start, Fraction(0))

    waiting, seen = [(one, True) for one in leaves], set(leaves)
    for vault, amount in leaves.items():
        edge(SOURCE, ("vault", vault), amount)
    for vault, is_member in waiting:
        row = vaults.rows[vault]
        used = vaults.held[vault] or [] if everything and is_member else vaults.reached(vault)
        is_short = vaults.stated(vault) < vaults.could_pay(vault) * (1 - ROUNDING)
        edge(("vault", vault), ("inside", vault), vaults.stated(vault) if is_short and not repaid else unlimited)
        edge(("inside", vault), SINK, row["idle_assets"] or 0)
        for it in used:
            name = vaults.inner(vault, it)
            edge(("inside", vault), (it["held_kind"], name), it["assets"] or 0)
            if it["held_kind"] == "market":
                cash = vaults.cash.get(name, 0) + (1 if name == more else 0)
                edges[("market", name)][SINK] = unlimited if repaid else cash
                edges[SINK].setdefault(("market", name), Fraction(0))
            elif is_member and name in vaults.rows and name not in seen:
                seen.add(name)
                waiting.append((name, False))
        if quoted and is_member:
            known = (row["idle_assets"] or 0) + sum(it["assets"] or 0 for it in used)
            edge(("inside", vault), SINK, max(0, (row["total_assets"] or 0) - known))
    return maximum(edges)


def maximum(edges):
    """Shortest augmenting paths (Edmonds and Karp)."""
    total = Fraction(0)
    while True:
        before, waiting = {SOURCE: None}, deque([SOURCE])
        while waiting and SINK not in before:
            node = waiting.popleft()
            for to, free in edges[node].items():
                if free > 0 and to not in before:
                    before[to] = node
                    waiting.append(to)
        if SINK not in before:
            return total
        path, node = [], SINK
        while before[node] is not None:
            path.append((before[node], node))
            node = before[node]
        sent = min(edges[start][end] for start, end in path)
        for start, end in path:
            edges[start][end] -= sent
            edges[end][start] += sent
        total += sent


def assets_of(row, amount, unit):
    """What the contract quotes for a position; None if a price is missing."""
    if amount is None:
        return row["total_assets"]
    price = {"assets": 1, "shares": row["share_price"] and Fraction(row["share_price"]), "usd": row["asset_price_usd"]}[unit]
    if not price:
        return None
    return amount / price if unit == "usd" else amount * price


def figures_of(vaults, positions):
    """Of the vaults of one asset, and of each of them."""
    alone = {one: min(size, flow(vaults, {one: vaults.stated(one)})) for one, size in positions.items()}
    together = flow(vaults, alone)
    reached = max(together, flow(vaults, positions, repaid=True))
    backed = max(reached, flow(vaults, positions, repaid=True, everything=True))
    everything = sum(positions.values())
    once = everything if len(positions) == 1 else flow(vaults, positions, repaid=True, everything=True, quoted=True)
    figures = {
        **{"alone_sum": sum(alone.values()), "together": together, "shortfall": sum(alone.values()) - together},
        **{"position": once, "held_twice": everything - once, "for_cash": reached - together},
        **{"for_allocator": backed - reached, "unbacked": max(0, once - backed)},
    }
    others = {one: together - flow(vaults, {**alone, one: Fraction(0)}) for one in alone}
    return figures, alone, others


def differences(vaults, positions, theirs):
    """Each figure that differs by more than a rounding, and how many were compared."""
    found, compared = [], 0
    by_subject = {row["subject"]: row for row in theirs["vaults"]}

    def compare(name, own, stated, whole):
        nonlocal compared
        if stated is None:
            return
        compared += 1
        if abs(own - stated) > whole * ROUNDING * 10:
            found.append(f"{name}: {float(own)} here, {float(stated)} in the response")

    for part in theirs["assets"]:
        own = {subject.removeprefix("vault:"): positions[subject.removeprefix("vault:")] for subject in part["vaults"]}
        if None in own.values():
            continue
        figures, alone, others = figures_of(vaults, own)
        whole, title = max(1, sum(own.values())), f"{part['chain']} {part['asset_symbol']}"
        for name in FIGURES:
            compare(f"{title} {name}", figures[name], part[f"{name}_assets"], whole)
        for one in own:
            row = by_subject[f"vault:{one}"]
            compare(f"{one} alone", alone[one], row["alone_assets"], whole)
            compare(f"{one} after_others", others[one], row["after_others_assets"], whole)
        for one in theirs["shared"]:
            is_own = one["claims"][0]["subject"] in part["vaults"]
            if is_own and one["kind"] == "market" and one["binds"] is not None:
                compared += 1
                market = one["subject"].removeprefix("market:")
                gain = flow(vaults, own, more=market) - flow(vaults, own)
                if (gain > ROUNDING) != one["binds"]:
                    found.append(f"{market} binds: {gain > ROUNDING} here, {one['binds']} in the response")
    return found, compared


def main(base, key, asked, unit):
    version = lambda: {row["version"] for row in call(f"{base}/v2/datasets", key)}
    before = version()
    theirs = call(f"{base}/v2/vaults/exit?{urllib.parse.urlencode({'vault': asked, 'unit': unit})}", key)
    vaults = Vaults(call(f"{base}/v2/datasets/vaults", key), call(f"{base}/v2/datasets/vault-holdings", key))
    if before != version():
        raise SystemExit("a new version was published in between: run it again")
    positions = {}
    for item in asked.lower().split(","):
        chain, address, *amount = item.strip().split(":")
        row = vaults.rows.get(f"{chain}:{address}")
        positions[f"{chain}:{address}"] = row and assets_of(row, Fraction(amount[0]) if amount else None, unit)
    found, compared = differences(vaults, positions, theirs)
    if theirs["gaps"]:
        print("The response has gaps:", ", ".join(theirs["gaps"]))
    print(f"{len(found)} of {compared} figures differ", *found[:20], sep="\n  ")
    return 1 if found or compared == 0 else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", help="address of the service")
    parser.add_argument("vault", metavar="chain:address[:amount][,…]", help="positions, as in the parameter `vault`")
    parser.add_argument("--unit", default="shares", choices=("shares", "assets", "usd"), help="default: %(default)s")
    parser.add_argument("--key", default="", help="API key, if the service needs one")
    return parser.parse_args()


if __name__ == "__main__":
    given = arguments()
    sys.exit(main(given.url, given.key, given.vault, given.unit))
