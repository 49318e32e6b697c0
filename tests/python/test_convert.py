"""tf.constant and tf.convert_to_tensor: dtypes, shapes, errors."""

import array
import gc
import sys

import ml_dtypes
import numpy as np
import pytest
from op_support import needs_op

import graphkiln as tf


class AsArray:
    def __array__(self, dtype=None, copy=None):
        return np.array([1, 2])


@pytest.mark.parametrize(
    "value, dtype, shape",
    [
        (1, "int32", ()), (2**31, "int64", ()), (-(2**63), "int64", ()),
        (1.5, "float32", ()), (True, "bool", ()), ("a", "string", ()),
        (b"\xff", "string", ()), (1j, "complex128", ()),
        ([1, 2**31], "int64", (2,)), ([1, 2.5], "float32", (2,)),
        ([1.5, 2], "float32", (2,)), ([1, True], "int32", (2,)),
        ([2**40, 1.5], "float32", (2,)), ([], "float32", (0,)),
        ([[], []], "float32", (2, 0)), ((1, 2), "int32", (2,)),
        (range(3), "int32", (3,)), ([["a"], ["b"]], "string", (2, 1)),
        (bytearray(b"abc"), "int32", (3,)),
        (np.float64(1), "float64", ()), (np.int64(1), "int64", ()),
        (np.bool_(True), "bool", ()), (np.ones(2), "float64", (2,)),
        (np.ones((2, 3)).T, "float64", (3, 2)),
        (np.ones(2, ">f4"), "float32", (2,)),
        (np.array(["a", "é"]), "string", (2,)),
        (np.array([b"a", "b"], object), "string", (2,)),
        (np.ones(2, ml_dtypes.bfloat16), "bfloat16", (2,)),
        (np.zeros((0, 3), np.int8), "int8", (0, 3)),
        ([np.float32(1), np.float32(2)], "float32", (2,)),
        ([np.ones(2), [1, 2]], "float64", (2, 2)),
        ([np.float64(1), 2], "float64", (2,)),
        ([1, np.float64(1)], "float32", (2,)),
        ([np.float16(1)], "float16", (1,)), ([np.int8(1)], "int32", (1,)),
        ([np.int64(1), 2], "int32", (2,)), ([np.bool_(1)], "bool", (1,)),
        ([np.array(1), np.array(2)], "int32", (2,)),
        (AsArray(), "int64", (2,)),
        (tf.TensorShape([1, 2]), "int32", (2,)),
    ],
)
def test_inferred(value, dtype, shape):
    tensor = tf.convert_to_tensor(value)
    assert tensor.dtype == dtype
    assert tensor.shape == shape


@pytest.mark.parametrize(
    "value, dtype, expected",
    [
        (1, tf.float32, 1.0), (True, tf.int32, 1), (1, tf.complex64, 1 + 0j),
        (2**63, tf.uint64, 2**63), (1.5, tf.half, 1.5), (1, "float32", 1.0),
        (1, np.float32, 1.0), (1, float, 1.0), (np.float64(1), tf.float32, 1.0),
        (np.ones(2), tf.int32, [1, 1]), ([True, 1], tf.float32, [1.0, 1.0]),
        (np.array([1.5]), tf.int32, [1]), ([], tf.int32, []),
    ],
)
def test_demanded(value, dtype, expected):
    tensor = tf.constant(value, dtype)
    assert tensor.dtype == tf.as_dtype(dtype)
    assert np.asarray(tensor).tolist() == expected


@pytest.mark.parametrize(
    "value, dtype, error, text",
    [
        (1.5, tf.int32, TypeError,
         "Cannot convert 1.5 to EagerTensor of dtype int32"),
        (1, tf.bool, TypeError, "Cannot convert 1 to EagerTensor of dtype bool"),
        ("a", tf.int32, TypeError, "Cannot convert 'a' to EagerTensor"),
        (1, tf.string, TypeError, "Cannot convert 1 to EagerTensor of dtype str"),
        (1j, tf.float32, TypeError, "Cannot convert 1j to EagerTensor of dtype "
         "float"),
        (2**63, None, ValueError, "out-of-range integer"),
        (2**63, tf.int32, ValueError, "out-of-range integer"),
        (-1, tf.uint64, ValueError, "out-of-range integer"),
        (None, None, ValueError, r"Attempt to convert a value \(None\) with an "
         r"unsupported type \(<class 'NoneType'>\) to a Tensor."),
        ([None], None, ValueError, "Attempt to convert a value"),
        ([1, None], None, ValueError, "mixed types"),
        ({1}, None, ValueError, r"Attempt to convert a value \(\{1\}\)"),
        ({1: 2}, None, ValueError, "Attempt to convert a value"),
        (object(), None, ValueError, "Attempt to convert a value"),
        ([True, 1], None, ValueError, "mixed types"),
        ([1, "a"], None, ValueError, "mixed types"),
        ([[1], [2, 3]], None, ValueError, "non-rectangular Python sequence"),
        ([[1], 2], None, ValueError, "non-rectangular Python sequence"),
        ([1, [2]], None, ValueError, "mixed types"),
        (np.array([1, "a"], object), None, ValueError,
         r"Failed to convert a NumPy array to a Tensor \(Unsupported object type "
         r"int\)"),
        (np.datetime64("2020-01-01"), None, ValueError, "Unsupported numpy type"),
        (tf.TensorShape([None]), None, ValueError,
         r"Cannot convert a partially known TensorShape \(None,\) to a Tensor."),
    ],
)
def test_refused(value, dtype, error, text):
    with pytest.raises(error, match=text):
        tf.constant(value, dtype)


def test_hint_is_only_a_wish():
    assert tf.convert_to_tensor(1, dtype_hint=tf.float32).dtype == tf.float32
    assert tf.convert_to_tensor(1.5, dtype_hint=tf.int32).dtype == tf.float32
    assert tf.convert_to_tensor("a", dtype_hint=tf.int32).dtype == tf.string


def test_tensors_stay_themselves():
    tensor = tf.constant([1])
    assert tf.convert_to_tensor(tensor) is tensor
    assert tf.constant(tensor) is tensor
    with pytest.raises(
        ValueError,
        match="Tensor conversion requested dtype float32 for Tensor with dtype "
        "int32: <tf.Tensor",
    ):
        tf.convert_to_tensor(tensor, tf.float32)


def test_shape_argument():
    assert tf.constant(1, shape=[2, 2]).numpy().tolist() == [[1, 1], [1, 1]]
    assert tf.constant([1, 2, 3, 4], shape=[2, 2]).shape == (2, 2)
    assert tf.constant("a", shape=[2]).numpy().tolist() == [b"a", b"a"]
    with pytest.raises(TypeError, match="3 elements, but got `shape` \\(2, 2\\)"):
        tf.constant([1, 2, 3], shape=[2, 2])


def test_absurd_shape_is_refused():
    with pytest.raises((tf.errors.ResourceExhaustedError, ValueError,
                        tf.errors.InvalidArgumentError)):
        tf.constant(1, shape=[2**40, 2**40])


def test_arrays_given_are_copied():
    given = np.ones(1000, np.float32)
    tensor = tf.constant(given)
    given[:] = 5
    assert tensor.numpy()[0] == 1


def test_self_containing_list():
    endless = []
    endless.append(endless)
    with pytest.raises(ValueError, match="nested deeper"):
        tf.constant(endless)


def test_list_that_changes_while_read():
    values = [0, None, 0]

    class Shrinks:
        def __len__(self):
            return 1

        def __getitem__(self, index):
            values.clear()
            raise IndexError

    values[1] = Shrinks()
    with pytest.raises((ValueError, IndexError)):
        tf.constant(values)


def test_failing_hooks_pass_through():
    class Fails:
        def __tf_tensor__(self, dtype=None, name=None):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        tf.convert_to_tensor(Fails())


def test_registered_conversion():
    class Celsius:
        degrees = 20.0

    def convert(value, dtype=None, name=None, as_ref=False):
        if dtype not in (None, tf.float32):
            return NotImplemented
        return tf.constant(value.degrees)

    tf.register_tensor_conversion_function(Celsius, convert)
    assert tf.convert_to_tensor(Celsius()).numpy() == 20.0
    assert (tf.constant(1.0) + Celsius()).numpy() == 21.0


@needs_op("Pack")
def test_sequences_of_tensors_are_packed():
    row = tf.constant([1, 2])
    assert tf.convert_to_tensor([row, [3, 4]]).numpy().tolist() == [
        [1, 2], [3, 4]
    ]
    assert tf.convert_to_tensor([tf.constant(1.0), 2]).dtype == tf.float32


def test_no_leak_of_failed_conversions():
    value = object()
    before = sys.getrefcount(value)
    for _ in range(10):
        with pytest.raises(ValueError):
            tf.constant([value])
    gc.collect()
    assert sys.getrefcount(value) == before


def test_array_module_values():
    assert tf.constant(array.array("f", [1.5, 2.5])).numpy().tolist() == [1.5, 2.5]


@pytest.mark.parametrize(
    "value, dtype, kept",
    [
        (123456789, tf.uint8, 21), (300, tf.int8, 44), (-1, tf.uint8, 255),
        (2**31, tf.int32, -(2**31)), ([2**40, 3], tf.int16, [0, 3]),
    ],
)
def test_integers_are_cut_to_the_type(value, dtype, kept):
    assert tf.convert_to_tensor(value, dtype).numpy().tolist() == kept
    traced = tf.function(lambda: tf.constant(value, dtype))()
    assert traced.numpy().tolist() == kept
