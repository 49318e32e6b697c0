"""What the text of random calls names: variables, iterators, dtypes, nested lists,
arrays and functions, each by a letter, and `run`, which makes the call.
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "python" / "ops"))

import cases  # noqa: E402
import graphkiln as tf  # noqa: E402

_kept: list[Any] = []


def V(value: Any) -> Any:
    """The handle of a new variable, which lives as long as the process."""
    _kept.append(tf.Variable(value))
    del _kept[:-50]
    return _kept[-1].handle


def I(count: int) -> Any:  # noqa: E743
    """An iterator over so many numbers."""
    iterator = tf.raw_ops.AnonymousIteratorV3(
        output_types=[tf.int64], output_shapes=[[]]
    )
    dataset = tf.data.Dataset.range(count)._variant_tensor
    tf.raw_ops.MakeIterator(dataset=dataset, iterator=iterator)
    return iterator


def D(name: str) -> Any:
    """The dtype of this name; some are no attributes of the module."""
    return tf.as_dtype(name)


def N(depth: int) -> list[Any]:
    """A list this deep."""
    value: list[Any] = [1.0]
    for _ in range(depth):
        value = [value]
    return value


def T(dtype: str, shape: list[int], values: list[Any]) -> np.ndarray:
    """An array of this shape through which these values go round."""
    if dtype == "string":
        flat = np.array(values, object)
    elif "int" in dtype or dtype == "bool":
        kind = tf.as_dtype(dtype).as_numpy_dtype
        if dtype in ("int4", "uint4"):
            flat = np.array([v & 7 for v in values], np.int8).astype(kind)
        elif dtype == "bool":
            flat = np.array([bool(v) for v in values])
        else:
            bits = np.iinfo(kind).bits
            flat = np.array([v & (2**bits - 1) for v in values], np.uint64)
            flat = flat.astype(f"u{bits // 8}").view(kind)
    else:
        with np.errstate(all="ignore"):
            flat = np.array(values).astype(tf.as_dtype(dtype).as_numpy_dtype)
    return np.resize(flat, shape)


_turns = 0


def _until(i: Any) -> Any:
    """Ends the sequence of a generator after a few elements."""

    def turn(i: Any) -> Any:
        global _turns
        _turns += 1
        if _turns % 4 == 0:
            raise StopIteration
        return i

    return tf.numpy_function(turn, [i], tf.int64)


def _signature(*specs: Any) -> Any:
    return lambda f: tf.function(
        f, input_signature=specs, autograph=False
    ).get_concrete_function()


@functools.cache
def F(name: str) -> Any:
    """A concrete function of the pool."""
    any_f, any_i = tf.TensorSpec(None), tf.TensorSpec(None, tf.int32)
    long = tf.TensorSpec([], tf.int64)
    # Loops over them end: bodies empty their value, conditions of an empty
    # value do not hold.
    pool: dict[str, Any] = {
        "empty": _signature(any_f)(lambda x: tf.reshape(x, [-1])[:0]),
        "double": _signature(any_f)(lambda x: x * 2.0),
        "positive": _signature(any_f)(lambda x: tf.reduce_sum(x) > 0.0),
        "vector": _signature(any_f)(lambda x: tf.reshape(x, [-1]) > 0.0),
        "same": _signature(any_f)(lambda x: x),
        "none": _signature(any_f)(lambda x: ()),
        "two": _signature(any_f)(lambda x: (x, tf.shape(x))),
        "sum": _signature(any_f, any_f)(lambda x, y: x + y),
        "ints": _signature(any_i)(lambda x: x[:0]),
        "small": _signature(any_i)(lambda x: tf.reduce_any(x < 3)),
        "nullary": _signature()(lambda: tf.constant(1.0)),
        "truth": _signature()(lambda: tf.constant(False)),
        "text": _signature(any_f)(lambda x: tf.as_string(x)),
        "long": _signature(long)(lambda i: i * 2),
        "even": _signature(long)(lambda i: i % 2 == 0),
        "add": _signature(long, long)(lambda a, b: a + b),
        "scan": _signature(long, long)(lambda a, b: (a + b, a)),
        "nested": _signature(long)(
            lambda i: tf.data.Dataset.range(i)._variant_tensor
        ),
        "until": _signature(long)(
            lambda i: _until(i),
        ),
        "window": _signature(long, tf.TensorSpec([], tf.variant))(
            lambda key, window: window
        ),
        "fails": _signature(any_f)(
            lambda x: tf.debugging.check_numerics(x / 0.0, "bad")
        ),
        "print": _signature(any_f)(lambda x: (tf.print(x), x)[1]),
    }
    return pool[name]


def run(mode: str, f: Any, *values: Any) -> Any:
    """`f` of these values in a mode: eager, or a trace of known, of partly
    known or of unknown shapes; with gradients or without; "baked" is a trace
    in which the values are constants."""
    how, _, gradient = mode.partition("+")
    values = tuple(tf.constant(v) if isinstance(v, np.ndarray) else v for v in values)
    fed = [] if how == "baked" else [v for v in values if v.dtype != tf.resource]

    def traced(*arguments: Any) -> Any:
        next_argument = iter(arguments)
        given = []
        for v in values:
            if v.dtype == tf.resource or v.dtype == tf.variant and not fed:
                given.append(v)
            else:
                given.append(next(next_argument) if fed else tf.constant(v.numpy()))
        out = cases.flatten(f(*given))
        sources = [t for t in given if t.dtype.is_floating or t.dtype.is_complex]
        targets = [
            t for t in out if hasattr(t, "dtype") and t.dtype.is_floating
        ]
        if gradient and sources and targets:
            slopes = tf.gradients(targets, sources)
            out += [g for g in slopes if g is not None]
        return [t for t in out if tf.is_tensor(t)]

    if how == "eager":
        if not gradient:
            return _settle(cases.flatten(f(*values)))
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([t for t in values if t.dtype.is_floating])
            with tf.GradientTape() as inner:
                inner.watch([t for t in values if t.dtype.is_floating])
                out = [t for t in cases.flatten(f(*values)) if tf.is_tensor(t)]
            first = inner.gradient(
                [t for t in out if t.dtype.is_floating], list(values)
            )
        first = [t for t in first if t is not None]
        second = []
        if gradient == "second" and first:
            second = tape.gradient(first, list(values))
        return _settle([t for t in [*out, *first, *second] if t is not None])

    def spec(value: Any) -> Any:
        shape = value.shape
        if how == "partly":
            shape = [None if i % 2 else d for i, d in enumerate(shape)]
        return tf.TensorSpec(None if how == "unknown" else shape, value.dtype)

    signature = [spec(v) for v in fed]
    function = tf.function(traced, input_signature=signature, autograph=False)
    return _settle(cases.flatten(function(*fed)))


def _settle(out: list[Any]) -> list[Any]:
    """Reads what came: prints values, takes elements of datasets."""
    for t in out:
        if getattr(t, "dtype", None) == tf.variant:
            if t.shape == []:
                _read_dataset(t)
        elif tf.is_tensor(t):
            try:
                repr(t)
            except MemoryError:
                # NumPy has no memory for its copy of a huge value.
                pass
    return out


def _read_dataset(t: Any) -> None:
    if "dataset" not in str(t).lower():
        return
    for types in ([tf.int64], [tf.float32]):
        iterator = tf.raw_ops.AnonymousIteratorV3(
            output_types=types, output_shapes=[tf.TensorShape(None)]
        )
        try:
            tf.raw_ops.MakeIterator(dataset=t, iterator=iterator)
            for _ in range(3):
                tf.raw_ops.IteratorGetNext(
                    iterator=iterator,
                    output_types=types,
                    output_shapes=[tf.TensorShape(None)],
                )
        except (tf.errors.InvalidArgumentError, tf.errors.OutOfRangeError):
            pass
