"""Reads feeds, catalogues and descriptions of data with programs of others. Usage: read-files.py WHAT ADDRESS…; prints JSON."""
import json
import logging
import sys


def feed(address):
    import feedparser

    read = feedparser.parse(address)
    entries = [
        {name: entry.get(name) for name in ("id", "title", "link", "published", "updated", "summary")}
        | {"tags": [tag.term for tag in entry.get("tags", [])], "content": [part.value for part in entry.get("content", [])]}
        for entry in read.entries
    ]
    return {"bozo": bool(read.bozo), "version": read.version, "title": read.feed.get("title"), "etag": read.get("etag"), "entries": entries,
            "again": feedparser.parse(address, etag=read.get("etag")).get("status")}


def connected():
    import duckdb
    from duckdb_extensions import import_extension

    import_extension("httpfs")
    return duckdb.connect()


def catalogue(address, *queries):
    """One answer a query: its rows, or the error."""
    connection = connected()
    connection.execute(f"ATTACH '{address}' AS risk")
    answers = []
    for query in queries:
        try:
            answers.append([list(row) for row in connection.execute(query).fetchall()])
        except Exception as error:
            answers.append(str(error))
    return answers


def attach(address):
    try:
        connected().execute(f"ATTACH '{address}' AS risk")
        return None
    except Exception as error:
        return str(error)


def sql(statements):
    return len(connected().execute(statements).fetchall())


def evaluate(key, code):
    """The number of rows of the last line's value."""
    *before, last = code.splitlines()
    names = {"KEY": key}
    exec("\n".join(before), names)
    return len(eval(last, names))


def datapackage(path):
    import frictionless

    report = frictionless.validate(path)
    problems = [error.message for error in report.errors]
    problems += [f"{task.name}: {error.message}" for task in report.tasks for error in task.errors]
    return {"problems": problems, "resources": len(report.tasks)}


def croissant(path):
    warnings = []

    class Collect(logging.Handler):
        def emit(self, record):
            warnings.append(record.getMessage())

    logging.getLogger("absl").addHandler(Collect())
    import mlcroissant

    dataset = mlcroissant.Dataset(path)
    records = {}
    for record_set in dataset.metadata.record_sets:
        records[record_set.id] = sum(1 for _ in dataset.records(record_set.id))
    return {"problems": dataset.metadata.ctx.issues.report(), "warnings": warnings, "records": records}


READERS = {"feed": feed, "catalogue": catalogue, "attach": attach, "sql": sql, "evaluate": evaluate, "datapackage": datapackage, "croissant": croissant}
print(json.dumps(READERS[sys.argv[1]](*sys.argv[2:]), default=str))
