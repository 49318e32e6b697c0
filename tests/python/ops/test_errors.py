"""Which exception a bad call raises, and that it leaves no trace."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import graphkiln as tf

ops = tf.raw_ops
errors = tf.errors


def unknown_shapes(function):
    """`function` traced for tensors of which only the dtype is known."""

    def call(*arguments):
        tensors = [tf.convert_to_tensor(a) for a in arguments]
        signature = [tf.TensorSpec(None, t.dtype) for t in tensors]
        return tf.function(function, input_signature=signature)(*tensors)

    return call


@pytest.mark.parametrize(
    "op, name",
    [
        ("Conv2D", "conv2d"), ("MaxPool3DGradGrad", "max_pool3d_grad_grad"),
        ("TopKV2", "top_kv2"), ("LRN", "lrn"), ("AddV2", "add_v2"),
    ],
)
def test_functions_of_ops_are_called_as_in_tensorflow(op, name):
    if op in dir(ops):
        assert getattr(ops, op).__name__ == name


def test_errors_name_functions_of_ops():
    x = np.ones([1, 3, 3, 1], np.float32)
    with pytest.raises(TypeError, match="'strides' argument to 'conv2d' Op"):
        ops.Conv2D(input=x, filter=x, strides=1, padding="SAME")


@pytest.mark.parametrize(
    "call, shown",
    [
        (lambda: tf.reduce_sum([1.0], axis="q"), "axis: string [] = q"),
        (lambda: tf.reduce_mean([1.0], axis=7), "axis: int32 [] = 7"),
        (lambda: tf.expand_dims([1.0], axis="q"), "axis: string [] = q"),
        (lambda: tf.split([1.0, 2.0, 3.0], 2), "axis: int32 [] = 0"),
    ],
)
def test_errors_name_arguments_as_callers_do(call, shown):
    for run in (call, tf.function(call, autograph=False)):
        with pytest.raises((TypeError, ValueError, errors.InvalidArgumentError)) as e:
            run()
        told = str(e.value).partition("Arguments of ")[2]
        assert shown in told and "reduction_indices" not in told


def test_no_kernel_is_not_found_eagerly_and_invalid_in_a_function():
    x = tf.constant(["a"])
    with pytest.raises(errors.NotFoundError, match="Could not find device for node"):
        ops.MirrorPadGrad(input=x, paddings=[[0, 0]], mode="REFLECT")
    with pytest.raises(errors.InvalidArgumentError, match="No OpKernel was registered"):
        unknown_shapes(
            lambda x: ops.MirrorPadGrad(input=x, paddings=[[0, 0]], mode="REFLECT")
        )(x)


def test_no_kernel_for_a_variable_is_invalid():
    v = tf.Variable([True, False])
    with pytest.raises(errors.InvalidArgumentError, match="No OpKernel was registered"):
        ops.ResourceScatterNdMin(ref=v.handle, indices=[[0]], updates=[False])
    assert v.numpy().tolist() == [True, False]


@pytest.mark.parametrize(
    "op, names",
    [
        ("Sum", ["input", "axis", "keep_dims"]),
        ("Split", ["axis", "value", "num_split"]),
        ("SplitV", ["value", "size_splits", "axis", "num_split"]),
        ("Where", ["condition"]),
        ("ExpandDims", ["input", "axis"]),
        ("Squeeze", ["input", "axis"]),
        ("EnsureShape", ["input", "shape"]),
        ("Slice", ["input", "begin", "size"]),
        ("Select", ["condition", "x", "y"]),
        ("StringToNumber", ["string_tensor", "out_type"]),
    ],
)
def test_raw_argument_names(op: str, names: list[str]):
    parameters = inspect.signature(getattr(ops, op)).parameters
    assert list(parameters) == [*names, "name"]


def test_public_functions_keep_their_own_names():
    assert tf.slice(input_=[1, 2, 3], begin=[1], size=[1]).numpy().tolist() == [2]
    assert tf.ensure_shape(x=[1, 2], shape=[2]).shape == [2]


def test_attributes_out_of_bounds_in_a_graph_are_value_errors():
    bad = [
        (lambda x: ops.SpaceToDepth(input=x, block_size=1), "less than minimum 2"),
        (lambda x: ops.SpaceToDepth(input=x, block_size=2**31), "out of range"),
        (
            lambda x: tf.nn.max_pool2d(x, 2, 2, "HALF"),
            "passed string 'HALF' not in",
        ),
        (lambda x: ops.ConcatV2(values=[], axis=0), "shorter than minimum length 2"),
        (lambda x: tf.nn.max_pool2d(x, 2, 0, "SAME"), "Stride must be > 0"),
    ]
    for function, text in bad:
        with pytest.raises(ValueError, match=text):
            unknown_shapes(function)(np.zeros([1, 2, 2, 1], np.float32))


@pytest.mark.parametrize("wrap", [lambda f: f, unknown_shapes])
@pytest.mark.parametrize("op", ["ReluGrad", "EluGrad", "SoftplusGrad"])
def test_gradients_of_activations_do_not_broadcast(op: str, wrap):
    def call(x, y):
        raw = getattr(ops, op)
        names = list(inspect.signature(raw).parameters)
        return raw(**{names[0]: x, names[1]: y})

    with pytest.raises(errors.InvalidArgumentError, match="same size and shape"):
        wrap(call)(np.ones([2, 3], np.float32), np.float32(1))
    good = wrap(call)(np.ones([2, 3], np.float32), np.ones([2, 3], np.float32))
    assert good.shape == [2, 3]


@pytest.mark.parametrize("known", [True, False])
def test_gradients_of_functions_take_as_many_elements(known: bool):
    def call(y, dy):
        return ops.TanhGrad(y=y, dy=dy)

    y, dy = np.full([2, 3], 0.5, np.float32), np.arange(6, dtype=np.float32)
    specs = [tf.TensorSpec(a.shape if known else None, tf.float32) for a in (y, dy)]
    traced = tf.function(call, input_signature=specs)
    for function in (call, traced):
        z = function(tf.constant(y), tf.constant(dy))
        assert z.numpy().tolist() == (dy * 0.75).reshape(2, 3).tolist()
    for function in (call, unknown_shapes(call)):
        with pytest.raises(errors.InvalidArgumentError, match="same number of"):
            function(y, np.float32(1))


def test_functions_of_complex_numbers():
    y = tf.constant([1 + 2j, 0.5 - 1j], tf.complex64)
    one = tf.ones_like(y)
    square = y.numpy() * y.numpy()
    np.testing.assert_allclose(ops.TanhGrad(y=y, dy=one).numpy(), 1 - square)
    np.testing.assert_allclose(
        ops.SigmoidGrad(y=y, dy=one).numpy(), y.numpy() - square
    )
    clipped = ops.ClipByValue(
        t=y,
        clip_value_min=tf.constant(-0.5 - 0.5j, tf.complex64),
        clip_value_max=tf.constant(1 + 1j, tf.complex64),
    )
    assert clipped.numpy().tolist() == [1 + 1j, 0.5 - 0.5j]
    x = tf.constant([0.3 + 0.2j], tf.complex64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = tf.tanh(x)
    slope = np.conj(1 - np.tanh(x.numpy()) ** 2)
    np.testing.assert_allclose(tape.gradient(z, x).numpy(), slope, rtol=1e-5)


def test_population_count_is_uint8():
    for dtype in (tf.int8, tf.int32, tf.uint64):
        count = ops.PopulationCount(x=tf.constant([3, 0], dtype))
        assert count.dtype == tf.uint8
        assert count.numpy().tolist() == [2, 0]
    assert ops.PopulationCount(x=tf.constant([-1], tf.int8)).numpy().tolist() == [8]


def test_scatter_of_bools():
    v = tf.Variable([True, False, False])
    ops.ResourceScatterNdAdd(ref=v.handle, indices=[[0], [1]], updates=[True, True])
    assert v.numpy().tolist() == [True, True, False]
    ops.ResourceScatterNdSub(ref=v.handle, indices=[[0], [2]], updates=[True, True])
    assert v.numpy().tolist() == [False, True, True]


@pytest.mark.parametrize("axes", [[0, 2], [1], [-1, 0, 1], []])
def test_gradient_of_prod_without_shapes(axes: list[int]):
    x = np.arange(1.0, 9.0, dtype=np.float32).reshape(2, 2, 2)
    x[0, 1, 0] = 0.0

    def gradient(x, axes):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_prod(x, axes)
        return tape.gradient(y, x)

    here = np.array(axes, np.int32)
    known = gradient(tf.constant(x), tf.constant(here))
    unknown = unknown_shapes(gradient)(x, here)
    np.testing.assert_array_equal(known.numpy(), unknown.numpy())
    np.testing.assert_allclose(
        known.numpy(), [
            [[x_slope(x, (i, j, k), axes) for k in range(2)] for j in range(2)]
            for i in range(2)
        ]
    )


def x_slope(x: np.ndarray, at: tuple[int, ...], axes: list[int]) -> float:
    """The product of all that share the output of x[at], without x[at]."""
    reduced = {a % 3 for a in axes}
    shared = tuple(slice(None) if d in reduced else at[d] for d in range(3))
    others = x.astype(np.float64)
    others[at] = 1.0
    return float(np.prod(others[shared]))


def test_gradient_of_prod_of_nothing():
    x = np.zeros([0, 2], np.float32)

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_prod(x, 0)
        return tape.gradient(y, x)

    assert gradient(tf.constant(x)).shape == [0, 2]
    assert unknown_shapes(gradient)(x).shape == [0, 2]


def failing_updates():
    f = np.float32
    return {
        "assign": lambda v: v.assign([1.0]),
        "assign_add": lambda v: v.assign_add([1.0, 2.0]),
        "scatter": lambda v: ops.ResourceScatterAdd(
            resource=v.handle, indices=[0, 9], updates=[1.0, 1.0]
        ),
        "scatter shapes": lambda v: ops.ResourceScatterUpdate(
            resource=v.handle, indices=[0, 1], updates=[1.0, 1.0, 1.0]
        ),
        "scatter_nd": lambda v: ops.ResourceScatterNdUpdate(
            ref=v.handle, indices=[[0], [-1]], updates=[1.0, 1.0]
        ),
        "slice": lambda v: ops.ResourceStridedSliceAssign(
            ref=v.handle, begin=[0], end=[2], strides=[1], value=np.ones(3, f)
        ),
        "slice strides": lambda v: ops.ResourceStridedSliceAssign(
            ref=v.handle, begin=[0], end=[2], strides=[0], value=np.ones(2, f)
        ),
    }


@pytest.mark.parametrize("name", failing_updates())
@pytest.mark.parametrize("traced", [False, True])
def test_a_failed_update_changes_nothing(name: str, traced: bool):
    update = failing_updates()[name]
    v = tf.Variable([1.0, 2.0, 3.0])
    call = tf.function(lambda: (update(v), None)[1]) if traced else lambda: update(v)
    for _ in range(2):
        with pytest.raises((errors.OpError, ValueError)):
            call()
        assert v.numpy().tolist() == [1.0, 2.0, 3.0]
    v.assign_add([1.0, 1.0, 1.0])
    assert v.numpy().tolist() == [2.0, 3.0, 4.0]


def test_a_failed_draw_leaves_the_generator():
    generator = tf.random.Generator.from_seed(7)
    state = generator.state.numpy().tolist()
    with pytest.raises((errors.OpError, ValueError)):
        generator.uniform([-1])
    assert generator.state.numpy().tolist() == state
    twin = tf.random.Generator.from_seed(7)
    assert generator.uniform([3]).numpy().tolist() == twin.uniform([3]).numpy().tolist()


def test_boolean_mask():
    x = tf.constant([[1, 2, 3], [4, 5, 6]])
    rows = tf.boolean_mask(x, [True, False])
    assert rows.numpy().tolist() == [[1, 2, 3]]
    cells = tf.boolean_mask(x, [[True, False, True], [False, True, False]])
    assert cells.numpy().tolist() == [1, 3, 5]
    columns = tf.boolean_mask(x, [True, False, True], axis=1)
    assert columns.numpy().tolist() == [[1, 3], [4, 6]]


def test_functions_that_take_more_than_tensors_of_one_kind():
    assert tf.math.divide_no_nan([1, 2], [0, 1]).dtype == tf.float64
    assert tf.reshape([1, 2, 3], 3).shape == [3]
    assert tf.reduce_sum([[1, 2], [3, 4]], [[0, 1]]).numpy() == 10
    assert tf.stack([]).shape == [0]
    spread = unknown_shapes(lambda a, b: tf.linspace(a, b, 3))
    assert spread(np.float32(0), np.float32(1)).numpy().tolist() == [0.0, 0.5, 1.0]
    reversed_rows = tf.reverse_sequence([[1, 2, 3]], [2], seq_axis=1)
    assert reversed_rows.numpy().tolist() == [[2, 1, 3]]
    updated = tf.tensor_scatter_nd_update([1, 2, 3], [[1]], [9])
    assert updated.numpy().tolist() == [1, 9, 3]
