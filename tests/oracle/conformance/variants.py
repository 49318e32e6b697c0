"""Calls of an op: the one of the table, and others made of it by other shapes,
memory orders, attributes and types. Whether a call makes sense is not decided
here: where it does not, both modules are to refuse it alike.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import cases
import numpy as np
from case_values import F, Variable

from graphkiln import _graphkiln

PLAIN = "plain"
LARGE = 100_003  # elements, or a little more
# Other sizes for those of the table, alike for alike, so that they fit each other.
ODD = {0: 0, 1: 1, 2: 7, 3: 33, 4: 9, 5: 13, 6: 11, 7: 15}
EDGES = {
    "f": [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, np.inf, -np.inf, np.nan, 1e4, -1e4],
    "i": [0, 1, -1, 2, -7, "min", "max"],
    "u": [0, 1, 2, 7, "max"],
}

Shaped = Callable[[str, cases.Shape], cases.Shape]


def is_elementwise(op: str) -> bool:
    return "elementwise" in cases.record(op)["traits"]


@functools.cache
def free_inputs(op: str) -> tuple[str, ...]:
    """Inputs of which the table says no more than their shapes."""

    def is_free(value: Any) -> bool:
        return isinstance(value, F) or (
            isinstance(value, list) and any(isinstance(v, F) for v in value)
        )

    given = cases.TABLE.get(op, {})
    return tuple(
        a["name"]
        for a in cases.record(op)["inputs"]
        if a["name"] not in given or is_free(given[a["name"]])
    )


def _all(shape: cases.Shape) -> Shaped:
    return lambda name, old: shape


def _odd(name: str, old: cases.Shape) -> cases.Shape:
    return tuple(ODD.get(d, d + 4) for d in old)


def _first_only(op: str, shape: Shaped) -> Shaped:
    first = free_inputs(op)[0]
    return lambda name, old: shape(name, old) if name == first else old


def _broadcast(op: str) -> Shaped:
    """Inputs that fit when broadcast."""
    shapes = [(7, 1, 3), (5, 1), (3,)]
    of = dict(zip(free_inputs(op), shapes, strict=False))
    return lambda name, old: of.get(name, ())


def _large(op: str) -> Shaped:
    """The size that the first input begins with is so large that this input has
    LARGE elements."""
    shape = next(
        a.shape for a in _arrays(cases.make(op).inputs[free_inputs(op)[0]])
    )
    if not shape or not shape[0]:
        return lambda name, old: (LARGE,)
    size = shape[0]
    others = int(np.prod([d for d in shape if d != size])) or 1
    new = max(int((LARGE / others) ** (1 / shape.count(size))), size) | 1
    return lambda name, old: tuple(new if d == size else d for d in old)


def shapes_of(op: str) -> dict[str, Shaped]:
    """By the variant's name, the shapes that it gives the free inputs."""
    if not free_inputs(op):
        return {}
    found: dict[str, Shaped] = {
        "scalar": _all(()),
        "ones": lambda name, old: (1,) * len(old),
        "empty": lambda name, old: (0, *old[1:]) if old else old,
        "batch": lambda name, old: (2, *old),
        "odd": _odd,
        "large": _large(op),
    }
    if is_elementwise(op):
        found |= {
            "empty [0]": _all((0,)),
            "empty [0,3]": _all((0, 3)),
            "seven": _all((7,)),
            "thirty-three": _all((33,)),
        }
    else:
        found["empty end"] = lambda name, old: (*old[:-1], 0) if old else old
    if len(free_inputs(op)) > 1:
        found["batch of the first"] = _first_only(op, lambda name, old: (2, *old))
        if is_elementwise(op):
            found["broadcast"] = _broadcast(op)
    return found


def _arrays(value: Any) -> list[np.ndarray]:
    if isinstance(value, list):
        return value
    return [value.value if isinstance(value, Variable) else value]


def strided(value: np.ndarray) -> np.ndarray:
    """The same values with others between them."""
    if not value.ndim:
        return value
    return np.repeat(value, 2, axis=-1)[..., ::2]


def transposed(value: np.ndarray) -> np.ndarray:
    """The same values in another order in memory: that of columns, or backwards."""
    if value.ndim < 2:
        return value[::-1].copy()[::-1] if value.ndim else value
    return np.asfortranarray(value)


def _with_memory(case: cases.Case, how: Callable[[np.ndarray], np.ndarray]) -> None:
    def other(value: Any) -> Any:
        if isinstance(value, list):
            return [other(v) for v in value]
        if isinstance(value, Variable):
            return Variable(how(value.value))
        return how(value)

    case.inputs = {name: other(v) for name, v in case.inputs.items()}


def _with_edges(case: cases.Case) -> None:
    """All pairs of edge values in the free inputs."""
    free = [n for n in free_inputs(case.op) if isinstance(case.inputs[n], np.ndarray)]
    for place, name in enumerate(free):
        value = case.inputs[name]
        kind = np.dtype(value.dtype).kind
        kind = "f" if kind == "V" or value.dtype.name == "bfloat16" else kind
        if kind not in EDGES:
            continue
        limits = np.iinfo(value.dtype) if kind in "iu" else None
        edges = [getattr(limits, str(e), e) for e in EDGES[kind]]
        flat = np.array(edges, object).astype(value.dtype)
        shape = (-1,) + (1,) * place
        case.inputs[name] = flat.reshape(shape)


@functools.cache
def set_attributes(op: str) -> frozenset[str]:
    """The attributes that a call sets, not those that its inputs tell."""
    given = set(inspect.signature(_graphkiln.raw_op(op)).parameters)
    names = cases.raw_names(op)
    return frozenset(
        a["name"]
        for a in cases.record(op)["attrs"]
        if names.get(a["name"], a["name"]) in given
    )


def _other_values(attr: dict[str, Any], now: Any) -> Iterator[Any]:
    kind = attr["type"]
    if attr["allowed_strings"]:
        now = now.decode() if isinstance(now, bytes) else now
        yield from (s for s in attr["allowed_strings"] if s != now)
    elif kind == "bool" and now is not None:
        yield not now
    elif kind == "type":
        names = [t.name for t in attr["allowed_types"]] or cases.COMMON
        now = getattr(now, "name", now)
        yield from (n for n in names if n in cases.COMMON and n != now)
    elif kind == "int" and now is not None and "seed" not in attr["name"]:
        yield now + 1
    elif kind == "float" and now is not None:
        yield now + 0.25
    elif kind == "list(int)" and isinstance(now, list) and len(now) in (4, 5):
        yield [1, *[2 if n == 1 else 1 for n in now[1:-1]], 1]


def attributes_of(op: str) -> dict[str, dict[str, Any]]:
    """By the variant's name, the attributes that it sets."""
    given = cases.make(op).attrs
    found = {}
    for attr in cases.record(op)["attrs"]:
        name = attr["name"]
        if name not in set_attributes(op):
            continue
        for value in _other_values(attr, given.get(name, attr.get("default"))):
            found[f"{name}={value}".replace(" ", "")] = {name: value}
    return found


def types_of(op: str) -> dict[str, dict[str, str]]:
    """By the variant's name, types of inputs beside the main one."""
    found = {}
    main = cases.main_type(op)
    made_by = {a["type_attr"] for a in cases.record(op)["inputs"]} - {"", main}
    for attr in cases.record(op)["attrs"]:
        if attr["name"] not in made_by:
            continue
        allowed = [t.name for t in attr["allowed_types"]]
        for name in ("int32", "int64", "int16", "float32", "float64"):
            if name in allowed:
                found[f"{attr['name']}={name}"] = {attr["name"]: name}
    return found


def names_of(op: str) -> list[str]:
    """The names of all variants of an op."""
    found = [PLAIN, "strided", "transposed", *shapes_of(op)]
    if is_elementwise(op) and free_inputs(op):
        found.append("edges")
    return [*found, *attributes_of(op), *types_of(op)]


def make(op: str, dtype: str, variant: str) -> cases.Case:
    """The call of that variant's name."""
    if shaped := shapes_of(op).get(variant):
        return cases.make(op, dtype, shaped=shaped)
    if types := types_of(op).get(variant):
        return cases.make(op, dtype, other_types=types)
    case = cases.make(op, dtype)
    if variant == "strided":
        _with_memory(case, strided)
    elif variant == "transposed":
        _with_memory(case, transposed)
    elif variant == "edges":
        _with_edges(case)
    elif variant != PLAIN:
        case.attrs = {**case.attrs, **attributes_of(op)[variant]}
    return case
