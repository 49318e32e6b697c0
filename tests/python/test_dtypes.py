"""tf.DType, tf.TensorShape and tf.TensorSpec."""

import copy
import pickle

import ml_dtypes
import numpy as np
import pytest

import graphkiln as tf

Shape = tf.TensorShape


def test_dtype_texts():
    assert repr(tf.float32) == "tf.float32"
    assert str(tf.float32) == "<dtype: 'float32'>"
    assert tf.half is tf.float16 and tf.double is tf.float64
    assert int(tf.float32) == 1 and hash(tf.float32) == 1


@pytest.mark.parametrize(
    "value, dtype",
    [
        ("float", tf.float32), ("double", tf.float64), (float, tf.float32),
        (bool, tf.bool), (object, tf.string), (1, tf.float32),
        (np.float32, tf.float32), (np.dtype("S3"), tf.string),
        (np.dtype("U3"), tf.string), (ml_dtypes.bfloat16, tf.bfloat16),
        (tf.int8, tf.int8),
    ],
)
def test_as_dtype(value, dtype):
    assert tf.as_dtype(value) is dtype


@pytest.mark.parametrize("value", ["foo", None, [], int, str, bytes, complex, 99])
def test_as_dtype_refuses(value):
    with pytest.raises(TypeError, match="Cannot convert the argument `type_value`"):
        tf.as_dtype(value)


def test_dtype_equality():
    assert tf.float32 == np.float32 and tf.float32 == "float32"
    assert np.dtype("float32") == tf.float32
    assert tf.float32 != tf.int32 and tf.float32 != "foo"
    assert (tf.float32 == None) is False  # noqa: E711
    with pytest.raises(TypeError):
        tf.float32 < tf.int32


def test_dtype_facts():
    assert tf.float32.size == 4 and tf.string.size == 0
    assert tf.complex64.real_dtype is tf.float32
    assert tf.float32.is_floating and not tf.float32.is_integer
    assert not tf.bool.is_integer and not tf.qint8.is_integer
    assert tf.qint8.is_quantized and tf.uint8.is_unsigned and tf.bool.is_bool
    assert tf.float32.as_numpy_dtype is np.float32
    assert tf.string.as_numpy_dtype is object
    assert tf.bfloat16.as_numpy_dtype is ml_dtypes.bfloat16
    assert tf.int32.max == 2**31 - 1 and tf.uint8.limits == (0, 255)
    assert tf.float32.min == np.finfo(np.float32).min
    assert repr(tf.float32._as_ref) == "tf.float32_ref"
    with pytest.raises(TypeError, match="Cannot find maximum value"):
        tf.string.max


def test_dtype_copies_are_the_object():
    for other in (
        copy.copy(tf.int8), copy.deepcopy(tf.int8),
        pickle.loads(pickle.dumps(tf.int8)),
    ):
        assert other is tf.int8


@pytest.mark.parametrize(
    "dims, shown, text",
    [
        (None, "TensorShape(None)", "<unknown>"),
        ([], "TensorShape([])", "()"),
        ([1], "TensorShape([1])", "(1,)"),
        ([1, None], "TensorShape([1, None])", "(1, None)"),
        (3, "TensorShape([3])", "(3,)"),
    ],
)
def test_shape_texts(dims, shown, text):
    assert repr(Shape(dims)) == shown
    assert str(Shape(dims)) == text


def test_shape_from_tensors():
    assert Shape(tf.constant([1, 2])) == [1, 2]
    assert Shape([tf.constant(1)]) == [1]
    assert Shape(np.array([1, 2])) == (1, 2)


def test_shape_errors():
    with pytest.raises(ValueError, match="Dimension -1 must be >= 0"):
        Shape([-1])
    with pytest.raises(TypeError, match="Dimension value must be integer or None"):
        Shape([1, "a"])
    with pytest.raises(TypeError, match="Dimension value must be integer or None"):
        Shape([1.5])
    with pytest.raises(ValueError, match="rank"):
        Shape([1] * 300)


def test_shape_items():
    shape = Shape([1, None, 3])
    assert shape[0] == 1 and shape[1] is None and shape[-1] == 3
    assert shape[1:] == Shape([None, 3]) and shape[::2] == [1, 3]
    assert list(shape) == [1, None, 3] and len(shape) == 3
    assert Shape(None)[0] is None
    assert Shape(None)[:2] == Shape([None, None])
    assert Shape(None)[1:] == Shape(None)
    with pytest.raises(IndexError, match="tuple index out of range"):
        shape[3]
    with pytest.raises(TypeError, match="tuple indices must be integers"):
        shape["a"]
    with pytest.raises(ValueError, match="length of shape with unknown rank"):
        len(Shape(None))
    with pytest.raises(ValueError, match="iterate over a shape with unknown rank"):
        list(Shape(None))


def test_shape_comparison():
    assert Shape([1, 2]) == [1, 2] and Shape([1, 2]) == (1, 2)
    assert [1, 2] == Shape([1, 2])
    assert Shape([1, None]) == Shape([1, None])
    assert Shape([1, None]) != Shape([1, 2])
    assert (Shape(None) == None) is True  # noqa: E711
    assert Shape([1]) != 3 and Shape([1]) != "a"
    assert hash(Shape([1, 2])) == hash((1, 2))
    assert not Shape(None) and Shape([])


def test_shape_algebra():
    assert Shape([1]) + [2] == [1, 2] and [1] + Shape([2]) == [1, 2]
    assert (Shape([1]) + Shape(None)).rank is None
    assert Shape([1, None]).merge_with([1, 2]) == [1, 2]
    assert Shape([1, None]).is_compatible_with([1, 5])
    assert Shape([1, 2]).num_elements() == 2
    assert Shape([1, None]).num_elements() is None
    assert Shape(None).with_rank(2) == Shape([None, None])
    assert Shape([1, 2]).most_specific_compatible_shape([1, 3]) == [1, None]
    assert Shape([1, 2]).is_subtype_of(Shape([1, None]))
    with pytest.raises(
        ValueError, match=r"Shapes \(1, None\) and \(2, 2\) are not compatible"
    ):
        Shape([1, None]).merge_with([2, 2])
    with pytest.raises(ValueError, match=r"Shape \(1, None\) must have rank 3"):
        Shape([1, None]).with_rank(3)
    with pytest.raises(ValueError, match="must have rank at least 3"):
        Shape([1, None]).with_rank_at_least(3)
    with pytest.raises(ValueError, match=r"Shape \(1, None\) is not fully"):
        Shape([1, None]).assert_is_fully_defined()
    with pytest.raises(
        ValueError, match=r"Shapes \(1, None\) and \[2, 3\] are incompatible"
    ):
        Shape([1, None]).assert_is_compatible_with([2, 3])


def test_shape_dims_are_dimensions():
    dims = Shape([1, None]).dims
    assert repr(dims) == "[Dimension(1), Dimension(None)]"
    assert dims[0] + 1 == 2 and (dims[0] == dims[1]) is None
    assert Shape(dims) == Shape([1, None])


def test_shape_pickles():
    assert pickle.loads(pickle.dumps(Shape([1, None]))) == Shape([1, None])
    assert pickle.loads(pickle.dumps(Shape(None))).rank is None


def test_spec_texts():
    assert repr(tf.TensorSpec([1, None])) == (
        "TensorSpec(shape=(1, None), dtype=tf.float32, name=None)"
    )
    assert repr(tf.TensorSpec(None, tf.int32, "a")) == (
        "TensorSpec(shape=<unknown>, dtype=tf.int32, name='a')"
    )


def test_spec_comparison():
    assert tf.TensorSpec([1]) == tf.TensorSpec([1])
    named = tf.TensorSpec([1], name="a")
    assert named != tf.TensorSpec([1])
    assert hash(named) == hash(tf.TensorSpec([1]))
    assert pickle.loads(pickle.dumps(named)) == named
    assert isinstance(named, tf.TypeSpec)


def test_spec_compatibility():
    spec = tf.TensorSpec([None], tf.int32)
    assert spec.is_compatible_with(tf.constant([1, 2]))
    assert not spec.is_compatible_with(tf.constant([1.0]))
    assert spec.is_compatible_with(tf.TensorSpec([3], tf.int32))
    assert spec.is_subtype_of(tf.TensorSpec(None, tf.int32))
    common = tf.TensorSpec([2], tf.int32).most_specific_common_supertype(
        [tf.TensorSpec([3], tf.int32)]
    )
    assert common == spec
    with pytest.raises(ValueError, match="No TypeSpec is compatible with both"):
        spec.most_specific_compatible_type(tf.TensorSpec([3], tf.float32))


def test_spec_from_values():
    tensor = tf.constant([1, 2])
    assert tf.TensorSpec.from_tensor(tensor) == tf.TensorSpec([2], tf.int32)
    assert tf.TensorSpec.from_spec(tf.TensorSpec([1]), name="b").name == "b"
    with pytest.raises(ValueError, match="`tensor` should be a tf.Tensor"):
        tf.TensorSpec.from_tensor(3)


def test_shape_proto():
    proto = Shape([1, None]).as_proto()
    assert [dim.size for dim in proto.dim] == [1, -1]
    assert Shape(None).as_proto().unknown_rank
