# Reads every form of several datasets with third-party readers and prints, for each dataset and reader, the rows and types it saw.
# `tables.json` in the folder names the datasets, and their columns with the Arrow types that CSV and NDJSON do not carry.
import json
import os
import re
import sys

import duckdb
import polars
import pyarrow
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

[folder] = sys.argv[1:]
# Each reader has its own name for the items of a list.
list_item = re.compile(r"list<\w+: ")
ARROW = {"int64": pyarrow.int64(), "double": pyarrow.float64(), "bool": pyarrow.bool_()}
POLARS = {"int64": polars.Int64, "double": polars.Float64, "bool": polars.Boolean}
DUCKDB = {"int64": "BIGINT", "double": "DOUBLE", "bool": "BOOLEAN"}


def of_arrow(table):
    types = [[field.name, list_item.sub("list<item: ", str(field.type).replace("large_", ""))] for field in table.schema]
    return {"rows": table.to_pylist(), "types": types}


def of_polars(frame):
    return {"rows": frame.to_dicts()}


def read_csv(path, columns):
    # An empty field is null; a quoted empty field is text.
    of_field = pyarrow.csv.ConvertOptions(
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
        null_values=[""],
        column_types={name: ARROW.get(type, pyarrow.string()) for name, type in columns},
    )
    multi_line = pyarrow.csv.ParseOptions(newlines_in_values=True)
    as_polars = {name: POLARS.get(type, polars.String) for name, type in columns}
    as_duckdb = {name: DUCKDB.get(type, "VARCHAR") for name, type in columns}
    text = f"select * from read_csv('{path}', header = true, auto_detect = false, quote = '\"', escape = '\"'"
    return {
        "pyarrow": of_arrow(pyarrow.csv.read_csv(path, convert_options=of_field, parse_options=multi_line)),
        "polars": of_polars(polars.read_csv(path, schema=as_polars)),
        "duckdb": of_arrow(duckdb.sql(f"{text}, allow_quoted_nulls = false, columns = {as_duckdb})").to_arrow_table()),
    }


def read_ndjson(path, columns):
    # polars refuses a file without lines.
    if os.path.getsize(path) == 0:
        return {"duckdb": {"rows": []}}
    flat = {name: POLARS.get(type, polars.String) for name, type in columns if "<" not in type and type != "json"}
    as_duckdb = {name: "JSON" if "<" in type or type == "json" else DUCKDB.get(type, "VARCHAR") for name, type in columns}
    lines = f"select * from read_json('{path}', format = 'newline_delimited', columns = {as_duckdb})"
    # polars gives all values of a column one type, so columns without a fixed form are dropped for it.
    formless = [name for name, type in columns if type == "json"]
    frame = polars.read_ndjson(path, infer_schema_length=None, schema_overrides=flat).drop(formless)
    return {
        "polars": {**of_polars(frame), "left_out": formless},
        "duckdb": of_arrow(duckdb.sql(lines).to_arrow_table()),
    }


def read_forms(name, columns):
    parquet, arrow = f"{folder}/{name}.parquet", f"{folder}/{name}.arrow"
    return {
        "parquet": {
            "pyarrow": of_arrow(pyarrow.parquet.read_table(parquet)),
            "polars": of_polars(polars.read_parquet(parquet)),
            "duckdb": of_arrow(duckdb.sql(f"select * from read_parquet('{parquet}')").to_arrow_table()),
        },
        "arrow": {
            "pyarrow": of_arrow(pyarrow.ipc.open_stream(arrow).read_all()),
            "polars": of_polars(polars.read_ipc_stream(arrow)),
        },
        "csv": read_csv(f"{folder}/{name}.csv", columns),
        "ndjson": read_ndjson(f"{folder}/{name}.ndjson", columns),
    }


with open(f"{folder}/tables.json") as file:
    tables = json.load(file)
print(json.dumps({name: read_forms(name, columns) for name, columns in tables.items()}))
