"""Concrete functions: calls, what they tell, results and captures."""

import numpy as np
import pytest

import graphkiln as tf
from tracing_support import Pair

Spec = tf.TensorSpec


def test_3_1_structured_and_flat_calls():
    cf = tf.function(lambda a, b, *, c: a - c).get_concrete_function(
        Spec([]), 3, c=Spec([], name="see")
    )
    x, y = tf.constant(5.0), tf.constant(2.0)
    assert cf(x, 3, c=y).numpy() == cf(x, see=y).numpy() == cf(x, y).numpy()
    with pytest.raises(TypeError) as e:
        cf(x)
    assert "Fallback to flat signature also failed due to: <lambda>" in (
        str(e.value)
    )
    with pytest.raises(tf.errors.InvalidArgumentError):
        cf(tf.constant(1), y)


def test_3_1_shapes_are_checked():
    cf = tf.function(lambda a: a).get_concrete_function(Spec([2]))
    with pytest.raises(tf.errors.InvalidArgumentError) as e:
        cf(tf.ones([3]))
    assert (
        "argument 'a' (input #0) was expected to have shape (2,) but has "
        "shape (3,)"
    ) in str(e.value)


def test_3_2_introspection():
    f = tf.function(lambda d, *args: {"s": d["x"][0], "n": None})
    cf = f.get_concrete_function({"x": [Spec([], tf.int32), 5]}, 7)
    assert cf.structured_input_signature == (
        ({"x": [Spec([], tf.int32, name="d_x_0"), 5]}, 7), {},
    )
    assert cf.structured_outputs["s"].name == "Identity:0"
    assert cf.structured_outputs["n"] is None
    assert cf.name.startswith(b"__inference_")
    assert cf.output_dtypes == {"s": tf.int32, "n": None}


def test_3_2_composites():
    cf = tf.function(lambda x: x).get_concrete_function(
        tf.RaggedTensorSpec([2, None], tf.int32)
    )
    assert cf.structured_input_signature == (
        (tf.RaggedTensorSpec([2, None], tf.int32),), {},
    )
    assert str(cf.structured_outputs).startswith(
        'tf.RaggedTensor(values=Tensor("Identity:0"'
    )
    assert cf.output_dtypes == [tf.int32, tf.int64]
    assert [s.as_list() for s in cf.output_shapes] == [[None], [3]]
    rt = tf.ragged.constant([[1], [2, 3]])
    assert cf(rt).to_list() == [[1], [2, 3]]
    flat = cf(rt.flat_values, rt.row_splits)
    assert flat.to_list() == [[1], [2, 3]]
    named = cf(x=rt.flat_values, x_1=rt.row_splits)
    assert named.to_list() == [[1], [2, 3]]
    assert str(cf).count("RaggedTensorSpec(TensorShape([2, None])") == 2


@pytest.mark.parametrize(
    "value, kind",
    [
        (lambda: {1}, "set"), (lambda: object(), "object"),
        (lambda: print, "builtin_function_or_method"),
        (lambda: tf.int32, "DType"),
    ],
)
def test_3_3_what_cannot_be_returned(value, kind):
    def f():
        return value()

    with pytest.raises(TypeError) as e:
        tf.function(f)()
    assert str(e.value).startswith(
        "To be compatible with tf.function, Python functions must return"
    )
    assert f"found return value of type {kind}" in str(e.value)


def test_3_3_what_can_be_returned():
    out = tf.function(lambda: (3, "s", None, np.ones(2), Pair(1, [2])))()
    assert out[0].dtype == tf.int32 and out[1].dtype == tf.string
    assert out[2] is None and isinstance(out[4], Pair)
    v = tf.Variable(4.0)
    assert isinstance(tf.function(lambda: v)(), tf.Tensor)


def test_3_4_captures():
    eager, v = tf.constant([1.0]), tf.Variable(2.0)
    captured = tf.ragged.constant([[1.0], []])
    f = tf.function(lambda: (eager + v, captured))
    cf = f.get_concrete_function()
    assert len(cf.captured_inputs) == 4
    assert cf.variables == (v,)
    v.assign(5.0)
    total, rows = f()
    assert total.numpy().tolist() == [6.0]
    assert rows.to_list() == [[1.0], []]
