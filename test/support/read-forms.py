# Reads every form of a dataset with readers that are not ours and prints, for each reader, the rows and the types it saw.
import json
import re
import sys

import duckdb
import polars
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

folder, name = sys.argv[1:]
# Each reader has a name of its own for the items of a list.
list_item = re.compile(r"list<\w+: ")


def path(form):
    return f"{folder}/{name}.{form}"


def of_arrow(table):
    types = [[field.name, list_item.sub("list<item: ", str(field.type).replace("large_", ""))] for field in table.schema]
    return {"rows": table.to_pylist(), "types": types}


def csv():
    # An empty field is null and a quoted empty one is a text: pyarrow tells them apart when it is asked to.
    text = pyarrow.csv.ConvertOptions(strings_can_be_null=True, quoted_strings_can_be_null=False, null_values=[""])
    parse = pyarrow.csv.ParseOptions(newlines_in_values=True)
    return of_arrow(pyarrow.csv.read_csv(path("csv"), convert_options=text, parse_options=parse))


def with_duckdb(query):
    return of_arrow(duckdb.sql(query).to_arrow_table())


print(
    json.dumps(
        {
            "parquet": {
                "pyarrow": of_arrow(pyarrow.parquet.read_table(path("parquet"))),
                "polars": {"rows": polars.read_parquet(path("parquet")).to_dicts()},
                "duckdb": with_duckdb(f"select * from read_parquet('{path('parquet')}')"),
            },
            "arrow": {
                "pyarrow": of_arrow(pyarrow.ipc.open_stream(path("arrow")).read_all()),
                "polars": {"rows": polars.read_ipc_stream(path("arrow")).to_dicts()},
            },
            "csv": {
                "pyarrow": csv(),
                "polars": {"rows": polars.read_csv(path("csv"), infer_schema_length=None).to_dicts()},
                "duckdb": with_duckdb(f"select * from read_csv('{path('csv')}', sample_size=-1)"),
            },
            "ndjson": {
                "polars": {"rows": polars.read_ndjson(path("ndjson"), infer_schema_length=None).to_dicts()},
                "duckdb": with_duckdb(f"select * from read_json('{path('ndjson')}', sample_size=-1)"),
            },
        },
        default=str,
    )
)
