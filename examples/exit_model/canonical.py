"""Canonical JSON and number rounding as the service writes them, so that hashes and responses can be compared byte by byte."""

import hashlib
import json
import math
from decimal import Decimal

MAX_UNITS = 2**52


def number(value):
    """Formats a number as JavaScript does: decimals from 1e-6 to 1e21, otherwise an exponent without leading zeros."""
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e21):
        return str(int(value))
    text = repr(value)
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    if -7 <= int(exponent) < 21 and abs(value) >= 1e-6:
        return format(Decimal(text), "f")
    return f"{mantissa}e{'-' if int(exponent) < 0 else '+'}{abs(int(exponent))}"


def canonical(value):
    if value is None or isinstance(value, (bool, str)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(canonical(one) for one in value) + "]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be"))
    return "{" + ",".join(f"{json.dumps(name, ensure_ascii=False)}:{canonical(value[name])}" for name in names) + "}"


def sha256(value):
    """SHA-256 of the canonical JSON of a value, in hexadecimal; None for None."""
    return None if value is None else hashlib.sha256(canonical(value).encode()).hexdigest()


def rounded(value, digits):
    """Rounds half away from zero."""
    size = abs(value) * 10**digits
    if not size < MAX_UNITS:
        return value
    units = math.floor(size + 0.5) / 10**digits
    return -units if value < 0 and units > 0 else units


def usd(value):
    return rounded(value, 2)


def share(value):
    return rounded(value, 6)


def parts_rounded(total, parts):
    """Rounds to cents that add up to the total: the parts that lost the most by rounding down are rounded up."""
    size = 0
    for value in (total, *parts):
        size = size + abs(value)
    factor = 100 if size * 100 < MAX_UNITS else 1
    floors = [math.floor(part * factor) for part in parts]
    missing = math.floor(total * factor + 0.5) - sum(floors)
    by_rest = sorted(range(len(parts)), key=lambda place: -(parts[place] * factor - floors[place]))
    raised = by_rest[: max(0, missing)]
    return [(floor + (place in raised)) / factor for place, floor in enumerate(floors)]
