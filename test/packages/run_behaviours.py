"""Carries out the shared behaviours with the Python clients: tasks come as JSON on standard input, outcomes go to standard output.

The first argument is `sync` or `async`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import defi_risk
import httpx
from defi_risk import Answer, AsyncClient, Client

# One for all clients, because each would read the certificates of the machine again.
TRANSPORT = httpx.HTTPTransport()
ASYNC_TRANSPORT = httpx.AsyncHTTPTransport()


def outcome_of(task: dict[str, Any]) -> dict[str, Any]:
    waits: list[float] = []
    try:
        remembered = task.get("remembered", 0)
        client = Client(
            task["base_url"], task["key"], remembered_answers=remembered, wait=waits.append, transport=TRANSPORT
        )
        return {**done(client, task), "waits": waits}
    except (defi_risk.ClientError, ValueError) as error:
        return {"error": problem_of(error), "waits": waits}


def done(client: Client, task: dict[str, Any]) -> dict[str, Any]:
    path, params, query = task.get("path", ""), task.get("params"), task.get("query")
    match task["do"]:
        case "get":
            return answered(client.get(path, params, query))
        case "get twice":
            client.get(path, params, query)
            return answered(client.get(path, params, query))
        case "list":
            return rows_of(taken(client.list(path, params, query), task))
        case "history":
            return history_of(client.history(path, params, query))
        case "receipts":
            return answered(client.receipts(task["protocol"]))
        case "evidence":
            return answered(client.evidence(task["event"]))
        case "download":
            return {"text_start": client.download(path)[:6].decode()}
        case "events":
            return {"ids": [event["event_id"] for event in taken(client.events(**(query or {})), task)]}
        case "post":
            return answered(client.post(path, body=task["body"]))
        case "post twice":
            key = f"twice-{task['base_url']}"
            first = client.post(path, body=task["body"], idempotency_key=key)
            again = client.post(path, body=task["body"], idempotency_key=key)
            return {"is_same_id": first.data["id"] == again.data["id"]}
        case "follow":
            gaps: list[Exception] = []
            on_gap = gaps.append if task.get("accepts_gap") else None
            events = client.follow(
                task["since"], tuple(task.get("types", ())), on_gap=on_gap, pause_s=lambda failures: 0.01
            )
            return {"ids": [event["event_id"] for event in taken(events, task)], "gaps": len(gaps)}
        case "verify":
            event = defi_risk.verify_webhook(
                task["headers"], task["text"].encode(), task["secrets"], now_s=task["now_s"]
            )
            return {"data": event}
    raise KeyError(task["do"])


def taken(rows: Any, task: dict[str, Any]) -> list[Any]:
    found = []
    for row in rows:
        found.append(row)
        if len(found) == task.get("max"):
            break
    return found


async def async_outcome_of(task: dict[str, Any]) -> dict[str, Any]:
    waits: list[float] = []

    async def wait(seconds: float) -> None:
        waits.append(seconds)

    try:
        remembered = task.get("remembered", 0)
        client = AsyncClient(
            task["base_url"], task["key"], remembered_answers=remembered, wait=wait, transport=ASYNC_TRANSPORT
        )
        return {**await async_done(client, task), "waits": waits}
    except (defi_risk.ClientError, ValueError) as error:
        return {"error": problem_of(error), "waits": waits}


async def async_done(client: AsyncClient, task: dict[str, Any]) -> dict[str, Any]:
    path, params, query = task.get("path", ""), task.get("params"), task.get("query")
    match task["do"]:
        case "get":
            return answered(await client.get(path, params, query))
        case "get twice":
            await client.get(path, params, query)
            return answered(await client.get(path, params, query))
        case "list":
            return rows_of(await async_taken(client.list(path, params, query), task))
        case "history":
            return history_of(await client.history(path, params, query))
        case "receipts":
            return answered(await client.receipts(task["protocol"]))
        case "evidence":
            return answered(await client.evidence(task["event"]))
        case "download":
            return {"text_start": (await client.download(path))[:6].decode()}
        case "events":
            return {"ids": [event["event_id"] for event in await async_taken(client.events(**(query or {})), task)]}
        case "post":
            return answered(await client.post(path, body=task["body"]))
        case "post twice":
            key = f"twice-{task['base_url']}"
            first = await client.post(path, body=task["body"], idempotency_key=key)
            again = await client.post(path, body=task["body"], idempotency_key=key)
            return {"is_same_id": first.data["id"] == again.data["id"]}
        case "follow":
            gaps: list[Exception] = []
            on_gap = gaps.append if task.get("accepts_gap") else None
            events = client.follow(
                task["since"], tuple(task.get("types", ())), on_gap=on_gap, pause_s=lambda failures: 0.01
            )
            return {"ids": [event["event_id"] for event in await async_taken(events, task)], "gaps": len(gaps)}
    return done(Client(task["base_url"], transport=TRANSPORT), task)


async def async_taken(rows: Any, task: dict[str, Any]) -> list[Any]:
    found = []
    async for row in rows:
        found.append(row)
        if len(found) == task.get("max"):
            break
    return found


def answered(answer: Answer) -> dict[str, Any]:
    return {
        **(rows_of(answer.data) if isinstance(answer.data, list) else {}),
        "data": answer.data,
        "status": answer.status,
        "freshness": answer.freshness["status"] if answer.freshness else None,
        "as_of": answer.as_of,
        "gate": answer.gate["verdict"] if answer.gate else None,
        "partial_day": answer.partial_day,
        "request_id": answer.request_id is not None,
        "unchanged": answer.is_unchanged,
    }


def history_of(history: defi_risk.History) -> dict[str, Any]:
    facts = {"gaps": len(history.gaps), "thinned": history.is_thinned}
    return {**answered(history), **rows_of(history.rows), **facts}


def rows_of(rows: list[Any]) -> dict[str, Any]:
    return {"count": len(rows), "first": rows[0] if rows else None, "last": rows[-1] if rows else None}


KINDS = {"ConnectionFailed": "ConnectionError", "InvalidAnswer": "InvalidAnswerError"}


def problem_of(error: Exception) -> dict[str, Any]:
    name = type(error).__name__
    facts: dict[str, Any] = {
        member: getattr(error, member)
        for member in ("status", "code", "details", "retry_after_s", "problem")
        if hasattr(error, member)
    }
    if isinstance(error, defi_risk.ApiError):
        facts["request_id"] = error.request_id is not None
    kind = KINDS.get(name, name) if isinstance(error, defi_risk.ClientError) else "ArgumentError"
    return {"kind": kind, "message": str(error), **facts}


async def all_async(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [await async_outcome_of(task) for task in tasks]


if __name__ == "__main__":
    given = json.load(sys.stdin)
    outcomes = asyncio.run(all_async(given)) if sys.argv[1] == "async" else [outcome_of(task) for task in given]
    json.dump(outcomes, sys.stdout)
