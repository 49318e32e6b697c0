"""Python integers that 32 bits do not hold are never cut: sizes and indices
become int64 where the op takes it, all else is an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphkiln as tf

BIG = 2**32
REFUSED = (
    ValueError,
    TypeError,
    tf.errors.InvalidArgumentError,
    tf.errors.ResourceExhaustedError,
    tf.errors.OutOfRangeError,
)

CUT: dict[str, Callable[[], Any]] = {
    "gather": lambda: tf.gather([1.0, 2.0], [BIG + 1]),
    "gather axis": lambda: tf.gather([1.0, 2.0], [0], axis=BIG),
    "gather of an array": lambda: tf.gather([1.0], np.array([BIG])),
    "gather_nd": lambda: tf.gather_nd([1.0, 2.0], [[BIG]]),
    "slice": lambda: tf.slice([1.0, 2.0], [BIG], [BIG + 1]),
    "slice size": lambda: tf.slice([1.0, 2.0], [0], [BIG + 1]),
    "slice of tensors": lambda: tf.slice([1.0], tf.constant([0]), [BIG + 1]),
    "raw slice": lambda: tf.raw_ops.Slice(
        input=[1.0, 2.0], begin=tf.constant([0]), size=[BIG + 1]
    ),
    "reshape": lambda: tf.reshape(tf.zeros([0]), [BIG]),
    "reshape with a tensor": lambda: tf.reshape([1, 2], [tf.constant(1), BIG + 2]),
    "pad": lambda: tf.pad([1.0], [[BIG, BIG + 1]]),
    "pad value": lambda: tf.pad([1], [[1, 1]], constant_values=BIG),
    "tile": lambda: tf.tile([1], [2**33 + 3]),
    "broadcast_to": lambda: tf.broadcast_to(1.0, [2**34 + 3]),
    "fill": lambda: tf.fill([2**34 + 3], 1.0),
    "raw fill": lambda: tf.raw_ops.Fill(dims=[2**34 + 3], value=1.0),
    "zeros": lambda: tf.zeros([2**34]),
    "zeros of a number": lambda: tf.zeros(2**34 + 1),
    "ones": lambda: tf.ones([2**34 + 1]),
    "eye": lambda: tf.eye(3, num_columns=2**34 + 1),
    "eye of many": lambda: tf.eye(1, batch_shape=[2**34 + 1]),
    "expand_dims": lambda: tf.expand_dims([1.0], BIG),
    "reduce_sum": lambda: tf.reduce_sum([[1.0, 2.0]], BIG),
    "reduce_sum of a NumPy axis": lambda: tf.reduce_sum([1.0], np.int64(BIG)),
    "reduce_sum of an array": lambda: tf.reduce_sum([1.0], np.array([BIG])),
    "argmax": lambda: tf.argmax([1.0], BIG),
    "cumsum": lambda: tf.cumsum([1.0], BIG),
    "concat axis": lambda: tf.concat([[1], [2]], BIG),
    "split axis": lambda: tf.split([1.0, 2.0], 2, axis=BIG),
    "split sizes": lambda: tf.split([1.0, 2.0], [BIG + 1, 1]),
    "raw split axis": lambda: tf.raw_ops.Split(axis=BIG, value=[1.0], num_split=1),
    "raw split array": lambda: tf.raw_ops.Split(
        axis=np.array(BIG), value=[1.0], num_split=1
    ),
    "reverse": lambda: tf.reverse([1.0], [BIG]),
    "transpose": lambda: tf.transpose([[1.0]], [BIG, BIG + 1]),
    "one_hot": lambda: tf.one_hot([1], BIG),
    "top_k": lambda: tf.math.top_k([1.0], BIG + 1),
    "scatter_nd": lambda: tf.scatter_nd([[BIG]], [1.0], [2]),
    "scatter_nd shape": lambda: tf.scatter_nd([[0]], [1.0], [BIG + 2]),
    "unsorted_segment_sum": lambda: tf.math.unsorted_segment_sum(
        [1.0], [0], 2**34 + 1
    ),
    "diag": lambda: tf.linalg.diag([1.0], k=BIG),
    "list sizes": lambda: tf.raw_ops.TensorListReserve(
        element_shape=[2], num_elements=BIG + 1, element_dtype=tf.float32
    ),
    "space_to_batch": lambda: tf.space_to_batch(
        [[[[1.0]]]], [BIG + 1, 1], [[0, 0], [0, 0]]
    ),
    "linspace": lambda: tf.linspace(0.0, 1.0, 2**34 + 2),
    "repeat": lambda: tf.repeat([1], 2**34 + 1),
    "bincount": lambda: tf.math.bincount([1], minlength=2**34),
    "sequence_mask": lambda: tf.sequence_mask([1], 2**34 + 1),
}


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", CUT)
def test_a_number_too_large_is_refused(name: str, traced: bool) -> None:
    call = CUT[name]
    if traced:
        call = tf.function(call, autograph=False)
    with pytest.raises(REFUSED):
        call()


@pytest.mark.parametrize("traced", [False, True])
def test_sizes_that_fit_64_bits_are_kept(traced: bool) -> None:
    def shapes() -> list[tf.Tensor]:
        sizes = [BIG + 3, 0]
        return [
            tf.fill(sizes, 1.0),
            tf.fill(np.array(sizes), 1.0),
            tf.fill([np.int64(BIG + 3), 0], 1.0),
            tf.fill(tf.TensorShape(sizes), 1.0),
            tf.zeros(sizes),
            tf.broadcast_to(1.0, sizes),
            tf.tile([[]], sizes[:1] + [1]),
            tf.reshape(tf.zeros([0]), sizes),
            tf.random.normal(sizes),
            tf.random.stateless_uniform(sizes, [1, 2]),
        ]

    call = tf.function(shapes, autograph=False) if traced else shapes
    for found in call():
        assert tuple(found.shape) == (BIG + 3, 0)


@pytest.mark.parametrize("traced", [False, True])
def test_numbers_of_one_list_become_int64_together(traced: bool) -> None:
    def both() -> list[tf.Tensor]:
        return [
            tf.stack([1, BIG]),
            tf.range(BIG, BIG + 2),
            tf.sequence_mask([BIG + 1], 3),
            tf.pad(tf.constant([1], tf.int64), [[0, 1]], constant_values=2**62 + 1),
        ]

    call = tf.function(both, autograph=False) if traced else both
    stack, numbers, mask, padded = call()
    assert stack.numpy().tolist() == [1, BIG]
    assert numbers.numpy().tolist() == [BIG, BIG + 1]
    assert mask.numpy().tolist() == [[True, True, True]]
    assert padded.numpy().tolist() == [1, 2**62 + 1]


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("known", [False, True])
def test_an_int64_tensor_beside_numbers(traced: bool, known: bool) -> None:
    def results(n: tf.Tensor, zero: tf.Tensor) -> list[tf.Tensor]:
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        return [
            tf.reshape(x, [n, -1]),
            tf.fill([n, 2], 1.0),
            tf.zeros([n, 2]),
            tf.zeros([2, n]),
            tf.ones([tf.constant(2), n]),
            tf.broadcast_to(1.0, [n, 2]),
            tf.slice(x, [zero, 0], [2, 2]),
            tf.slice(x, [0, 0], [n, 2]),
            tf.raw_ops.Slice(input=x, begin=[0, 0], size=[n, 2]),
            tf.pad(tf.zeros([1, 1]), [[zero, 1], [1, 0]]),
            tf.tile([[1.0]], [n, 2]),
            tf.random.normal([n, 2]),
            tf.random.uniform([2, n]),
            tf.random.truncated_normal([n, 2]),
            tf.random.gamma([n, 2], 1.0),
            tf.random.stateless_uniform([n, 2], [1, n]),
            tf.gather(x, [zero, 1]),
            tf.transpose(x, [n - 1, 0]),
            tf.eye(n),
            tf.eye(2, n),
            tf.eye(2, batch_shape=[n])[0],
        ]

    call: Callable[..., Any] = results
    if traced:
        call = tf.function(results, autograph=False)
        if not known:
            spec = tf.TensorSpec([], tf.int64)
            call = tf.function(
                results, input_signature=[spec, spec], autograph=False
            )
    two, zero = tf.constant(2, tf.int64), tf.constant(0, tf.int64)
    for found in call(two, zero):
        assert tuple(found.shape) == (2, 2)
    assert tf.convert_to_tensor([3, two], tf.int32).dtype == tf.int32
    joined = tf.concat((tf.constant([0, 0]), [tf.constant(1, tf.int64)]), 0)
    assert joined.dtype == tf.int32 and joined.numpy().tolist() == [0, 0, 1]


def test_values_take_the_dtype_that_is_demanded_as_a_cast_does() -> None:
    assert int(tf.constant(300, tf.uint8)) == 44
    assert int(tf.constant(1) + BIG) == 1
    assert tf.constant([BIG, 1], tf.int32).numpy().tolist() == [0, 1]


@pytest.mark.parametrize("value", ["np.zeros([2])", "np.array('a')", "np.float32(1)"])
@pytest.mark.parametrize("traced", [False, True])
def test_an_array_is_no_handle(value: str, traced: bool) -> None:
    array = eval(value)
    calls: list[tuple[Callable[[], Any], type[Exception]]] = [
        (lambda: tf.raw_ops.TensorListLength(input_handle=array), TypeError),
        (lambda: tf.raw_ops.OptionalHasValue(optional=array), TypeError),
        (lambda: tf.raw_ops.DatasetCardinality(input_dataset=array), TypeError),
        (
            lambda: tf.raw_ops.VarIsInitializedOp(resource=array),
            TypeError if traced else ValueError,
        ),
        (lambda: tf.convert_to_tensor(array, tf.variant), TypeError),
        (
            lambda: tf.convert_to_tensor(array, tf.resource),
            TypeError if traced else ValueError,
        ),
    ]
    for call, error in calls:
        with pytest.raises(error):
            (tf.function(call, autograph=False) if traced else call)()


@pytest.mark.parametrize(
    "count",
    [
        lambda splits: tf.raw_ops.RaggedBincount(
            splits=splits, values=[1, 2, 1, 4], size=5, weights=[0.5] * 4,
            binary_output=False,
        ),
        lambda splits: tf.raw_ops.RaggedCountSparseOutput(
            splits=splits, values=[1, 2, 1, 4], weights=[0.5] * 4,
            binary_output=False,
        ),
    ],
)
def test_rows_that_end_too_late_take_no_memory(
    count: Callable[[tf.Tensor], Any],
) -> None:
    # A row of 2**59 values that the next split takes back.
    with pytest.raises(tf.errors.InvalidArgumentError, match="must not fall"):
        count(tf.constant([0, 2, 2**59, 4], tf.int64))
