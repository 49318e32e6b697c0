"""Arguments that no op can use are errors in both modes."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphkiln as tf

InvalidArgument = tf.errors.InvalidArgumentError
WRONG = (InvalidArgument, ValueError)


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def unknown(f: Callable[..., Any], *dtypes: tf.DType) -> Any:
    specs = [tf.TensorSpec(None, t) for t in dtypes]
    return tf.function(f, input_signature=specs, autograph=False)


def both(
    call: Callable[[], Any], error: Any = WRONG, match: str | None = None
) -> None:
    for run in (call, tf.function(call, autograph=False)):
        with pytest.raises(error, match=match):
            run()


@pytest.mark.parametrize(
    "value_range",
    [[1.0, 1.0], [1.0, 0.0], [0.0], [0.0, 1.0, 2.0], 0.0, [[0.0, 1.0]],
     [float("nan"), 1.0], []],
)  # fmt: skip
def test_the_range_of_a_histogram(value_range: object) -> None:
    both(lambda: tf.histogram_fixed_width([0.0, 0.5], value_range, nbins=3))
    f = unknown(
        lambda v, r: tf.histogram_fixed_width(v, r, nbins=3), tf.float32, tf.float32
    )
    with pytest.raises(InvalidArgument):
        f([0.0, 0.5], np.array(value_range, np.float32))


@pytest.mark.parametrize("nbins", [0, -1, [3]])
def test_the_bins_of_a_histogram(nbins: object) -> None:
    both(lambda: tf.histogram_fixed_width([0.0, 0.5], [0.0, 1.0], nbins=nbins))


@pytest.mark.parametrize("nbins", [2**31, 2**40])
def test_more_bins_than_their_number_can_say(nbins: int) -> None:
    both(
        lambda: tf.histogram_fixed_width([0.0, 0.5], [0.0, 1.0], nbins=nbins),
        (ValueError, TypeError), "out-of-range integer|Expected int32",
    )


def test_histograms_of_every_dtype() -> None:
    for dtype in (tf.int32, tf.int64, tf.float32, tf.float64):
        values = tf.constant([[0, 5], [3, -9]], dtype)
        counts = tf.histogram_fixed_width(values, [0, 5], nbins=5, dtype=tf.int64)
        assert counts.dtype == tf.int64
        assert counts.numpy().tolist() == [2, 0, 0, 1, 1]
    wide = tf.histogram_fixed_width([float("inf"), -1e30, 0.5], [0.0, 1.0], nbins=2)
    assert wide.numpy().tolist() == [1, 2]
    with pytest.raises(InvalidArgument, match="NaN"):
        tf.histogram_fixed_width([float("nan")], [0.0, 1.0])


def filled_list() -> tf.Tensor:
    return tf.raw_ops.TensorListFromTensor(
        tensor=tf.ones([3, 2, 4]), element_shape=tf.constant([2, 4])
    )


@pytest.mark.parametrize("shape", [[3, 4], [-1, 5], [-1], [], [-2, 4], [-1, 4, 1], 0])
def test_the_element_shape_of_a_concatenated_list(shape: object) -> None:
    def concat(handle: tf.Tensor) -> tf.Tensor:
        return tf.raw_ops.TensorListConcatV2(
            input_handle=handle,
            element_shape=tf.constant(shape, tf.int64),
            leading_dims=tf.constant([], tf.int64),
            element_dtype=tf.float32,
        )[0]

    both(lambda: concat(filled_list()))
    if shape == []:
        both(
            lambda: concat(
                tf.raw_ops.EmptyTensorList(
                    element_shape=-1, max_num_elements=-1, element_dtype=tf.float32
                )
            )
        )


@pytest.mark.parametrize("shape", [(0, 3, 2, 4), (3, 0, 2, 4), (3, 3, 2, 0)])
def test_filters_without_elements(shape: tuple[int, ...]) -> None:
    def conv(x: Any, f: Any) -> tf.Tensor:
        return tf.nn.conv2d(x, f, 1, "SAME")

    def depthwise(x: Any, f: Any) -> tf.Tensor:
        return tf.nn.depthwise_conv2d(x, f, [1, 1, 1, 1], "SAME")

    for call in (conv, depthwise):
        both(lambda c=call: c(ones(1, 5, 5, 2), ones(*shape)), match="zero elements")
        with pytest.raises(InvalidArgument, match="zero elements"):
            unknown(call, tf.float32, tf.float32)(ones(1, 5, 5, 2), ones(*shape))


@pytest.mark.parametrize(
    "strides", [[1, 1], [1], 1, [1, 1, 1], [2, 1, 1, 1], [1, 0, 0, 1], [1, -1, -1, 1]]
)
def test_strides_of_depthwise_convolutions(strides: object) -> None:
    error = (*WRONG, tf.errors.UnimplementedError)
    both(
        lambda: tf.nn.depthwise_conv2d(
            ones(1, 5, 5, 2), ones(3, 3, 2, 1), strides, "SAME"
        ),
        error,
    )


@pytest.mark.parametrize(
    ("logits", "labels"),
    [((3, 5), (3, 1)), ((2, 3, 5), (6,)), ((2, 3, 5), (3, 2)), ((3, 5), (4,)),
     ((3, 5), ()), ((2, 3, 5), (2, 1)), ((3, 0), (3,))],
)  # fmt: skip
def test_labels_of_sparse_cross_entropy(
    logits: tuple[int, ...], labels: tuple[int, ...]
) -> None:
    def loss(y: Any, x: Any) -> tf.Tensor:
        return tf.nn.sparse_softmax_cross_entropy_with_logits(y, x)

    y, x = np.zeros(labels, np.int32), ones(*logits)
    both(lambda: loss(y, x))
    with pytest.raises(InvalidArgument):
        unknown(loss, tf.int32, tf.float32)(y, x)


@pytest.mark.parametrize("shape", [(5,), (3, 5), (2, 3, 5), (0, 5), (2, 3, 4, 5)])
def test_sparse_cross_entropy_of_unknown_shapes(shape: tuple[int, ...]) -> None:
    f = unknown(
        lambda y, x: tf.nn.sparse_softmax_cross_entropy_with_logits(y, x),
        tf.int32,
        tf.float32,
    )
    assert tuple(f(np.zeros(shape[:-1], np.int32), ones(*shape)).shape) == shape[:-1]


@pytest.mark.parametrize("index", [2**31, 2**32, 2**40, -(2**40), 3, -1])
def test_places_of_a_tensor_array(index: int) -> None:
    def array() -> tf.TensorArray:
        return tf.TensorArray(tf.float32, 3, element_shape=[]).unstack([1.0, 2.0, 3.0])

    calls: list[Callable[[Any], Any]] = [
        lambda i: array().read(i),
        lambda i: array().write(i, 1.0).stack(),
        lambda i: array().gather([i]),
        lambda i: array().scatter([i], [1.0]).stack(),
    ]
    error = (*WRONG, tf.errors.OutOfRangeError, tf.errors.ResourceExhaustedError)
    for call in calls:
        with pytest.raises(error):
            call(index)
        with pytest.raises(error):
            call(tf.constant(index, tf.int64))
    for call in (calls[0], calls[2]):
        both(lambda c=call: c(index), error)
        spec = tf.TensorSpec([], tf.int64)
        traced = tf.function(call, input_signature=[spec], autograph=False)
        with pytest.raises(error):
            traced(tf.constant(index, tf.int64))


@pytest.mark.parametrize("size", [2**31, 2**40, [3], 1.5, "x"])
def test_sizes_of_a_tensor_array(size: object) -> None:
    error = (*WRONG, TypeError, tf.errors.OutOfRangeError,
             tf.errors.ResourceExhaustedError)  # fmt: skip
    both(lambda: tf.TensorArray(tf.float32, size, element_shape=[]).stack(), error)


@pytest.mark.parametrize("alg", [99, 0, -1, 4, 2**40, "x"])
def test_algorithms_that_do_not_exist(alg: object) -> None:
    G = tf.random.Generator
    for call in (
        lambda: G.from_seed(1, alg=alg),
        lambda: G(state=[1, 2, 3], alg=alg),
        lambda: G.from_state([1, 2, 3], alg),
        lambda: G.from_key_counter(1, [1, 2], alg),
        lambda: G.from_non_deterministic_state(alg),
        lambda: tf.random.create_rng_state(1, alg),
        lambda: tf.random.stateless_uniform([1], [1, 2], alg=alg),
        lambda: tf.random.stateless_normal([1], [1, 2], alg=alg),
    ):
        with pytest.raises(ValueError, match="unsupported value"):
            call()


@pytest.mark.parametrize("alg", [1.5, [1], None])
def test_algorithms_that_are_no_numbers(alg: object) -> None:
    with pytest.raises(TypeError, match="Can't convert argument `alg`"):
        tf.random.create_rng_state(1, alg)


def test_every_way_to_name_an_algorithm() -> None:
    for alg in (1, 3, "philox", "auto_select", tf.random.Algorithm.PHILOX):
        state = tf.random.create_rng_state(1, alg)
        assert tf.random.Generator(state=state, alg=alg).normal([1]).shape == [1]


@pytest.mark.parametrize("state", [[1, 2], [1, 2, 3, 4], [], [[1, 2, 3]], 1])
def test_states_of_a_generator(state: object) -> None:
    with pytest.raises(ValueError, match="incompatible"):
        tf.random.Generator(state=state, alg=1)


def nested(depth: int) -> list:
    value: list = [1.0]
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("depth", [300, 5000, 200_000])
def test_deep_lists_are_errors_and_nothing_else(depth: int) -> None:
    deep = nested(depth)
    error = (*WRONG, TypeError, IndexError, RecursionError)
    calls: list[Callable[[], Any]] = [
        lambda: tf.constant(deep),
        lambda: tf.convert_to_tensor(deep),
        lambda: tf.reduce_sum(deep),
        lambda: tf.reshape([1.0], deep),
        lambda: tf.raw_ops.Squeeze(input=[1.0], axis=deep),
        lambda: tf.constant(1.0) + deep,
        lambda: tf.stack([tf.constant(1.0), deep]),
        lambda: tf.constant([1.0])[deep],
        lambda: tf.Variable(deep),
        lambda: tf.TensorSpec(deep),
        lambda: tf.TensorShape(deep),
        lambda: tf.zeros(deep),
        lambda: tf.data.Dataset.from_tensors(deep),
    ]
    if depth > 300:
        calls.append(lambda: tf.ragged.constant(deep))
    for call in calls:
        with pytest.raises(error):
            call()
        with pytest.raises(error):
            tf.function(call, autograph=False)()
    with pytest.raises(error):
        tf.function(lambda x: tf.reduce_sum(x))(deep)
    if depth > 300:
        with pytest.raises(error):
            tf.function(lambda: deep)()


SIGNATURES = [
    (lambda: tf.random.Generator.from_seed(), "missing required argument: 'seed'"),
    (lambda: tf.random.Generator.from_seed(1, "philox", 2), "but 4 were given"),
    (lambda: tf.random.Generator.from_seed(1, seed=2), "multiple values for argument 'seed'"),
    (lambda: tf.random.Generator.from_seed(1, sed=2), "unexpected keyword argument 'sed'"),
    (lambda: tf.initializers.HeNormal(1, 2), "HeNormal() takes 1 positional"),
    (lambda: tf.data.Dataset.zip(names=()), "unexpected keyword argument 'names'"),
    (lambda: tf.DeviceSpec(**{1: 2}), "keywords must be strings"),
]


@pytest.mark.parametrize(("call", "message"), SIGNATURES)
def test_arguments_that_fit_no_signature_are_told(
    call: Callable[[], Any], message: str
) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        call()


def test_classes_of_the_extension_are_derived_copied_and_pickled() -> None:
    class Named(tf.DeviceSpec):
        def __init__(self, name: str) -> None:
            super().__init__(device_type="cpu", device_index=1)
            self.name = name

    assert Named("a").to_string() == "/device:CPU:1"
    for value in (tf.DeviceSpec("worker", task=2), tf.initializers.HeNormal(seed=3)):
        for same in (copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            assert type(same) is type(value)
            assert same == value or vars(same) == vars(value)


def test_eager_calls_take_any_name_as_tensorflow_does():
    # A package gives the permutation of matrix_transpose in its place.
    assert tf.linalg.matrix_transpose([[1.0, 2.0]], (0, 2, 1)).shape == [2, 1]
    assert tf.stack([1], 0, 5).shape == [1]
    assert tf.add(1, 2, (0, 1)) == 3
    assert tf.raw_ops.Neg(x=1, name=2) == -1

    for call in (lambda: tf.add(1, 2, (0, 1)), lambda: tf.linalg.trace([[1.0]], 5)):
        with pytest.raises(TypeError, match="Expected a string for `name`"):
            tf.function(call)()
