"""Rows as tables of pandas, polars and Arrow, each an extra of this package. What is not known stays unknown: NA or null, never 0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Mapping

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Rows = Iterable[Mapping[str, Any]]


def to_pandas(rows: Rows) -> pandas.DataFrame:
    """Columns have the types that can hold NA; `time` becomes a time in UTC."""
    import pandas

    frame = pandas.DataFrame(list(rows), dtype=object)
    for name in frame.columns:
        values = [value if isinstance(value, int) else None for value in frame[name]]
        # With an unknown value among them, pandas would take whole numbers for floats, and round those beyond 2^53.
        if _are_whole(frame[name]):
            frame[name] = pandas.array(values, dtype="Int64")
    frame = frame.convert_dtypes()
    if "time" in frame:
        frame["time"] = pandas.to_datetime(frame["time"], utc=True)
    return frame


def _are_whole(values: Iterable[Any]) -> bool:
    known = [value for value in values if value is not None and value == value]
    return known != [] and all(type(value) is int and abs(value) < 2**63 for value in known)


def to_polars(rows: Rows) -> polars.DataFrame:
    import polars

    frame = polars.DataFrame(list(rows), infer_schema_length=None)
    if "time" in frame.columns:
        frame = frame.with_columns(polars.col("time").str.to_datetime(time_zone="UTC"))
    return frame


def to_arrow(rows: Rows) -> pyarrow.Table:
    import pyarrow

    return pyarrow.Table.from_pylist(list(rows))


class Tabular:
    """What can be turned into a table."""

    def table_rows(self) -> list[Any]:
        raise NotImplementedError

    def to_pandas(self) -> pandas.DataFrame:
        return to_pandas(self.table_rows())

    def to_polars(self) -> polars.DataFrame:
        return to_polars(self.table_rows())

    def to_arrow(self) -> pyarrow.Table:
        return to_arrow(self.table_rows())
