"""Comparison of protobuf messages."""

from __future__ import annotations

import math
from typing import Any

from google.protobuf import text_format
from google.protobuf.descriptor import FieldDescriptor


def _near(x: float, y: float, tolerance: float) -> bool:
    if math.isnan(x) or math.isnan(y):
        return math.isnan(x) and math.isnan(y)
    if math.isinf(x) or math.isinf(y):
        return x == y
    return abs(x - y) <= tolerance * max(abs(x), abs(y))


def _floats(message: Any) -> list[tuple]:
    """Where numbers of messages are that are no integers: the message, the
    field and the index in it or None."""
    found = []
    for field, value in message.ListFields():
        several = hasattr(value, "__len__") and not isinstance(value, (str, bytes))
        if hasattr(value, "items"):
            parts = [v for _, v in sorted(value.items(), key=lambda i: str(i[0]))]
        else:
            parts = list(value) if several else [value]
        for i, part in enumerate(parts):
            if hasattr(part, "ListFields"):
                found += _floats(part)
            elif field.type in (
                FieldDescriptor.TYPE_FLOAT, FieldDescriptor.TYPE_DOUBLE
            ) and not hasattr(value, "items"):
                found.append((message, field.name, i if several else None))
    return found


def _get(place: tuple) -> float:
    message, name, i = place
    value = getattr(message, name)
    return value if i is None else value[i]


def _set(place: tuple, value: float) -> None:
    message, name, i = place
    if i is None:
        setattr(message, name, value)
    else:
        getattr(message, name)[i] = value


def message_texts(
    expected: Any, actual: Any, relative_tolerance: float | None
) -> tuple[str, str]:
    """The messages as texts, which are the same if the messages are but for
    the last digits of numbers."""
    copies = []
    for message in (expected, actual):
        copy = type(message)()
        copy.CopyFrom(message)
        copies.append(copy)
    places = [_floats(copy) for copy in copies]
    if relative_tolerance is None:
        for place in places[0] + places[1]:
            _set(place, round(_get(place), 6))
    else:
        for e, a in zip(*places):
            if _near(_get(e), _get(a), relative_tolerance):
                _set(a, _get(e))
    return tuple(text_format.MessageToString(copy) for copy in copies)
