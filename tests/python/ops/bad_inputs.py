"""Bad calls of every op: the good call of `cases` with one thing changed."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

import cases

HUGE = (-1, -7, 2**31 - 1, -(2**31), 2**62, -(2**63))


def bad_values(value: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    yield "scalar", value.reshape(-1)[:1].reshape(()) if value.size else value
    yield "deeper", value[None]
    yield "rank 6", value.reshape((1,) * (6 - value.ndim) + value.shape)
    yield "flat", value.reshape(-1)
    yield "longer", np.resize(value, [d + 1 for d in value.shape] or [2])
    yield "empty", np.resize(value, [0] * value.ndim or [0])
    yield "no rows", value[:0] if value.ndim else value[None][:0]
    yield "other dtype", np.resize(np.array(True), value.shape)
    yield "strings", np.full(value.shape, b"x", object)
    if value.dtype.kind in "iu":
        limits = np.iinfo(value.dtype)
        for n in HUGE:
            if limits.min <= n <= limits.max:
                yield f"all {n}", np.full_like(value, n)
                if value.size > 1:
                    one = value.copy()
                    one.reshape(-1)[-1] = n
                    yield f"last {n}", one
    elif value.dtype.kind == "f":
        yield "nan", np.full_like(value, np.nan)
        yield "inf", np.full_like(value, -np.inf)


def bad_attrs(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        yield from ((str(n), n) for n in (0, -1, 2**31 - 1, 2**31, 2**62))
    elif isinstance(value, list) and value:
        yield "[]", []
        for n in (0, -1, 2**31 - 1, 2**31, 2**62):
            yield f"all {n}", [n] * len(value)
        yield "longer", [*value, 1]
    elif isinstance(value, str):
        yield "nonsense", "nonsense"
    yield "None", None


def bad_cases(op: str) -> Iterator[tuple[str, cases.Case]]:
    base = cases.make(op)
    for name, value in base.inputs.items():
        parts = value if isinstance(value, list) else [value]
        for i, part in enumerate(parts):
            array = part.value if isinstance(part, cases.Variable) else part
            for how, bad in bad_values(array):
                if isinstance(part, cases.Variable):
                    bad = cases.Variable(bad)
                changed = copy.copy(base)
                new = [*parts[:i], bad, *parts[i + 1 :]]
                changed.inputs = {
                    **base.inputs,
                    name: new if isinstance(value, list) else bad,
                }
                yield f"{name}[{i}] {how}", changed
        if isinstance(value, list):
            changed = copy.copy(base)
            changed.inputs = {**base.inputs, name: []}
            yield f"{name} no tensors", changed
    attrs = {
        a["name"]: a["default"]
        for a in cases.record(op)["attrs"]
        if a.get("has_default") and a["type"] in ("int", "list(int)")
    }
    for name, value in {**attrs, **base.attrs}.items():
        for how, bad in bad_attrs(value):
            changed = copy.copy(base)
            changed.attrs = {**base.attrs, name: bad}
            yield f"{name} = {how}", changed
