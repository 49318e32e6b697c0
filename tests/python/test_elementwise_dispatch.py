"""Every public function that goes element by element does so on ragged tensors
and on extension types, and on sparse tensors if zeros stay zeros; eagerly and
in traces, with no more said of it than its record says."""

import inspect

import numpy as np
import pytest

import graphkiln as tf
from public_names import public_names

_FLAT = (
    np.float32([0.5, 0.25, 0.75]), np.int32([1, 2, 3]),
    np.array(["1", "2", "3"]), np.array([True, False, True]),
    np.array(["YQ", "YmI", "Y2Nj"]),
)


def _functions(maps: int) -> dict:
    return {
        name: function for name, function in public_names()
        if getattr(function, "_maps", 0) == maps
    }


def _rest(function, count: int) -> list:
    """What else a function needs."""
    rest = []
    for parameter in list(inspect.signature(function).parameters.values())[count:]:
        if parameter.default is parameter.empty:
            known = {"dtype": tf.float64, "clip_value_min": 0.3,
                     "clip_value_max": 0.6, "pos": 0, "len": 1,
                     "message": "bad", "b": 2.0, "x": 0.5, "delta": 0.25,
                     "max_delta": 0.25, "seed": (1, 2), "pattern": "2",
                     "rewrite": "b", "num_buckets": 7, "key": [1, 2],
                     "input_encoding": "UTF-8", "output_encoding": "UTF-16-BE"}
            rest.append(known[parameter.name])
    return rest


def _operands(function, count: int) -> tuple:
    """Flat arguments that it takes, and what it makes of them."""
    failures = []
    for flat in _FLAT:
        operands = [tf.constant(flat)] * count
        try:
            return operands, function(*operands, *_rest(function, count))
        except (TypeError, ValueError, tf.errors.InvalidArgumentError) as e:
            failures.append(e)
    raise AssertionError(failures)


def _calls(function, count: int):
    """The call as it is and within a trace."""
    def call(*operands):
        return function(*operands, *_rest(function, count))

    return call, tf.function(call, autograph=False)


# The first operand of a product with a scalar is a tensor's, as in TensorFlow;
# two random pictures differ.
_ALL = [
    (name, f, n) for n in (1, 2) for name, f in _functions(n).items()
    if not name.endswith(("scalar_mul", "image.random_brightness"))
]


@pytest.mark.parametrize(
    ("function", "count"), [(f, n) for _, f, n in _ALL],
    ids=[name for name, _, _ in _ALL],
)
class TestElementwise:
    def test_ragged(self, function, count):
        flat, expected = _operands(function, count)
        ragged = [tf.RaggedTensor.from_row_lengths(x, [2, 0, 1]) for x in flat]
        for call in _calls(function, count):
            result = call(*ragged)
            assert isinstance(result, tf.RaggedTensor)
            assert result.row_splits.numpy().tolist() == [0, 2, 2, 3]
            np.testing.assert_array_equal(result.flat_values, expected)

    def test_extension_type(self, function, count):
        class Boxed(tf.experimental.ExtensionType):
            value: tf.Tensor

        if count == 1:
            @tf.experimental.dispatch_for_unary_elementwise_apis(Boxed)
            def handler(api_func, x):
                return Boxed(api_func(x.value))
        else:
            @tf.experimental.dispatch_for_binary_elementwise_apis(Boxed, Boxed)
            def handler(api_func, x, y):
                return Boxed(api_func(x.value, y.value))

        try:
            flat, expected = _operands(function, count)
            for call in _calls(function, count):
                result = call(*map(Boxed, flat))
                np.testing.assert_array_equal(result.value, expected)
        finally:
            tf.experimental.unregister_dispatch_for(handler)

    def test_sparse(self, function, count):
        if not function._keeps_zero:
            return
        (values,), expected = _operands(function, 1)
        nothing = function(tf.zeros([1], values.dtype), *_rest(function, 1))
        assert not np.any(nothing)
        sparse = tf.SparseTensor([[0], [3], [4]], values, [6])
        for call in _calls(function, 1):
            result = call(sparse)
            assert isinstance(result, tf.SparseTensor)
            np.testing.assert_array_equal(result.values, expected)


def test_there_are_many():
    assert len(_functions(1)) > 100
    assert len(_functions(2)) > 60


def test_a_scalar_times_other_values():
    class Boxed(tf.experimental.ExtensionType):
        value: tf.Tensor

    @tf.experimental.dispatch_for_binary_elementwise_apis(Boxed, Boxed)
    def handler(api_func, x, y):
        return Boxed(api_func(x.value, y.value))

    rows = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    scalar, box = Boxed(tf.constant(2.0)), Boxed(tf.constant([1.0, 2.0]))
    try:
        for multiply in tf.math.scalar_mul, tf.function(tf.math.scalar_mul):
            assert multiply(2.0, rows).to_list() == [[2.0, 4.0], [], [6.0]]
            assert multiply(scalar, box).value.numpy().tolist() == [2.0, 4.0]
            for x in rows, box:
                with pytest.raises(ValueError, match="must be a 0-D value"):
                    multiply(x, x)
    finally:
        tf.experimental.unregister_dispatch_for(handler)
