"""Rows as tables of pandas, polars and Arrow: prints what is unknown in each, and the type of the times."""

import json

from defi_risk import to_arrow, to_pandas, to_polars

ROWS = [
    {"time": "2026-03-01T12:00:00Z", "count": None, "price": 0.5, "name": "a"},
    {"time": "2026-03-01T13:00:00Z", "count": 9007199254740993, "price": None, "name": None},
]

pandas, polars, arrow = to_pandas(ROWS), to_polars(ROWS), to_arrow(ROWS)
print(
    json.dumps(
        {
            "pandas": [
                pandas["count"].isna().tolist(),
                int(pandas["count"][1]),
                pandas["price"].isna().tolist(),
                pandas["name"].isna().tolist(),
                pandas["time"][1].isoformat(),
            ],
            "polars": [
                polars["count"].is_null().to_list(),
                polars["count"][1],
                polars["price"].is_null().to_list(),
                polars["name"].is_null().to_list(),
                polars["time"][1].isoformat(),
            ],
            "arrow": [arrow["count"].to_pylist(), arrow["price"].to_pylist(), arrow["name"].to_pylist()],
            "empty": [len(to_pandas([])), len(to_polars([])), len(to_arrow([]))],
        }
    )
)
