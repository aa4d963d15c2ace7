"""The risk of a portfolio of yield opportunities, and the inputs behind it.

    pip install ./packages/python
    python3 examples/client/portfolio.py --base-url http://127.0.0.1:8080 --key rk_live_…

Takes equal amounts of the largest opportunities in the low risk band, unless positions are given as ID=AMOUNT.
"""

from __future__ import annotations

import argparse
import sys

from defi_risk import ApiError, Client
from defi_risk.api_types import PortfolioAnalysis

PATH = "/v2/yield/portfolio/analyze"


def largest(client: Client, count: int) -> list[dict[str, object]]:
    query = {"sort": "-tvlUsd", "filter[maxRiskBand]": "low", "page[limit]": count}
    rows = client.get("/v2/yield/opportunities", query=query).data
    return [{"opportunity_id": row["id"], "amount_usd": 100_000} for row in rows]


def named(texts: list[str]) -> list[dict[str, object]]:
    pairs = [text.rsplit("=", 1) for text in texts]
    return [{"opportunity_id": name, "amount_usd": float(amount)} for name, amount in pairs]


def show(analysis: PortfolioAnalysis) -> None:
    totals, risk = analysis["totals"], analysis["var"]
    print(f"version {analysis['snapshot']['version']}, seed {analysis['seed']}")
    print(f"amount {totals['amount_usd']:,.0f} USD, APY {totals['net_apy_pct']['value']} %")
    if risk is None:
        print("value at risk: unknown")
    else:
        print(f"value at risk {risk['var_usd']:,.0f} USD, of {risk['covered_share']:.0%} of the amount")
        for part in risk["attribution"]:
            print(f"  {part['expected_shortfall_usd']:>12,.2f} of the expected shortfall: {part['opportunity_id']}")
    for name in ("by_venue", "by_asset"):
        largest_part = analysis["concentration"][name]["parts"][:1]
        print(f"{name}: {[(part['key'], part['share']) for part in largest_part]}")
    for gap in analysis["gaps"] + (risk["gaps"] if risk else []):
        print(f"gap: {gap['gap']} {gap['subject'] or ''}".rstrip())
    for warning in analysis["warnings"]:
        print(f"warning: {warning['warning']} {warning['subject'] or ''} {'' if warning['value'] is None else warning['value']}".rstrip())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base-url", default="http://127.0.0.1:8080")
    parser.add_argument("--key")
    parser.add_argument("positions", nargs="*", metavar="ID=AMOUNT")
    options = parser.parse_args()
    client = Client(options.base_url, options.key)
    try:
        positions = named(options.positions) or largest(client, 10)
        show(client.post(PATH, body={"positions": positions}).data)
    except ApiError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
