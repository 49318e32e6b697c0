"""tf.Tensor: operators, printing, identity, copies, buffers, collection."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
from op_support import needs_op

import graphkiln as tf

MATRIX = [[1.0, 2.0], [3.0, 4.0]]


@pytest.fixture
def matrix():
    return tf.constant(MATRIX)


@pytest.fixture
def ints():
    return tf.constant([1, 2, 3])


@pytest.mark.parametrize(
    "value, dtype, text",
    [
        (MATRIX, None, "<tf.Tensor: shape=(2, 2), dtype=float32, numpy=\n"
         "array([[1., 2.],\n       [3., 4.]], dtype=float32)>"),
        ("abc", None, "<tf.Tensor: shape=(), dtype=string, numpy=b'abc'>"),
        (2.5, None, "<tf.Tensor: shape=(), dtype=float32, numpy=2.5>"),
        (1 + 2j, None,
         "<tf.Tensor: shape=(), dtype=complex128, numpy=(1+2j)>"),
        ([True, False], None,
         "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>"),
        ([], None, "<tf.Tensor: shape=(0,), dtype=float32, "
         "numpy=array([], dtype=float32)>"),
        (["a", b"b"], None, "<tf.Tensor: shape=(2,), dtype=string, "
         "numpy=array([b'a', b'b'], dtype=object)>"),
        (1.5, "bfloat16", "<tf.Tensor: shape=(), dtype=bfloat16, numpy=1.5>"),
        (0.1, None, "<tf.Tensor: shape=(), dtype=float32, "
         "numpy=0.10000000149011612>"),
        (0.1, "float16", "<tf.Tensor: shape=(), dtype=float16, "
         "numpy=0.0999755859375>"),
        (7, "uint8", "<tf.Tensor: shape=(), dtype=uint8, numpy=7>"),
        (True, None, "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
    ],
)
def test_repr(value, dtype, text):
    assert repr(tf.constant(value, dtype)) == text


def test_str(matrix):
    assert str(matrix) == (
        "tf.Tensor(\n[[1. 2.]\n [3. 4.]], shape=(2, 2), dtype=float32)"
    )
    assert str(tf.constant(2)) == "tf.Tensor(2, shape=(), dtype=int32)"
    assert str(tf.constant("a")) == "tf.Tensor(b'a', shape=(), dtype=string)"
    assert f"{tf.constant(2.5):.2f}" == "2.50"


def test_arithmetic_of_equal_dtypes(matrix):
    np.testing.assert_array_equal(matrix + matrix, np.array(MATRIX) * 2)
    np.testing.assert_array_equal(matrix - 1, np.array(MATRIX) - 1)
    np.testing.assert_array_equal(2 * matrix, np.array(MATRIX) * 2)
    np.testing.assert_array_equal(-matrix, -np.array(MATRIX))
    assert (1 - tf.constant([1, 2, 3])).numpy().tolist() == [0, -1, -2]


def test_python_numbers_take_the_tensor_dtype(ints):
    assert (ints + 1).dtype == tf.int32
    assert (ints + True).dtype == tf.int32
    assert (tf.constant(2.5) + 1).dtype == tf.float32
    assert (ints + np.float64(1)).numpy().tolist() == [2, 3, 4]
    assert (ints + np.array([1.0, 2.0, 3.0])).dtype == tf.int32
    assert (np.ones(3) * tf.constant([1.0, 2.0, 3.0])).dtype == tf.float32


def test_dtype_mismatch(ints):
    text = (
        r"cannot compute AddV2 as input #1\(zero-based\) was expected to be a "
        r"int32 tensor but is a float tensor \[Op:AddV2\] name: "
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        ints + tf.constant(1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        ints + 1.0
    with pytest.raises(
        TypeError, match="Cannot convert 1.0 to EagerTensor of dtype int32"
    ):
        1.0 + ints


@pytest.mark.parametrize("other", [None, object(), {1: 2}])
def test_operand_of_unsupported_type(ints, other):
    with pytest.raises(ValueError, match="Attempt to convert a value"):
        ints + other


def test_reflected_method_of_other_types(ints):
    class Other:
        def __radd__(self, tensor):
            return "mine"

    assert ints + Other() == "mine"


@needs_op("Less")
def test_comparison_demands_the_dtype(ints):
    assert (ints < 2).numpy().tolist() == [True, False, False]
    with pytest.raises(TypeError, match="Cannot convert 2.5 to EagerTensor"):
        ints < 2.5


@needs_op("Equal")
def test_equality_is_elementwise(ints):
    assert (ints == [1, 0, 3]).numpy().tolist() == [True, False, True]
    assert not (ints == [1, 2]).numpy()
    with pytest.raises(TypeError, match="Cannot convert 1.5"):
        ints == 1.5


def test_equality_with_none(ints):
    assert (ints == None) is False  # noqa: E711
    assert (ints != None) is True  # noqa: E711


@needs_op("Cast", "RealDiv")
def test_integer_division_gives_floats(ints):
    assert (ints / 2).dtype == tf.float64


def test_incompatible_shapes(ints):
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"Incompatible shapes: \[3\] vs. \[2\] \[Op:AddV2\]",
    ):
        ints + [1, 2]


def test_unhashable_but_referable(ints):
    with pytest.raises(
        TypeError,
        match="Tensor is unhashable. Instead, use tensor.ref\\(\\) as the key.",
    ):
        hash(ints)
    assert ints.ref() == ints.ref()
    assert ints.ref() != tf.constant([1, 2, 3]).ref()
    assert ints.ref().deref() is ints
    assert {ints.ref(): 1}[ints.ref()] == 1


def test_attributes(matrix):
    assert matrix.shape == (2, 2)
    assert matrix.dtype is tf.float32
    assert matrix.ndim == 2
    assert matrix.device == "/job:localhost/replica:0/task:0/device:CPU:0"
    for name in ("name", "op", "graph", "value_index"):
        with pytest.raises(
            AttributeError,
            match=f"Tensor.{name} is undefined when eager execution is enabled.",
        ):
            getattr(matrix, name)
    with pytest.raises(AttributeError, match="has no attribute 'foo'"):
        matrix.foo
    with pytest.raises(AttributeError, match="numpy-related methods"):
        matrix.T


def test_set_shape_checks(matrix):
    matrix.set_shape([2, None])
    with pytest.raises(
        ValueError,
        match=r"Tensor's shape \(2, 2\) is not compatible with supplied shape "
        r"\(2, 3\).",
    ):
        matrix.set_shape([2, 3])


def test_eval_is_refused(matrix):
    with pytest.raises(NotImplementedError, match="is .numpy\\(\\) what"):
        matrix.eval()


def test_truth():
    assert bool(tf.constant(2.5))
    assert not bool(tf.constant(0))
    assert not bool(tf.constant(""))
    assert bool(tf.constant([1]))
    assert not bool(tf.constant([]))
    with pytest.raises(ValueError, match="truth value of an array"):
        bool(tf.constant([1, 2]))


def test_scalar_conversions(ints):
    assert int(tf.constant(2.5)) == 2
    assert float(tf.constant(3)) == 3.0
    assert complex(tf.constant(1 + 2j)) == 1 + 2j
    assert list(range(tf.constant(3))) == [0, 1, 2]
    assert [1, 2, 3][tf.constant(1)] == 2
    assert "%d" % tf.constant(3) == "3"
    with pytest.raises(TypeError, match="only 0-dimensional arrays"):
        int(ints)
    with pytest.raises(TypeError, match="only integer scalar arrays"):
        tf.constant(1.5).__index__()


def test_length_and_iteration(ints, matrix):
    assert len(matrix) == 2
    assert [int(x) for x in ints] == [1, 2, 3]
    a, b = matrix
    assert b.numpy().tolist() == [3.0, 4.0]
    with pytest.raises(TypeError, match="Scalar tensor has no `len\\(\\)`"):
        len(tf.constant(1))
    with pytest.raises(TypeError, match="Cannot iterate over a scalar tensor."):
        iter(tf.constant(1))


@needs_op("StridedSlice")
@pytest.mark.parametrize(
    "key",
    [
        0, -1, (0, 1), (slice(None), 1), (Ellipsis, 0), None,
        slice(None, None, -1), (None, 1), slice(1, None), (0, None, slice(2)),
    ],
)
def test_indexing_as_numpy(matrix, key):
    np.testing.assert_array_equal(matrix[key], np.array(MATRIX)[key])


@needs_op("StridedSlice")
@pytest.mark.parametrize("key", [1.0, "a", slice(0, 1.5)])
def test_invalid_index(matrix, key):
    with pytest.raises(
        TypeError, match="Only integers, slices .* are valid indices, got"
    ):
        matrix[key]


@needs_op("StridedSlice")
def test_index_out_of_bounds(matrix):
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="slice index 5 of dimension 0 out of bounds",
    ):
        matrix[5]


def test_scalar_mask(matrix):
    with pytest.raises(ValueError, match="mask cannot be scalar."):
        matrix[True]


def test_no_item_assignment(matrix):
    with pytest.raises(TypeError, match="does not support item assignment"):
        matrix[0] = 1


def test_numpy_is_a_copy(matrix):
    array = matrix.numpy()
    array[0, 0] = 9
    assert matrix.numpy()[0, 0] == 1
    assert isinstance(tf.constant(2.5).numpy(), np.float32)
    assert tf.constant("a").numpy() == b"a"


def test_array_protocol(matrix):
    assert np.array(matrix, dtype=np.int32).tolist() == [[1, 2], [3, 4]]
    assert np.asarray(matrix).dtype == np.float32
    assert isinstance(np.ones(2) + matrix, tf.Tensor)


def test_buffer_is_read_only(matrix):
    view = memoryview(matrix)
    assert view.readonly and view.shape == (2, 2) and view.format == "f"
    assert view.tolist() == MATRIX
    with pytest.raises(BufferError):
        memoryview(tf.constant("a"))


def test_buffer_outlives_the_tensor():
    view = memoryview(tf.constant(np.arange(1000.0)))
    gc.collect()
    assert view[999] == 999.0


def test_dlpack(matrix):
    assert np.from_dlpack(matrix).tolist() == MATRIX
    assert matrix.__dlpack_device__() == (1, 0)
    capsule = tf.experimental.dlpack.to_dlpack(matrix)
    again = tf.experimental.dlpack.from_dlpack(capsule)
    assert again.numpy().tolist() == MATRIX
    with pytest.raises(tf.errors.InvalidArgumentError, match="consumed"):
        tf.experimental.dlpack.from_dlpack(capsule)
    array = np.arange(4, dtype=np.int64)
    assert tf.experimental.dlpack.from_dlpack(array).dtype == tf.int64
    with pytest.raises(tf.errors.InvalidArgumentError, match="dlpack"):
        tf.experimental.dlpack.to_dlpack(tf.constant("a"))


def test_copies(matrix):
    assert copy.copy(matrix) is matrix
    for other in (copy.deepcopy(matrix), pickle.loads(pickle.dumps(matrix))):
        assert other.numpy().tolist() == MATRIX
        assert other.dtype == tf.float32
    strings = tf.constant(["a", "b"])
    assert pickle.loads(pickle.dumps(strings)).numpy().tolist() == [b"a", b"b"]


def test_attributes_can_be_set(matrix):
    matrix.mask = 3
    assert matrix.mask == 3 and matrix.__dict__ == {"mask": 3}


def test_weak_references():
    tensor = tf.constant(1)
    reference = weakref.ref(tensor)
    assert reference() is tensor
    del tensor
    assert reference() is None


def test_cycles_through_attributes_are_collected():
    tensor = tf.constant(1)
    tensor.self = tensor
    reference = weakref.ref(tensor)
    del tensor
    gc.collect()
    assert reference() is None


def test_leaves_are_final():
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Mine", (type(tf.constant(1)),), {})
    with pytest.raises(TypeError, match="cannot create"):
        type(tf.constant(1))()


def test_subclass_acts_as_a_tensor():
    class Mine(tf.__internal__.types.Tensor):
        def __tf_tensor__(self, dtype=None, name=None):
            return tf.constant(3.0, dtype)

    mine = Mine()
    assert tf.is_tensor(mine)
    assert tf.convert_to_tensor(mine).numpy() == 3.0
    assert (tf.constant(1.0) + mine).numpy() == 4.0
    assert tf.raw_ops.AddV2(x=mine, y=1).numpy() == 4.0


def test_raw_op_argument_errors(ints):
    with pytest.raises(TypeError, match="add_v2 only takes keyword args"):
        tf.raw_ops.AddV2(ints, ints)
    with pytest.raises(
        TypeError,
        match=r"add_v2\(\) missing 1 required positional argument: 'y'",
    ):
        tf.raw_ops.AddV2(x=ints)
    with pytest.raises(
        TypeError, match=r"add_v2\(\) got an unexpected keyword argument 'z'"
    ):
        tf.raw_ops.AddV2(x=ints, y=ints, z=3)
    with pytest.raises(
        TypeError, match="Expected bool for argument 'transpose_a' not 1."
    ):
        tf.raw_ops.MatMul(a=[[1.0]], b=[[1.0]], transpose_a=1)
    with pytest.raises(AttributeError, match="has no attribute 'NoSuchOp'"):
        tf.raw_ops.NoSuchOp


def test_raw_op_converts_by_the_first_tensor(ints):
    assert tf.raw_ops.AddV2(x=1, y=ints).numpy().tolist() == [2, 3, 4]
    with pytest.raises(TypeError, match="Cannot convert 2.5 to EagerTensor"):
        tf.raw_ops.AddV2(x=1, y=2.5)


def test_public_function_of_an_op(ints):
    assert tf.subtract(ints, 1).numpy().tolist() == [0, 1, 2]
    assert tf.math.subtract(x=ints, y=1, name="n").numpy().tolist() == [0, 1, 2]
    with pytest.raises(
        TypeError, match="Too many arguments were given. Expected 3 but got 4."
    ):
        tf.subtract(ints, 1, None, 3)


def test_op_functions_pickle_by_name():
    assert pickle.loads(pickle.dumps(tf.raw_ops.AddV2))(x=1, y=2).numpy() == 3


def test_several_outputs_of_lists(ints, matrix):
    first, second = tf.raw_ops.IdentityN(input=[ints, matrix])
    assert first.dtype == tf.int32 and second.shape == (2, 2)


def test_operators_choose_their_ops():
    """Strings are added by another op; quotients are of numbers; a list's
    shape is told without a name."""
    strings, floats = tf.constant("a"), tf.constant([1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"compute Add as input #1"):
        strings + floats
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"compute AddV2 as input"):
        floats + strings
    for x in strings, tf.constant(True):
        with pytest.raises(TypeError, match="Invalid dtype tf.* in __truediv__"):
            x / x
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[Op:Mul\]\n"):
        floats * [1.0, 2.0, 3.0]
    assert abs(tf.constant([3 - 4j])).dtype == tf.float64


def test_operators_name_nodes():
    @tf.function
    def f(b, c, i):
        return b * b, abs(c), ~b, ~i, i / i, i ^ i

    of = [tf.TensorSpec([2], t) for t in (tf.bool, tf.complex128, tf.int32)]
    names = [o.name for o in f.get_concrete_function(*of).graph.get_operations()]
    assert names[3:14] == [
        "mul/Cast", "mul/Cast_1", "mul", "mul/Cast_2", "Abs", "LogicalNot", "Invert",
        "truediv/Cast", "truediv/Cast_1", "truediv", "xor/BitwiseXor",
    ]


def test_ops_of_public_functions_are_named_as_themselves():
    @tf.function
    def f(x):
        tf.math.floordiv(x, x), tf.pow(x, x), tf.math.multiply_no_nan(x, x)
        tf.raw_ops.FloorDiv(x=x, y=x), tf.raw_ops.Pow(x=x, y=x)
        return tf.raw_ops.MulNoNan(x=x, y=x)

    graph = f.get_concrete_function(tf.TensorSpec([2], tf.float32)).graph
    assert [o.name for o in graph.get_operations()] == [
        "x", "floordiv", "Pow", "multiply_no_nan", "FloorDiv_1", "Pow_1", "MulNoNan",
        "Identity",
    ]


def test_a_scalar_times_a_tensor():
    with pytest.raises(ValueError, match=r"must be a 0-D value. Received shape \(2,\)"):
        tf.math.scalar_mul(tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0]))


def test_shapes_of_more_elements_than_an_int64_counts():
    shape = tf.TensorShape([2**40, 2**40])
    assert shape.num_elements() == 2**80
    wide = tf.TensorShape([10**20, None, 3])
    assert wide.as_list() == [10**20, None, 3]
    assert wide == [10**20, None, 3] and [10**20, None, 3] == wide
    assert wide == tf.TensorShape(wide) and hash(wide) == hash(tf.TensorShape(wide))
    assert wide != [10**21, None, 3] and wide != tf.TensorShape([2**63 - 1, None, 3])
    assert str(wide) == f"({10**20}, None, 3)"
    assert repr(wide) == f"TensorShape([{10**20}, None, 3])"
    assert list(wide[:2]) == [10**20, None] and wide[0] == 10**20
    assert wide[2:] == [3] and wide.num_elements() is None
    assert tf.TensorShape([10**20, 2]).num_elements() == 2 * 10**20
    assert tf.TensorShape(10**20).rank == 1
    with pytest.raises(ValueError):
        tf.TensorShape([10**20, -2])
    with pytest.raises(TypeError):
        tf.TensorShape([10**20, "a"])
