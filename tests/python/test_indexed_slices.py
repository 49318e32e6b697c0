"""tf.IndexedSlices: what is known of the whole, and what stays slices."""

from __future__ import annotations

import numpy as np
import pytest

import graphkiln as tf


def rows(dense_shape=None) -> tf.IndexedSlices:
    return tf.IndexedSlices(
        tf.constant([[3.0, 4.0]]), tf.constant([1]), dense_shape
    )


@pytest.mark.parametrize(
    ("change", "values"),
    [
        (lambda x: tf.cast(x, tf.int32), [[3, 4]]),
        (lambda x: tf.clip_by_norm(x, 1.0), [[0.6, 0.8]]),
        (lambda x: tf.clip_by_value(x, 0.0, 3.5), [[3.0, 3.5]]),
        (lambda x: tf.math.scalar_mul(2, x), [[6.0, 8.0]]),
        (tf.stop_gradient, [[3.0, 4.0]]),
        (lambda x: -x, [[-3.0, -4.0]]),
    ],
)
@pytest.mark.parametrize("dense_shape", [None, [3, 2]])
def test_values_alone_change(change, values, dense_shape):
    x = rows(None if dense_shape is None else tf.constant(dense_shape))
    for made in [change(x), tf.function(change)(x)]:
        assert isinstance(made, tf.IndexedSlices)
        assert made.values.numpy() == pytest.approx(np.array(values))
        assert made.indices.numpy().tolist() == [1]
        assert (made.dense_shape is None) == (dense_shape is None)


@pytest.mark.parametrize("call", [lambda f: f, tf.function])
def test_norms_of_gradients(call):
    """What is missing stays so and counts for nothing; slices stay slices."""

    def clip(x):
        parts = [None, rows(), x, None]
        return *tf.clip_by_global_norm(parts, 6.5), tf.linalg.global_norm(parts)

    (none, slices, dense, last), norm, again = call(clip)(tf.constant([12.0]))
    assert none is None and last is None
    assert isinstance(slices, tf.IndexedSlices)
    assert slices.indices.numpy().tolist() == [1]
    assert slices.dense_shape is None
    assert slices.values.numpy().tolist() == [[1.5, 2.0]]
    assert dense.numpy().tolist() == [6.0]
    assert norm.numpy() == again.numpy() == 13.0


def test_norms_of_no_list():
    for value in [tf.constant([3.0]), "text", 7, rows()]:
        with pytest.raises(TypeError, match="`t_list` should be a sequence of"):
            tf.linalg.global_norm(value)
        with pytest.raises(TypeError, match="`t_list` should be a sequence of"):
            tf.clip_by_global_norm(value, 1.0)


def test_others_take_the_whole():
    whole = tf.square(rows(tf.constant([3, 2])))
    assert whole.numpy().tolist() == [[0, 0], [9, 16], [0, 0]]
    with pytest.raises(ValueError, match="without dense_shape: IndexedSlices"):
        tf.square(rows())


def test_shape_of_a_dense_shape_that_is_not_known():
    """It was that of a scalar where the length of the shape is not known."""
    shapes = []

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def f(dense):
        shapes.append(rows(dense).shape)
        shapes.append(rows(tf.concat([dense[:1], [2]], 0)).shape)
        shapes.append(rows(tf.constant([3, 2])).shape)

    f.get_concrete_function()
    assert shapes[0].rank is None
    assert shapes[2].as_list() == [3, 2]


def test_spec_of_parts_that_do_not_fit():
    slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0, 1]))
    with pytest.raises(ValueError, match=r"Shapes \(2,\) and \(1,\)"):
        slices._type_spec  # noqa: B018


def test_names_of_the_nodes_of_the_whole():
    @tf.function
    def f(x):
        return tf.convert_to_tensor(
            tf.IndexedSlices(x, tf.constant([1]), tf.constant([3, 2])),
            name="whole",
        )

    graph = f.get_concrete_function(tf.TensorSpec([1, 2])).graph
    names = [op.name for op in graph.get_operations()]
    assert "whole" in names and "strided_slice/stack" in names


def test_parts_that_are_lists():
    """TensorFlow's have no static shape: an AttributeError."""
    slices = tf.IndexedSlices([[1.0]], [1], [3, 1])
    assert slices.shape == [3, 1]
    assert tf.cast(slices, tf.int32).values.numpy().tolist() == [[1]]


def test_calls_of_the_class_and_of_classes_derived_from_it():
    class Named(tf.IndexedSlices):
        def __init__(self, values, indices, name):
            super().__init__(values, indices=indices)
            self.label = name

    values, indices = tf.constant([[1.0]]), tf.constant([0])
    for made in [
        tf.IndexedSlices(values, indices),
        tf.IndexedSlices(indices=indices, values=values),
        tf.IndexedSlices(values, indices, dense_shape=None),
        Named(values, indices, name="rows"),
    ]:
        assert made.values is values and made.indices is indices
        assert made.dense_shape is None
    assert type(made) is Named and made.label == "rows"
    with pytest.raises(TypeError, match="missing required argument: 'indices'"):
        tf.IndexedSlices(values)
    with pytest.raises(TypeError, match="takes 4 positional arguments but 5"):
        tf.IndexedSlices(values, indices, None, None)
    with pytest.raises(TypeError, match="unexpected keyword argument 'shape'"):
        tf.IndexedSlices(values, indices, shape=None)
    with pytest.raises(TypeError, match="multiple values for argument 'values'"):
        tf.IndexedSlices(values, indices, values=values)
