"""What becomes of operands that are no tensors, or tensors of two kinds: values of
every kind that a program may have at hand, and the calls that take them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Value = Callable[[Any], Any]
Call = Callable[..., Any]

NUMPY_TYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
    "uint64", "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
TENSOR_TYPES = (
    "bool", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64",
    "complex64",
)  # fmt: skip


def _tensor(name: str, value: Any) -> Value:
    return lambda tf: tf.constant(value, tf.as_dtype(name))


def _traced(made: Value) -> Value:
    """The same as a symbolic tensor where there is a graph."""
    return lambda tf: tf.identity(made(tf))


def _sparse(tf: Any) -> Any:
    return tf.SparseTensor([[0], [1]], tf.constant([1.0, 2.0]), [2])


PYTHON: dict[str, Value] = {
    "2": lambda tf: 2,
    "-1": lambda tf: -1,
    "2**40": lambda tf: 2**40,
    "2**70": lambda tf: 2**70,
    "1.5": lambda tf: 1.5,
    "1e300": lambda tf: 1e300,
    "inf": lambda tf: math.inf,
    "1+2j": lambda tf: 1 + 2j,
    "True": lambda tf: True,
    "'a'": lambda tf: "a",
    "b'a'": lambda tf: b"a",
    "None": lambda tf: None,
    "object()": lambda tf: object(),
    "{}": lambda tf: {},
    "[]": lambda tf: [],
    "()": lambda tf: (),
    "[1, 2]": lambda tf: [1, 2],
    "(1, 2)": lambda tf: (1, 2),
    "[1.5, 2.0]": lambda tf: [1.5, 2.0],
    "[1, 1.5]": lambda tf: [1, 1.5],
    "[1.5, 1]": lambda tf: [1.5, 1],
    "[True, False]": lambda tf: [True, False],
    "[1, True]": lambda tf: [1, True],
    "[True, 1]": lambda tf: [True, 1],
    "[1, 2**40]": lambda tf: [1, 2**40],
    "[1, 'a']": lambda tf: [1, "a"],
    "['a', 1]": lambda tf: ["a", 1],
    "['a', b'b']": lambda tf: ["a", b"b"],
    "[1, None]": lambda tf: [1, None],
    "[1+2j, 1]": lambda tf: [1 + 2j, 1],
    "[[1, 2], [3, 4]]": lambda tf: [[1, 2], [3, 4]],
    "[[1.0, 2.0], [3.0, 4.0]]": lambda tf: [[1.0, 2.0], [3.0, 4.0]],
    "[[1, 2], [3]]": lambda tf: [[1, 2], [3]],
    "range(2)": lambda tf: range(2),
}
NUMPY: dict[str, Value] = {
    **{f"np.{t}(1)": (lambda tf, t=t: np.dtype(t).type(1)) for t in NUMPY_TYPES},
    **{
        f"np.array([1, 0], {t})": (lambda tf, t=t: np.array([1, 0], t))
        for t in NUMPY_TYPES
    },
    "np.array(['a', 'b'])": lambda tf: np.array(["a", "b"]),
    "np.array([b'a', b'b'])": lambda tf: np.array([b"a", b"b"]),
    "np.array(['a', b'b'], object)": lambda tf: np.array(["a", b"b"], object),
    "np.array([1, 2], object)": lambda tf: np.array([1, 2], object),
    "np.array(2.0)": lambda tf: np.array(2.0),
    "np.zeros((0, 2))": lambda tf: np.zeros((0, 2)),
    "np.str_('a')": lambda tf: np.str_("a"),
    "np.datetime64": lambda tf: np.datetime64("2020-01-01"),
    "bfloat16 array": lambda tf: np.array([1, 2], tf.bfloat16.as_numpy_dtype),
    "[np.int64(1), 2]": lambda tf: [np.int64(1), 2],
    "[1, np.int64(2)]": lambda tf: [1, np.int64(2)],
    "[np.float32(1), 2]": lambda tf: [np.float32(1), 2],
    "[np.float64(1), 2.0]": lambda tf: [np.float64(1), 2.0],
    "[np.float32(1), np.float64(2)]": lambda tf: [np.float32(1), np.float64(2)],
    "[np.int32(1), np.int64(2)]": lambda tf: [np.int32(1), np.int64(2)],
    "[np.array([1, 2]), [3, 4]]": lambda tf: [np.array([1, 2]), [3, 4]],
    "[np.float32([1, 2]), [3, 4]]": lambda tf: [np.float32([1, 2]), [3, 4]],
}
TENSORS: dict[str, Value] = {
    **{f"{t} scalar": _tensor(t, 1) for t in TENSOR_TYPES},
    **{f"{t} vector": _tensor(t, [1, 0]) for t in ("int32", "int64", "float32",
                                                   "float64", "bool")},
    "float32 matrix": _tensor("float32", [[1, 2], [3, 4]]),
    "string scalar": _tensor("string", "a"),
    "string vector": _tensor("string", ["a", "b"]),
    **{f"symbolic {t}": _traced(_tensor(t, [1, 0])) for t in ("int32", "int64",
                                                              "float32", "bool")},
    "float32 variable": lambda tf: tf.Variable([1.0, 2.0]),
    "int32 variable": lambda tf: tf.Variable(1),
    "int64 variable": lambda tf: tf.Variable([1, 2], dtype=tf.int64),
    "[int32, 1]": lambda tf: [tf.constant(1), 1],
    "[1, int64]": lambda tf: [1, tf.constant(1, tf.int64)],
    "[float32, 1]": lambda tf: [tf.constant(1.0), 1],
    "[1, float32]": lambda tf: [1, tf.constant(1.0)],
    "[1.5, int32]": lambda tf: [1.5, tf.constant(1)],
    "[float32, float64]": lambda tf: [tf.constant(1.0), tf.constant(1.0, tf.float64)],
    "[float32, np.float64]": lambda tf: [tf.constant(1.0), np.float64(1)],
    "[np.float64, float32]": lambda tf: [np.float64(1), tf.constant(1.0)],
    "[[float32, 1.0], [2, 3]]": lambda tf: [[tf.constant(1.0), 1.0], [2, 3]],
    "[variable, 1]": lambda tf: [tf.Variable(1.0), 1],
    "[string, 'a']": lambda tf: [tf.constant("a"), "a"],
    "ragged float32": lambda tf: tf.ragged.constant([[1.0, 2.0], [3.0]]),
    "ragged int32": lambda tf: tf.ragged.constant([[1, 2], [3]]),
    "sparse": _sparse,
    "slices": lambda tf: tf.IndexedSlices(tf.constant([1.0, 2.0]), tf.constant([0, 1])),
    "TensorShape": lambda tf: tf.TensorShape([2, 2]),
    "TensorShape unknown": lambda tf: tf.TensorShape([2, None]),
    "TensorSpec": lambda tf: tf.TensorSpec([2], tf.float32),
    "tf.float32": lambda tf: tf.float32,
}
VALUES: dict[str, Value] = {**PYTHON, **NUMPY, **TENSORS}


CAST_TYPES = ("float32", "float64", "int32", "int64", "uint8", "bool", "string",
              "complex64", "float16")


def _typed(made: Callable[[Any, Any, Any], Any]) -> dict[str, Call]:
    return {
        t: (lambda tf, a, t=t: made(tf, a, tf.as_dtype(t))) for t in CAST_TYPES
    }


def _each(prefix: str, calls: dict[str, Call]) -> dict[str, Call]:
    return {f"{prefix} {name}": call for name, call in calls.items()}


CALLS: dict[str, Call] = {
    "convert": lambda tf, a: tf.convert_to_tensor(a),
    "constant": lambda tf, a: tf.constant(a),
    "identity": lambda tf, a: tf.identity(a),
    **_each("convert", _typed(lambda tf, a, t: tf.convert_to_tensor(a, t))),
    **_each("hint", _typed(lambda tf, a, t: tf.convert_to_tensor(a, dtype_hint=t))),
    **_each("constant", _typed(lambda tf, a, t: tf.constant(a, t))),
    **_each("cast", _typed(lambda tf, a, t: tf.cast(a, t))),
    **_each("variable", _typed(lambda tf, a, t: tf.Variable(a, dtype=t))),
    **_each("zeros", _typed(lambda tf, a, t: tf.zeros_like(a, t))),
    **_each(
        "x +", _typed(lambda tf, a, t: tf.cast(tf.constant([1, 2]), t) + a)
    ),
    **_each(
        "assign",
        _typed(lambda tf, a, t: tf.Variable(tf.cast(["1", "2"] if t == tf.string
               else [1, 2], t)).assign(a)),
    ),
    **_each(
        "assign_add",
        _typed(lambda tf, a, t: tf.Variable(tf.cast([1, 2], t)).assign_add(a)),
    ),
}
