"""Variables in tf.functions: creation, capture, lifetime."""

import gc
import weakref

import pytest

import graphkiln as tf

X = tf.constant(3.0)


class Counter:
    """Makes its variable on the first call."""

    def __init__(self):
        self.v = None
        self.ran = 0

    @tf.function
    def add(self, x):
        self.ran += 1
        if self.v is None:
            self.v = tf.Variable(x * 2.0)
        return self.v.assign_add(x)


def test_created_on_the_first_call():
    c = Counter()
    assert c.add(X).numpy() == 9.0
    assert c.ran == 2
    assert c.add.experimental_get_tracing_count() == 2
    assert c.add(X).numpy() == 12.0
    assert c.v.numpy() == 12.0
    operations = c.add.get_concrete_function(X).graph.get_operations()
    assert not any("VarHandle" in op.type for op in operations)
    assert c.ran == 2


def test_get_concrete_function_initialises():
    c = Counter()
    concrete = c.add.get_concrete_function(X)
    assert c.v is not None
    start = c.v.numpy()
    assert concrete(X).numpy() == start + 3.0


@pytest.mark.parametrize("later", [False, True])
def test_created_at_each_call(later):
    made = []

    @tf.function
    def f(x, n):
        if not later or n > 0:
            made.append(tf.Variable(1.0))
        return x

    with pytest.raises(
        ValueError,
        match="Creating variables on a non-first call to a function decorated "
        "with tf.function."
        if later
        else "tf.function only supports singleton tf.Variables created on "
        "the first call. Make sure the tf.Variable is only created once or "
        "created outside tf.function. See ",
    ):
        f(X, 0)
        f(X, 1)


def test_created_in_a_nested_function():
    made = []

    @tf.function
    def inner(x):
        if not made:
            made.append(tf.Variable(5.0))
        return made[0] * x

    outer = tf.function(lambda x: inner(x) + 1.0)
    assert outer(X).numpy() == 16.0
    assert outer(X).numpy() == 16.0
    assert len(made) == 1


def test_initial_value_may_be_callable():
    made = []

    @tf.function
    def f():
        if not made:
            made.append(tf.Variable(lambda: tf.ones([2]) * 4.0))
        return made[0].read_value()

    assert f().numpy().tolist() == [4.0, 4.0]


def test_captured_by_reference():
    v = tf.Variable(1.0)
    f = tf.function(lambda x: x + v)
    assert f(X).numpy() == 4.0
    v.assign(10.0)
    assert f(X).numpy() == 13.0
    assert f.experimental_get_tracing_count() == 1


def test_reads_and_writes_in_order():
    v = tf.Variable(1.0)

    @tf.function
    def f():
        first = v.read_value()
        v.assign_add(1.0)
        second = v.read_value()
        v.assign(second * 10.0)
        return first, second, v.read_value()

    assert [t.numpy() for t in f()] == [1.0, 2.0, 20.0]
    assert v.numpy() == 20.0


def test_assignment_runs_although_unused():
    v = tf.Variable(0.0)
    inner = tf.function(lambda: v.assign_add(1.0))

    @tf.function
    def outer(x):
        inner()
        inner()
        return x

    outer(X)
    outer(X)
    assert v.numpy() == 4.0


def test_returned_as_its_value():
    v = tf.Variable(2.0)
    result = tf.function(lambda: v)()
    assert isinstance(result, tf.Tensor)
    v.assign(3.0)
    assert result.numpy() == 2.0


def test_assigned_as_argument():
    f = tf.function(lambda a, b: a.assign_add(b))
    v, w = tf.Variable(1.0), tf.Variable(10.0)
    f(v, w)
    f(w, v)
    assert (v.numpy(), w.numpy()) == (11.0, 21.0)
    assert f.experimental_get_tracing_count() == 1
    f(v, v)
    assert v.numpy() == 22.0


def test_the_object_is_held_weakly_and_the_value_strongly():
    v = tf.Variable(5.0)
    concrete = tf.function(lambda x: x + v).get_concrete_function(X)
    assert concrete.variables == (v,)
    alive = weakref.ref(v)
    del v
    gc.collect()
    if alive() is None:
        assert concrete(X).numpy() == 8.0
        with pytest.raises(
            tf.errors.FailedPreconditionError,
            match="Called a function referencing variables which have been "
            "deleted",
        ):
            concrete.variables


def test_gone_with_its_closure():
    v = tf.Variable(5.0)
    f = tf.function(lambda x: x + v)
    f(X)
    alive = weakref.ref(v)
    del f, v
    gc.collect()
    assert alive() is None
