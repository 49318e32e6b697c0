"""Dtypes of fewer bits than eight, and the floats of eight with one NaN:
TensorFlow carries them, casts those of four bits, and computes with none."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import graphkiln

real = pytest.importorskip("tensorflow")

INTEGERS = ["int2", "uint2", "int4", "uint4"]
FLOATS = [
    "float4_e2m1fn", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz"
]
WIDE = [
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "qint8", "quint8", "qint32",
]
NUMBERS = [0, 1, 7, 8, 9, 15, -1, -3, -8, -9, 127, 200, 2**40, -(2**62)]


def dtype_of(tf, name):
    return tf.as_dtype(name)


def array_of(name):
    values = [0, 1, 1, 0] if name == "uint2" else [0, 1, -1, 1]
    return np.array(values).astype(getattr(ml_dtypes, name))


def both(call):
    ours, theirs = call(graphkiln), call(real)
    assert ours == theirs
    return ours


def outcome(call):
    """What it makes, or the class of what it raises."""

    def made(tf):
        try:
            return call(tf)
        except Exception as error:  # noqa: BLE001
            return type(error).__name__

    return made


@pytest.mark.parametrize("name", INTEGERS + FLOATS)
def test_what_a_dtype_says(name):
    def facts(tf):
        t = getattr(tf.dtypes.experimental, name)
        assert t is getattr(tf.experimental, name)
        assert t is tf.as_dtype(name) is tf.as_dtype(getattr(ml_dtypes, name))
        assert t is tf.as_dtype(np.dtype(getattr(ml_dtypes, name)))
        assert t is tf.as_dtype(t.as_datatype_enum)
        with pytest.raises(ValueError, match="does not have defined limits"):
            t.limits  # noqa: B018
        return (
            t.name, repr(t), str(t), hash(t), t.as_datatype_enum, t.size,
            t.is_floating, t.is_integer, t.is_unsigned, t.is_bool,
            t.is_complex, t.is_quantized, t.is_numpy_compatible,
            t.as_numpy_dtype, float(t.min), float(t.max), t.base_dtype.name,
        )

    both(facts)


CARRIED = {
    "constant": lambda tf, a: tf.constant(a),
    "with its dtype": lambda tf, a: tf.constant(a, a.dtype),
    "identity": lambda tf, a: tf.identity(tf.constant(a)),
    "reshape": lambda tf, a: tf.reshape(tf.constant(a), [2, 2]),
    "expand_dims": lambda tf, a: tf.expand_dims(tf.constant(a), 0),
    "stop_gradient": lambda tf, a: tf.stop_gradient(tf.constant(a)),
    "cast to itself": lambda tf, a: tf.cast(tf.constant(a), a.dtype),
    "function": lambda tf, a: tf.function(tf.identity)(tf.constant(a)),
    "in a function": lambda tf, a: tf.function(lambda: tf.constant(a))(),
    "py_function": lambda tf, a: tf.py_function(lambda x: x, [a], a.dtype),
    "dataset": lambda tf, a: list(tf.data.Dataset.from_tensor_slices(a))[1],
    "size": lambda tf, a: tf.size(tf.constant(a)),
}


@pytest.mark.parametrize("what", CARRIED)
@pytest.mark.parametrize("name", INTEGERS + FLOATS)
def test_it_is_carried(name, what):
    def call(tf):
        made = CARRIED[what](tf, array_of(name))
        return str(made), repr(made), made.numpy().tolist(), made.dtype.name

    both(call)


@pytest.mark.parametrize("name", INTEGERS + FLOATS)
def test_messages(name):
    def call(tf):
        message = tf.make_tensor_proto(array_of(name))
        with tf.Graph().as_default() as graph:
            tf.constant(array_of(name))
        [node] = graph.as_graph_def().node
        assert tf.make_ndarray(message).tolist() == array_of(name).tolist()
        return str(message), str(node.attr["value"])

    message, _ = both(call)
    assert f"DT_{name.upper()}" in message


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(
    "name", [*INTEGERS, "float4_e2m1fn", "float8_e5m2", "float8_e4m3fn"]
)
def test_graphs_of_tensorflow(name, count):
    values = np.array([1, 0, 1][:count]).astype(getattr(ml_dtypes, name))
    with real.Graph().as_default() as graph:
        real.constant(values, name="c")
    text = graph.as_graph_def().SerializeToString()
    definition = graphkiln.compat.v1.GraphDef.FromString(text)
    read = graphkiln.Graph()
    with read.as_default():
        graphkiln.import_graph_def(definition, name="")
    with graphkiln.compat.v1.Session(graph=read) as session:
        found = session.run("c:0")
    assert found.dtype == values.dtype
    assert found.tolist() == values.tolist()


@pytest.mark.parametrize("wide", WIDE)
@pytest.mark.parametrize("name", ["int4", "uint4"])
def test_casts_keep_the_low_bits(name, wide):
    def call(tf):
        numbers = tf.constant(NUMBERS, tf.int64)
        x = numbers if wide == "int64" else tf.cast(numbers, wide)
        small = tf.cast(x, name)
        back = tf.cast(small, wide)
        traced = tf.function(lambda x: tf.cast(tf.cast(x, name), wide))(x)
        empty = tf.cast(tf.cast(tf.zeros([0, 2], tf.int32), wide), name)
        levels = np.asarray(back.numpy()).tolist()
        assert np.asarray(traced.numpy()).tolist() == levels
        return small.numpy().tolist(), levels, empty.shape.as_list()

    both(call)


@pytest.mark.parametrize(
    ("source", "target"), [("int4", "uint4"), ("uint4", "int4")]
)
def test_casts_between_them(source, target):
    both(lambda tf: tf.cast(
        tf.constant(list(range(-8, 8)), source), target
    ).numpy().tolist())


@pytest.mark.parametrize(
    "wide", ["float32", "float16", "bfloat16", "float64", "bool", "complex64",
             "string", "float8_e5m2", "int2", "float4_e2m1fn"],
)
@pytest.mark.parametrize("name", ["int4", "uint4"])
def test_what_is_not_cast(name, wide):
    def call(tf):
        return tf.cast(tf.constant([1], name), wide)

    assert both(outcome(call)) == "UnimplementedError"


@pytest.mark.parametrize(
    "value",
    [3, -1, 300, 2**40, -(2**62), [[1, 2], [3, 4]], [], True, [True], 2.0,
     [1.0], "a", 2**63, [1, None]],
)
@pytest.mark.parametrize("name", ["int4", "uint4"])
def test_values_of_python(name, value):
    both(outcome(lambda tf: tf.constant(value, name).numpy().tolist()))


@pytest.mark.parametrize("name", ["int4", "uint4"])
def test_tensors_of_four_bits(name):
    def call(tf):
        v = tf.Variable([1, 2], dtype=name)
        v.assign([3, 1])
        return (
            tf.zeros([2], name).numpy().tolist(),
            tf.ones([2], name).numpy().tolist(),
            tf.fill([2], tf.constant(1, name)).numpy().tolist(),
            tf.convert_to_tensor(3, name).numpy().tolist(),
            repr(v),
            tf.ragged.constant([[1], [2, 3]], name).to_list(),
        )

    both(call)


@pytest.mark.parametrize("name", INTEGERS + FLOATS)
def test_nothing_is_computed(name):
    x = graphkiln.constant(array_of(name))
    for call in (
        lambda: x + x,
        lambda: -x,
        lambda: graphkiln.bitcast(x, "int8"),
        lambda: graphkiln.strings.as_string(x),
    ):
        with pytest.raises(
            (graphkiln.errors.InvalidArgumentError, TypeError)
        ):
            call()
    if name in INTEGERS[:2] + FLOATS:
        with pytest.raises(graphkiln.errors.UnimplementedError):
            graphkiln.cast(x, "float32")


@pytest.mark.parametrize("name", [
    *WIDE, *INTEGERS, *FLOATS, "qint16", "quint16", "bool", "float16",
    "bfloat16", "float32", "float64", "float8_e5m2", "float8_e4m3fn",
    "complex64", "complex128", "string", "resource", "variant",
])
def test_ranges(name):
    """Of all dtypes: the largest and smallest values, and what pictures have."""

    def call(tf):
        t = tf.as_dtype(name)
        found = []
        for what in ("min", "max", "limits"):
            try:
                found.append(repr(getattr(t, what)))
            except Exception as error:  # noqa: BLE001
                found.append((type(error).__name__, str(error)))
        return found

    both(call)
