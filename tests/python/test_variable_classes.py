"""Classes of variables that programs derive, and what creators give."""

from __future__ import annotations

import copy
import pickle

import pytest

import graphkiln as tf


class Held(tf.Variable):
    """Holds a tensor, and takes arguments of its own."""

    def __init__(self, tensor, trainable):
        self.made = getattr(self, "made", 0) + 1
        self.tensor = tensor
        self._trainable = trainable

    trainable = property(lambda self: self._trainable)
    dtype = property(lambda self: self.tensor.dtype)
    shape = property(lambda self: self.tensor.shape)

    def value(self):
        if self.tensor is None:
            raise ValueError("it has no value")
        return self.tensor

    read_value = value


tf.register_tensor_conversion_function(
    Held, lambda value, dtype=None, name=None, as_ref=False: value.tensor
)


def _creator(next_creator, **kwargs):
    tensor = tf.convert_to_tensor(kwargs["initial_value"])
    return Held(tensor, kwargs["trainable"])


def test_what_a_creator_gives_is_not_made_again():
    with tf.variable_creator_scope(_creator):
        v = tf.Variable([1.0, 2.0], trainable=False)
        w = tf.Variable(initial_value=3.0)
    assert type(v) is Held and v.made == 1 and v.trainable is False
    assert isinstance(v, tf.Variable) and not isinstance(w.tensor, tf.Variable)
    assert w.made == 1 and not hasattr(v, "handle")


def test_other_classes_than_variables():
    with tf.variable_creator_scope(lambda next_creator, **kwargs: "no variable"):
        assert tf.Variable(1.0) == "no variable"


def test_operators_and_ops_take_its_value():
    v = Held(tf.constant([1.0, 2.0]), True)
    assert (v + 1).numpy().tolist() == [2.0, 3.0]
    assert (1 - v).numpy().tolist() == [0.0, -1.0]
    assert tf.reduce_sum(v).numpy() == 3.0
    assert tf.add(v, v).dtype == tf.float32
    assert tf.function(lambda: v * 2)().numpy().tolist() == [2.0, 4.0]
    with tf.GradientTape() as tape:
        tape.watch(v.tensor)
        y = tf.reduce_sum(v * v)
    assert tape.gradient(y, v.tensor).numpy().tolist() == [2.0, 4.0]
    with pytest.raises(ValueError, match="it has no value"):
        sum([Held(None, True)])


def test_references_have_an_order():
    refs = [tf.Variable(float(i)).ref() for i in range(5)]
    ordered = sorted(refs)
    assert all(a < b and b > a for a, b in zip(ordered, ordered[1:], strict=False))
    with pytest.raises(TypeError):
        refs[0] < 1  # noqa: B015


def test_own_gradient_of_a_variable():
    @tf.custom_gradient
    def scaled(x, factor):
        return x, lambda dy: (factor * dy, None)

    v = tf.Variable([3.0])
    for call in (scaled, tf.function(scaled)):
        with tf.GradientTape() as tape:
            y = call(v, 2.0)
            z = y * y
        assert y.dtype == tf.float32 and y.numpy().tolist() == [3.0]
        assert tape.gradient(z, v).numpy().tolist() == [12.0]
    again = tf.recompute_grad(lambda x: x)
    with tf.GradientTape() as tape:
        y = again(v)
    assert tape.gradient(y, v).numpy().tolist() == [1.0]


class Counter(tf.Module):
    def __init__(self):
        super().__init__(name="counter")
        self.v = tf.Variable(1.0)

    @tf.function
    def __call__(self, x):
        return self.v + x


def test_modules_can_be_copied_and_pickled():
    module = Counter()
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        other.v.assign(5.0)
        assert module(1.0).numpy() == 2.0 and other(1.0).numpy() == 6.0
        with other.name_scope as scope:
            assert scope == "counter/"
    scope = tf.name_scope("a")
    assert copy.deepcopy(scope).name == copy.copy(scope).name == "a"


def test_a_function_has_the_attributes_of_what_it_is_made_of():
    class Callable:
        def __init__(self):
            self.scale = 3

        def __call__(self, x):
            return self.scale * x

    assert tf.function(Callable()).scale == 3
    module = Counter()
    assert tf.function(module).v is module.v

    def f(x):
        return x

    f.note = "mine"
    assert tf.function(f).note == "mine"
    assert tf.function(f).__name__ == "f"
