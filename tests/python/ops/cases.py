"""Calls of every op, derived from the registry; the tests' central table.

A case is one call of `tf.raw_ops.X`: NumPy inputs and plain attributes, so
that the same case runs on any module with TensorFlow's interface. Inputs come
from the signature and the record's test facts; case_table.py says the rest.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np
from case_table import NOT_CALLED, TABLE
from case_values import F, V, Variable

from graphkiln import _graphkiln

Shape = tuple[int, ...]


@dataclass
class Case:
    op: str
    dtype: str  # of the main type attribute; "" if there is none
    inputs: dict[str, Any] = field(default_factory=dict)
    attrs: dict[str, Any] = field(default_factory=dict)

    def arguments(
        self, tf: Any, variables: list[Any] | None = None
    ) -> dict[str, Any]:
        """Tensors of `tf` for the inputs; variables made are appended."""

        def tensor(value: Any) -> Any:
            if isinstance(value, list):
                return [tensor(v) for v in value]
            if isinstance(value, Variable):
                variable = tf.Variable(value.value)
                if variables is not None:
                    variables.append(variable)
                return variable.handle
            return tf.constant(value)

        return {name: tensor(v) for name, v in self.inputs.items()}

    def run(self, tf: Any) -> list[Any]:
        """The call's outputs, then what its variables hold, as arrays."""
        variables: list[Any] = []
        arguments = self.arguments(tf, variables)
        out = flatten(self.call(tf, arguments))
        return [np.asarray(t) for t in out] + [v.numpy() for v in variables]

    def call(self, tf: Any, arguments: dict[str, Any]) -> Any:
        """The raw op on these tensors. Some arguments have other names in
        Python than in the op's definition (`axis`)."""
        names = raw_names(self.op)
        given = {**arguments, **self.attrs}
        function = getattr(tf.raw_ops, self.op)
        return function(**{names.get(n, n): v for n, v in given.items()})

    @property
    def has_variables(self) -> bool:
        return any(isinstance(v, Variable) for v in self.inputs.values())


@functools.cache
def raw_names(op: str) -> dict[str, str]:
    """The raw op's argument names by the definition's, where they differ."""
    rec = record(op)
    inferred = {
        a[k]
        for a in rec["inputs"]
        for k in ("type_attr", "number_attr", "type_list_attr")
    }
    attrs = [a for a in rec["attrs"] if a["name"] not in inferred]
    attrs.sort(key=lambda a: a["has_default"])
    own = [a["name"] for a in [*rec["inputs"], *attrs]]
    raw = inspect.signature(_graphkiln.raw_op(op)).parameters
    return {a: b for a, b in zip(own, raw, strict=False) if a != b}


def flatten(out: Any) -> list[Any]:
    """The tensors of a raw op's result: none, one, a (named) tuple, lists."""
    if out is None or type(out).__name__ == "Operation":
        return []
    if isinstance(out, (list, tuple)):
        return [t for part in out for t in flatten(part)]
    return [out]


# What an op that takes any dtype is tried with.
COMMON = (
    "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 "
    "float32 float64 complex64 complex128 string"
).split()
COMPLEX_OF = {"float32": "complex64", "float64": "complex128"}
PREFERRED = "float32 float64 int32 int64 bool complex64 string".split()


@functools.cache
def record(op: str) -> dict[str, Any]:
    return _graphkiln.op_record(op)


def called_ops() -> list[str]:
    return [op for op in _graphkiln.op_names() if op not in NOT_CALLED]


def main_type(op: str) -> str:
    """The type attribute that the values' dtype is; "" if there is none."""
    given = TABLE.get(op, {})
    if "main" in given:
        return given["main"]
    free = [
        a
        for a in record(op)["inputs"]
        if a["type_attr"] and a["name"] not in ("shape", "seed")
    ]
    for arg in free:
        value = given.get(arg["name"], F())
        if isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, F):
            return arg["type_attr"]
    return free[0]["type_attr"] if free else ""


def _attr(op: str, name: str) -> dict[str, Any]:
    return next(a for a in record(op)["attrs"] if a["name"] == name)


def _allowed(op: str, attr: str) -> list[str]:
    """Dtypes of a type attribute that arrays can have, preferred ones first."""
    names = [t.name for t in _attr(op, attr)["allowed_types"]] or COMMON
    names = [n for n in names if n in COMMON]
    return sorted(
        names,
        key=lambda n: PREFERRED.index(n) if n in PREFERRED else len(PREFERRED),
    )


def dtypes(op: str) -> list[str]:
    """All dtypes that the signature allows for the op's values."""
    main = main_type(op)
    if not main:
        return [""]
    only = TABLE.get(op, {}).get("dtypes")
    return [n for n in _allowed(op, main) if not only or n in only]


def numpy_type(name: str) -> np.dtype:
    if name == "string":
        return np.dtype(object)
    return np.dtype(getattr(ml_dtypes, name, name))


def _values(op: str, shape: tuple[int, ...], dtype: str, seed: int) -> Any:
    facts = record(op)["test"]
    rng = np.random.default_rng(zlib.crc32(f"{op} {seed}".encode()))
    low, high = facts["low"], facts["high"]
    if dtype == "string":
        return np.array(
            [b"s%d" % i for i in range(int(np.prod(shape)))], object
        ).reshape(shape)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if "int" in dtype:
        first = max(int(np.ceil(low)), 0 if dtype[0] == "u" else -100)
        last = min(max(int(np.floor(high)), first + 1), 100)
        # Zeros only where a divisor may be one.
        values = rng.integers(first, last + 1, shape)
        return np.where(values == 0, last, values).astype(dtype)
    # Spread out, so that no two are equal or near a kink.
    values = low + (high - low) * rng.uniform(0.03, 0.97, shape)
    if dtype.startswith("complex"):
        values = values + 1j * (low + (high - low) * rng.uniform(0.1, 0.9, shape))
    return np.asarray(values).astype(numpy_type(dtype))


def _shapes(op: str) -> dict[str, tuple[int, ...]]:
    found = re.findall(r"(\w+): \[([\d, ]*)\]", record(op)["test"]["shapes"])
    return {
        name: tuple(int(d) for d in dims.split(",") if d.strip())
        for name, dims in found
    }


def make(
    op: str,
    dtype: str | None = None,
    *,
    shaped: Callable[[str, Shape], Shape] = lambda name, shape: shape,
    other_types: dict[str, str] | None = None,
) -> Case:
    """The op's case with values of `dtype`; by default the first it takes.

    `shaped` says which shape the values of an input get, where the table has
    values of some shape; `other_types` what other type attributes are.
    """
    rec, given = record(op), dict(TABLE.get(op, {}))
    given.pop("dtypes", None)
    given.pop("main", None)
    main = main_type(op)
    if dtype is None:
        dtype = dtypes(op)[0]
    case = Case(op, dtype)
    types = {main: dtype, **given.pop("types", {}), **(other_types or {})}
    shapes = _shapes(op)
    variable_dtype = dtype or "float32"

    def type_of(arg: dict[str, Any], position: int) -> str:
        if arg["type"] is not None:
            name = arg["type"].name
            return variable_dtype if name == "resource" else name
        attr = arg["type_attr"]
        if not attr:
            return dtype or "float32"
        if attr not in types:
            default = _attr(op, attr).get("default")
            types[attr] = default.name if default else _allowed(op, attr)[0]
            if not default and "int32" in _allowed(op, attr):
                types[attr] = "int32"
        return types[attr]

    def build(arg: dict[str, Any], value: Any, seed: int) -> Any:
        name = type_of(arg, seed)
        if isinstance(value, Variable):
            return value
        if isinstance(value, F):
            shape = shaped(arg["name"], value.shape)
            array = _values(op, shape, name, seed)
            return Variable(array) if isinstance(value, V) else array
        return np.array(value, numpy_type(name))

    for seed, arg in enumerate(rec["inputs"]):
        name = arg["name"]
        is_list = bool(arg["number_attr"] or arg["type_list_attr"])
        default: Any = F(*shapes.get(name, (2, 3)))
        value = given.pop(name, [default, default] if is_list else default)
        if is_list:
            case.inputs[name] = [
                build(arg, v, 10 * seed + i) for i, v in enumerate(value)
            ]
        else:
            case.inputs[name] = build(arg, value, seed)
    case.attrs = given
    if op in ("Complex", "Eig"):
        case.attrs["Tout"] = COMPLEX_OF.get(dtype, dtype)
    # Transforms of real numbers: two types of one precision.
    if {a["name"] for a in rec["attrs"]} == {"Treal", "Tcomplex"}:
        other = "Tcomplex" if main == "Treal" else "Treal"
        pairs = {**COMPLEX_OF, **{b: a for a, b in COMPLEX_OF.items()}}
        case.attrs[other] = pairs[dtype]
    # The dtype of a read is an attribute of its own.
    if op in ("ReadVariableOp", "ResourceGather", "ResourceGatherNd"):
        case.attrs["dtype"] = variable_dtype
    return case


@functools.cache
def _special_functions() -> Any:
    """scipy.special, where it is installed; else such references wait."""
    try:
        return importlib.import_module("scipy.special")
    except ImportError:
        return None


def reference(case: Case) -> Any:
    """The record's NumPy expression on the case's inputs; None if none."""
    expression = record(case.op)["test"]["reference"]
    if not expression:
        return None
    names: dict[str, Any] = {n: getattr(np, n) for n in dir(np)}
    names["np"] = np
    if special := _special_functions():
        names = {**{n: getattr(special, n) for n in dir(special)}, **names}
    for attr in record(case.op)["attrs"]:
        if attr.get("has_default"):
            names[attr["name"]] = attr["default"]
    names.update(case.attrs)
    names.update(case.inputs)
    with np.errstate(all="ignore"):
        try:
            return eval(expression, {"__builtins__": {}}, names)
        except NameError:
            if _special_functions() is None:
                return None
            raise


def tolerance(dtype: str) -> float:
    return {
        "float16": 2e-3,
        "bfloat16": 2e-2,
        "float32": 2e-5,
        "complex64": 2e-5,
        "float64": 1e-11,
        "complex128": 1e-11,
    }.get(dtype, 0.0)


def assert_close(
    mine: np.ndarray, expected: np.ndarray, rtol: float, *, of_largest: bool = False
) -> None:
    """Same shape; equal values, or within `rtol` of values of size one, or of the
    largest value."""
    mine, expected = np.asarray(mine), np.asarray(expected)
    assert mine.shape == expected.shape, (mine.shape, expected.shape)
    if expected.dtype.kind not in "biufcOSU":  # bfloat16
        expected = expected.astype(np.float32)
    if mine.dtype.kind not in "biufcOSU":
        mine = mine.astype(np.float32)
    if rtol == 0 or expected.dtype.kind in "biuOSU":
        np.testing.assert_array_equal(mine, expected)
    else:
        largest = np.abs(expected).max(initial=1.0) if of_largest else 1.0
        np.testing.assert_allclose(mine, expected, rtol=rtol, atol=rtol * largest)
