"""What tests of packages found (tests/packages), against TensorFlow."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow
from absl.testing import parameterized

import graphkiln
from graphkiln._src.host import private_parts


def _sparse(tf):
    return tf.SparseTensor([[0, 0], [1, 1]], [0.5, -1.0], [2, 2])


def _scaled(tf, x):
    @tf.custom_gradient
    def scaled(x):
        return x, lambda dy: 3.0 * dy

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = scaled(x)
    return y, tape.gradient(y, x)


COLUMN = [[1.0], [2.0]]
CALLS = {
    "tensor by sparse": lambda tf: (tf.constant(COLUMN) * _sparse(tf)).values,
    "variable by sparse": lambda tf: (tf.Variable(COLUMN) * _sparse(tf)).values,
    "sparse by tensor": lambda tf: (_sparse(tf) * tf.constant(COLUMN)).values,
    "number by sparse": lambda tf: 2.0 * _sparse(tf),
    "tensor less sparse": lambda tf: tf.constant(COLUMN) - _sparse(tf),
    "own gradient of a variable": lambda tf: _scaled(tf, tf.Variable([1.0])),
    "own gradient of a tensor": lambda tf: _scaled(tf, tf.constant([1.0])),
    "setdiff1d": lambda tf: tuple(tf.compat.v1.setdiff1d([3, 1, 2], [1])),
    **{
        f"sequence_mask of {dtype}, {most!r}": (
            lambda tf, dtype=dtype, most=most: tf.sequence_mask(
                tf.constant([2, 0, 3], dtype), most
            )
        )
        for dtype in ("uint8", "int8", "int16", "int32", "int64")
        for most in (5, np.int64(4), 300)
    },
    # TensorFlow has no maximum of smaller integers.
    "sequence_mask of int64": lambda tf: tf.sequence_mask([2, 0, 3]),
}


def _outcome(tf, call):
    try:
        result = call(tf)
    except Exception as error:
        return type(error).__name__
    parts = result if isinstance(result, tuple) else (result,)
    return [(p.dtype.name, p.shape.as_list(), p.numpy().tolist()) for p in parts]


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("traced", [False, True])
def test_as_tensorflow(name, traced):
    found = []
    for tf in (tensorflow, graphkiln):
        call = CALLS[name]
        if traced and "variable" not in name:
            call = lambda tf, call=call: tf.function(lambda: call(tf))()  # noqa: E731
        found.append(_outcome(tf, call))
    assert found[1] == found[0]


NARROW = ("float16", "bfloat16", "float32")
INDICES, MORE = [[1, 2], [0]], [[[1, 2], [0, 1]], [[2, 1]]]


def _zeros(tf, dtype):
    return tf.constant([0.0, -0.0, 1.0, -0.0, np.nan, np.nan], dtype)


def _texts(values):
    """With their signs, and NaNs that are equal."""
    return tuple(str(np.asarray(v.numpy()).tolist()) for v in values)


def _added(tf, a, b, a_values=(1.0, 2.0), b_values=(3.0, 5.0), shape=(2, 2)):
    return tf.raw_ops.SparseAdd(
        a_indices=tf.constant(a, tf.int64, shape=(len(a), 2)),
        a_values=tf.constant(a_values[: len(a)], tf.float32),
        a_shape=tf.constant(shape, tf.int64),
        b_indices=tf.constant(b, tf.int64, shape=(len(b), 2)),
        b_values=tf.constant(b_values[: len(b)], tf.float32),
        b_shape=tf.constant(shape, tf.int64),
        thresh=tf.constant(0.0),
    )


def _at(tf, name, places):
    """Of sparse tensors with places that may lie outside of [2, 3]."""
    places, shape = tf.constant(places, tf.int64), tf.constant([2, 3], tf.int64)
    values = tf.range(1.0, places.shape[0] + 1.0)
    r = tf.raw_ops
    if name == "softmax":
        return [r.SparseSoftmax(sp_indices=places, sp_values=values, sp_shape=shape)]
    if name in ("reshape", "flat"):
        to = tf.constant([3, 2] if name == "reshape" else [-1], tf.int64)
        return r.SparseReshape(input_indices=places, input_shape=shape, new_shape=to)
    kind, *axes = name.split()
    op = {"sum": r.SparseReduceSumSparse, "max": r.SparseReduceMaxSparse}[kind]
    return op(
        input_indices=places,
        input_values=values,
        input_shape=shape,
        reduction_axes=[int(axis) for axis in axes],
    )


TEXTS = {
    **{
        f"{name} of zeros of {dtype}": lambda tf, name=name, dtype=dtype: getattr(
            tf.raw_ops, name
        )(x=_zeros(tf, dtype))
        for name in ("Unique", "UniqueWithCounts")
        for dtype in NARROW
    },
    **{
        f"{name} along an axis of zeros of {dtype}": (
            lambda tf, name=name, dtype=dtype: getattr(tf.raw_ops, name)(
                x=_zeros(tf, dtype), axis=tf.constant([0])
            )
        )
        for name in ("UniqueV2", "UniqueWithCountsV2")
        for dtype in NARROW
    },
    **{
        f"unique rows of zeros of {dtype}": lambda tf, dtype=dtype: tf.raw_ops.UniqueV2(
            x=tf.constant([[0.0, 1.0], [-0.0, 1.0]], dtype), axis=tf.constant([0])
        )
        for dtype in NARROW
    },
    **{
        f"difference of zeros of {dtype}": lambda tf, dtype=dtype: tf.raw_ops.ListDiff(
            x=_zeros(tf, dtype), y=tf.constant([0.0, np.nan], dtype)
        )
        for dtype in NARROW
    },
    "sum outside": lambda tf: _added(tf, [[5, 0]], [[0, 0]]),
    "sum before": lambda tf: _added(tf, [[-1, 3]], [[-1, 3]]),
    "sum of none": lambda tf: _added(tf, [[5, 0]], []),
    "sum not in order": lambda tf: _added(tf, [[1, 0], [0, 0]], [[0, 0]]),
    "sum of twos": lambda tf: _added(tf, [[1, 0], [1, 0]], [[0, 0], [1, 0]]),
    "sum of a negative size": lambda tf: _added(tf, [[0, 0]], [[0, 0]], shape=(-2, 2)),
    **{
        f"{name} at {places}": lambda tf, name=name, places=places: _at(
            tf, name, places
        )
        for name in (
            "softmax",
            "reshape",
            "flat",
            "sum 0",
            "sum 1",
            "sum 0 1",
            "max 0",
            "max 1",
        )
        for places in (
            [[-1, -1], [0, 1]],
            [[0, -1], [0, 1]],
            [[0, 0], [5, 7]],
            [[1, 0], [0, 1]],
            [[0, 1], [0, -5], [0, 9]],
            [[2**40, 1], [2**62, 2**62]],
        )
        # TensorFlow gives softmaxes in the order of the places.
        if name != "softmax" or places == sorted(places)
    },
    "multiply_no_nan of two dtypes": lambda tf: [
        tf.math.multiply_no_nan(tf.constant(1.0, tf.float64), tf.constant(2.0))
    ],
    "multiply_no_nan": lambda tf: [tf.math.multiply_no_nan(np.inf, [0.0, 2.0])],
    "searchsorted": lambda tf: [tf.searchsorted([1.0, 2.0], [1.5], out_type=None)],
    "argmax": lambda tf: [tf.argmax([1.0, 2.0], output_type=None)],
    "argmin": lambda tf: [tf.argmin([1.0, 2.0], output_type=None)],
    "bincount": lambda tf: [tf.math.bincount([1], dtype=None)],
    "histogram": lambda tf: [
        tf.histogram_fixed_width([1.0], [0.0, 1.0], 2, dtype=None)
    ],
    "sequence_mask": lambda tf: [tf.sequence_mask([1], dtype=None)],
    "confusion_matrix": lambda tf: [tf.math.confusion_matrix([1], [1], dtype=None)],
    "positions of maxima": lambda tf: tf.nn.max_pool_with_argmax(
        np.ones((1, 2, 2, 1), np.float32), 2, 2, "SAME", output_dtype=None
    ),
    **{
        f"one_hot of ragged {indices} along {axis}": (
            lambda tf, indices=indices, axis=axis: [
                tf.one_hot(
                    tf.ragged.constant(indices, ragged_rank=1), 3, axis=axis, **more
                ).flat_values
                for more in ({}, {"dtype": tf.float64, "on_value": 0.1})
            ]
        )
        for indices in (INDICES, MORE)
        for axis in (None, -1, 0, 1, 2, 3, 4)
    },
    **{
        f"{name} of complex numbers, {eager}": (
            lambda tf, name=name, eager=eager: [_spectrum(tf, name, eager)]
        )
        for name in ("fft", "ifft", "fft2d", "ifft2d", "fft3d", "ifft3d")
        for eager in ("array", "list", "tensor", "argument")
    },
    "conjugates of an array": lambda tf: [
        tf.raw_ops.Conj(input=np.ones(2, np.complex128))
    ],
}


def _spectrum(tf, name, given):
    x = np.ones((2, 2, 2), np.complex128)
    f = getattr(tf.signal, name)
    if given == "argument":
        return tf.function(f)(x)
    if given == "list":
        return f(x.tolist())
    return f(x if given == "array" else tf.constant(x))


@pytest.mark.parametrize("name", TEXTS)
def test_values_and_dtypes(name):
    found = []
    for tf in (tensorflow, graphkiln):
        try:
            made = TEXTS[name](tf)
        except Exception as error:
            found.append(type(error).__name__)
        else:
            found.append([tuple(p.dtype.name for p in made), *_texts(made)])
    assert found[1] == found[0]


def _branches(tf, name, x):
    def run():
        return tf.no_op()

    def nested():
        return [tf.group(tf.identity(x)), {"x": x}]

    if name == "cond":
        return tf.cond(x > 0, run, run)
    if name == "nested":
        first, second = tf.cond(x > 0, nested, nested)
        return tf.stack([tf.cast(first, tf.float32), second["x"]])
    if name == "case":
        return tf.case([(x > 2, run), (x > 0, run)], default=run)
    if name == "switch_case":
        return tf.switch_case(tf.cast(x, tf.int32), [run, run, run])
    return tf.cond(x > 0, run, lambda: x)


@pytest.mark.parametrize("name", ["cond", "nested", "case", "switch_case", "unequal"])
@pytest.mark.parametrize("x", [1.0, -1.0])
def test_branches_that_give_operations_give_the_choice(name, x):
    found = []
    for tf in (tensorflow, graphkiln):
        call = tf.function(lambda x, tf=tf: _branches(tf, name, x), autograph=False)
        found.append(_outcome(tf, lambda tf, call=call: call(tf.constant(x))))
    assert found[1] == found[0]


def test_shapes_of_captured_sizes_are_known_in_loops():
    found = []
    for tf in (tensorflow, graphkiln):

        @tf.function(input_signature=[tf.TensorSpec([1], tf.int32)])
        def drawn(n, tf=tf):
            sizes = tf.concat([n, [1, 3]], 0)
            return tf.while_loop(
                lambda i, _: i < 2,
                lambda i, sums: (
                    i + 1,
                    sums + tf.random.stateless_uniform(sizes, seed=[i, 0]),
                ),
                (0, tf.zeros(sizes)),
            )[1]

        x = drawn(tf.constant([2]))
        found.append((x.shape.as_list(), x.numpy().tolist()))
    assert found[1] == found[0]


def _images(tf, dtype, ragged_rank):
    rows = [np.arange(12.0).reshape(3, 4, 1), np.arange(10.0).reshape(2, 5, 1)]
    if ragged_rank < 2:
        return tf.RaggedTensor.from_tensor(np.stack([rows[0]] * 2).astype(dtype))
    images = tf.cast(tf.ragged.stack(rows), dtype)
    return images.with_flat_values(images.flat_values)


@pytest.mark.parametrize("method", ["bilinear", "bicubic", "area", "lanczos3"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "uint8"])
@pytest.mark.parametrize("ragged_rank", [1, 2])
@pytest.mark.parametrize("traced", [False, True])
def test_ragged_images_are_resized_each_by_itself(method, dtype, ragged_rank, traced):
    found = []
    for tf in (tensorflow, graphkiln):
        images = _images(tf, dtype, ragged_rank)

        def resize(images, tf=tf):
            return tf.image.resize(images, [2, 3], method=method)

        made = (tf.function(resize) if traced else resize)(images)
        found.append(made)
    assert found[1].dtype.name == found[0].dtype.name
    np.testing.assert_allclose(found[1].numpy(), found[0].numpy(), rtol=1e-5)


def test_ragged_images_that_are_none():
    for tf in (tensorflow, graphkiln):
        images = _images(tf, "float32", 2)
        assert tf.image.resize(images[:0], [2, 2]).shape == (0, 2, 2, 1)
        with pytest.raises(ValueError, match="must be 4"):
            tf.image.resize(tf.ragged.constant([[1.0], [2.0, 3.0]]), [2, 2])


def _eager_mode_gradients(tf, eager_mode):
    def gradient():
        x = tf.constant([1.0, 2.0])
        with eager_mode():
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x
            return tf.executing_eagerly(), tape.gradient(y, x).numpy().tolist()

    def gradient_in_graph():
        with tf.Graph().as_default(), eager_mode():
            return gradient()

    def around():
        x = tf.constant([3.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            with eager_mode():
                y = x * x
        return tape.gradient(y, x).numpy().tolist()

    def inside():
        told = []

        @tf.function
        def f():
            with tf.name_scope("outer"), eager_mode():
                told.append((tf.executing_eagerly(), tf.add(1, 2).numpy().item()))
            return tf.constant(1, name="made")

        f()
        graph = tf.Graph()
        with graph.as_default():
            with eager_mode():
                tf.constant(1.0).numpy()
            told.append((len(graph.get_operations()), tf.executing_eagerly()))
        return told

    return gradient(), gradient_in_graph(), around(), inside()


def test_tapes_record_in_eager_mode():
    from tensorflow.python.eager import context

    ours = graphkiln.__internal__.eager_context.eager_mode
    wanted = _eager_mode_gradients(tensorflow, context.eager_mode)
    assert _eager_mode_gradients(graphkiln, ours) == wanted


def test_tapes_record_in_combinations_of_eager_mode():
    (combination,) = graphkiln.__internal__.test.combinations.combine(mode="eager")
    told = []

    class Test(graphkiln.test.TestCase, parameterized.TestCase):
        @graphkiln.__internal__.test.combinations.generate([combination])
        def test_it(self):
            x = graphkiln.constant(3.0)
            with graphkiln.GradientTape() as tape:
                tape.watch(x)
                y = x * x
            told.append(float(tape.gradient(y, x)))

    (name,) = (n for n in dir(Test) if n.startswith("test_it"))
    getattr(Test(name), name)()
    assert told == [6.0]


class _Named(graphkiln.TypeSpec):
    """A spec of a package, which registers it by a name."""

    value_type = property(lambda self: tuple)
    _component_specs = property(lambda self: (graphkiln.TensorSpec([2]),))

    def __init__(self, label):
        self.label = label

    def _serialize(self):
        return (self.label,)

    def _to_components(self, value):
        return value

    def _from_components(self, components):
        return tuple(components)


def test_structures_as_messages():
    def told(tf):
        internal = tf.__internal__.saved_model
        spec = tf.RaggedTensorSpec([None, 2], tf.int64)
        value = [(tf.TensorSpec([1, None], tf.int32, "x"), spec), {"a": None}, 2.5, True]
        message = internal.encode_structure(value)
        return message.SerializeToString(deterministic=True), str(
            internal.decode_proto(message)
        )

    assert told(graphkiln) == told(tensorflow)


def test_registered_specs_as_messages():
    private_parts.register_type_spec("packages.Named")(_Named)
    internal = graphkiln.__internal__.saved_model
    message = internal.encode_structure([_Named("it")])
    kind = message.list_value.values[0].type_spec_value
    assert kind.type_spec_class == kind.REGISTERED_TYPE_SPEC
    assert (kind.type_spec_class_name, kind.num_flat_components) == (
        "packages.Named", 1,
    )
    (spec,) = internal.decode_proto(message)
    assert type(spec) is _Named and spec.label == "it"


def test_operations_take_attributes():
    with graphkiln.Graph().as_default():
        operation = graphkiln.constant(1.0).op
        operation._unconditional_update = True
        assert operation.outputs[0].op._unconditional_update
        with pytest.raises(AttributeError):
            operation.name = "other"


def _frozen_later(tf):
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.v, self.w = tf.Variable(2.0), tf.Variable(3.0, trainable=False)

    model = Model()

    @tf.function
    def product():
        return model.v * model.w

    def told():
        with tf.GradientTape() as tape:
            y = product()
        watched = [v is model.v for v in tape.watched_variables()]
        grads = tape.gradient(y, [model.v, model.w])
        return (
            [v is model.v for v in model.trainable_variables], watched,
            [g if g is None else float(g) for g in grads], model.v.trainable,
        )

    answers = [told()]
    model.v._trainable, model.w._trainable = False, True
    with tf.GradientTape() as tape:
        y = model.v * model.w
    grads = tape.gradient(y, [model.v, model.w])
    answers.append([g if g is None else float(g) for g in grads])
    answers.append([v is model.v for v in model.trainable_variables])
    model.v._trainable, model.w._trainable = True, False
    answers.append(told())
    return answers


def test_variables_are_frozen_later():
    assert _frozen_later(graphkiln) == _frozen_later(tensorflow)


def test_what_custom_gradients_wrap():
    def told(tf):
        def twice(x):
            return 2.0 * x, lambda dy: 5.0 * dy

        decorated = tf.custom_gradient(twice)
        y, grad = decorated.__original_wrapped__(tf.constant(3.0))
        return decorated.__original_wrapped__ is twice, float(y), grad(2.0)

    assert told(graphkiln) == told(tensorflow) == (True, 6.0, 10.0)
