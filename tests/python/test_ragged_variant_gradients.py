"""Derivatives go through the variants that hold ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import graphkiln as tf

raw_ops = tf.raw_ops
NESTED = [[0, 2, 2, 3], [0, 1, 3, 6]]


def there_and_back(
    values: Any,
    nested_splits: list[list[int]],
    batched: bool,
    between: Callable[[Any], Any],
) -> Any:
    """The values that come out again."""
    encoded = between(
        raw_ops.RaggedTensorToVariant(
            rt_nested_splits=[tf.constant(s, tf.int64) for s in nested_splits],
            rt_dense_values=values,
            batched_input=batched,
        )
    )
    inner = len(nested_splits) - batched
    return raw_ops.RaggedTensorFromVariant(
        encoded_ragged=encoded,
        input_ragged_rank=inner,
        output_ragged_rank=inner + encoded.shape.rank,
        Tvalues=values.dtype,
    ).output_dense_values


def cubes(x: Any, *how: Any) -> tuple[Any, Any]:
    """Of the sum of cubes of what comes out, the derivatives, twice."""
    with tf.GradientTape() as second, tf.GradientTape() as first:
        second.watch(x)
        first.watch(x)
        y = tf.reduce_sum(there_and_back(x, *how) ** 3)
        # Here, for first to be recorded by second.
        d = first.gradient(y, x)
        total = tf.reduce_sum(d)
    return d, second.gradient(total, x)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
@pytest.mark.parametrize(
    ("splits", "batched", "between", "used"),
    [
        ([[0, 2, 2, 3]], True, tf.identity, [1, 1, 1]),
        ([[0, 2, 2, 3]], False, tf.identity, [1, 1, 1]),
        (NESTED, True, tf.identity, [1, 1, 1, 1, 1, 1]),
        (NESTED, False, tf.identity, [1, 1, 1, 1, 1, 1]),
        ([], False, tf.identity, [1, 1]),
        # Rows that nothing is made of. TensorFlow's zeros for them are as many
        # as there are inner rows.
        ([[0, 2, 2, 3]], True, lambda e: e[0], [1, 1, 0]),
        ([[0, 2, 2, 3]], True, lambda e: e[:1], [1, 1, 0]),
        ([[0, 2, 2, 3]], True, lambda e: tf.unstack(e)[2], [0, 0, 1]),
        (NESTED, True, lambda e: e[0], [1, 1, 1, 0, 0, 0]),
        (NESTED, True, lambda e: e[1:], [0, 0, 0, 1, 1, 1]),
        # TensorFlow has no gradient here.
        ([[0, 2, 2, 3]], True, lambda e: tf.stack([e, e]), [2, 2, 2]),
        (NESTED, True, lambda e: tf.stack([[e], [e]]), [2, 2, 2, 2, 2, 2]),
    ],
)
def test_both_orders(
    wrap: Callable[[Any], Any],
    splits: list[list[int]],
    batched: bool,
    between: Callable[[Any], Any],
    used: list[int],
) -> None:
    x = tf.range(1.0, 1.0 + len(used))
    d, dd = wrap(lambda x: cubes(x, splits, batched, between))(x)
    weights = tf.constant(used, tf.float32)
    assert d.numpy().tolist() == (3 * weights * x**2).numpy().tolist()
    assert dd.numpy().tolist() == (6 * weights * x).numpy().tolist()


def test_squares() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(
            there_and_back(x, [[0, 2, 2, 3]], True, tf.identity) ** 2
        )
    assert tape.gradient(y, x).numpy().tolist() == [2, 4, 6]


def test_values_of_more_dimensions() -> None:
    x = tf.reshape(tf.range(1.0, 7.0), [3, 2])
    d, dd = cubes(x, [[0, 2, 3]], True, lambda e: e[:1])
    assert d.numpy().tolist() == [[3, 12], [27, 48], [0, 0]]
    assert dd.numpy().tolist() == [[6, 12], [18, 24], [0, 0]]


def test_functions_of_rows() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        rows = tf.RaggedTensor.from_row_lengths(x, [2, 0, 1])
        y = tf.map_fn(
            lambda row: tf.reduce_sum(row**2), rows,
            fn_output_signature=tf.float32,
        )
    assert tape.gradient(y, x).numpy().tolist() == [2, 4, 6]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_optionals(wrap: Callable[[Any], Any]) -> None:
    def derivatives(x: Any) -> tuple[Any, Any]:
        with tf.GradientTape() as second, tf.GradientTape() as first:
            second.watch(x)
            first.watch(x)
            rows = tf.RaggedTensor.from_row_lengths(x, [2, 0, 1])
            rows, whole, _ = tf.experimental.Optional.from_value(
                (rows, x, "text")
            ).get_value()
            y = tf.reduce_sum(rows.values**2 * whole)
            d = first.gradient(y, x)
        return d, second.gradient(d, x)

    d, dd = wrap(derivatives)(tf.constant([1.0, 2.0, 3.0]))
    assert d.numpy().tolist() == [3, 12, 27]
    assert dd.numpy().tolist() == [6, 12, 18]


@pytest.mark.parametrize(
    ("splits", "shape"),
    [([0, 2, 3], [-1]), ([0, 2, 3], 3), ([0], [3]), ([0, 9, 3], [3]),
     (0, [3]), ([0, 2, 3], [4]), ([0, 2, 3], []), ([2, 0, 3], [3])],
)
def test_bad_gradients(splits: Any, shape: Any) -> None:
    encoded = raw_ops.RaggedTensorToVariant(
        rt_nested_splits=[tf.constant([0, 2, 3], tf.int64)],
        rt_dense_values=[1.0, 2.0, 3.0],
        batched_input=True,
    )
    with tf.GradientTape() as tape:
        tape.watch(encoded)
        one = encoded[1]
    missing = tape.gradient(one, encoded, output_gradients=one)
    with pytest.raises(tf.errors.InvalidArgumentError):
        raw_ops.RaggedTensorToVariantGradient(
            encoded_ragged_grad=missing,
            row_splits=tf.constant(splits, tf.int64),
            dense_values_shape=shape,
            Tvalues=tf.float32,
        )
